"""From what was learned to the integer prices of one search."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from evolve.policies.search.guide import FLOOR, MAX_PRICE, Guide
from evolve.programs.operation import Operation


@dataclass(frozen=True, kw_only=True)
class Pricing:
    """How probabilities become prices.

    Attributes:
        base: Price of a certainty.
        bit: Price of one bit of surprise.
        rise: Most by which a learned price may exceed the static one; nothing is ever excluded.
        recall: Share that recalled insights have in a probability, 0 to 1.
    """

    base: float = 0.3
    bit: float = 1.0
    rise: int = 5
    recall: float = 0.5

    def prices(
        self,
        guide: Guide,
        features: Sequence[float],
        recalled: Sequence[tuple[str, float, bool]],
        operations: Sequence[Operation],
    ) -> dict[str, int]:
        """A price per name the guide or an insight knows; names it does not know keep their static price.

        Args:
            guide: The fitted guide.
            features: The task's features.
            recalled: ``(name, score, helps)`` of the recalled insights.
            operations: The vocabulary, for static prices.
        """
        probabilities = guide.probabilities(features)
        support = _support(recalled)
        share = self.recall * min(1.0, 1.5 * max((s for _, s, _ in recalled), default=0.0))
        static = {o.name: o.cost for o in operations}
        prices = {}
        for name in sorted({*probabilities, *support}):
            p = (1 - share) * probabilities.get(name, 0.0) + share * support.get(name, 0.0)
            prices[name] = min(self.price(p), static.get(name, 5) + self.rise)
        return prices

    def price(self, probability: float) -> int:
        """About the surprise in bits, at least 1."""
        surprise = -math.log2(max(probability, FLOOR))
        return max(1, min(MAX_PRICE, round(self.base + self.bit * surprise)))


def _support(recalled: Sequence[tuple[str, float, bool]]) -> dict[str, float]:
    """Recalled insights as weights in [0, 1], the strongest at its own strength."""
    found: dict[str, float] = {}
    for name, score, helps in recalled:
        if helps:
            found[name] = max(found.get(name, 0.0), min(1.0, score))
    return found
