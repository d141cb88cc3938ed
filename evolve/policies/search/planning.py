"""What a policy learned, put to one task: the prices that its search goes by."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from evolve.episodes import Recalled
from evolve.policies.search.clues import Clues
from evolve.policies.search.features import features_of
from evolve.policies.search.guide import Guide
from evolve.policies.search.pricing import Pricing
from evolve.policies.search.problem import Problem
from evolve.policies.search.searcher import Vocabulary


@dataclass(frozen=True)
class Looks:
    """A problem with what can be observed of it, worked out once for recall and plan."""

    problem: Problem

    @cached_property
    def features(self) -> tuple[float, ...]:
        return features_of(self.problem)


class Planner:
    """Prices the vocabulary for tasks, from a guide and from recalled insights.

    Args:
        guide: The fitted guide.
        vocabulary: What is priced.
        names: Priced name by cause, for learned operations.
    """

    def __init__(self, guide: Guide, vocabulary: Vocabulary, names: Mapping[str, str]) -> None:
        self._guide, self._names = guide, names
        self._clues, self._pricing = Clues(vocabulary), Pricing(vocabulary.static, guide.names)

    def prices(self, looks: Looks, recalled: Sequence[Recalled]) -> dict[str, int]:
        """A price for every name of the vocabulary."""
        clues = self._clues.reader(looks.problem).pairs()
        return self._pricing.prices(self._guide.likely(looks.features, clues), self._support(recalled))

    def _support(self, recalled: Sequence[Recalled]) -> list[tuple[str, float, bool]]:
        """Recalled insights as ``(priced name, score, whether it helps)``."""
        support = []
        for item in recalled:
            name = self._names.get(item.cause) or item.cause.removeprefix("operation:")
            # An insight about a skill that is gone names no operation.
            if name and not name.startswith("skill:"):
                support.append((name, item.score, item.direction > 0))
        return support
