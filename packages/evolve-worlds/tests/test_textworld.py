"""Quests of TextWorld: what the game's file knows of the way and the trial does not tell."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from evolve_worlds.textworld import TextWorld
from tests.architecture.source import ROOT

pytestmark = pytest.mark.textworld

PLAYED = """
from contextlib import closing
from evolve_worlds.textworld import TextWorld
with closing(TextWorld()) as world:
    trial = world.start("quest-3", 4)
    print(trial.goal, trial.scene)
    for _ in range(6):
        print([move.text for move in trial.moves()], trial.do(trial.moves()[-1].text))
"""


@pytest.fixture(scope="module")
def world() -> Iterator[TextWorld]:
    made = TextWorld()
    yield made
    made.close()


def made_of(world: TextWorld) -> dict[str, Any]:
    """What the package wrote beside the one game that was made."""
    folder: Path = world._folder
    (file,) = folder.glob("*.json")
    return json.loads(file.read_text("utf-8"))


def test_a_quest_is_as_long_as_its_name_says_and_told_without_its_way(world: TextWorld) -> None:
    trial = world.start("quest-4", 2)
    way = made_of(world)["metadata"]["walkthrough"]
    assert len(way) == 4
    for step in way[:-1]:
        assert step.split(" from ")[0].lower() not in trial.goal.lower()
    for step in way:
        assert trial.scene.score == 0.0
        assert step in [move.text for move in trial.moves()]
        trial.do(step)
    assert (trial.scene.score, trial.scene.over, trial.scene.lost) == (1.0, True, False)
    world.close()
    assert world._folder is None


def test_words_of_the_interpreter_do_not_reach_it(world: TextWorld) -> None:
    trial = world.start("quest-1", 0)
    before = trial.scene.view
    for word in ("restart", "yes", "save", "restore", "script", "quit", "undo", "#walkthrough"):
        assert "verb" in trial.do(word).told
        assert trial.scene.view == before


def test_what_is_taken_from_somewhere_are_two_things(world: TextWorld) -> None:
    trial = world.start("quest-3", 104)
    (move,) = [move for move in trial.moves() if move.text == "take rectangular latchkey from bed stand"]
    assert (move.schema, move.objects) == ("take {} from {}", ("rectangular latchkey", "bed stand"))
    trial.do(move.text)
    trial.do("drop rectangular latchkey")
    (move,) = [move for move in trial.moves() if move.text == "take rectangular latchkey"]
    assert (move.schema, move.objects) == ("take {}", ("rectangular latchkey",))


def test_another_process_makes_and_plays_the_same_game() -> None:
    told = set()
    for seed in ("1", "2"):
        done = subprocess.run(
            [sys.executable, "-c", PLAYED],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path])},
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        told.add(done.stdout)
    assert len(told) == 1
