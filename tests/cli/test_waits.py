"""What takes long is shown while it goes on, and nothing else is disturbed by it."""

from __future__ import annotations

import io
import json
import os
import pty
import re
import select
import signal
import subprocess
import sys
import threading

import pytest

from evolve.cli.asking import TYPED_AHEAD, ask_line, ask_yes
from evolve.cli.chat.screen import open_screen
from evolve.cli.render.activities import WORDS, format_duration, show_activities
from evolve.cli.render.live_line import LiveLine, RedrawInterval
from evolve.cli.render.output import emit, print_note, suspend_live_line
from evolve.cli.render.views import LoopView
from evolve.core.events import Event
from evolve.core.progress import report_activity, watch_activities
from evolve.testing import Scenario, ScriptedEndpoint
from tests.cli.conftest import ROOT

NEVER = 3600.0
BY_HAND = RedrawInterval(after=0.0, every=NEVER, lines=(0.0, 0.0, NEVER))
"""Nothing is shown but when a test looks; two lines in one silence."""
SCALED = "RedrawInterval(after=0.1, every=0.02, lines=(0.1, 0.3, 0.6), then=0.6)"
PROGRAM = f"""
import sys
from evolve.cli import program
from evolve.cli.render.live_line import RedrawInterval
program.main(sys.argv[1:], {SCALED})
"""
SLEEPER = f"""
import time
from evolve.core.progress import report_activity
from evolve.cli import program
from evolve.cli.render.live_line import RedrawInterval
from evolve.cli.render.output import print_note
def slow(*_):
    with report_activity("check", "pytest -q"):
        time.sleep(0.5)
        print_note("half of it")
        time.sleep(60)
program._outcome = slow
program.main(["run"], {SCALED})
"""
QUESTIONS = {
    "offer": "ask_about_proposals(None, [rule], attended=True)",
    "answer": "_respond(Question(id='q', kind='ask', text='which one?'))",
}
ASKER = f"""
import sys, time
from evolve.cli import program
from evolve.cli.asking import _respond
from evolve.cli.proposals import ask_about_proposals
from evolve.cli.render.live_line import RedrawInterval
from evolve.memory.preferences import Preference
from evolve.workspace import Question
def asks(*_):
    rule = Preference(id="p", description="The tests stay as they are.", author="ann", status="proposed")
    sys.stdin.readline()
    {{question}}
    return None, 0
program._outcome = asks
program.main(["run"], {SCALED})
"""


@pytest.fixture
def environment(tmp_path, private_home):
    return {**os.environ, "PYTHONPATH": str(ROOT), "EVOLVE_WORKSPACE": str(tmp_path / "ws")}


def evolve(environment, folder, *arguments):
    return subprocess.run(
        [sys.executable, "-c", PROGRAM, *map(str, arguments)],
        cwd=folder, env=environment, text=True, capture_output=True, timeout=300, check=False,
    )  # fmt: skip


def seen(capfd):
    return capfd.readouterr().err


@pytest.mark.slow
def test_a_slow_check_and_a_slow_model_are_told_on_stderr(tmp_path, environment):
    project = tmp_path / "project"
    project.mkdir()
    (project / "a.txt").write_text("open\n")
    edit = "```edit a.txt\n<<<<<<< SEARCH\nopen\n=======\nready\n>>>>>>> REPLACE\n```\n```done\n```\n"
    check = "sleep 1; grep -q ready a.txt"
    with ScriptedEndpoint(Scenario(replies=[{"text": edit}])) as endpoint:
        model = f"{endpoint.base_url}#m"
        task = ("run", "make it ready", "--dir", project, "--check", check, "--model", model)
        done = evolve(environment, tmp_path, *task, "--json")
    assert f"running {check}" in done.stderr
    assert json.loads(done.stdout)["status"]  # one document, and nothing of the waiting in it


@pytest.mark.slow
def test_filling_tells_how_far_it_is(tmp_path, environment):
    (tmp_path / "f.py").write_text("import time\ndef f(a):\n    time.sleep(0.3)\n    return a\n")
    (tmp_path / "t.csv").write_text("a,b\n" + "".join(f"{n},\n" for n in range(4)))
    done = evolve(
        environment, tmp_path, "fill", "t.csv", "--column", "b", "--function", "f.py", "--budget", "60s", "--json"
    )
    assert re.search(r"now: filling b, \d of 4 rows", done.stderr), done.stderr
    assert json.loads(done.stdout)["filled"] == 4


def test_a_fast_command_prints_nothing_of_it(cli):
    assert cli("--help").err == ""


def test_lines_come_with_silence_and_begin_anew_after_what_is_printed(capfd):
    with show_activities(BY_HAND) as line:
        with report_activity("check", "pytest -q"):
            for _ in range(3):
                line.refresh()
            assert seen(capfd).count("now: running pytest -q") == 2
            print_note("something else")
            assert seen(capfd) == "something else\n"
            line.refresh()
            assert "running pytest -q" in seen(capfd)
        line.refresh()
        assert "pytest" not in seen(capfd)


def test_the_whole_and_the_part_of_now_are_told_with_what_is_done(capfd):
    with (
        show_activities(BY_HAND) as line,
        report_activity("stage", "judging"),
        report_activity("fill", "Short", total=40) as going,
    ):
        going.advance(12)
        with report_activity("search"), report_activity("model", "m, attempt 2 of 5"):
            line.refresh()
    told = seen(capfd)
    assert "Short, 12 of 40 rows" in told and "m, attempt 2 of 5" in told


def test_what_goes_on_cannot_steer_the_terminal(capfd):
    with show_activities(BY_HAND) as line, report_activity("block", "x\x1b[2J\ny"):
        line.refresh()
    told = seen(capfd)
    assert "\x1b" not in told and told.count("\n") == 1


def test_nothing_is_shown_while_a_person_is_asked(capfd):
    with show_activities(BY_HAND) as line, report_activity("check", "pytest -q"):
        with suspend_live_line():
            line.refresh()
            assert seen(capfd) == ""
        line.refresh()
        assert "pytest" in seen(capfd)


def test_a_question_stays_on_the_screen_while_a_command_works(capfd, monkeypatch):
    class Keyboard(io.StringIO):
        def readline(self, *size):
            line.refresh()
            return super().readline(*size)

    with show_activities(BY_HAND) as line, report_activity("check", "pytest -q"):
        for ask, typed in ((ask_line, "keep"), (ask_yes, "y")):
            monkeypatch.setattr(sys, "stdin", Keyboard(f"{typed}\n"))
            assert ask("remember it?") in ("keep", True)
            told = seen(capfd)
            assert "remember it?" in told and "pytest" not in told


def test_a_live_line_gives_way_to_what_is_printed_and_to_questions(capfd):
    with watch_activities(), report_activity("check"):
        line = LiveLine(lambda after, began: "running " + "x" * 500, BY_HAND, live=True)
        line.refresh()
        drawn = seen(capfd)
        assert drawn.startswith("\r\x1b[2Krunning") and "\n" not in drawn and len(drawn) < 200
        with line.hide():
            assert seen(capfd) == "\r\x1b[2K"
        line.refresh()
        with line.suspend():
            assert seen(capfd).endswith("\r\x1b[2K")
        line.refresh()
        line.close()
        assert seen(capfd).endswith("\r\x1b[2K")


def test_a_live_line_goes_when_nothing_goes_on_any_more(capfd):
    texts = iter(["running", ""])
    line = LiveLine(lambda after, began: next(texts), BY_HAND, live=True)
    line.refresh()
    line.refresh()
    assert seen(capfd).endswith("\r\x1b[2K")
    line.close()


def test_a_plain_chat_prints_lines_on_a_terminal_too(capfd, monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    with show_activities(BY_HAND) as line:
        with open_screen(plain=True).show_working("starting"), report_activity("check", "pytest -q"):
            line.refresh()
        told = seen(capfd)
    assert "\x1b" not in told and "starting" in told and "pytest -q" in told


def test_the_thread_ends_with_the_command(cli):
    cli("--help")
    assert not [one for one in threading.enumerate() if one.name == "evolve-live-line"]


def test_results_on_stdout_take_the_line_away(capfd, monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    with show_activities(BY_HAND) as line, report_activity("check", "pytest -q"):
        line.refresh()
        emit("the result")
        assert seen(capfd).endswith("\r\x1b[2K")


def test_a_loop_tells_stages_in_lines_and_its_counts_as_what_goes_on(capfd):
    practice = {"round": 1, "total": 9, "solved": 1, "skills": 0}
    with show_activities(BY_HAND) as line, LoopView() as view:
        for done in (1, 2, 3):
            view.emit(Event(kind="practice", data={**practice, "episodes": done}))
        assert seen(capfd).count("Practising") == 1
        line.refresh()
        assert "3 of 9" in seen(capfd)


def test_who_does_not_watch_is_not_told(capfd):
    with report_activity("check", "pytest -q") as going:
        going.advance(3)
    assert seen(capfd) == "" and going.count() == 3


def test_durations_are_read_by_people():
    assert [format_duration(seconds) for seconds in (0.9, 59, 61, 3_720)] == ["0 s", "59 s", "1 min 1 s", "1 h 2 min"]


def test_ctrl_c_leaves_a_clean_line(environment):
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", SLEEPER], env={**environment, "TERM": "xterm"}, stdout=theirs, stderr=theirs
    )
    os.close(theirs)
    shown = b""
    while b"half of it" not in shown or not shown.endswith(b" s"):
        shown += os.read(ours, 4096)
    process.send_signal(signal.SIGINT)
    assert process.wait(60) == 130
    while part := read(ours):
        shown += part
    os.close(ours)
    lines = screen(shown.decode())
    assert lines[0] == "half of it" and "interrupted" in lines[1] and not any("running" in one for one in lines)


@pytest.mark.parametrize("question", QUESTIONS)
def test_nothing_is_drawn_over_a_question_and_nothing_typed_before_answers_it(environment, question):
    ours, theirs = pty.openpty()
    program = [sys.executable, "-c", ASKER.format(question=QUESTIONS[question])]
    process = subprocess.Popen(
        program,
        env={**environment, "TERM": "xterm"},
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
    )
    os.close(theirs)
    try:
        os.write(ours, b"begin\nkeep\n")
        shown = b""
        while not shown.endswith((b"] ", b"]: ", b"open): ")):
            part = read(ours)
            assert part, shown.decode()
            shown += part
        assert TYPED_AHEAD.encode() in shown
        assert not select.select([ours], [], [], 1.0)[0]
    finally:
        process.kill()
        process.wait()
        os.close(ours)


def read(handle):
    try:
        return os.read(handle, 4096)
    except OSError:  # the other end has gone
        return b""


def screen(shown):
    """What a terminal has on it in the end, of text, line ends and a line that is wiped."""
    lines = [""]
    for part in re.split(r"(\r\n|\r\x1b\[2K)", shown):
        if part == "\r\n":
            lines.append("")
        elif part == "\r\x1b[2K":
            lines[-1] = ""
        else:
            lines[-1] += part
    return lines


def test_every_kind_of_activity_has_words():
    said = re.compile(r"\b(?:report_activity|_activity\.update)\(\s*\"(\w+)\"")
    files = [*(ROOT / "evolve").rglob("*.py"), *ROOT.glob("packages/*/src/**/*.py")]
    kinds = {kind for file in files for kind in said.findall(file.read_text("utf-8"))}
    assert kinds - {"check"} and kinds == set(WORDS)
