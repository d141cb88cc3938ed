"""Two processes on one workspace, as a person meets them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest

from tests.architecture.source import ROOT
from tests.cli import conftest

cli = conftest.cli

HOLD = """
import os, sys, time
import evolve
with evolve.open(sys.argv[1]) as workspace:
    if sys.argv[2:] and not os.fork():
        time.sleep(30)
    print("held", flush=True)
    time.sleep(30)
"""


def holder(workspace, *more):
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(workspace), *more],
        env=env, stdout=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip
    assert process.stdout.readline() == "held\n"
    return process


def end(process):
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    process.stdout.close()


def note(cli, workspace, text="kept"):
    started = time.monotonic()
    return cli("-w", workspace, "memory", "note", text), time.monotonic() - started


@pytest.mark.slow
def test_the_second_process_is_told_at_once_who_the_first_is(cli, tmp_path):
    first = holder(tmp_path / "ws")
    try:
        done, seconds = note(cli, tmp_path / "ws")
        assert (done.code, done.out) == (7, "")
        assert f"is in use by process {first.pid}" in done.err
        assert "wait for it to finish, or use another workspace with -w" in done.err
        assert seconds < 5
        assert cli("-w", tmp_path / "ws", "memory", "list").code == 0  # looking is allowed
    finally:
        end(first)


@pytest.mark.slow
@pytest.mark.parametrize("outlived", [(), ("a child holds the lock's descriptor on",)])
def test_the_lock_of_a_killed_owner_is_taken_over(cli, tmp_path, outlived):
    first = holder(tmp_path / "ws", *outlived)
    os.kill(first.pid, signal.SIGKILL)
    first.wait()
    try:
        done, _ = note(cli, tmp_path / "ws")
        assert done.code == 0, done.err
        assert not (tmp_path / "ws" / "memory_store" / "lock").read_bytes()
    finally:
        end(first) if outlived else first.stdout.close()
