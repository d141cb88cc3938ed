"""What a suite can show before anything is run: how large a gain, and how many problems would show a smaller one."""

from __future__ import annotations

import math
from dataclasses import dataclass

from evolve.trials.gate.eprocess import SequentialTest

POWER = 0.8
"""How often a gain is to be found for a suite to be said to show it."""
HALF = 0.5
"""Share of problems with a gain at which it is asked what can be shown: more than was ever measured."""
HOPELESS = 0.05
"""Chance of showing such a gain below which nothing is spent on a comparison."""
_MOST = 2_000


@dataclass(frozen=True, kw_only=True)
class PowerForecast:
    """What the ``gate`` tasks of a suite can show of one variant.

    Attributes:
        problems: Groups that are judged on, one pair each.
        needed: Pairs to be won for acceptance, where none is lost.
        share: Smallest share of problems that must become better, none worse, to be accepted four times of five;
            None where not even a gain on every one would do.
    """

    problems: int
    needed: int
    share: float | None

    @classmethod
    def for_problems(cls, problems: int, level: float) -> PowerForecast:
        """What so many problems can show at an error level."""
        needed = SequentialTest(alpha=level).wins_needed(0)
        return cls(problems=problems, needed=needed, share=_share_shown(problems, needed))

    @staticmethod
    def is_hopeless(wins: int, winnable: int) -> bool:
        """Whether so many wins would hardly come about, though :data:`HALF` of what can be won is, and none lost."""
        return _at_least(wins, winnable, HALF) < HOPELESS

    @staticmethod
    def problems_needed(share: float, level: float) -> int:
        """The fewest problems to judge on that show a gain on this share of them, none worse, four times of five."""
        needed = SequentialTest(alpha=level).wins_needed(0)
        return next(count for count in range(needed, _MOST) if _at_least(needed, count, share) >= POWER)


def _share_shown(problems: int, needed: int) -> float | None:
    if problems < needed:
        return None
    low, high = 0.0, 1.0
    while high - low > 1e-3:
        middle = (low + high) / 2
        low, high = (low, middle) if _at_least(needed, problems, middle) >= POWER else (middle, high)
    return high


def _at_least(wins: int, trials: int, rate: float) -> float:
    """P(at least ``wins`` successes in ``trials`` of this rate)."""
    return math.fsum(math.comb(trials, k) * rate**k * (1.0 - rate) ** (trials - k) for k in range(wins, trials + 1))
