"""Counts how episodes ended with and without each item of a prompt: lines of advice and recalled insights."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from evolve.core.files import canonical_json, digest
from evolve.core.store import Database, value_of


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
    def withheld(self) -> int:
        """Episodes without the item; few of them mean that little is known."""
        return self.without_solved + self.without_failed

    @property
    def helps(self) -> float:
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


class ItemRecord:
    """Counts of outcomes by item.

    Args:
        db: The record.
    """

    def __init__(self, db: Database) -> None:
        self._db = db

    def add(self, batch: str, outcomes: Mapping[str, ItemUtility]) -> None:
        """Keeps what one batch of episodes says of items; the same batch and item again changes nothing.

        Args:
            batch: Names the episodes, such as by a digest of their ids.
            outcomes: Counts by item id.
        """
        with self._db.transaction():
            for item, counts in outcomes.items():
                key = digest(canonical_json([batch, item]))
                self._db.insert(
                    "prompt_item_outcomes", {"id": key, "batch": batch, "item": item, **vars(counts)}, key="id"
                )

    def utility(self, item: str) -> ItemUtility:
        """All that is known of an item."""
        rows = self._db.rows("prompt_item_outcomes", {"item": item})
        return sum((value_of(ItemUtility, row) for row in rows), ItemUtility())

    def utilities(self) -> Mapping[str, ItemUtility]:
        """All that is known of every item, by its id."""
        found: dict[str, ItemUtility] = {}
        for row in self._db.rows("prompt_item_outcomes"):
            item = str(row["item"])
            found[item] = found.get(item, ItemUtility()) + value_of(ItemUtility, row)
        return found

    def weak(self, items: Iterable[str], *, withheld: int = 8, below: float = 0.25) -> tuple[str, ...]:
        """Items that were withheld often enough and seem not to help, the weakest first.

        Args:
            withheld: Fewest episodes without the item.
            below: An item is weak where the probability that it helps is lower than this.
        """
        utilities = {item: self.utility(item) for item in items}
        known = {item: utility.helps for item, utility in utilities.items() if utility.withheld >= withheld}
        return tuple(sorted((item for item, helps in known.items() if helps < below), key=lambda item: known[item]))
