"""A note can be named once it is kept: by the ID that is printed, and by no second copy of it."""

from __future__ import annotations

import json


def test_a_note_is_named_by_the_id_that_is_printed(cli):
    told = cli("memory", "note", "the port of billing is 9000", "--by", "Dana", "--at", "2026-03-31").out
    (note,) = json.loads(cli("memory", "list", "--json").out)["notes"]
    assert note["id"][:10] in told
    why = cli("why", note["id"][:10])
    assert why.code == 0 and "Dana" in why.out and "2026-03-31" in why.out and "9000" in why.out
    assert json.loads(cli("why", note["id"], "--json").out)["kind"] == "note"


def test_notes_that_are_here_already_are_not_new(cli):
    cli("memory", "note", "the port of billing is 9000")
    cli("memory", "note", "invoices are due on the 14th", "--by", "Dana")
    assert cli("memory", "export", "notes.jsonl").code == 0
    for more in ((), ("--mine",)):
        assert json.loads(cli("memory", "import", "notes.jsonl", *more, "--json").out) == {"notes": 0}
    assert len(json.loads(cli("memory", "list", "--json").out)["notes"]) == 2
