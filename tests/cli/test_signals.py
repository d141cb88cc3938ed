"""Ctrl-C and SIGTERM in the middle of a loop, and kill -9."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys

import pytest

from evolve.tasks import render_jsonl
from evolve.testing import small_suite
from tests.cli.conftest import ROOT

# A stand-in learner keeps the loop short; everything else is the program as it ships.
PROGRAM = """
import sys
import evolve.workspace.facade as facade
from evolve.cli import main
from evolve.testing import slow_learner
facade.choose_learner = lambda policy, model: slow_learner()
if __name__ == "__main__":
    main(sys.argv[1:])
"""


@pytest.fixture
def start(tmp_path):
    (tmp_path / "small.jsonl").write_text(render_jsonl(small_suite(40).tasks))
    env = {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "EVOLVE_WORKSPACE": str(tmp_path / "ws"),
        "EVOLVE_WORKERS": "1",
    }

    def run():
        return subprocess.Popen(
            [sys.executable, "-c", PROGRAM, "improve", "small.jsonl", "--rounds", "1", "--json"],
            cwd=tmp_path, env=env, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip

    return run


def stop_after_first_batch(process, number):
    for line in process.stderr:
        if "practice" in line:
            break
    process.send_signal(number)
    out, err = process.communicate(timeout=60)
    return out, err


@pytest.mark.parametrize(
    ("number", "code", "word"),
    [
        (signal.SIGINT, 130, "interrupted"),
        pytest.param(signal.SIGTERM, 143, "terminated", marks=pytest.mark.slow),
    ],
)
def test_a_signal_saves_says_how_to_go_on_and_the_command_continues(start, number, code, word):
    stopped = start()
    out, err = stop_after_first_batch(stopped, number)
    assert (stopped.returncode, out) == (code, "")
    assert f"evolve: {word}" in err
    assert "continue with: evolve improve small.jsonl --rounds 1 --json" in err
    assert "Traceback" not in err
    resumed = start()
    out, err = resumed.communicate(timeout=120)
    assert resumed.returncode == 0, err
    report = json.loads(out)
    assert report["run"] == "r1"
    assert len(report["curve"]) == 24


@pytest.mark.slow
def test_kill_9_loses_nothing_that_was_saved(start, tmp_path):
    import evolve

    killed = start()
    stop_after_first_batch(killed, signal.SIGKILL)
    assert killed.returncode == -signal.SIGKILL
    with evolve.open(tmp_path / "ws", read_only=True) as workspace:
        saved = {record.episode for record in workspace.stores.runs.episodes()}
    assert len(saved) >= 16
    resumed = start()
    out, err = resumed.communicate(timeout=120)
    assert resumed.returncode == 0, err
    with evolve.open(tmp_path / "ws", read_only=True) as workspace:
        records = [record.episode for record in workspace.stores.runs.episodes()]
    assert saved <= set(records) and len(set(records)) == len(records)
    assert len(json.loads(out)["curve"]) == 24
