"""The two smallest worlds of ``gymnasium`` in words: a frozen lake and a taxi. They serve to try what plays worlds."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import Any

from evolve.core.errors import UsageError
from evolve_worlds.opening import installed_version, loaded, one_line
from evolve_worlds.world import Move, Scene, Split

_SEEDS: Mapping[Split, range] = {"train": range(100), "dev": range(100, 150), "test": range(150, 200)}
_LAKES = {"frozen-lake-4": 4, "frozen-lake-8": 8}
_WALKING = ("go left", "go down", "go right", "go up")
_DRIVING = ("go south", "go north", "go east", "go west", "let the passenger in", "let the passenger out")
_STANDS = ("the red stand", "the green stand", "the yellow stand", "the blue stand", "the taxi")


class ToyText:
    """A lake with holes whose map is drawn from the variation, and a taxi whose passenger is."""

    name = "gymnasium"

    def __init__(self) -> None:
        loaded("gymnasium", extra="minigrid")

    @property
    def version(self) -> str:
        """The package's version."""
        return f"gymnasium {installed_version('gymnasium')} (toy text in words)"

    def tasks(self) -> Sequence[str]:
        """Lakes of two sizes, and the taxi."""
        return (*_LAKES, "taxi")

    def variations(self, task: str, split: Split) -> Sequence[int]:
        """Seeds."""
        self._check(task)
        return _SEEDS[split]

    def start(self, task: str, variation: int) -> ToyTrial:
        """Draws a lake or a passenger."""
        self._check(task)
        if not any(variation in seeds for seeds in _SEEDS.values()):
            raise UsageError(f"the task {task} has no variation {variation}", hint=f"0 to {_SEEDS['test'][-1]}")
        import gymnasium
        from gymnasium.envs.toy_text.frozen_lake import generate_random_map

        if task == "taxi":
            inner = gymnasium.make("Taxi-v4").unwrapped
        else:
            drawn = generate_random_map(size=_LAKES[task], seed=variation)
            inner = gymnasium.make("FrozenLake-v1", desc=drawn, is_slippery=False).unwrapped
        state, _ = inner.reset(seed=variation)
        return ToyTrial(inner, task == "taxi", int(state), _LAKES.get(task, 0))

    def close(self) -> None:
        """Nothing was started."""

    def _check(self, task: str) -> None:
        if task not in self.tasks():
            raise UsageError(f"gymnasium has no task {task!r}", hint=", ".join(self.tasks()))


class ToyTrial:
    """One attempt."""

    def __init__(self, inner: Any, taxi: bool, state: int, size: int) -> None:
        self._inner, self._taxi, self._size = inner, taxi, size
        self._words = _DRIVING if taxi else _WALKING
        self.goal = "Bring the passenger to the stand." if taxi else "Get to the last row and column."
        told = self._told(state)
        self.scene = Scene(told=told, view=told, steps=0)

    def moves(self) -> Sequence[Move]:
        return () if self.scene.over else tuple(Move(schema=words) for words in self._words)

    def do(self, move: str) -> Scene:
        words = one_line(move)
        if self.scene.over:
            return self.scene
        if words not in self._words:
            self.scene = Scene(told="That is not possible here.", view=self.scene.view)
            return self.scene
        state, reward, ended, _, _ = self._inner.step(self._words.index(words))
        told = self._told(int(state))
        done = bool(ended) and float(reward) > 0
        self.scene = Scene(
            told=told, view=told, score=1.0 if done else 0.0, over=bool(ended), lost=bool(ended) and not done
        )
        return self.scene

    def snapshot(self) -> object:
        return copy.deepcopy(self._inner), self.scene

    def restore(self, snapshot: Any) -> None:
        self._inner, self.scene = copy.deepcopy(snapshot)

    def _told(self, state: int) -> str:
        if not self._taxi:
            return f"You stand in row {state // self._size + 1}, column {state % self._size + 1} of {self._size}."
        row, column, passenger, stand = self._inner.decode(state)
        place = f"The taxi is in row {row + 1}, column {column + 1}."
        return f"{place} The passenger is at {_STANDS[passenger]} and wants to go to {_STANDS[stand]}."
