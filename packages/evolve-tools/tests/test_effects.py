"""What is called elsewhere is sent its arguments, whatever a person says that it does."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from evolve.runtime.functions import CallGate, CallsInMemory, Permission
from evolve.runtime.functions.servers import Server, ServerApproval, ToolPin
from evolve.workspace import servers
from tests.functions.running import INTERPRETER, functions_of

SERVICE = {
    "openapi": "3.1.0",
    "paths": {"/find": {"get": {"parameters": [{"name": "q", "in": "query", "schema": {}}]}}},
}


@pytest.fixture
def shelf(tmp_path):
    file = tmp_path / "api.json"
    file.write_text(json.dumps(SERVICE))
    shelf = servers(tmp_path)
    shelf.add(Server(name="web", kind="openapi", settings={"file": str(file.resolve())}, url="http://127.0.0.1:9"))
    return shelf


def asked(approval: ServerApproval, *, read: str = "") -> str:
    """What a call comes to where nobody is there."""
    with functions_of(approval) as functions:
        gate = CallGate([functions], CallsInMemory(), Permission(functions.grant_of))
        if read:
            gate.note_data_from(read)
        return json.loads(gate.answer_frame(b'{"function": "web_get_find", "arguments": {"q": "the password"}}'))[
            "error"
        ]


def said(shelf, **grants: str) -> ServerApproval:
    shelf.allow("web", ["get_find"], effects=["reads"], grants={"*": "allow", **grants})
    known = shelf.list()[0]
    return ServerApproval(server=known.server, tools=known.tools)


def test_what_was_allowed_as_reading_carries_nothing_off_that_was_read_elsewhere(shelf):
    approval = said(shelf)
    assert approval.tools["get_find"].effects == {"reads", "sends"}
    assert "cannot be reached" in asked(approval)  # the call was made
    assert "web_get_find sends data away, this run has read from the folder" in asked(approval, read="the folder")


def test_who_trusts_it_with_whatever_a_run_reads_says_so(shelf):
    assert "cannot be reached" in asked(said(shelf, **{"*": "trust"}), read="the folder")
    assert "nobody is here to ask" in asked(said(shelf, sends="ask"))


def test_what_was_allowed_before_without_sending_has_to_be_allowed_again(shelf):
    approval = said(shelf)
    with functions_of(approval) as functions:
        (made,) = functions.functions()
    reads = frozenset({"reads"})
    before = ToolPin.from_function(replace(made, effects=reads), {"reads": "allow"})
    with functions_of(ServerApproval(server=approval.server, tools={"get_find": before})) as functions:
        assert functions.functions() == [] and "evolve tools allow web" in functions.troubles["web"]
        assert [offer.state for offer in functions.offered_tools("web")] == ["changed"]


@pytest.mark.parametrize(("network", "effects"), [(True, {"reads", "sends"}), (False, {"reads"})])
def test_a_program_sends_where_it_reaches_the_network(tmp_path, network, effects):
    shelf = servers(tmp_path)
    shelf.add(Server(name="prog", kind="program", command=(INTERPRETER, "-c", "1"), network=network))
    (allowed,) = shelf.allow("prog", [INTERPRETER.rpartition("/")[2]], effects=["reads"])
    assert allowed.function.effects == effects
