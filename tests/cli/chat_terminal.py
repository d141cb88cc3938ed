"""A real terminal for tests: the program runs in tmux, is typed to, and is read from the screen."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import time
from pathlib import Path

from tests.cli.conftest import ROOT
from tests.functions.running import ENVIRONMENT, SERVERS

PATIENCE_S = 240.0
PROMPTS = ("›", ">", "…", "evolve>", "...>")
QUESTIONS = ("[yes/no/later]", "leaves it open):", "leave it open)?", "Enter: later]", "no reason)")


class Terminal:
    """One tmux server of its own, with one window. The server is a child of this process and ends with it.

    Args:
        folder: For the server's socket; also the current folder of the program.
        columns, rows: Size of the window.
    """

    def __init__(self, folder: Path, *, columns: int = 100, rows: int = 40) -> None:
        assert shutil.which("tmux"), "tmux is needed for the tests of the terminal; see .ci/packages.txt"
        self.folder, self._size = folder, (columns, rows)
        self._starts = 0
        self._serving: subprocess.Popen[bytes] | None = None

    def start(self, *arguments: object, **variables: str) -> None:
        """Runs ``evolve`` with these arguments in a fresh window."""
        env = {"PYTHONPATH": str(ROOT), "EVOLVE_WORKSPACE": str(self.folder / "ws"), **variables}
        sets = [f"{name}={shlex.quote(value)}" for name, value in env.items()]
        program = shlex.join([sys.executable, "-m", "evolve", *map(str, arguments)])
        self.close()
        self._serve()
        columns, rows = map(str, self._size)
        # Ctrl-C reaches the shell too, which must be there to tell how the program ended.
        run = f"cd {shlex.quote(str(self.folder))}; env {' '.join(sets)} {program}"
        line = f"trap : INT; {run}; echo left with code $?; exec cat"
        self._tmux("new-session", "-d", "-x", columns, "-y", rows, f"sh -c {shlex.quote(line)}")
        self._tmux("set-option", "-g", "history-limit", "20000")

    def type(self, text: str, *, enter: bool = True) -> None:
        """Types a text."""
        if text:
            self._tmux("send-keys", "-l", "--", text)
        if enter:
            self.press("Enter")

    def press(self, *keys: str) -> None:
        """Presses keys by tmux's names, such as ``C-c``."""
        for key in keys:
            self._tmux("send-keys", key)

    def screen(self, *, colours: bool = False, history: bool = True) -> str:
        """What can be read, what scrolled out of sight first."""
        options = (["-e", "-N"] if colours else []) + (["-S", "-"] if history else [])
        return self._tmux("capture-pane", "-p", *options)

    def wait(self, text: str, *, times: int = 1) -> str:
        """Waits until a text stands there so often; gives what can be read."""
        ends = time.monotonic() + PATIENCE_S
        while (shown := self.screen()).count(text) < times:
            assert time.monotonic() < ends, f"{text!r} does not appear:\n{shown[-3000:]}"
            time.sleep(0.1)
        return shown

    def line(self) -> str:
        """The line with the cursor, up to the cursor."""
        row, column = map(int, self._tmux("display-message", "-p", "#{cursor_y} #{cursor_x}").split())
        lines = self.screen(history=False).split("\n")
        typed = lines[row][:column]
        return typed if typed.strip() or not row else lines[row - 1]  # a question may fill its line

    def ready(self) -> None:
        """Waits until something can be typed."""
        ends = time.monotonic() + PATIENCE_S
        while not self.line().startswith(PROMPTS) and not self.line().rstrip().endswith(QUESTIONS):
            assert time.monotonic() < ends, f"nothing can be typed:\n{self.screen()[-3000:]}"
            time.sleep(0.1)

    def pid(self) -> int:
        """The program's process, below the shells that started it."""
        found = int(self._tmux("list-panes", "-F", "#{pane_pid}").split()[0])
        while True:
            below = subprocess.run(
                ["ps", "-o", "pid=,comm=", "--ppid", str(found)], capture_output=True, text=True, check=True
            )
            number, name = below.stdout.split()[:2]
            if name.startswith("python"):
                return int(number)
            found = int(number)

    def close(self) -> None:
        """Ends the server and all in it; closing twice is no error."""
        if self._serving is None:
            return
        self._serving.terminate()  # it hangs up on the window, and what runs there ends
        try:
            self._serving.wait(PATIENCE_S)
        except subprocess.TimeoutExpired:
            self._serving.kill()
            self._serving.wait()
        self._serving = None

    def _serve(self) -> None:
        """Starts the server: no daemon, so that the kernel can end it when this process is killed."""
        self._starts += 1  # a socket of its own for each, whatever the one before left
        bound = ["setpriv", "--pdeathsig", "TERM"] if shutil.which("setpriv") else []
        quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        self._serving = subprocess.Popen([*bound, *self._server, "-D"], env=_environment(), **quiet)
        ends = time.monotonic() + PATIENCE_S
        while not self._socket.is_socket():
            assert self._serving.poll() is None and time.monotonic() < ends, "tmux does not start"
            time.sleep(0.02)

    @property
    def _socket(self) -> Path:
        return self.folder / f"tmux-{self._starts}"

    @property
    def _server(self) -> list[str]:
        return ["tmux", "-f", "/dev/null", "-S", str(self._socket)]

    def _tmux(self, *arguments: str) -> str:
        done = subprocess.run(
            [*self._server, *arguments], capture_output=True, text=True, check=True, env=_environment()
        )
        return done.stdout


def with_office(window: Terminal, **variables: str) -> Path:
    """Approves the server ``office`` for the terminal's workspace, its notes to be read without a question.

    Returns:
        The file to which its mail goes.
    """
    outbox = window.folder / "outbox"
    outbox.mkdir()
    reads = [part for path in (os.path.realpath(ENVIRONMENT), SERVERS) for part in ("--read", path)]
    command = [sys.executable, SERVERS / "office.py", outbox / "sent.txt"]
    env = {**os.environ, "PYTHONPATH": str(ROOT), "EVOLVE_WORKSPACE": str(window.folder / "ws"), **variables}
    for line in (
        ["add", "office", *reads, "--write", outbox, "--yes", "--", *command],
        ["allow", "office", "find_note", "--effects", "reads", "--grant", "allow", "--yes"],
    ):
        program = [sys.executable, "-m", "evolve", "tools", *map(str, line)]
        done = subprocess.run(program, env=env, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
    return outbox / "sent.txt"


def _environment() -> dict[str, str]:
    """This process's variables without those that name another server."""
    own = {name: value for name, value in os.environ.items() if name not in ("TMUX", "TMUX_PANE")}
    return {**own, "LC_ALL": "C.UTF-8"}
