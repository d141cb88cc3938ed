"""Command lines that a folder proposes: what looks like a place for a value and is one for options or commands."""

from __future__ import annotations

import pytest

from evolve.core.errors import UsageError
from evolve.runtime.functions import CallFailed
from evolve_tools.command_line import CommandLine


@pytest.mark.parametrize(
    "line",
    [
        ["/bin/sh", "-ce", "ls {a}"],
        ["/bin/bash", "-cx", "ls {a}"],
        ["/usr/bin/env", "bash", "-c", "ls {a}"],
        ["/usr/bin/timeout", "5", "/bin/sh", "-c", "ls {a}"],
        ["/usr/bin/env", "-S", "sh -c 'ls {a}'"],
        ["/bin/ash", "-c", "ls {a}"],
        ["/bin/bash", "-O", "extglob", "-c", "ls {a}"],
        ["/bin/rbash", "-c", "ls {a}"],
    ],
)
def test_no_value_becomes_a_command_of_a_shell(line):
    with pytest.raises(UsageError):
        CommandLine(line)


@pytest.mark.parametrize(
    "line",
    [["/usr/bin/env", "--", "/bin/tar", "xf", "{a}"], ["/usr/bin/uv", "run", "--", "tool", "{a}"]],
)
def test_the_end_of_options_of_a_program_that_starts_another_is_not_that_of_the_other(line):
    with pytest.raises(CallFailed, match="begins with -"):
        CommandLine(line).filled({"a": "--to-command=id"})


def test_a_number_is_digits_and_no_letters_of_options():
    for n in (1e300, 1.5e-9, float("1e22")):
        try:
            filled = CommandLine(["/bin/x", "-v{n:float}"]).filled({"n": n})
        except CallFailed:
            continue
        assert "e" not in filled[1]


def test_a_whole_number_that_is_written_with_a_point_is_whole():
    assert CommandLine(["/bin/x", "--n={n:int}"]).filled({"n": 3.0}) == ("/bin/x", "--n=3")
