"""``evolve chat`` in a real terminal: a long conversation, and what terminals of other kinds get."""

from __future__ import annotations

import os
import re
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from evolve.testing import ScriptedEndpoint
from tests.cli.chat_terminal import PATIENCE_S, Terminal
from tests.cli.conftest import ROOT

pytestmark = pytest.mark.slow

LEAVE = "[yes/no/later]"
KEEP = "Enter: later]"


@pytest.fixture
def project(tmp_path):
    folder = tmp_path / "project"
    folder.mkdir()
    for name in ("left", "right", "third"):
        (folder / f"{name}.txt").write_text("red one red\n")
    return folder


@pytest.fixture
def terminal(tmp_path):
    found: list[Terminal] = []

    def make(**size):
        found.append(Terminal(tmp_path, **size))
        return found[-1]

    yield make
    for one in found:
        one.close()


class Talk:
    """Types turns and waits for what each should bring."""

    def __init__(self, terminal: Terminal) -> None:
        self.terminal, self.turns = terminal, 0

    def turn(self, text: str, *wanted: str) -> None:
        """Types a line as soon as one can be typed; everything wanted must then appear once more."""
        self.terminal.ready()
        shown = self.terminal.screen()
        before = {one: shown.count(one) for one in wanted}
        self.turns += 1
        self.terminal.type(text)
        for one in wanted:
            self.terminal.wait(one, times=before[one] + 1)


def test_a_conversation_of_sixty_turns(terminal, endpoint, project, tmp_path):
    window = terminal(columns=110, rows=50)
    talk = Talk(window)
    start = ("chat", "--dir", project, "--check", "true", "--model", endpoint.model)
    window.start(*start)
    window.wait("approve ask")
    left, right = project / "left.txt", project / "right.txt"

    # The state of things, and mistakes in typing.
    talk.turn("/help", "/exit", "Alt-Enter")
    talk.turn("/model", "scripted")
    talk.turn("/approve", "you are asked")
    talk.turn("/budget", "no bound")
    talk.turn("/memory", "remembers nothing yet")
    talk.turn("/skills", "no skills of yours yet")
    talk.turn("/why", "nothing was done yet")
    talk.turn("/plan", "nothing was done yet")
    talk.turn("/diff", "nothing was done yet")
    talk.turn("/undo", "nothing is applied")
    talk.turn("/again", "no turn was stopped")
    talk.turn("/refuse", "no change is waiting")
    talk.turn("/aprove", "did you mean /approve?")
    talk.turn("/zzzz", "/help lists them")

    # Approved, and undone.
    talk.turn("replace red by green in left.txt", "+green one green", LEAVE)
    talk.turn("yes", "applied")
    assert left.read_text() == "green one green\n"
    talk.turn("/diff", "applied; run r1")
    talk.turn("/plan", "episode")
    talk.turn("/undo", "undone")
    assert left.read_text() == "red one red\n"
    talk.turn("/undo", "nothing is applied")

    # Refused with a reason, left waiting, approved later; an earlier turn is understood.
    talk.turn("do the same in right.txt", "+green one green", LEAVE)
    talk.turn("no", "why not")
    talk.turn("green is wrong, I want blue there", "refused", "you said: green is wrong", KEEP)
    talk.turn("yes", "drops it)")
    talk.turn("/memory", "green is wrong")
    assert right.read_text() == "red one red\n"
    talk.turn("replace red by blue in right.txt", LEAVE)
    talk.turn("later", "nothing is changed yet")
    talk.turn("/diff", "+blue one blue", "waiting; run r3")
    talk.turn("/approve", "applied")
    assert right.read_text() == "blue one blue\n"
    talk.turn("replace blue by pink in right.txt", LEAVE)
    talk.turn("", "nothing is changed yet")
    talk.turn("/refuse", "nothing is changed")
    talk.turn("/approve", "you are asked")

    # The model asks; stopped in the middle of a call, gone on with, and stopped at an empty prompt.
    talk.turn("replace red by grey", "In which file?")
    talk.turn("third.txt", LEAVE)
    talk.turn("y", "applied")
    assert (project / "third.txt").read_text() == "grey one grey\n"
    endpoint.add({"fault": "hang", "to": "action"})  # not to who learns behind the prompt
    talk.turn("replace grey by gold in third.txt", "Ctrl-C stops it")
    assert endpoint_waits(endpoint)
    window.press("C-c")
    window.wait("/again continues")
    talk.turn("")
    talk.turn("/again", LEAVE)
    talk.turn("yes", "applied")
    assert (project / "third.txt").read_text() == "gold one gold\n"
    window.press("C-c")
    window.wait("Ctrl-D or /exit leaves")

    # Modes and bounds.
    talk.turn("/approve auto", "applied at once")
    talk.turn("replace red by white in left.txt", "applied")
    assert left.read_text() == "white one white\n"
    talk.turn("/approve never", "wait until /approve")
    talk.turn("replace white by black in left.txt", "nothing is changed yet")
    talk.turn("/approve", "applied")
    assert left.read_text() == "black one black\n"
    talk.turn("/approve ask", "you are asked")
    talk.turn("/budget 1-tokens", "left")
    talk.turn("replace black by red in left.txt", "is spent")
    talk.turn("/budget none", "no bound")

    # Several lines: rows, Alt-Enter, a backslash, triple quotes.
    for row in ("1 -> 2", "2 -> 3", "5 -> 6"):
        talk.turn(row)
    talk.turn("", "why r")
    window.type("replace one by two", enter=False)
    window.press("M-Enter")
    talk.turn("in left.txt", LEAVE)
    talk.turn("no", "why not")
    talk.turn("", "refused")
    window.type("replace one by two \\")
    talk.turn("in left.txt", LEAVE)
    talk.turn("yes", "applied")
    assert left.read_text() == "black two black\n"
    talk.turn('"""replace two by six')
    talk.turn('in left.txt"""', LEAVE)
    talk.turn("yes", "applied")

    # Killed in the middle of a turn; the next session goes on.
    endpoint.add({"fault": "hang", "to": "action"})  # not to who learns behind the prompt
    talk.turn("replace six by ten in left.txt", "Ctrl-C stops it")
    assert endpoint_waits(endpoint)
    os.kill(window.pid(), signal.SIGKILL)
    window.wait("left with code 137")
    window.start(*start)
    window.wait("the last turn did not end")
    talk.turn("/again", LEAVE)
    talk.turn("later", "nothing is changed yet")
    window.press("C-d")
    window.wait("go on with:")
    window.wait("left with code 0")
    window.start(*start, "--resume", "c1")
    window.wait("/approve applies it")
    talk.turn("/approve", "+black ten black", LEAVE)  # this session has not shown it yet
    talk.turn("yes", "applied")
    assert left.read_text() == "black ten black\n"
    talk.turn("replace gold by rust in third.txt", LEAVE)
    talk.turn("no gold should stay", "refused", "you said: gold should stay", KEEP)
    talk.turn("no", "not kept: ")

    # What is kept.
    talk.turn("/why", "you refused its change")
    talk.turn("/comment write numbers as digits", "you said: write numbers as digits", KEEP)
    talk.turn("everywhere", "kept for every task")
    talk.turn("/memory", "write numbers as digits")
    talk.turn("/save talk.md", "saved")
    talk.turn("/save talk.md", "with another name")
    talk.turn("/exit", "left with code 0")
    assert talk.turns >= 60
    text = (tmp_path / "talk.md").read_text()
    assert text.count("\n## ") == 14 and "+green one green" in text and "refused this change" in text
    chats = tmp_path / "ws" / "memory_store" / "runs" / "chats"
    assert {stat.S_IMODE(file.stat().st_mode) for file in chats.iterdir()} == {0o600}
    assert "Traceback" not in window.screen()


def endpoint_waits(endpoint: ScriptedEndpoint) -> bool:
    """Whether the step that was added last is taken."""
    import time

    ends = time.monotonic() + 60.0
    while endpoint.remaining_steps and time.monotonic() < ends:
        time.sleep(0.1)
    return endpoint.remaining_steps == 0


@pytest.mark.parametrize(
    ("columns", "variables"),
    [(40, {}), (100, {"TERM": "dumb"}), (100, {"NO_COLOR": "1"}), (100, {"LC_ALL": "C", "PYTHONUTF8": "0"})],
)
def test_terminals_that_can_do_less(terminal, endpoint, project, columns, variables):
    window = terminal(columns=columns, rows=30)
    window.start("chat", "--dir", project, "--check", "true", "--model", endpoint.model, **variables)
    window.wait("/help lists")
    talk = Talk(window)
    talk.turn("replace red by 日本語の色 in left.txt", LEAVE)
    talk.turn("yes", "takes it")
    assert (project / "left.txt").read_text() == "日本語の色 one 日本語の色\n"
    talk.turn("/undo", "undone")
    talk.turn("replace red by green in left.txt", LEAVE)
    talk.turn("yes", "takes it")
    window.ready()
    window.press("C-d")
    shown = window.wait("left with code 0")
    assert "Traceback" not in shown and "┌" not in shown
    assert max(map(len, shown.split("\n"))) <= columns
    assert (project / "left.txt").read_text() == "green one green\n"
    if "LC_ALL" not in variables and variables:
        assert not re.search(r"\x1b\[[0-9;]*(3[0-7]|9[0-7])m", window.screen(colours=True))


def test_a_screen_reader_gets_lines_with_a_word_in_front(terminal, endpoint, project):
    window = terminal()
    window.start("chat", "--plain", "--dir", project, "--check", "true", "--model", endpoint.model)
    talk = Talk(window)
    talk.turn("replace red by green in left.txt", LEAVE)
    talk.turn("no keep it red", "refused: nothing is changed", KEEP)
    talk.turn("", "does not act until")
    window.ready()
    window.press("C-d")
    shown = window.wait("left with code 0")
    assert "diff: 5 lines follow" in shown and "unchecked" in shown and "memory: " in shown
    assert "\x1b" not in window.screen(colours=True).replace("\x1b[0m", "").replace("\x1b[39m", "")


def test_nothing_confined_is_said_loudly(terminal, endpoint, project):
    window = terminal()
    window.start("chat", "--set", "sandbox=none", "--model", endpoint.model, EVOLVE_UNSAFE="I_UNDERSTAND")
    window.wait("UNSANDBOXED", times=2)
    bar = window.screen(colours=True).rstrip().rpartition("\n")[2]
    assert "UNSANDBOXED" in bar and "\x1b[" in bar


_HELD = """
import sys, time
from pathlib import Path
from tests.cli.chat_terminal import Terminal

terminal = Terminal(Path(sys.argv[1]))
terminal.start("chat", "--model", "")
terminal.wait("/help lists")
print(terminal.pid(), flush=True)
time.sleep(600)
"""


def test_a_killed_test_leaves_no_terminal_behind(tmp_path):
    command = [sys.executable, "-c", _HELD, str(tmp_path)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as holding:
        below = int(holding.stdout.readline())
        servers = children(holding.pid)
        holding.kill()
    ends = time.monotonic() + PATIENCE_S
    while left := [pid for pid in (below, *servers) if Path(f"/proc/{pid}").exists()]:
        assert time.monotonic() < ends, f"{left} are still there"
        time.sleep(0.1)
    assert servers


def children(pid):
    found = subprocess.run(["ps", "-o", "pid=", "--ppid", str(pid)], capture_output=True, text=True, check=True)
    return [int(one) for one in found.stdout.split()]
