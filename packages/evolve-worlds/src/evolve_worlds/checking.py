"""Whether a world keeps what its protocol promises, tried by random moves."""

from __future__ import annotations

import math
import random
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from evolve.core.errors import UsageError
from evolve_worlds.guarded import BrokenPromise
from evolve_worlds.world import Move, Scene, Split, Stateful, Trial, World, identity

SPLITS: Sequence[Split] = ("train", "dev", "test")
TRIALS = 20
"""Trials of one check at most."""


@dataclass(frozen=True, kw_only=True)
class Checked:
    """What came of a check.

    Attributes:
        trials: How many there were, each on the next variation of ``task`` in the split ``train``.
        moves: That were made in them, of those that were offered.
        steps: Steps of the world that they took.
        seconds: They took, with what can be done asked for before each.
        wrong: What the world does otherwise than it has to, in sentences.
        stateful: It can go back without a replay.
    """

    version: str
    task: str
    trials: int
    moves: int
    steps: int
    seconds: float
    wrong: Sequence[str]
    stateful: bool


def check_world(world: World, task: str | None = None, *, moves: int = 60, seed: int = 0) -> Checked:
    """Plays trials with random moves, plays the same moves once more, and compares what was seen.

    Args:
        task: The first one, where it is None.
        moves: So many in all; another trial is begun where one ends, up to :data:`TRIALS`.

    Raises:
        UsageError: There is no such task, or it has nothing to learn from.
        EnvironmentProblem: The world cannot be started or fails.
    """
    task = task or world.tasks()[0]
    wrong = list(_overlaps(world, task))
    there = world.variations(task, "train")
    if not there:
        raise UsageError(f"the task {task} has no variations in train")
    draw, trials = random.Random(seed), list[_Tried]()
    for number in range(TRIALS):
        left = moves - sum(len(one.played) for one in trials)
        trials.append(_Tried(world=world, task=task, variation=there[number % len(there)]))
        faults = trials[-1].wrong(draw, left)
        wrong += faults
        if faults or len(trials[-1].played) == left:
            break
    return Checked(
        version=identity(world),
        task=task,
        trials=len(trials),
        moves=sum(len(one.played) for one in trials),
        steps=sum(scene.steps for one in trials for scene in one.scenes),
        seconds=sum(one.seconds for one in trials),
        wrong=wrong,
        stateful=any(one.stateful for one in trials),
    )


@dataclass(kw_only=True)
class _Tried:
    """A trial that is played twice."""

    world: World
    task: str
    variation: int
    played: list[str] = field(default_factory=list)
    scenes: list[Scene] = field(default_factory=list)
    offered: list[Sequence[Move]] = field(default_factory=list)
    seconds: float = 0.0
    stateful: bool = False

    def wrong(self, draw: random.Random, moves: int) -> list[str]:
        """Plays it; what is not as it has to be, in sentences."""
        trial = self._begun()
        started, self.stateful = time.perf_counter(), isinstance(trial, Stateful)
        try:
            _ = trial.goal
            _play(trial, draw, moves, (self.played, self.scenes, self.offered))
            self.seconds = time.perf_counter() - started
            found = [*_bounds(self.scenes), *([] if self.played else ["offers no move at the beginning"])]
            if not any(math.isnan(scene.score) for scene in self.scenes):  # that is not even like itself
                found += _same(self._begun(), self.played, self.scenes, self.offered)
            return [*found, *(_goes_back(self._begun(), self.played, self.scenes) if self.stateful else ())]
        except BrokenPromise as broken:
            self.seconds = self.seconds or time.perf_counter() - started
            return [broken.what]

    def _begun(self) -> Trial:
        return self.world.start(self.task, self.variation)


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
    listed = [world.variations(task, split) for split in SPLITS]
    train, dev, test = map(set, listed)
    wrong = ["has variations in two splits"] if train & dev or train & test or dev & test else []
    return wrong + (["lists a variation twice"] if sum(map(len, listed)) > len(train) + len(dev) + len(test) else [])


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
