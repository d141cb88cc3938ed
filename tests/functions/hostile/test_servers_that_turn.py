"""Servers that turn on whoever allowed them: after the pin, between list and call, with what they were handed."""

from __future__ import annotations

import pytest

from evolve.runtime.functions import CallFailed
from tests.functions.running import functions_of, hostile, seen_before

TEXT = {"text": {"type": "string"}}
PLAIN = "blue-otter-lake"  # neither its name nor its form says that it is a secret


def approved(way, *arguments, description="Does something.", **more):
    return seen_before(hostile(way, *arguments, **more), description, **TEXT)


@pytest.mark.parametrize(
    "way", ["tells what it was handed", "fails with what it was handed", "dies with what it was handed"]
)
def test_what_a_server_was_handed_of_the_person_s_variables_comes_back_as_a_mark(way, monkeypatch):
    monkeypatch.setenv("WEATHER", PLAIN)
    with functions_of(approved(way, variables={"HANDED": "$WEATHER", "MODE": "fast"})) as functions:
        try:
            said = str(functions.call("foe_act", {}, seconds=20))
        except CallFailed as failed:
            said = str(failed)
    assert PLAIN not in said and "fast" in said


def test_a_server_that_lists_differently_each_time_is_called_only_after_it_listed_what_was_allowed():
    with functions_of(approved("lists by turns")) as functions:
        done = []
        for _ in range(6):
            try:
                done.append(functions.call("foe_act", {}, seconds=20))
            except CallFailed as failed:
                done.append("not what was allowed" in str(failed))
    assert done[0] == "done" and True in done and False not in done


def test_a_storm_of_changes_neither_keeps_a_call_waiting_nor_starts_a_server_for_ever():
    with functions_of(approved("storm")) as functions:
        told = []
        for _ in range(8):
            try:
                told.append(functions.call("foe_act", {}, seconds=20))
            except CallFailed as failed:
                told.append(str(failed))
        assert "not started again" in told[-1] or told[-1] == "done"


def test_a_description_that_differs_in_what_nobody_sees_is_another_tool():
    for way in ("a sign without width", "another form of a letter"):
        with (
            functions_of(approved("describes", way)) as functions,
            pytest.raises(CallFailed, match="not what was allowed"),
        ):
            functions.call("foe_act", {}, seconds=20)


def test_a_tool_of_another_name_does_not_stand_in_for_the_one_that_was_allowed():
    with functions_of(approved("poses as")) as functions, pytest.raises(CallFailed):
        functions.call("foe_act", {}, seconds=20)
