"""How far the plan of a run has come, as a person sees it: while it goes on, after a crash, and afterwards."""

from __future__ import annotations

import io
import json
import sys

import pytest

from evolve.testing import Scenario, ScriptedEndpoint

PLAN = """In parts.
```plan
1. one is there
   check: test -f one.txt
2. two follows it
   after: 1
   check: cat two.txt
3. the notes say so
```
```file one.txt
1
```
"""
REST = "```file two.txt\n2\n```\n```plan\ndone: 3\n```\n```done\n```\n"
STANDS = (
    "1. one is there: done, checked",
    "2. two follows it: open, its check gave exit 1",
    "3. the notes say so: open",
)
ENDS = (STANDS[0], "2. two follows it: done, checked", "3. the notes say so: done, as the model says")


@pytest.fixture
def folder(tmp_path):
    made = tmp_path / "project"
    made.mkdir()
    return made


@pytest.mark.slow
def test_a_run_shows_its_plan_where_it_was_cut_off_and_once_it_is_over(cli, folder):
    replies = [{"text": PLAN}, {"status": 401}, {"text": REST}]
    with ScriptedEndpoint(Scenario(replies=replies)) as serving:
        command = ("run", "make two", "--dir", folder, "--check", "test -f two.txt", "--model", serving.model, "--yes")
        first = cli(*command)
        assert first.code == 4, first.err
        assert "1 of 3 steps" in first.err
        shown = cli("runs", "show", "r1").out
        assert all(line in shown for line in STANDS)
        second = cli(*command)
        assert second.code == 0, second.err
    shown = cli("runs", "show", "r1").out
    assert all(line in shown for line in ENDS)
    [told] = json.loads(cli("runs", "show", "r1", "--json").out)
    assert [(one["goal"], one["standing"]) for one in told["plan"]] == [
        ("one is there", "checked"),
        ("two follows it", "checked"),
        ("the notes say so", "said"),
    ]


def test_chat_shows_the_plan_of_the_last_turn(cli, folder, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.StringIO("make two\n/plan\n"))
    with ScriptedEndpoint(Scenario(replies=[{"text": PLAN}, {"text": REST}])) as serving:
        options = ("--dir", folder, "--check", "test -f two.txt", "--set", "approve=never")
        done = cli("chat", "--model", serving.model, *options)
    assert all(f"plan {line}" in done.out for line in ENDS), done.out + done.err


@pytest.mark.slow
def test_a_run_without_a_plan_shows_none(cli, folder):
    with ScriptedEndpoint(Scenario(replies=[{"text": "```file two.txt\n2\n```\n```done\n```\n"}])) as serving:
        cli("run", "make two", "--dir", folder, "--check", "test -f two.txt", "--model", serving.model, "--yes")
    assert "plan" not in cli("runs", "show", "r1").out
    assert "plan" not in json.loads(cli("runs", "show", "r1", "--json").out)[0]


APART = "1. one is there\n   check: test -f one.txt\n3. the notes say so\n"


@pytest.mark.slow
@pytest.mark.parametrize("leave", ["/approve", "/refuse count in weeks"])
def test_the_next_turn_keeps_what_its_plan_states_again_as_far_as_it_is_in_the_folder(cli, folder, monkeypatch, leave):
    monkeypatch.setattr(sys, "stdin", io.StringIO(f"/learn off\nmake two\n{leave}\nnot days: weeks\n/plan\n"))
    again = f"```plan\n{APART}4. weeks\n```\n```file three.txt\n3\n```\n```give_up\nso far\n```\n"
    with ScriptedEndpoint(Scenario(replies=[{"text": PLAN}, {"text": REST}, {"text": again}])) as serving:
        done = cli("chat", "--model", serving.model, "--dir", folder, "--check", "test -f five.txt || test -f two.txt")
        first = "\n".join(message["content"] for message in serving.requests[2]["messages"])
    applied = leave == "/approve"
    shown = done.out.rsplit("not days: weeks", 1)[-1]
    assert "Its plan as it stood" in first and ("count in weeks" in first) is not applied
    assert f"1. one is there: {'done, checked' if applied else 'open'}" in shown, done.out + done.err
    assert f"2. the notes say so: {'done, as the model says' if applied else 'open'}" in shown
    assert "3. weeks: open" in shown
