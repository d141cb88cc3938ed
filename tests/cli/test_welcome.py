"""``evolve`` alone: at a terminal what happened and what to do next, anywhere else the help page."""

from __future__ import annotations

import os
import pty
import sys
from pathlib import Path

import pytest

from evolve.core.paths import approvals_folder
from evolve.workspace import last_visit
from tests.golden.make import unpack


def at_a_terminal(answer: str = "") -> tuple[str, int]:
    """What ``evolve`` shows where a person types this when they are asked, and its exit code."""
    command = [sys.executable, "-m", "evolve"]
    child, terminal = pty.fork()
    if not child:
        os.execv(command[0], command)
    shown, typed = b"", not answer
    try:
        while piece := os.read(terminal, 4096):
            shown += piece
            if not typed and b"number" in shown:
                os.write(terminal, answer.encode())
                typed = True
    except OSError:  # the end of a terminal whose process has ended
        pass
    return shown.decode("utf-8", "replace"), os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


@pytest.fixture
def here(tmp_path: Path, private_home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("EVOLVE_WORKSPACE", str(tmp_path / "ws"))
    return tmp_path / "ws"


def test_without_a_terminal_it_is_the_help_page(cli, tmp_path):
    assert "Usage: evolve" in cli().out + cli().err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("answer", "line"),
    [("1\n", "evolve fill "), ("2\n", "evolve chat --dir"), ("4\n", "evolve demo"), ("\n", "--help")],
)
def test_the_first_time_it_asks_what_to_do_and_makes_nothing(here: Path, answer: str, line: str) -> None:
    shown, code = at_a_terminal(answer)
    assert code == 0 and f"{line}" in shown.partition("type:")[2], shown
    assert not here.exists() and last_visit(here) is None


@pytest.mark.slow
def test_later_it_tells_what_is_new_and_what_waits(here: Path, tmp_path: Path) -> None:
    unpack("question-waiting", tmp_path)
    # SQLite's own file for readers is none of the record.
    kept = [path for path in here.rglob("*") if path.is_file() and not path.name.endswith("-shm")]
    before = {path: path.stat().st_mtime_ns for path in kept}
    shown, code = at_a_terminal()
    assert code == 0 and "evolve runs answer r1 TEXT" in shown, shown
    assert shown.count("\n  evolve ") == 3, "three things to do"
    assert "so far: 1 run" in shown
    seen = last_visit(here)
    assert seen is not None and seen.unfinished == ("r1",)
    again, code = at_a_terminal()
    assert code == 0 and "so far" not in again and "evolve runs answer r1 TEXT" in again
    assert {path: path.stat().st_mtime_ns for path in before} == before, "a look changes nothing in the workspace"


@pytest.mark.slow
def test_a_visit_that_cannot_be_understood_is_none(here: Path, tmp_path: Path) -> None:
    unpack("learned", tmp_path)
    assert at_a_terminal()[1] == 0
    for file in (approvals_folder() / "visits").iterdir():
        file.write_text("{")
    shown, code = at_a_terminal()
    assert code == 0 and "so far" in shown
