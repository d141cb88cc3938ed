"""A question about a folder is answered in words, and a change that no check decides about waits like any other."""

from __future__ import annotations

import io
import json
import sys

import pytest

from evolve.testing import ScriptedEndpoint
from evolve.testing.doubles import prompt_of, schema_of
from tests.cli.screens import check_screen

WORDS = "The first number is given back by `total.py`; `test_total.py` wants the sum."
CHECK = "python3 test_total.py"


class Reader:
    """Answers what is asked, and changes a file where that is asked; it may try to answer after a change."""

    def __init__(self, first=""):
        self.first = first

    def answer(self, body):
        prompt = prompt_of(body)
        if schema_of(body, prompt) and "kind" not in str(schema_of(body, prompt)):
            return json.dumps({"claims": [], "goal": "g", "subgoals": [], "name": "n", "description": "d"})
        if not any(message["role"] == "assistant" for message in body["messages"]) and self.first:
            return self.first
        if "Task: change" in prompt:
            return "So.\n```file notes.txt\nnew\n```\n```done\n```\n"
        if "asks for a change" in prompt:
            return "```give_up\nI cannot\n```\n"
        return f"I read it.\n```answer\n{WORDS}\n```\n"


@pytest.fixture
def project(failing_project):
    return failing_project


@pytest.fixture
def run(cli, project):
    def do(text, *options, first=""):
        with ScriptedEndpoint(double=Reader(first)) as serving:
            return cli("run", text, "--dir", project, "--model", serving.model, *options)

    return do


@pytest.fixture
def chat(cli, project, monkeypatch):
    def do(*lines, options=(), first=""):
        monkeypatch.setattr(sys, "stdin", io.StringIO("".join(f"{line}\n" for line in lines)))
        with ScriptedEndpoint(double=Reader(first)) as serving:
            return cli("chat", "--dir", project, "--model", serving.model, *options)

    return do


@pytest.mark.slow
@pytest.mark.parametrize("check", [(), ("--check", CHECK)], ids=["no check", "a check"])
def test_a_question_gets_words_once_with_the_files_they_rest_on(run, check):
    done = run("what does total give?", *check)
    assert done.code == 0, done.out + done.err
    check_screen("run-answer-in-words", done.out.partition("\nlearning: ")[0])
    told = json.loads(run("what does total give?", *check, "--json").out)
    assert (told["status"], told["answer"], told["verified"], told["patch"]) == ("unverified", WORDS, False, None)


@pytest.mark.slow
def test_words_do_not_do_once_files_were_changed_and_a_check_is_there(run):
    changed = "```file total.py\ndef total(xs):\n    return 0\n```\n```answer\nit is right now\n```\n"
    done = run("make total add up", "--check", CHECK, first=changed)
    assert done.code == 1 and "it is right now" not in done.out


def test_words_without_a_folder_are_printed_once(cli):
    with ScriptedEndpoint(double=Reader()) as serving:
        done = cli("run", "what does total give?", "--model", serving.model)
    assert done.code == 0 and done.out.count("The first number is given back") == 1


@pytest.mark.slow
def test_a_change_without_a_check_waits_and_is_applied_by_leave_alone(run, cli, project):
    done = run("change notes")
    assert done.code == 6, done.out + done.err
    check_screen("run-folder-unchecked", done, folder=project)
    assert not (project / "notes.txt").exists()
    told = json.loads(run("change notes", "--set", "approve=never", "--json").out)
    assert (told["status"], told["patch"]["state"], told["patch"]["files"]) == ("unverified", "waiting", ["notes.txt"])
    assert cli("runs", "answer", "r1", "yes").code == 0
    assert (project / "notes.txt").read_text() == "new\n"
    assert cli("undo", "r1").code == 0 and not (project / "notes.txt").exists()


@pytest.mark.slow
def test_leave_for_what_passes_its_check_is_none_for_what_has_none(run, cli, project):
    assert run("change notes", "--yes").code == 6
    assert not (project / "notes.txt").exists()
    assert cli("apply", "r1").code == 0 and (project / "notes.txt").exists()


@pytest.mark.slow
def test_a_conversation_about_a_folder_needs_no_check(chat, project):
    done = chat("what does total give?", "change notes", "/approve", "/undo")
    check_screen("chat-folder-unchecked", done, folder=project)
    assert not (project / "notes.txt").exists()
    again = chat("what does total give?", options=("--check", CHECK, "--new"))
    assert again.code == 0 and "rests on: total.py" in again.out


@pytest.mark.slow
def test_a_replay_shows_what_code_that_only_looked_gave(run, cli):
    first = "I look.\n```python\nfirst, second = open('total.py').read().splitlines()\nsecond\n```\n"
    done = run("change the notes", first=first)
    assert done.code == 6, done.out + done.err
    shown = json.loads(cli("runs", "show", "r1", "--json").out)
    episode = shown[0]["episode"]
    told = cli("why", episode, "--steps").out
    assert "    value: '    return xs[0]'" in told
    assert "changed: notes.txt" in told
    assert "differs" not in told and "every example" not in told


@pytest.mark.parametrize(
    ("check", "asked"), [("pytset -q", False), (" pytset", False), ("./made-later.sh", True), ("true && pytset", True)]
)
def test_a_check_that_cannot_begin_ends_the_run_before_a_model_is_asked(cli, project, check, asked):
    with ScriptedEndpoint(double=Reader()) as serving:
        done = cli("run", "change it", "--dir", project, "--model", serving.model, "--check", check)
        assert (done.code == 2, bool(serving.requests)) == (not asked, asked)
    assert asked or "pytset" in done.err
