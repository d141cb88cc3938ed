"""How near things are in meaning to what a goal is about, and to what helped or lost, by an encoder of texts.

A policy that knows no words cannot tell that a beaver is an animal and an axe is none. A trained encoder of sentences
can, roughly: by the cosine between a name and the goal's first sentence, in which a goal says what it is about. It also
spreads what single trials teach: where a flower pot lost the trial, other pots are less likely to be it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from evolve.runtime.retrieval import Embedder
from evolve_worlds import Move
from evolve_worlds.experience.transitions import TransitionMemory
from evolve_worlds.experience.wording import Goal

if TYPE_CHECKING:
    import numpy as np

_FEWEST = 3
"""Things from which on one of them can stand out."""
_STANDS_OUT = 1.5
"""From how many standard deviations on one does."""


@dataclass(kw_only=True)
class Meaning:
    """Keeps the vectors of names, which come again from trial to trial."""

    encoder: Embedder
    _vectors: dict[str, np.ndarray] = field(default_factory=dict, repr=False)
    _asked: tuple[str, frozenset[str], int] = ("", frozenset(), 0)
    _memory: TransitionMemory | None = field(default=None, repr=False)
    _near: dict[str, Mapping[str, float]] = field(default_factory=dict, repr=False)

    def near(self, goal: Goal, schema: str, memory: TransitionMemory, things: Collection[str]) -> Mapping[str, float]:
        """For each thing how much more than others it is what moves of a schema should be made with.

        That is how much nearer it is to the goal than things are on average, in standard deviations, and as much again
        for how near it is to what such moves gained with; less by the share in which it is like what only lost.
        """
        asked = (goal.text, frozenset(things), memory.guessed)
        if self._asked != asked or self._memory is not memory:
            self._asked, self._memory, self._near = asked, memory, {}
        if schema not in self._near:
            self._near[schema] = self._told(goal, schema, memory, sorted(things))
        return self._near[schema]

    def outstanding(
        self, offered: Sequence[Move], goal: Goal, memory: TransitionMemory, things: Collection[str]
    ) -> Move | None:
        """Of moves of one schema the one whose thing stands out most, in place of what another variation's plan has."""
        near = self.near(goal, offered[0].schema, memory, things) if offered else {}
        told = {one: max((near.get(thing, 0.0) for thing in one.objects), default=0.0) for one in offered}
        best = max(offered, key=lambda one: (told[one], one.text), default=None)
        return best if best is not None and told[best] >= _STANDS_OUT else None

    def _told(self, goal: Goal, schema: str, memory: TransitionMemory, things: list[str]) -> Mapping[str, float]:
        if len(things) < _FEWEST or not goal.sentences:
            return {}
        named, (gained, lost) = self._encoded(things), memory.words_of(schema)
        near = _standardised(named @ self._encoded([" ".join(goal.sentences[0])])[0])
        if gained:
            near = near + _standardised((named @ self._encoded(gained).T).max(axis=1))
        if lost:
            near = near * (1.0 - (named @ self._encoded(lost).T).max(axis=1).clip(0.0, 1.0))
        return dict(zip(things, map(float, near), strict=True))

    def _encoded(self, texts: Sequence[str]) -> np.ndarray:
        """Vectors in rows."""
        import numpy as np

        if new := [text for text in dict.fromkeys(texts) if text not in self._vectors]:
            self._vectors |= zip(new, self.encoder.encode(new), strict=True)
        return np.stack([self._vectors[text] for text in texts])


def _standardised(values: np.ndarray) -> np.ndarray:
    spread = float(values.std()) or 1.0
    told: np.ndarray = (values - values.mean()) / spread
    return told
