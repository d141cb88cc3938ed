"""A conversation is gone on with as it was worked: by the line that is printed, by its id alone, and by /resume."""

from __future__ import annotations

import re
import shlex

import pytest

from evolve.testing import ScriptedEndpoint
from tests.cli.chat_terminal import Terminal
from tests.doubles.conversing import ConversingDouble


@pytest.mark.slow
def test_the_line_that_is_printed_at_the_end_goes_on_in_the_same_way(tmp_path, endpoint, project):
    window = Terminal(tmp_path, columns=200)
    try:
        start = ["--dir", str(project), "--check", "true", "--model", endpoint.model]
        window.start("chat", *start, "--set", "approve=never", "--budget", "100k-tokens", "--plain")
        window.ready()
        window.type("replace red by green in left.txt")
        window.wait("nothing is changed yet")
        window.ready()
        window.press("C-d")
        shown = window.wait("left with code 0").replace("\n", "")
        line = re.search(r"go on with: (evolve chat .*--resume c1)", shown)[1]
        window.start(*shlex.split(line)[1:])
        window.wait("/approve applies it")
        window.type("/model")
        window.wait(f"model: {endpoint.model}")
        window.type("/approve sometimes")
        window.ready()
        window.type("/budget")
        window.wait("100,000 tokens left")
        options = shlex.split(line)
        for option, value in (("--set", "approve=never"), ("--model", endpoint.model), ("--check", "true")):
            assert options[options.index(option) + 1] == value
        assert "--plain" in options
    finally:
        window.close()


def test_the_id_alone_is_enough_to_go_on(chat, endpoint, project):
    first = chat(
        "replace red by green in left.txt", options=("--dir", project, "--check", "true", "--model", endpoint.model)
    )
    assert first.code == 6, first.out
    again = chat("/model", "/diff", "replace red by blue in left.txt", options=("--resume", "c1"))
    assert again.code == 6, again.out + again.err
    assert f"model: {endpoint.model}" in again.out and "+blue blue" in again.out


@pytest.mark.slow
def test_another_folder_than_the_conversations_is_refused(chat, endpoint, project, tmp_path):
    chat("replace red by green in left.txt", options=("--dir", project, "--check", "true", "--model", endpoint.model))
    done = chat("/diff", options=("--resume", "c1", "--dir", tmp_path, "--check", "true"))
    assert done.code == 2 and "is about" in done.err


@pytest.mark.slow
def test_a_model_that_is_chosen_on_the_way_decides_from_the_next_turn_on_and_stays(chat, endpoint):
    with ScriptedEndpoint(double=ConversingDouble()) as other:
        done = chat("add 1 and 2", f"/model {other.model}", "add 3 and 4", options=("--model", endpoint.model))
        assert "value: 3" in done.out and "value: 7" in done.out
        assert endpoint.requests and other.requests
        before = len(other.requests)
        again = chat("/model", "add 5 and 6", options=("--resume", "c1"))
        assert f"model: {other.model}" in again.out and "value: 11" in again.out
        assert len(other.requests) > before
    chosen = chat("/model", options=("--resume", "c1", "--model", endpoint.model))
    assert f"model: {endpoint.model}" in chosen.out


@pytest.mark.slow
def test_another_conversation_is_gone_on_with_in_the_same_session(chat, endpoint, project):
    work = ("--dir", project, "--check", "true", "--model", endpoint.model)
    chat("replace red by green in left.txt", options=work)
    chat("add 1 and 2", options=("--model", endpoint.model))
    done = chat(
        "add 3 and 4", "/resume", "/resume c1", "/diff", "replace red by blue in left.txt", options=("--model", "")
    )
    assert "c1  " in done.out and "c2  " in done.out and "add 1 and 2" in done.out
    assert "resumed: c1 after 1 turn" in done.out
    assert "+green green" in done.out and "+blue blue" in done.out
    wrong = chat("/resume c9")
    assert "no conversation 'c9'" in wrong.out and wrong.code == 2
