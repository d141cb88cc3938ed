"""How near things are in meaning to what a goal is about, by an encoder of texts.

A policy that knows no words cannot tell that a beaver is an animal and an axe is none. A trained encoder of sentences
can, roughly: the cosine between a name and the goal's first sentence, in which a goal says what it is about.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from evolve.policies.experience.wording import Goal
from evolve.retrieval import Embedder

if TYPE_CHECKING:
    import numpy as np

_FEWEST = 3
"""Things from which on one of them can stand out."""


@dataclass(kw_only=True)
class Meaning:
    """Keeps the vectors of names, which come again from trial to trial."""

    encoder: Embedder
    _vectors: dict[str, np.ndarray] = field(default_factory=dict, repr=False)
    _near: tuple[tuple[str, int], Mapping[str, float]] = (("", 0), {})

    def near(self, goal: Goal, things: Collection[str]) -> Mapping[str, float]:
        """For each thing how much nearer to the goal it is than they are on average, in standard deviations.

        Args:
            things: Those of one variation; more of them with time, and never others.
        """
        key = (goal.text, len(things))
        if self._near[0] != key:
            self._near = (key, self._told(goal, sorted(things)))
        return self._near[1]

    def _told(self, goal: Goal, things: list[str]) -> Mapping[str, float]:
        import numpy as np

        if len(things) < _FEWEST or not goal.sentences:
            return {}
        about = " ".join(goal.sentences[0])
        cosines = np.stack(self._encoded(things)) @ self._encoded([about])[0]
        spread = float(cosines.std()) or 1.0
        return {thing: float(one - cosines.mean()) / spread for thing, one in zip(things, cosines, strict=True)}

    def _encoded(self, texts: list[str]) -> list[np.ndarray]:
        if new := [text for text in texts if text not in self._vectors]:
            self._vectors |= zip(new, self.encoder.encode(new), strict=True)
        return [self._vectors[text] for text in texts]
