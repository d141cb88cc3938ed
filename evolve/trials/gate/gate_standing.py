"""Which arm did better over all pairs: success first, then cost, then time.

The sequential test counts pairs, and in a pair a cheaper answer weighs as much as a solved task. So a variant
that gives up a fifth of the tasks and is cheaper on the rest would win, and soon, before many of its losses are
seen. Here the arms are compared as wholes. What the test accepts must not be worse by this order, and the test goes
on until it is shown, or every task was tried, that success does not suffer.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from evolve.core.episodes import EpisodeRecord
from evolve.trials.gate.outcome import CHEAPER, comparable_costs, is_verified

SHOWN = 5.0
"""The e-value from which success is held to be kept: wrong at most once in five."""
MARGIN = 0.1
"""Share of tasks that a variant may give up, on balance, without being called worse: chance alone moves as much."""

_BETS = (1.0, 0.5, 0.25)
"""Shares of the wealth that are staked. Even all of it is never lost at once, since a loss takes 1 - MARGIN of it."""


@dataclass(frozen=True, kw_only=True)
class PairTotals:
    """Both arms over the pairs so far.

    Attributes:
        gained: Tasks that only the variant solved.
        lost: Tasks that only the parent solved.
        both: Tasks that both solved.
        neither: Tasks that neither solved.
        log_cost: Sum over these of the natural logarithm of variant cost divided by parent cost.
        log_time: The same of CPU seconds.
    """

    gained: int = 0
    lost: int = 0
    both: int = 0
    neither: int = 0
    log_cost: float = 0.0
    log_time: float = 0.0

    def plus(self, parent: EpisodeRecord, variant: EpisodeRecord) -> PairTotals:
        """The standing after one more pair that says something."""
        before, after = is_verified(parent), is_verified(variant)
        log_cost = log_time = 0.0
        if before and after:
            old, new = comparable_costs((parent.cost, variant.cost))
            log_cost = math.log(max(new, 1.0) / max(old, 1.0))
            log_time = math.log(max(variant.cost.seconds, 1e-3) / max(parent.cost.seconds, 1e-3))
        return PairTotals(
            gained=self.gained + (after and not before),
            lost=self.lost + (before and not after),
            both=self.both + (before and after),
            neither=self.neither + (not before and not after),
            log_cost=self.log_cost + log_cost,
            log_time=self.log_time + log_time,
        )

    @property
    def cost_ratio(self) -> float | None:
        """Geometric mean over tasks that both solved of the variant's cost divided by the parent's."""
        return math.exp(self.log_cost / self.both) if self.both else None

    @property
    def holds_success(self) -> bool:
        """Whether it is shown that the variant gives up less than :data:`MARGIN` of the tasks, on balance.

        A betting e-process as in :mod:`evolve.trials.gate.eprocess`, against the mean of +1 for a task gained, -1 for
        one lost and 0 for any other being -:data:`MARGIN` or less; three bets share the wealth.
        """
        same = self.both + self.neither
        wealth = 0.0
        for bet in _BETS:
            log = self.gained * math.log1p(bet * (1 + MARGIN)) + same * math.log1p(bet * MARGIN)
            wealth += math.exp(min(700.0, log + self.lost * math.log1p(-bet * (1 - MARGIN))))
        return wealth / len(_BETS) >= SHOWN

    @property
    def objection(self) -> str:
        """Why the variant is worse as a whole, in one sentence, or "".

        Success is worse if the variant solved fewer tasks and it is not shown that this is within the margin.
        Where the variant solves no more it must be cheaper, in the mean of the ratios, which no single expensive
        task decides. Time counts only between equals and with a margin of a fifth: it depends on the machine.
        """
        fewer = self.lost - self.gained
        if fewer > 0 and not self.holds_success:
            return f"it solves {fewer} of {self.gained + self.lost + self.both + self.neither} tasks fewer"
        if fewer < 0 or not self.both:
            return ""
        if self.log_cost:
            return f"it solves no more and costs {self.cost_ratio:.2f} times as much" if self.log_cost > 0 else ""
        slower = self.log_time / self.both > -math.log(CHEAPER)
        return "it solves no more, costs the same and takes longer" if slower else ""
