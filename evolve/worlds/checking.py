"""Whether a world keeps what its protocol promises, tried by random moves."""

from __future__ import annotations

import random
import time
from collections.abc import Sequence
from dataclasses import dataclass

from evolve.errors import UsageError
from evolve.worlds.guarded import BrokenPromise
from evolve.worlds.world import Move, Scene, Split, Stateful, Trial, World, identity

SPLITS: Sequence[Split] = ("train", "dev", "test")


@dataclass(frozen=True, kw_only=True)
class Checked:
    """What came of a check.

    Attributes:
        variation: What was played, of ``task``.
        moves: That were made, of those that were offered.
        steps: Steps of the world that they took.
        seconds: They took, with what can be done asked for before each.
        wrong: What the world does otherwise than it has to, in sentences.
        stateful: It can go back without a replay.
    """

    version: str
    task: str
    variation: int
    moves: int
    steps: int
    seconds: float
    wrong: Sequence[str]
    stateful: bool


def check_world(world: World, task: str | None = None, *, moves: int = 60, seed: int = 0) -> Checked:
    """Plays a trial with random moves, plays the same moves once more, and compares what was seen.

    Args:
        task: The first one, where it is None.
        moves: At most; fewer where the trial ends.

    Raises:
        UsageError: There is no such task, or it has nothing to learn from.
        EnvironmentProblem: The world cannot be started or fails.
    """
    task = task or world.tasks()[0]
    wrong = list(_overlaps(world, task))
    there = world.variations(task, "train")
    if not there:
        raise UsageError(f"the task {task} has no variations in train")
    trial, variation = world.start(task, there[0]), there[0]
    played, scenes, offered = list[str](), list[Scene](), list[Sequence[Move]]()
    begun, stateful = time.perf_counter(), isinstance(trial, Stateful)
    try:
        _ = trial.goal
        _play(trial, random.Random(seed), moves, (played, scenes, offered))
        seconds = time.perf_counter() - begun
        wrong += _bounds(scenes)
        if not played:
            wrong.append("offers no move at the beginning")
        wrong += _same(world.start(task, variation), played, scenes, offered)
        if stateful:
            wrong += _goes_back(world.start(task, variation), played, scenes)
    except BrokenPromise as broken:
        seconds = time.perf_counter() - begun
        wrong.append(broken.what)
    return Checked(
        version=identity(world),
        task=task,
        variation=variation,
        moves=len(played),
        steps=sum(scene.steps for scene in scenes),
        seconds=seconds,
        wrong=wrong,
        stateful=stateful,
    )


def _play(
    trial: Trial, draw: random.Random, moves: int, seen: tuple[list[str], list[Scene], list[Sequence[Move]]]
) -> None:
    """Plays random moves; what was made, the scenes and what was offered are added to what was seen."""
    played, scenes, offered = seen
    scenes.append(trial.scene)
    while len(played) < moves and not trial.scene.over:
        ways = trial.moves()
        offered.append(ways)
        if not ways:
            break
        played.append(draw.choice(ways).text)
        scenes.append(trial.do(played[-1]))


def _overlaps(world: World, task: str) -> Sequence[str]:
    train, dev, test = (set(world.variations(task, split)) for split in SPLITS)
    return ["has variations in two splits"] if train & dev or train & test or dev & test else []


def _bounds(scenes: Sequence[Scene]) -> Sequence[str]:
    outside = [scene.score for scene in scenes if not 0.0 <= scene.score <= 1.0]
    found = [f"has a score of {outside[0]}, outside of 0 to 1"] if outside else []
    return found + (["counts steps at the beginning"] if scenes[0].steps else [])


def _same(trial: Trial, played: Sequence[str], scenes: Sequence[Scene], offered: Sequence[object]) -> Sequence[str]:
    if trial.scene != scenes[0]:
        return ["begins otherwise when it is begun again"]
    for number, move in enumerate(played):
        if trial.moves() != offered[number]:
            return [f"offers other moves after the same {number} moves"]
        if trial.do(move) != scenes[number + 1]:
            return [f"has another scene after the same {number + 1} moves"]
    return []


def _goes_back(trial: Trial, played: Sequence[str], scenes: Sequence[Scene]) -> Sequence[str]:
    """Goes back from the end to the middle, twice, and plays on."""
    assert isinstance(trial, Stateful)
    middle = len(played) // 2
    for move in played[:middle]:
        trial.do(move)
    kept = trial.snapshot()
    for _ in range(2):
        for number in range(middle, len(played)):
            if trial.do(played[number]) != scenes[number + 1]:
                return [f"has another scene after going back to move {middle}"]
        trial.restore(kept)
        if trial.scene != scenes[middle]:
            return ["does not go back to what was kept"]
    return []
