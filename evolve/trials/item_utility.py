"""How episodes ended with and without each item of a prompt: lines of advice and recalled insights."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class ItemUtility:
    """Outcomes of comparable episodes in which an item was in the prompt, and in which it was withheld."""

    with_solved: int = 0
    with_failed: int = 0
    without_solved: int = 0
    without_failed: int = 0

    def __add__(self, other: ItemUtility) -> ItemUtility:
        return ItemUtility(**{name: count + getattr(other, name) for name, count in vars(self).items()})

    @property
    def withheld_episodes(self) -> int:
        """Episodes without the item; few of them mean that little is known."""
        return self.without_solved + self.without_failed

    @property
    def probability_helps(self) -> float:
        """P(the rate of success is higher with the item than without), both rates with the prior Beta(1, 1)."""
        return probability_above(
            (self.with_solved + 1, self.with_failed + 1), (self.without_solved + 1, self.without_failed + 1)
        )


def probability_above(first: tuple[int, int], second: tuple[int, int]) -> float:
    """P(X > Y) for independent X ~ Beta(first), Y ~ Beta(second) with whole parameters of at least 1.

    The sum over X's first parameter of Beta-binomial terms (Miller, "Formulas for Bayesian A/B testing", 2014).
    """
    (a, b), (c, d) = first, second
    # Rounded once: ``sum`` rounds otherwise from Python 3.12 on.
    total = math.fsum(
        math.exp(_log_beta(c + i, b + d) - math.log(b + i) - _log_beta(1 + i, b) - _log_beta(c, d)) for i in range(a)
    )
    return min(1.0, max(0.0, total))


def _log_beta(a: int, b: int) -> float:
    return math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)


def weak_items(
    utilities: Mapping[str, ItemUtility], items: Iterable[str], *, withheld: int = 8, below: float = 0.25
) -> tuple[str, ...]:
    """Items that were withheld often enough and seem not to help, the weakest first.

    Args:
        withheld: Fewest episodes without the item.
        below: An item is weak where the probability that it helps is lower than this.
    """
    known = {
        item: utilities[item].probability_helps
        for item in items
        if item in utilities and utilities[item].withheld_episodes >= withheld
    }
    return tuple(sorted((item for item, helps in known.items() if helps < below), key=lambda item: known[item]))
