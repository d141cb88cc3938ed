"""A world that changes in the middle of a run: its words for moves, or what a move does."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from evolve_worlds import Move, Scene, Split, Trial, World


@dataclass(frozen=True, kw_only=True)
class Drift:
    """What is otherwise.

    Attributes:
        called: How schemas are called now; two may take each other's names. The goal's words stay.
        idle: Schemas that do nothing any more.
        losing: Schemas that lose the trial now.
    """

    called: Mapping[str, str] = field(default_factory=dict)
    idle: frozenset[str] = frozenset()
    losing: frozenset[str] = frozenset()


@dataclass(kw_only=True)
class Drifting:
    """Another world, as it is until a drift is set, and from the next trial on with that.

    Attributes:
        noticed: Tells whether whoever plays has noticed.
        done: Moves so far, as they are called now, with the gain of each and whether the change was noticed before it.
    """

    inner: World
    drift: Drift = field(default_factory=Drift)
    noticed: Callable[[], bool] = lambda: False
    done: list[tuple[Move, float, bool]] = field(default_factory=list)

    @property
    def name(self) -> str:
        return self.inner.name

    @property
    def version(self) -> str:
        return f"{self.inner.version}, drifting"

    def tasks(self) -> Sequence[str]:
        return self.inner.tasks()

    def variations(self, task: str, split: Split) -> Sequence[int]:
        return self.inner.variations(task, split)

    def start(self, task: str, variation: int) -> Trial:
        return _Trial(self, self.inner.start(task, variation))

    def close(self) -> None:
        self.inner.close()


class _Trial:
    def __init__(self, world: Drifting, inner: Trial) -> None:
        self._world, self._inner, self._drift = world, inner, world.drift
        self.goal, self.scene = inner.goal, inner.scene

    def moves(self) -> Sequence[Move]:
        if self.scene.over:
            return ()
        called = self._drift.called
        return [replace(one, schema=called.get(one.schema, one.schema)) for one in self._inner.moves()]

    def do(self, move: str) -> Scene:
        if self.scene.over:
            return self.scene
        back = {new: old for old, new in self._drift.called.items()}
        found = next((one for one in self.moves() if one.text == move), Move(schema=move))
        known = replace(found, schema=back.get(found.schema, found.schema))
        before, noticed = self.scene.score, self._world.noticed()
        if known.schema in self._drift.losing:
            self.scene = Scene(told="That was wrong.", view=self.scene.view, over=True, lost=True)
        elif known.schema in self._drift.idle:
            self.scene = replace(self.scene, told="Nothing happens.", steps=1)
        else:
            self.scene = self._inner.do(known.text)
        self._world.done.append((found, self.scene.score - before, noticed))
        return self.scene
