"""The command ``evolve trials``: what a person sees, what a program gets, and what is refused."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time

import pytest

LAKE = ("trials", "gymnasium", "--task", "taxi", "--variations", "2", "--trials", "2", "--moves", "20")


def test_trials_are_told_one_by_one_and_drawn(cli, tmp_path):
    drawn = tmp_path / "curve.svg"
    done = cli(*LAKE, "--curve", str(drawn), "-w", str(tmp_path / "mine"))
    assert done.code == 0, done.err
    assert done.err.count("trial 1: score") == 2 and done.err.count("trial 2: score") == 2
    assert "steps of the world" in done.out and drawn.read_text().startswith("<svg")
    told = json.loads(cli(*LAKE, "--json", "-w", str(tmp_path / "mine")).out)
    assert [one["n"] for one in told["curve"]] == [2, 2]
    assert told["steps"] == sum(one["steps"] for one in told["trials"])


@pytest.mark.parametrize(
    ("more", "told"),
    [
        (("--variations", "some"), "--variations 5"),
        (("--variations", "1,1000000"), "variation 1"),
        (("--setting", "all"), "gen-adapt"),
        (("--budget", "2M-tokens"), "--budget 10m"),
        (("--task", "golf"), "evolve worlds list gymnasium"),
    ],
)
def test_what_is_wrong_is_told_with_what_to_type(cli, tmp_path, more, told):
    done = cli(*LAKE, *more, "-w", str(tmp_path / "mine"))
    assert done.code == 2 and told in done.err


@pytest.mark.slow
@pytest.mark.parametrize(
    ("number", "code", "pause"),
    [(signal.SIGINT, 130, 0.0), (signal.SIGTERM, 143, 0.07), (signal.SIGINT, 130, 0.31), (signal.SIGTERM, 143, 0.31)],
)
def test_a_signal_while_java_works_ends_in_a_sentence(tmp_path, number, code, pause):
    words = ["trials", "scienceworld", "--task", "use-thermometer", "--variations", "1", "-w", str(tmp_path / "ws")]
    command = [sys.executable, "-c", "from evolve.cli import main; main()", *words]
    pipe = subprocess.PIPE
    process = subprocess.Popen(command, stderr=pipe, stdout=pipe, text=True, start_new_session=True)
    told = next(line for line in process.stderr if "trial 1:" in line)
    time.sleep(pause)  # it may come while something is sent, waited for or thought about
    os.killpg(process.pid, number)
    _, rest = process.communicate(timeout=120)
    assert process.returncode == code, told + rest
    assert "KeyboardInterrupt" not in rest and "fault" not in rest


def test_a_variation_or_task_that_is_named_twice_is_one(cli, tmp_path):
    done = cli(*LAKE, "--task", "taxi", "--variations", "101,101", "--json", "-w", str(tmp_path / "mine"))
    assert done.code == 0, done.err
    assert [one["n"] for one in json.loads(done.out)["curve"]] == [1, 1]
