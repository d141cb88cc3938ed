"""Which arm did better over all pairs: success first, then cost, then time.

The sequential test counts pairs, and in a pair a cheaper answer weighs as much as a solved task. So a variant
that gives up a tenth of the tasks and is cheaper on the rest would win. Here the arms are compared as wholes, and
what the test accepts must not be worse by this order.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from evolve.episodes import EpisodeRecord
from evolve.gate.eprocess import log_wealth
from evolve.gate.outcome import CHEAPER, comparable_cost, is_verified

FEWER = 5.0
"""The e-value of "the variant solves fewer tasks" from which it stands in the way: as likely as one in five at most
where both solve alike. Five tasks lost and none gained are that much."""


@dataclass(frozen=True, kw_only=True)
class Standing:
    """Both arms over the pairs so far.

    Attributes:
        gained: Tasks that only the variant solved.
        lost: Tasks that only the parent solved.
        both: Tasks that both solved.
        log_cost: Sum over these of the natural logarithm of variant cost divided by parent cost.
        log_time: The same of CPU seconds.
    """

    gained: int = 0
    lost: int = 0
    both: int = 0
    log_cost: float = 0.0
    log_time: float = 0.0

    def plus(self, parent: EpisodeRecord, variant: EpisodeRecord) -> Standing:
        """The standing after one more pair that says something."""
        before, after = is_verified(parent), is_verified(variant)
        log_cost = log_time = 0.0
        if before and after:
            old, new = comparable_cost(parent.cost, variant.cost)
            log_cost = math.log(max(new, 1.0) / max(old, 1.0))
            log_time = math.log(max(variant.cost.seconds, 1e-3) / max(parent.cost.seconds, 1e-3))
        return Standing(
            gained=self.gained + (after and not before),
            lost=self.lost + (before and not after),
            both=self.both + (before and after),
            log_cost=self.log_cost + log_cost,
            log_time=self.log_time + log_time,
        )

    @property
    def cost_ratio(self) -> float | None:
        """Geometric mean over tasks that both solved of the variant's cost divided by the parent's."""
        return math.exp(self.log_cost / self.both) if self.both else None

    @property
    def objection(self) -> str:
        """Why the variant is worse as a whole, in one sentence, or "".

        Success is a matter of chance where both arms solve about as many, so a loss counts from some evidence on.
        Where the variant solves no more it must be cheaper, in the mean of the ratios, which no single expensive
        task decides. Time counts only between equals and with a margin of a fifth: it depends on the machine.
        """
        if log_wealth(self.lost, self.gained) >= math.log(FEWER):
            return f"it solves {self.lost - self.gained} tasks fewer"
        if self.gained > self.lost or not self.both:
            return ""
        if self.log_cost:
            return f"it solves no more and costs {self.cost_ratio:.2f} times as much" if self.log_cost > 0 else ""
        slower = self.log_time / self.both > -math.log(CHEAPER)
        return "it solves no more, costs the same and takes longer" if slower else ""
