"""Command lines with places for values: what becomes of a value is certain, whatever it is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolve.core.errors import UsageError
from evolve.runtime.functions import CallFailed
from evolve_tools.command_line import CommandLine

LINE = CommandLine(["/bin/find", "{folder}", "-name", "{pattern}", "--depth={n:int}", "--", "{last}"])


def test_values_are_described_by_a_schema_that_takes_no_others():
    assert LINE.parameters == {
        "type": "object",
        "properties": {
            "folder": {"type": "string", "maxLength": 30_000},
            "pattern": {"type": "string", "maxLength": 30_000},
            "n": {"type": "integer"},
            "last": {"type": "string", "maxLength": 30_000},
        },
        "required": ["folder", "pattern", "n", "last"],
        "additionalProperties": False,
    }


@given(folder=st.text(), pattern=st.text(), n=st.integers(), last=st.text())
def test_each_value_is_one_argument_and_none_an_option(folder, pattern, n, last):
    values = {"folder": folder, "pattern": pattern, "n": n, "last": last}
    would_act = folder.startswith("-") or pattern.startswith("-") or "\0" in folder + pattern + last
    try:
        filled = LINE.filled(values)
    except CallFailed:
        assert would_act
        return
    assert not would_act
    assert filled == ("/bin/find", folder, "-name", pattern, f"--depth={n}", "--", last)


def test_a_value_in_several_places_is_one_and_doubled_braces_are_text():
    line = CommandLine(["/bin/x", "{a}:{a}", "{{a}}", "{print $1}", "{}"])
    assert line.names == ["a"]
    assert line.filled({"a": "{b}"}) == ("/bin/x", "{b}:{b}", "{a}", "{print $1}", "{}")


@pytest.mark.parametrize(
    ("elements", "told"),
    [
        (["{program}", "x"], "in the place of the program"),
        (["/bin/x", "{a:path}"], "no type of a value"),
        (["/bin/x", "{class}"], "cannot be the name"),
        (["/bin/x", "{a:int}", "{a}"], "two types"),
        (["/bin/x", "-{a}"], "could be other options"),
        (["/bin/x", "--{a}=1"], "could be other options"),
        (["/bin/x", "--no{a}"], "could be other options"),
        (["/bin/x", "-v{a}"], "could be other options"),
        (["/bin/sh", "-c", "ls {a}"], "would run values as commands"),
        (["/bin/bash", "-ec", "ls", "{a}"], "would run values as commands"),
    ],
)
def test_a_place_that_no_value_is_safe_in_is_refused(elements, told):
    with pytest.raises(UsageError, match=told):
        CommandLine(elements)


@pytest.mark.parametrize("elements", [["/bin/head", "-n{n:int}", "{f}"], ["/bin/sh", "script.sh", "{a}"], ["/bin/ls"]])
def test_a_place_that_is_safe_is_taken(elements):
    assert CommandLine(elements)


def test_a_number_below_zero_is_no_option_either():
    with pytest.raises(CallFailed, match="begins with -"):
        CommandLine(["/bin/x", "{n:int}"]).filled({"n": -5})
    assert CommandLine(["/bin/x", "-n{n:int}"]).filled({"n": -5}) == ("/bin/x", "-n-5")
    with pytest.raises(CallFailed, match="begins with -"):
        CommandLine(["/bin/x", "{a}{b}"]).filled({"a": "", "b": "-rf"})
