"""Commands that evolve prints do what they say when they are typed as they stand."""

import re
import shlex

import pytest


@pytest.mark.parametrize("before", [True, False])
def test_a_printed_command_names_the_workspace_that_was_named(cli, tmp_path, before):
    other = str(tmp_path / "my other")
    cli("memory", "preferences", "add", "short answers", "-w", other)
    named, typed = ["-w", other], ["forget", "0123abcd"]
    done = cli(*named, *typed) if before else cli(*typed, *named)
    (command,) = re.findall(r"try: evolve (.*)", done.err)
    assert "short answers" in cli(*shlex.split(command)).out


def test_a_workspace_that_was_not_named_is_not_printed(cli, tmp_path):
    cli("memory", "preferences", "add", "short answers", "-w", tmp_path / "other")
    assert " -w " not in cli("memory", "list").err
