"""SIGINT and SIGTERM wherever a command is: it says how to go on, ends soon, and goes on; a second one ends at once."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import evolve
from benchmarks.doubles import slow_learner, small_suite
from evolve.core.failpoints import VARIABLE
from evolve.tasks import render_jsonl
from tests.architecture.source import ROOT
from tests.reliability.test_crash import bad, crashed

# The program as it ships, but for a learner that needs no search.
PROGRAM = """
import sys
import evolve.workspace.facade as facade
from evolve.cli import main
from benchmarks.doubles import slow_learner
facade.choose_learner = lambda *given: slow_learner(distils=True)
if __name__ == "__main__":
    main(sys.argv[1:])
"""


@pytest.fixture
def start(tmp_path):
    (tmp_path / "small.jsonl").write_text(render_jsonl(small_suite(40).tasks))

    def run(*arguments, fault="", workers=1):
        env = {
            **os.environ,
            "PYTHONPATH": str(ROOT),
            "EVOLVE_WORKSPACE": str(tmp_path / "ws"),
            "EVOLVE_WORKERS": str(workers),
            **({"EVOLVE_FAULT": fault} if fault else {}),
        }
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        return subprocess.Popen([sys.executable, "-c", PROGRAM, *arguments], cwd=tmp_path, env=env, text=True, **pipes)

    return run


@pytest.mark.slow
@pytest.mark.parametrize("action", ["int", "term"])
def test_a_signal_at_any_point_is_told_and_the_command_goes_on(action):
    chosen = ("--scenario", "run", "--scenario", "improve", "--trials", "0", "--sample", "2")
    found = crashed("--action", action, "--seed", {"int": "1", "term": "2"}[action], *chosen)
    assert bad(found["rows"]) == []
    assert all(row["killed"] for row in found["rows"])


@pytest.fixture
def run(cli, tmp_path, monkeypatch):
    """Runs a task in this process, with a learner that needs no search."""
    monkeypatch.setattr("evolve.workspace.facade.choose_learner", lambda *given: slow_learner(distils=True))
    (tmp_path / "small.jsonl").write_text(render_jsonl(small_suite(1).tasks))
    return lambda *options: cli("run", "small.jsonl#small-000", *options)


@pytest.mark.parametrize("point", ["stage.observe.before:1", "episode.inside:1"])
@pytest.mark.parametrize(
    ("action", "code", "word"), [("int", 130, "interrupted"), ("term", 143, "terminated"), ("full", 3, "disk full")]
)
def test_a_stop_in_the_middle_is_told_and_the_same_command_ends_it(
    run, monkeypatch, tmp_path, point, action, code, word
):
    monkeypatch.setenv(VARIABLE, f"{point}:{action}")
    stopped = run()
    assert stopped.code == code and f"evolve: {word}" in stopped.err
    assert "continue with: evolve run" in stopped.err or action == "full"
    monkeypatch.delenv(VARIABLE)
    done = run("--json")
    assert done.code == 0, done.err
    with evolve.open(tmp_path / "ws", read_only=True) as workspace:
        (episode,) = workspace.stores.runs.episodes()
    assert (episode.episode, episode.run) == (json.loads(done.out)["episode_id"], "r1")
    assert not list((tmp_path / "ws").rglob("checkpoint.db*"))


def test_a_second_signal_ends_at_once_and_the_same_command_goes_on(start, run):
    """The first comes in the middle of a stage, the second while everything is closed."""
    process = start("run", "small.jsonl#small-000", fault="stage.observe.before:1:term,lock.release:1:int")
    process.communicate(timeout=300)
    assert process.returncode == -signal.SIGINT
    assert run().code == 0


def children(pid):
    return Path(f"/proc/{pid}/task/{pid}/children").read_text().split()


@pytest.mark.slow
def test_workers_in_the_middle_of_a_job_do_not_hold_up_the_end(start):
    process = start("improve", "small.jsonl", "--rounds", "1", fault="worker.job:1:stall", workers=2)
    waited = time.monotonic() + 30
    while len(children(process.pid)) < 2 and time.monotonic() < waited:
        time.sleep(0.05)
    time.sleep(1.5)
    sent = time.monotonic()
    process.send_signal(signal.SIGTERM)
    out, err = process.communicate(timeout=30)
    assert (process.returncode, out) == (143, ""), err
    assert "continue with: evolve improve small.jsonl --rounds 1" in err
    assert time.monotonic() - sent < 10
