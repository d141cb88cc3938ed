"""Whose a note is, is told by its role: a document may call itself by any name."""

from __future__ import annotations

import json


def test_a_document_that_calls_itself_you_is_not_told_as_you(cli, tmp_path):
    cli("memory", "note", "the port of billing is 9000", "--by", "you", "--role", "document")
    cli("memory", "note", "the port of search is 7000")
    listed = cli("memory", "list").out
    assert " by document, by you (unchecked): the port of billing is 9000" in listed
    assert " by you: the port of billing" not in listed
    (own,) = [line for line in listed.splitlines() if "7000" in line]
    assert "unchecked" not in own
    recalled = cli("memory", "recall", "port of billing").out.splitlines()
    (line,) = [line for line in recalled if "9000" in line]
    assert "document, by you (unchecked): " in line
    assert not any("unchecked" in line for line in recalled if "7000" in line)


def test_a_note_of_a_file_is_told_so_too(cli, tmp_path):
    entry = {"text": "the port of billing is 9000", "author": "you", "role": "user"}
    (tmp_path / "notes.jsonl").write_text(json.dumps(entry) + "\n")
    assert cli("memory", "import", "notes.jsonl").code == 0
    assert " by document, by you (unchecked):" in cli("memory", "list").out


def test_a_note_is_listed_with_an_id_by_which_it_is_forgotten(cli):
    cli("memory", "note", "the port of billing is 9000")
    cli("memory", "note", "the port of search is 7000")
    (line,) = [line for line in cli("memory", "list").out.splitlines() if "9000" in line]
    name = line.split()[1]
    assert cli("forget", name).out.startswith("forgot the note ")
    assert "9000" not in cli("memory", "list").out + cli("memory", "recall", "port of billing").out
    assert cli("forget", name).code == 2
