"""The command ``evolve lab trials``: what a person sees, what a program gets, and what is refused."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field

import pytest

from evolve_worlds import Move, Scene
from tests.offering import offer

LAKE = ("lab", "trials", "gymnasium", "--task", "taxi", "--variations", "2", "--trials", "2", "--set", "moves=20")


def test_trials_are_told_one_by_one_and_drawn(cli, tmp_path):
    drawn = tmp_path / "curve.svg"
    done = cli(*LAKE, "--curve", str(drawn), "-w", str(tmp_path / "mine"))
    assert done.code == 0, done.err
    assert done.err.count("trial 1: score") == 2 and done.err.count("trial 2: score") == 2
    assert "moves  lost  variations" in done.out
    assert "steps of the world" in done.out and drawn.read_text().startswith("<svg")
    assert "moves of the trial, without replays" in drawn.read_text()
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
        (("--task", "golf"), "lab worlds list gymnasium"),
        (("--curve", "."), "name a file in it"),
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
    words = [
        "lab",
        "trials",
        "scienceworld",
        "--task",
        "use-thermometer",
        "--variations",
        "1",
        "-w",
        str(tmp_path / "ws"),
    ]
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


@dataclass
class Switch:
    """Two switches, of which one is right."""

    right: str = "red"
    version: str = "1"

    def __post_init__(self):
        self.name = f"{self.right}-switch"

    def tasks(self):
        return ("light",)

    def variations(self, task, split):
        return {"train": (0,), "dev": (1,), "test": (2,)}[split]

    def start(self, task, variation):
        return Pressed(self.right)

    def close(self):
        pass


@dataclass
class Pressed:
    right: str
    goal: str = "Make light."
    scene: Scene = field(default_factory=lambda: Scene(told="It is dark.", steps=0))

    def moves(self):
        return [] if self.scene.over else [Move(schema="press {}", objects=(one,)) for one in ("blue", "red")]

    def do(self, move):
        won = move == f"press {self.right}"
        self.scene = Scene(told="Light." if won else "Dark.", score=float(won), over=won)
        return self.scene


def test_worlds_of_one_version_keep_trials_of_their_own_and_kept_ones_say_so(cli, monkeypatch, tmp_path):
    def tried(right):
        offer(monkeypatch, tmp_path / right, "worlds", f"{right}-switch", lambda: Switch(right))
        words = ("--trials", "2", "--variations", "1", "-w", str(tmp_path / "mine"))
        return cli("lab", "trials", f"{right}-switch", *words)

    assert "kept from before" not in tried("red").err
    other = tried("blue")
    assert "kept from before" not in other.err and "'press blue' gives 100 points" in other.out
    again = tried("red")
    assert again.err.count("kept from before") == 2 and "'press red' gives 100 points" in again.out


def test_what_trials_proved_is_listed_by_what_it_is_about(cli, monkeypatch, tmp_path):
    offer(monkeypatch, tmp_path / "site", "worlds", "red-switch", Switch)
    mine = ("-w", str(tmp_path / "mine"))
    assert cli("lab", "trials", "red-switch", "--trials", "2", *mine).code == 0
    listed, other = (
        cli("memory", "list", "--about", "RED-switch/light", *mine),
        cli("memory", "list", "--about", "chess", *mine),
    )
    assert listed.out == cli("memory", "list", *mine).out and "'press red' gives 100 points" in listed.out
    assert (other.code, other.out) == (0, "no insight is about 'chess'\n")


def test_nothing_is_played_in_a_workspace_that_nobody_trusts(cli, tmp_path, monkeypatch):
    clone = tmp_path / "clone"
    (clone / "memory_store").mkdir(parents=True)
    (clone / "memory_store" / "memory.db").write_text("theirs")
    (clone / "evolve.toml").write_text("")
    monkeypatch.chdir(clone)
    monkeypatch.delenv("EVOLVE_WORKSPACE")
    done = cli("lab", "trials", "minigrid")
    assert done.code == 3 and "evolve trust" in done.err
    assert (clone / "memory_store" / "memory.db").read_text() == "theirs"
