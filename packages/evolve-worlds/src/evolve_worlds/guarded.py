"""A world that a package offers, held to the protocol: where it breaks that, its trial ends as a fault of the world.

Its code is trusted as evolve's own is, and may still be wrong: a score that is no number would reach the record,
``exit`` would end evolve as if all were well, and what it prints would stand in the output.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from numbers import Integral, Real
from threading import Lock
from typing import Any, TextIO

from evolve_worlds.world import Described, Move, Scene, Split, Stateful, Trial, World, WorldFault, is_tellable

_ROUNDING = 1e-6  # by which a score that was added up may miss its bounds
_MOST_STEPS = 10**9  # of one move


class BrokenPromise(WorldFault):
    """What a world gave is not what its protocol says.

    Attributes:
        what: Goes on from the world's name, such as "offers no moves".
    """

    def __init__(self, by: str, what: str, *, hint: str) -> None:
        super().__init__(f"{by} {what}", hint=hint)
        self.what = what


@dataclass(frozen=True)
class Guard:
    """Calls the code of one world.

    Attributes:
        name: As it was typed, its setting included; claims on its moves are kept under it.
        by: How it is called where it fails.
        hint: What helps then.
        bounded: A score outside of 0 to 1 is a fault; else it passes, for who wants to tell of all that is wrong.
    """

    name: str
    by: str
    hint: str
    bounded: bool = True

    @contextmanager
    def calling(self) -> Iterator[None]:
        """What is printed meanwhile goes to the error stream, and who ends the program ends the trial only."""
        with _QUIET.quiet():
            try:
                yield
            except SystemExit as leave:
                raise WorldFault(f"{self.by} ended itself (exit {leave.code})", hint=self.hint) from leave
            except (StopIteration, GeneratorExit) as odd:  # above they mean no failure
                raise WorldFault(f"{self.by} raised {type(odd).__name__}", hint=self.hint) from odd

    def text(self, value: object, what: str) -> str:
        """A text.

        Raises:
            BrokenPromise: It is something else.
        """
        if not isinstance(value, str):
            raise self.broken(f"has a {what} that is {type(value).__name__} and no text")
        return value

    def scene(self, scene: Any) -> Scene:
        """A scene with plain numbers.

        Raises:
            BrokenPromise: It is none, or holds what no scene does.
        """
        if not isinstance(scene, Scene):
            raise self.broken(f"gives {type(scene).__name__} and no scene")
        self.text(scene.told, "scene's told")
        self.text(scene.view, "scene's view")
        score: Any = scene.score
        if not isinstance(score, Real):
            raise self.broken(f"has a score that is {type(score).__name__} and no number")
        steps: Any = scene.steps
        if not isinstance(steps, Integral) or not 0 <= int(steps) <= _MOST_STEPS:
            raise self.broken(f"counts {steps if isinstance(steps, int) and abs(steps) < 10**20 else 'such'} steps")
        if scene.lost and not scene.over:
            raise self.broken("has a scene that is lost and not over")
        try:
            score = float(score)
        except OverflowError:
            raise self.broken("has a score that is too large for a number") from None
        if self.bounded:
            if math.isnan(score) or not -_ROUNDING <= score <= 1.0 + _ROUNDING:
                raise self.broken(f"has a score of {score}, outside of 0 to 1")
            score = min(1.0, max(0.0, score))
        return replace(scene, score=score, steps=int(steps), over=bool(scene.over), lost=bool(scene.lost))

    def moves(self, moves: Any) -> Sequence[Move]:
        """Moves that can be told in a line each.

        Raises:
            BrokenPromise: Some cannot, or are none.
        """
        for move in moves:
            if not isinstance(move, Move):
                raise self.broken(f"offers {type(move).__name__} as a move")
            if not isinstance(move.objects, tuple) or not all(isinstance(one, str) for one in move.objects):
                raise self.broken(f"offers a move whose objects are no tuple of texts: {move.objects!r:.80}")
            parts = self.text(move.schema, "move's schema").split("{}")
            if len(parts) != len(move.objects) + 1 or any("{" in part or "}" in part for part in parts):
                raise self.broken(f"offers a move whose schema does not fit its objects: {move.schema!r:.80}")
            if not move.text.strip() or not is_tellable(move.text):
                raise self.broken(f"offers a move that is no line of text: {move.text!r:.80}")
        return tuple(moves)

    def listed(self, values: Any, form: type, what: str) -> tuple[Any, ...]:
        """All of a listing.

        Raises:
            BrokenPromise: It is none, or holds something else.
        """
        try:
            found = tuple(values)
        except TypeError:
            raise self.broken(f"has {type(values).__name__} for {what}") from None
        wrong = next((one for one in found if not isinstance(one, form) or one == ""), None)
        if wrong is not None:
            raise self.broken(f"has {wrong!r} among its {what}")
        return found

    def broken(self, what: str) -> BrokenPromise:
        """The error for something that is not as it should be."""
        return BrokenPromise(self.by, what, hint=self.hint)


class GuardedWorld:
    """Implements :class:`~evolve_worlds.World` by another world."""

    def __init__(self, world: World, guard: Guard) -> None:
        self._world, self._guard = world, guard

    @property
    def name(self) -> str:
        return self._guard.name

    @property
    def version(self) -> str:
        with self._guard.calling():
            return self._guard.text(self._world.version, "version")

    def tasks(self) -> Sequence[str]:
        with self._guard.calling():
            found = self._guard.listed(self._world.tasks(), str, "tasks")
        if not found:
            raise self._guard.broken("has no tasks")
        for name in found:  # it stands in lines, pictures and names of files
            if not is_tellable(name):
                raise self._guard.broken(f"has a task whose name is no line of text: {name!r:.80}")
        return found

    def variations(self, task: str, split: Split) -> Sequence[int]:
        with self._guard.calling():
            return self._guard.listed(self._world.variations(task, split), int, "variations")

    def start(self, task: str, variation: int) -> Trial:
        with self._guard.calling():
            trial = self._world.start(task, variation)
            stateful = isinstance(trial, Stateful)
        return _GuardedStatefulTrial(trial, self._guard) if stateful else _GuardedTrial(trial, self._guard)

    def close(self) -> None:
        with self._guard.calling():
            self._world.close()


class _GuardedTrial:
    def __init__(self, trial: Any, guard: Guard) -> None:
        self._trial, self._guard = trial, guard

    @property
    def goal(self) -> str:
        with self._guard.calling():
            return self._guard.text(self._trial.goal, "goal")

    @property
    def scene(self) -> Scene:
        with self._guard.calling():
            return self._guard.scene(self._trial.scene)

    def moves(self) -> Sequence[Move]:
        with self._guard.calling():
            return self._guard.moves(self._guard.listed(self._trial.moves(), object, "moves"))

    def described(self) -> Sequence[Move]:
        if not isinstance(self._trial, Described):
            return self.moves()
        with self._guard.calling():
            return self._guard.moves(self._guard.listed(self._trial.described(), object, "described moves"))

    def do(self, move: str) -> Scene:
        with self._guard.calling():
            return self._guard.scene(self._trial.do(move))


class _GuardedStatefulTrial(_GuardedTrial):
    def snapshot(self) -> object:
        with self._guard.calling():
            return self._trial.snapshot()

    def restore(self, snapshot: object) -> None:
        with self._guard.calling():
            self._trial.restore(snapshot)


class _Quiet:
    """Standard output as the error stream while any thread calls a world; the last one out brings it back."""

    def __init__(self) -> None:
        self._lock, self._inside = Lock(), 0
        self._kept: TextIO = sys.stdout

    @contextmanager
    def quiet(self) -> Iterator[None]:
        with self._lock:
            if not self._inside:
                self._kept, sys.stdout = sys.stdout, sys.stderr
            self._inside += 1
        try:
            yield
        finally:
            with self._lock:
                self._inside -= 1
                if not self._inside:
                    sys.stdout = self._kept


_QUIET = _Quiet()
