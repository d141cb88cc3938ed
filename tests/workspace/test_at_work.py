"""A loop in another process: it is seen, pauses, goes on and stops; and no other process is taken for it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import evolve
from benchmarks.doubles import small_suite
from evolve.core.errors import UsageError
from evolve.core.store import process_identity
from evolve.tasks import render_jsonl
from evolve.workspace import pause_loop, resume_loop, stop_loop
from tests.architecture.source import ROOT
from tests.reliability.test_signals import PROGRAM


@pytest.fixture
def loop(tmp_path: Path, private_home: Path) -> Iterator[subprocess.Popen[str]]:
    (tmp_path / "small.jsonl").write_text(render_jsonl(small_suite(48).tasks))
    env = {**os.environ, "PYTHONPATH": str(ROOT), "EVOLVE_WORKSPACE": str(tmp_path / "ws"), "EVOLVE_WORKERS": "1"}
    command = [sys.executable, "-c", PROGRAM, "improve", "small.jsonl", "--rounds", "2"]
    process = subprocess.Popen(
        command, cwd=tmp_path, env=env, text=True, stderr=subprocess.PIPE, stdout=subprocess.PIPE
    )
    yield process
    process.kill()
    process.communicate()


def until(holds: Callable[[], object]) -> None:
    latest = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < latest, "it did not come to that"
        time.sleep(0.05)


@pytest.mark.slow
def test_a_loop_is_seen_pauses_goes_on_and_stops(loop: subprocess.Popen[str], tmp_path: Path) -> None:
    folder = tmp_path / "ws"
    until(lambda: (folder / "memory_store" / "loop").exists())
    seen = evolve.status(folder).loop
    assert seen is not None and (seen.at.process, seen.kind, seen.of) == (loop.pid, "improve", "small.jsonl")
    assert not seen.at.paused and evolve.status(folder).unfinished == ()

    assert pause_loop(folder).paused
    until(lambda: evolve.status(folder).loop.waits)
    waiting = evolve.status(folder).loop
    time.sleep(1.0)
    assert evolve.status(folder).loop == waiting, "nothing is done while it waits"

    assert not resume_loop(folder).paused
    until(lambda: evolve.status(folder).loop is None or not evolve.status(folder).loop.waits)
    assert stop_loop(folder)
    _, err = loop.communicate(timeout=60)
    assert loop.returncode == 128 + signal.SIGTERM, err
    after = evolve.status(folder)
    assert after.loop is None and [one.kind for one in after.unfinished] == ["improve"]
    assert not (folder / "memory_store" / "pause").exists()


def test_where_no_loop_is_at_work_none_is_steered(tmp_path: Path, private_home: Path) -> None:
    evolve.init(tmp_path / "ws")
    for steer in (pause_loop, resume_loop, stop_loop):
        with pytest.raises(UsageError):
            steer(tmp_path / "ws")
    assert not (tmp_path / "ws" / "memory_store" / "pause").exists()


HOLDING = """
import fcntl, sys, time
held = open(sys.argv[1], "r+b")
if sys.argv[2] == "lock":
    fcntl.flock(held, fcntl.LOCK_EX)
print(1, flush=True)
time.sleep(60)
"""


@contextmanager
def other_process(file: Path, how: str = "open") -> Iterator[subprocess.Popen[bytes]]:
    """A process that has a file open, and perhaps locked."""
    file.touch()
    process = subprocess.Popen([sys.executable, "-c", HOLDING, str(file), how], stdout=subprocess.PIPE)
    try:
        assert process.stdout is not None and process.stdout.readline()
        yield process
    finally:
        process.kill()
        process.communicate()


def described(process: subprocess.Popen[bytes]) -> dict[str, object]:
    """What a loop in this process would say of itself."""
    started = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()[19]
    return {**process_identity(), "pid": process.pid, "started": started, "run": "r1", "since": "2031-04-01T10:00:00"}


@pytest.mark.parametrize(
    "changed",
    [{"started": "1"}, {"boot": "another"}, {"namespace": "another"}, {"pid": -1}, {"pid": 10**30}, {"pid": True}],
)
def test_a_process_that_is_not_surely_the_one_named_is_not_ended(
    tmp_path: Path, private_home: Path, changed: dict[str, object]
) -> None:
    file = evolve.init(tmp_path / "ws").paths.store / "loop"
    with other_process(file, "lock") as loop:
        file.write_text(json.dumps({**described(loop), **changed}))
        with pytest.raises(UsageError):
            stop_loop(tmp_path / "ws")
        assert loop.poll() is None
        file.write_text(json.dumps(described(loop)))
        assert stop_loop(tmp_path / "ws")
        assert loop.wait(timeout=10) == -signal.SIGTERM


def test_no_process_is_ended_that_a_forged_file_names(tmp_path: Path, private_home: Path) -> None:
    file = evolve.init(tmp_path / "ws").paths.store / "loop"
    with other_process(file) as reader:
        file.write_text(json.dumps(described(reader)))
        with pytest.raises(UsageError):
            stop_loop(tmp_path / "ws")
        assert evolve.status(tmp_path / "ws").loop is None
        with other_process(file, "lock"):  # a loop is at work, and the file names another process
            with pytest.raises(UsageError):
                stop_loop(tmp_path / "ws")
            assert reader.poll() is None


@pytest.mark.parametrize(
    "changed",
    [
        {"run": "r1\x1b[2J"},
        {"run": "../r1"},
        {"run": 3},
        {"pid": "1"},
        {"pid": 1.5},
        {"since": "\x1b[31mred"},
        {"since": 9},
    ],
)
def test_what_a_loop_says_is_shown_only_as_far_as_it_can_be_so(
    tmp_path: Path, private_home: Path, changed: dict[str, object]
) -> None:
    file = evolve.init(tmp_path / "ws").paths.store / "loop"
    with other_process(file, "lock") as loop:
        file.write_text(json.dumps({**described(loop), **changed}))
        if "since" in changed:
            assert pause_loop(tmp_path / "ws").since == ""
        else:
            with pytest.raises(UsageError):
                pause_loop(tmp_path / "ws")


def test_a_pipe_in_the_place_of_the_file_keeps_nobody_waiting(tmp_path: Path, private_home: Path) -> None:
    os.mkfifo(evolve.init(tmp_path / "ws").paths.store / "loop")
    assert evolve.status(tmp_path / "ws").loop is None


@pytest.mark.parametrize("text", ["", "[]", "{", "[" * 100_000, '{"pid": "x"}', '{"pid": 1, "run": 3}', "1" * 9_000])
def test_a_file_that_says_nothing_is_no_loop(tmp_path: Path, private_home: Path, text: str) -> None:
    file = evolve.init(tmp_path / "ws").paths.store / "loop"
    with other_process(file, "lock"):
        file.write_text(text)
        with evolve.open(tmp_path / "ws", read_only=True):
            assert evolve.status(tmp_path / "ws").loop is None
        with pytest.raises(UsageError):
            pause_loop(tmp_path / "ws")
