"""One error budget for an endless stream of proposals."""

from __future__ import annotations

import math
from dataclasses import dataclass

_POWER = 1.8
_SUM = 1.88222962
"""The sum of ``i ** -1.8`` over all whole ``i`` from 1 (Riemann's zeta at 1.8), rounded up."""


@dataclass(frozen=True, kw_only=True)
class ErrorBudget:
    """Bounds the probability of ever accepting a proposal that is no better than its parent (family-wise).

    Online fallback (Tian and Ramdas, "Online control of the familywise error rate", Statistical Methods in
    Medical Research 30, 2021): proposal ``i`` has a share of its own, ``alpha`` times ``i ** -1.8`` over the sum
    of these, and the whole level of the proposal before it where that one was accepted. The shares add up to
    ``alpha``, and what an acceptance hands on was not used up, because a proposal that is better cannot be
    accepted falsely. So the bound holds however many proposals come, however they depend on one another and
    on the verdicts before them.

    Attributes:
        alpha: The bound.
    """

    alpha: float = 0.05

    def share(self, proposal: int) -> float:
        """What proposal number ``proposal``, counted from 1, has of its own.

        Raises:
            ValueError: The number is below 1.
        """
        if proposal < 1:
            raise ValueError("proposals are counted from 1")
        return self.alpha / (_SUM * math.pow(proposal, _POWER))

    def level(self, proposal: int, *, handed_on: float = 0.0) -> float:
        """Error level of a proposal.

        Args:
            handed_on: The level of the proposal before it if that one was accepted, else 0.
        """
        return self.share(proposal) + handed_on
