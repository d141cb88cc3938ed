"""What every kind of server promises, tried on each; a package holds its own to the same by another ``case``."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from evolve.core.errors import UsageError
from evolve.runtime.functions import EFFECTS, CallFailed, CallGate, CallsInMemory, Permission, RecordedCall
from evolve.runtime.functions.servers import (
    ApprovalHome,
    Approvals,
    Server,
    ServerApproval,
    server_kind,
    server_of,
)
from tests.functions.running import INTERPRETER, SERVERS, allowed, functions_of, hostile


@dataclass(frozen=True, kw_only=True)
class Case:
    """A server of a kind.

    Attributes:
        function: One that it gives, as code calls it, which answers these arguments with this value.
        wrong: Arguments of the same function that do not fit.
        other: The same server, approved otherwise.
    """

    server: Server
    function: str
    arguments: dict[str, Any] = field(default_factory=dict)
    value: Any
    wrong: dict[str, Any]
    other: Server


@pytest.fixture
def case() -> Case:
    server = hostile("echoes its text")
    command = (INTERPRETER, "-I", "-B", str(SERVERS / "hostile.py"), "echoes its text", "more")
    given = {"text": "hi"}
    return Case(
        server=server,
        function="foe_act",
        arguments=given,
        value="hi",
        wrong={"text": 5},
        other=replace(server, command=command),
    )


def answered(gate: CallGate, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    gate.start(1)
    return json.loads(gate.answer_frame(json.dumps({"function": name, "arguments": arguments}).encode()))


def gate_of(functions: Any, record: CallsInMemory, grant: str = "trust") -> CallGate:
    return CallGate([functions], record, Permission(lambda function: grant))


def test_it_is_written_and_read_as_it_is(case):
    server = case.server
    read = server_of(server.name, json.loads(json.dumps(server.to_json())), "evolve.toml")
    assert (read, read.digest) == (server, server.digest) and case.other.digest != server.digest
    with pytest.raises(UsageError, match="has no setting"):
        replace(server, settings={**server.settings, "nosuch": "1"})


def test_a_person_is_shown_every_setting(case):
    rows = server_kind(case.server.kind).approval_lines(case.server)
    assert all(0 < len(label) <= 9 and text.isprintable() for label, text in rows)
    assert set(case.server.settings.values()) <= {text for _, text in rows}


def test_nothing_is_offered_or_called_before_it_is_allowed(case):
    with functions_of(ServerApproval(server=case.server)) as functions:
        assert functions.functions() == []
        with pytest.raises(CallFailed):
            functions.call(case.function, case.arguments, seconds=20)


def test_what_it_lists_has_names_schemas_and_known_effects(case):
    with functions_of(ServerApproval(server=case.server)) as functions:
        first, second = functions.offered_tools(case.server.name), functions.offered_tools(case.server.name)
    made = {offer.function.name: offer.function for offer in first if offer.function}
    assert case.function in made and len({offer.tool for offer in first}) == len(first)
    assert [offer.function.digest for offer in second if offer.function] == [one.digest for one in made.values()]
    for function in made.values():
        assert case.server.effects <= function.effects <= set(EFFECTS) and function.source == case.server.name


def test_a_call_is_put_on_record_checked_and_answered(case):
    with functions_of(allowed(case.server)) as functions:
        record = CallsInMemory()
        gate = gate_of(functions, record)
        assert "error" in answered(gate, case.function, case.wrong) and record.calls == {}
        assert answered(gate, case.function, case.arguments) == {"value": case.value}
        ((call, answer),) = record.calls.values()
        assert isinstance(call, RecordedCall) and (call.function, answer.state) == (case.function, "answered")
        functions.close()
        assert answered(gate, case.function, case.arguments) == {"value": case.value}  # from the record


def test_no_call_is_made_without_leave(case):
    with functions_of(allowed(case.server)) as functions:
        for grant in ("ask", "deny"):
            record = CallsInMemory()
            assert "error" in answered(gate_of(functions, record, grant), case.function, case.arguments)
            assert [answer.state for _, answer in record.calls.values()] == ["refused"]


def test_what_is_secret_is_neither_kept_nor_seen(case):
    def clean(value):
        return "(mark)" if value == case.value else value

    with functions_of(allowed(case.server)) as functions:
        record = CallsInMemory()
        gate = CallGate([functions], record, Permission(lambda function: "trust"), clean=clean)
        assert answered(gate, case.function, case.arguments) == {"value": "(mark)"}
    assert [answer.value for _, answer in record.calls.values()] == ["(mark)"]


def test_another_server_of_the_name_is_not_what_was_allowed(case, tmp_path):
    home = ApprovalHome(path=str(tmp_path), id="1")
    Approvals(tmp_path / "approvals", home).save(allowed(case.server))
    (kept,) = Approvals(tmp_path / "approvals", home).list_approvals()
    assert kept.server == case.server != case.other
    changed = {tool: replace(pin, digest="0" * 64) for tool, pin in kept.tools.items()}
    with functions_of(ServerApproval(server=case.server, tools=changed)) as functions:
        with pytest.raises(CallFailed, match="not what was allowed any more"):
            functions.call(case.function, case.arguments, seconds=20)
        assert case.function not in [one.name for one in functions.functions()]


def test_closing_twice_is_no_error_and_the_next_call_begins_anew(case):
    with functions_of(allowed(case.server)) as functions:
        for _ in range(2):
            assert functions.call(case.function, case.arguments, seconds=20) == case.value
            functions.close()
            functions.close()
