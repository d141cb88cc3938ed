"""What a session shows of what was done: why, with what, what was learned, and every change of the conversation."""

from __future__ import annotations

import io
import json
import re
import sys
from pathlib import Path

import pytest

import evolve
from evolve.cli.chat.screen import PlainScreen, TerminalScreen
from evolve.cli.chat.showing import show_result
from evolve.core.episodes import Cost
from evolve.policies.search import TrainingSettings, fit_guide
from evolve.tasks import load_suite
from evolve.testing import Scenario, ScriptedEndpoint
from evolve.trials import Variant
from evolve.workspace import Result
from tests.cli.screens import check_screen
from tests.doubles.conversing import ConversingDouble
from tests.workspace.test_found_while_learning import RIGHT, Adder, Served, mending

TEXT = """The totals are made in `total.py`:

1. **rows** are read by `src/rows.py`
2. *sums* are written

It has no tests, see [the page](https://docs.example/page)."""


@pytest.fixture
def project(project):
    (project / "src").mkdir()
    (project / "total.py").write_text("x = 1\n")
    (project / "src" / "rows.py").write_text("x = 1\n")
    return project


@pytest.mark.slow
def test_why_says_what_was_tried_what_the_verdict_rests_on_and_what_was_used(chat):
    done = chat("1 -> 2", "2 -> 3", "5 -> 6", "7 -> 8", "9 -> 10", "", "/why --steps")
    assert done.code == 0, done.out
    assert "r1: unchecked" in done.out and "no further row is known" in done.out
    assert "step 1: code" in done.out and "judge: accepted" in done.out
    assert "used: " not in done.out


@pytest.mark.slow
def test_why_names_the_guide_where_something_was_searched_with_one(chat, tmp_path):
    assert chat("everyday#name-initials-1").code == 0
    with evolve.open(tmp_path / "ws") as opened:
        stores, views = opened.stores, [load_suite("everyday").task("name-initials-1").view()]
        guide = fit_guide(stores.memory.experience_rows(), views, (), 0, TrainingSettings(dreams=10, steps=2))
        learned = Variant(guide=stores.objects.put_json(guide.to_json()), insights=stores.snapshot_insights())
        opened.variants.promote(stores.variants.add(learned, origin="a test"), reason="a test")
    done = chat("1 -> 2", "2 -> 3", "5 -> 6", "7 -> 8", "9 -> 10", "", "/why")
    assert done.code == 0, done.out
    assert "used: the guide" in done.out and "was told" not in done.out


@pytest.mark.slow
def test_causes_are_told_in_the_words_of_their_insights(chat, cli):
    done = chat("everyday#name-initials-1", "/why solved")
    insights = json.loads(cli("memory", "list", "--json").out)["insights"]
    causes = re.findall(r"^(the step .*)", done.out, re.MULTILINE)
    steps = [re.search(r'the step "(.*?)" is in the answer', cause) for cause in causes]
    assert steps and all(step and any(step[1] in one["text"] for one in insights) for step in steps)
    assert done.out.endswith(cli("why", "solved").out.replace("evolve why", "/why"))


@pytest.mark.slow
def test_why_names_the_persons_wishes_that_were_followed(work, cli):
    cli("memory", "preferences", "add", "left.txt holds colours")
    done = work("replace red by green in left.txt", "/why")
    assert "preference left.txt holds colours" in done.out
    why = "the check passed before anything was changed, so it decides nothing"
    assert done.out.partition("r1: unchecked")[2].count(why) == 1


@pytest.mark.slow
def test_the_last_change_is_shown_again_though_other_turns_came_after_it(work):
    done = work("replace red by green in left.txt", "sing a song", "/diff")
    shown = done.out.rpartition("sing a song")[2] or done.out
    assert shown.count("+green green") >= 1 and "diff: waiting; run r1" in done.out


@pytest.mark.slow
def test_all_changes_of_the_conversation_are_shown_with_how_they_stand(work):
    done = work(
        *("replace red by green in left.txt", "/approve", "/undo"),
        *("replace red by blue in left.txt", "/approve", "replace blue by pink in left.txt", "/diff all"),
    )
    shown = done.out[done.out.rindex("diff: undone; run r1") :]
    assert shown.index("undone; run r1") < shown.index("applied; run r2") < shown.index("waiting; run r3")
    assert "+blue blue" in shown and "+pink pink" in shown
    assert "diff: no change was made" in work("/diff all").out


@pytest.mark.slow
def test_undo_takes_back_nothing_in_another_folder_than_the_conversations(work, chat, project, tmp_path):
    work("replace red by green in left.txt", "/approve")
    other = tmp_path / "other"
    other.mkdir()
    for options in (("--dir", other, "--check", "true"), ()):
        done = chat("/undo", options=options)
        assert "error: nothing is applied" in done.out and "/undo r1" in done.out
        assert (project / "left.txt").read_text() == "green green\n"
    assert "undone: left.txt" in chat("/undo r1", options=("--dir", other, "--check", "true")).out
    assert (project / "left.txt").read_text() == "red red\n"


def test_undo_reaches_what_an_earlier_conversation_changed_in_the_same_folder(work, project):
    work("replace red by green in left.txt", "/approve")
    assert "undone: left.txt" in work("/undo", options=("--new",)).out
    assert (project / "left.txt").read_text() == "red red\n"


@pytest.mark.slow
def test_learn_says_what_the_conversation_taught(chat, cli):
    assert "learned: nothing yet" in chat("/learn").out
    done = chat("everyday#name-initials-1", "/comment name the argument n", "/learn")
    assert done.code == 0, done.out
    assert "waiting: name the argument n" in done.out
    assert re.search(r"^learned: the skill .*/skills ", done.out, re.MULTILINE)


def test_every_command_is_in_the_help(chat):
    done = chat("/help")
    for name in ("resume", "model", "learn", "skills", "why", "diff", "confirm", "undo"):
        assert f"/{name}: " in done.out


def in_words(text=TEXT, **more):
    about = {"entry": "", "verified": False, "score": 0.0, "episode_id": "e1", "run_id": "r1", "task": "t"}
    given = {"status": "unverified", "answer": text, "value": text, "cost": Cost(calls=2, tokens=900), **about, **more}
    return Result(note="nothing can check it", **given)


def test_an_answer_in_words_is_shown_as_text_with_the_files_it_rests_on(project, capfd):
    show_result(PlainScreen(), in_words(), folder=str(project))
    out = capfd.readouterr().out
    check_screen("chat-answer-in-words", out)


def test_a_terminal_gets_an_answer_in_words_laid_out_and_addresses_in_the_open(project, capfd):
    from rich.console import Console

    out = io.StringIO()
    console = Console(file=out, force_terminal=True, color_system="standard", width=60, highlight=False)
    show_result(TerminalScreen(console), in_words(TEXT + "\n\x1b]8;;http://evil\x07"), folder=str(project))
    shown = out.getvalue()
    assert "**rows**" not in shown and "rows" in shown and "\x1b[1mrows" in shown
    assert "https://docs.example/page" in shown and "\x1b]8" not in shown


def test_lines_of_an_answer_stay_lines(project):
    from rich.console import Console

    out = io.StringIO()
    show_result(
        TerminalScreen(Console(file=out, width=60)), in_words("937.75\norders.csv has seven\n"), folder=str(project)
    )
    assert [line.strip() for line in out.getvalue().splitlines() if line.strip()][:2] == [
        "937.75",
        "orders.csv has seven",
    ]


def test_a_command_that_goes_on_is_never_folded(capfd):
    from rich.console import Console

    command = "evolve chat --dir '/home/ada/a folder' --check 'python3 -m unittest -q' --model here --resume c1"
    for width in (100, 40):
        out = io.StringIO()
        TerminalScreen(Console(file=out, width=width)).command("bye", "go on with: ", command)
        assert command in out.getvalue().splitlines()[-1]
    PlainScreen().command("bye", "go on with: ", command)
    assert capfd.readouterr().out == f"bye: go on with: {command}\n"


def test_an_answer_in_words_names_no_file_outside_of_the_folder(project, capfd):
    outside = Path(project).parent / "other.txt"
    outside.write_text("x")
    show_result(PlainScreen(), in_words("It stands in ../other.txt and in nowhere.txt."), folder=str(project))
    assert "rests on" not in capfd.readouterr().out


def test_source_that_gives_a_value_is_shown_as_before(capfd):
    show_result(PlainScreen(), in_words("def solve():\n    return 42\n", value=42))
    out = capfd.readouterr().out
    assert "code: 2 lines follow" in out and "value: 42" in out


def runs_and_lessons(cli):
    return len(json.loads(cli("runs", "list", "--json").out)), json.loads(cli("memory", "list", "--json").out)[
        "insights"
    ]


@pytest.mark.slow
def test_learn_with_a_mode_says_what_later_turns_are_learned_from_and_a_conversation_keeps_it(chat, cli):
    task = "everyday#name-initials-1"
    done = chat("/learn off", task, "/learn")
    assert "learn: off" in done.out and "learned: nothing" in done.out
    assert runs_and_lessons(cli) == (1, [])
    back = chat(task, options=("--resume", "c1"))
    assert "learned: " not in back.out and runs_and_lessons(cli) == (2, [])
    assert re.search("^learned: ", chat("/learn on", task, options=("--resume", "c1")).out, re.MULTILINE)
    assert runs_and_lessons(cli)[1]
    assert "'sometimes'" in chat("/learn sometimes").out


def test_what_a_row_left_open_is_learned_from_as_the_conversation_says(cli, monkeypatch, tmp_path):
    """The question and its answer begin another run, of the same person."""
    typed = io.StringIO("/learn off\n1 -> 2\n\n\n")
    monkeypatch.setattr(sys, "stdin", typed)
    cli("chat")
    assert json.loads(cli("learn", "--json").out) == [] and runs_and_lessons(cli)[1] == []


@pytest.mark.slow
def test_a_right_answer_that_was_found_while_learning_is_shown_and_a_change_can_be_approved(chat, tmp_path):
    project = mending(tmp_path)
    with ScriptedEndpoint(double=Served(Adder())) as serving:
        options = ("--dir", project, "--check", "python3 test_total.py", "--model", serving.model)
        done = chat("make total add up", "/approve", options=options)
    told = done.out.partition("while learning, tests pass")[2]
    assert "+    return sum(xs)" in told and "waiting: " in told
    assert "applied: total.py" in told and (project / "total.py").read_text() == RIGHT


@pytest.mark.slow
def test_a_reply_whose_edit_failed_is_told_in_whole_sentences_and_as_no_end_of_the_work(chat, project):
    change = "```edit left.txt\n<<<<<<< SEARCH\n{}\n=======\ngreen\n>>>>>>> REPLACE\n```\n```done\n```\n"
    replies = [change.format("red re"), change.format("blue"), change.format("red red")]
    with ScriptedEndpoint(Scenario(replies=replies), double=ConversingDouble()) as serving:
        done = chat("make it green", "/why --steps", "/plan", options=("--dir", project, "--model", serving.model))
    told = done.out.partition("step 1: ")[2]
    assert "whole lines are needed" in told and "does not stand there" in told, told


def test_the_list_of_runs_says_what_each_was_asked(work, cli):
    work("replace red by green in left.txt")
    (line,) = (line for line in cli("runs", "list").out.splitlines() if line.startswith("r1"))
    assert "folder-" in line and line.endswith("replace red by green in left.txt")
