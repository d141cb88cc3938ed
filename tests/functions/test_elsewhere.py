"""What is called elsewhere is sent its arguments, whatever a person says that it does."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from evolve.runtime.functions import CallGate, CallsInMemory, Permission
from evolve.runtime.functions.servers import ServerApproval, ToolPin
from evolve.workspace import servers
from tests.functions.running import functions_of, hostile


@pytest.fixture
def shelf(tmp_path):
    shelf = servers(tmp_path)
    shelf.add(hostile("echoes its text", network=True))
    return shelf


def asked(approval: ServerApproval, *, read: str = "") -> str:
    """What a call comes to where nobody is there."""
    with functions_of(approval) as functions:
        gate = CallGate([functions], CallsInMemory(), Permission(functions.grant_of))
        if read:
            gate.note_data_from(read)
        (said,) = json.loads(
            gate.answer_frame(b'{"function": "foe_act", "arguments": {"text": "the password"}}')
        ).values()
        return said


def said(shelf, **grants: str) -> ServerApproval:
    shelf.allow("foe", ["act"], effects=["reads"], grants={"*": "allow", **grants})
    known = shelf.list()[0]
    return ServerApproval(server=known.server, tools=known.tools)


def test_what_was_allowed_as_reading_carries_nothing_off_that_was_read_elsewhere(shelf):
    approval = said(shelf)
    assert approval.tools["act"].effects == {"reads", "sends"}
    assert asked(approval) == "the password"
    assert "foe_act sends data away, this run has read from the folder" in asked(approval, read="the folder")


def test_who_trusts_it_with_whatever_a_run_reads_says_so(shelf):
    assert asked(said(shelf, **{"*": "trust"}), read="the folder") == "the password"
    assert "nobody is here to ask" in asked(said(shelf, sends="ask"))


def test_what_was_allowed_before_without_sending_has_to_be_allowed_again(shelf):
    approval = said(shelf)
    with functions_of(approval) as functions:
        (made,) = functions.functions()
    reads = frozenset({"reads"})
    before = ToolPin.from_function(replace(made, effects=reads), {"reads": "allow"})
    with functions_of(ServerApproval(server=approval.server, tools={"act": before})) as functions:
        assert functions.functions() == [] and "evolve tools allow foe" in functions.troubles["foe"]
        assert [offer.state for offer in functions.offered_tools("foe")] == ["changed"]


def test_what_has_no_network_does_not_send(tmp_path):
    shelf = servers(tmp_path)
    shelf.add(hostile("echoes its text"))
    (allowed,) = shelf.allow("foe", ["act"], effects=["reads"])
    assert allowed.function.effects == {"reads"}
