"""The levels of BabyAI as tasks (Chevalier-Boisvert et al. 2019, ICLR; package ``minigrid``).

What is on a level is told as far as the package's own view of seven by seven cells goes, and remembered. A move such as
``go to the red ball`` is carried out over what was seen, doors are opened one by one when that is asked for, and every
primitive step counts, in the scene's ``steps`` and in the level's own limit.
"""

from __future__ import annotations

import contextlib
import copy
import io
from collections.abc import Mapping, Sequence
from typing import Any

from evolve.core.errors import UsageError
from evolve_worlds.minigrid.walker import Walker
from evolve_worlds.opening import installed_version, loaded, one_line
from evolve_worlds.world import Move, Scene, Split

_LEVELS: Mapping[str, str] = {
    "GoToLocal": "BabyAI-GoToLocal-v0",
    "PickupLoc": "BabyAI-PickupLoc-v0",
    "PutNextLocal": "BabyAI-PutNextLocal-v0",
    "UnlockLocal": "BabyAI-UnlockLocal-v0",
    "GoTo": "BabyAI-GoTo-v0",
    "Pickup": "BabyAI-Pickup-v0",
    "Open": "BabyAI-Open-v0",
    "PutNext": "BabyAI-PutNextS7N4-v0",
    "Unlock": "BabyAI-Unlock-v0",
    "GoToSeqLocal": "BabyAI-GoToSeqS5R2-v0",
    "GoToSeq": "BabyAI-GoToSeq-v0",
    "SynthSeq": "BabyAI-SynthSeq-v0",
}
_SEEDS: Mapping[Split, range] = {"train": range(1000), "dev": range(1000, 1500), "test": range(1500, 2000)}


STRICT = "strict"
"""The setting in which a part of the goal that is done before its turn loses the trial; the package calls it so too."""


class MiniGrid:
    """Levels of BabyAI; a variation is the seed of its rooms, things and mission.

    Args:
        setting: "" or :data:`STRICT`.

    Raises:
        UsageError: There is no such setting.
    """

    def __init__(self, setting: str = "") -> None:
        if setting not in ("", STRICT):
            raise UsageError(f"minigrid has no setting {setting!r}", hint=f"minigrid, minigrid:{STRICT}")
        self._strict = setting == STRICT
        self.name = f"minigrid:{STRICT}" if self._strict else "minigrid"
        with contextlib.redirect_stdout(io.StringIO()):  # pygame greets
            loaded("minigrid", extra="minigrid")

    @property
    def version(self) -> str:
        """The package's version."""
        strict = ", parts in their order" if self._strict else ""
        return f"minigrid {installed_version('minigrid')} (BabyAI in words{strict})"

    def tasks(self) -> Sequence[str]:
        """Levels of one room, those of nine rooms with closed doors, and those of several parts."""
        return tuple(_LEVELS)

    def variations(self, task: str, split: Split) -> Sequence[int]:
        """Seeds."""
        _check(task)
        return _SEEDS[split]

    def start(self, task: str, variation: int) -> MiniGridTrial:
        """Makes the level of a seed."""
        import gymnasium
        from minigrid.envs.babyai.core.verifier import AfterInstr, BeforeInstr

        _check(task)
        if not any(variation in seeds for seeds in _SEEDS.values()):
            raise UsageError(f"the task {task} has no variation {variation}", hint=f"0 to {_SEEDS['test'][-1]}")
        with contextlib.redirect_stdout(io.StringIO()):  # levels that could not be solved are rejected aloud
            grid: Any = gymnasium.make(_LEVELS[task]).unwrapped
            view, _ = grid.reset(seed=variation)
        if self._strict and isinstance(grid.instrs, BeforeInstr | AfterInstr):
            grid.instrs.strict = True
        walker = Walker(grid=grid)
        walker.sight.look(view["image"])
        return MiniGridTrial(str(view["mission"]), walker)

    def close(self) -> None:
        """Nothing was started."""


class MiniGridTrial:
    """One attempt at a level."""

    def __init__(self, goal: str, walker: Walker) -> None:
        self.goal = goal
        self._walker = walker
        view = walker.seen_in_words()
        self.scene = Scene(told=view, view=view, steps=0)

    def moves(self) -> Sequence[Move]:
        return () if self.scene.over else self._walker.moves()

    def do(self, move: str) -> Scene:
        if not self.scene.over:
            before = self._walker.steps
            told = self._walker.do(one_line(move))
            self.scene = Scene(
                told=told,
                view=self._walker.seen_in_words(),
                score=1.0 if self._walker.reward > 0.0 else 0.0,
                over=self._walker.ended,
                lost=self._walker.failed,
                steps=self._walker.steps - before,
            )
        return self.scene

    def snapshot(self) -> object:
        return copy.deepcopy(self._walker), self.scene

    def restore(self, snapshot: Any) -> None:
        self._walker, self.scene = copy.deepcopy(snapshot)


def _check(task: str) -> None:
    if task not in _LEVELS:
        raise UsageError(f"minigrid has no task {task!r}", hint=", ".join(_LEVELS))
