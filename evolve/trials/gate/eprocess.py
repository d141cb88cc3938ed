"""An anytime-valid sequential test of wins against losses.

The null hypothesis is that a pair which is not a tie is won with probability at most
one half, whatever happened before. Betting a fraction ``x`` of the wealth on each win
multiplies it by ``1 + x`` or ``1 - x``; under the null no such bet gains on average, so
the wealth is a non-negative supermartingale and, by Ville's inequality (1939), reaches
``1 / alpha`` with probability at most ``alpha``, at whatever moment one chooses to look.

Which bet is best depends on the win rate ``p`` (it is ``2 p - 1``), which nobody knows. So the
wealth is spread evenly over bets that halve every second step, from 1 down to 1/16. A bet that is
wrong by a quarter of an octave costs next to nothing, so the mixture loses about the same few units
of log wealth at every size of effect, where an even spread over [0, 1] loses most at small ones.
The wealth depends on the counts only, never on the order, and needs no tuning.

Sources: Waudby-Smith and Ramdas, "Estimating means of bounded random variables by
betting", JRSS B 86 (2024), sections 2-4; Ramdas, Grünwald, Vovk and Shafer, "Game-theoretic
statistics and safe anytime-valid inference", Statistical Science 38 (2023). Mixtures over
alternatives go back to Robbins (1970).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import reduce
from typing import Literal

Verdict = Literal["accept", "reject", "undecided"]

_HORIZON = 2048
"""Pairs beyond which a prediction says no more than "never in practice"."""


BETS: tuple[float, ...] = tuple(2.0 ** (-step / 2) for step in range(9))
"""Shares of the wealth that are staked on a win, each with the same part of the wealth at the start.

Measured at small effects: an even spread over [0, 1] needs 2.3 times the pairs of a fixed test, these under twice.
"""


def log_wealth(wins: int, losses: int) -> float:
    """Natural logarithm of the e-value for "wins are likelier than losses".

    The value is the mean over ``x`` in :data:`BETS` of ``(1 + x)^wins (1 - x)^losses``.

    Args:
        wins: Pairs won, from 0.
        losses: Pairs lost, from 0. ``log_wealth(losses, wins)`` tests the opposite claim.
    """
    # All is staked by the largest bet, which the first loss ruins.
    logs = [wins * math.log1p(x) + losses * math.log1p(-x) for x in BETS if x < 1.0]
    if not losses:
        logs.append(wins * math.log(2.0))
    most = max(logs)
    return most + math.log(math.fsum(math.exp(log - most) for log in logs)) - math.log(len(BETS))


@dataclass(frozen=True, kw_only=True)
class Tally:
    """Paired outcomes so far.

    Attributes:
        void: Pairs that say nothing because the parent's arm, or both, ended in a fault; not counted as pairs.
        withheld: Pairs in which the variant alone ended in a fault. They are no evidence against it, and it
            is accepted only if it would be had it lost them all: else a variant could fail where it would lose.
    """

    wins: int = 0
    losses: int = 0
    ties: int = 0
    void: int = 0
    withheld: int = 0

    @classmethod
    def from_outcomes(cls, outcomes: Iterable[str]) -> Tally:
        """The tally of some pairs, by the outcome of each."""
        return reduce(cls.with_outcome, outcomes, cls())

    @property
    def decisive_pairs(self) -> int:
        """Pairs that moved the wealth."""
        return self.wins + self.losses

    @property
    def pairs(self) -> int:
        """Pairs with an outcome, ties included."""
        return self.decisive_pairs + self.ties

    @property
    def tried_pairs(self) -> int:
        """Pairs that were run."""
        return self.pairs + self.void + self.withheld

    def with_outcome(self, outcome: str) -> Tally:
        """The tally after one more ``win``, ``loss``, ``tie``, ``void`` or ``withheld``."""
        field = {"win": "wins", "loss": "losses", "tie": "ties"}.get(outcome, outcome)
        return replace(self, **{field: getattr(self, field) + 1})


@dataclass(frozen=True, kw_only=True)
class TestState:
    """What the test says now.

    Attributes:
        verdict: ``accept`` only by wealth; ``reject`` by harm, or when the pairs left would not
            decide and no practical number of further ones is expected to either.
        wealth: e-value for the variant, with every withheld pair counted as lost; reaches ``1 / alpha`` at
            acceptance.
        harm: e-value for the opposite, that losses are likelier than wins.
        further: Predicted number of further pairs to a decision at the rates seen so
            far, 0 once decided, None when no number within about two thousand would do.
        stop: Whether running more of the pairs at hand is of no use: there is a verdict, or
            it would take more pairs than are left.
        reason: One sentence.
    """

    __test__ = False  # pytest would take the name for a class of tests

    verdict: Verdict
    tally: Tally
    alpha: float
    wealth: float
    harm: float
    further: int | None
    stop: bool
    reason: str

    @classmethod
    def refuse(cls, reason: str) -> TestState:
        """The state of a variant that was not tested, and used no error level."""
        return cls(
            verdict="reject", tally=Tally(), alpha=0.0, wealth=1.0, harm=1.0, further=0, stop=True, reason=reason
        )

    @classmethod
    def with_tally(cls, tally: Tally, *, left: int) -> TestState:
        """The state where a figure is wanted and no verdict: it ends with the pairs, whatever they say."""
        reason = f"{tally.wins} wins, {tally.losses} losses, {tally.ties} ties"
        return cls(
            verdict="undecided",
            tally=tally,
            alpha=0.0,
            wealth=1.0,
            harm=1.0,
            further=left,
            stop=left == 0,
            reason=reason,
        )


_HARM_ALPHA = 0.05
"""Bound on the probability of rejecting for harm a variant that is no worse."""
_GIVING_UP_ALPHA = 0.05
"""Bound on the probability that the win rate the futility rule hopes for is ever below the true one. It costs power
only, never validity."""


@dataclass(frozen=True, kw_only=True)
class SequentialTest:
    """The test with its error budget; holds no counts, so one value serves many tallies.

    Attributes:
        alpha: Bound on the probability of accepting a variant that is no better.
    """

    alpha: float = 0.05

    def __post_init__(self) -> None:
        if not 0.0 < self.alpha < 1.0:
            raise ValueError("alpha must lie strictly between 0 and 1")

    def judge(self, tally: Tally, *, left: int | None = None) -> TestState:
        """Decides from the counts.

        Args:
            left: Pairs that could still be run, or None when there is no end. With a
                number the test may stop early when even the best win rate that the
                counts leave credible would need more than that.
        """
        wealth = log_wealth(tally.wins, tally.losses + tally.withheld)
        harm = log_wealth(tally.losses, tally.wins)
        futile = left is not None and (left == 0 or self._is_futile(tally, left))
        verdict, reason, further = self._decide(tally, wealth, harm, futile)
        return TestState(
            verdict=verdict,
            tally=tally,
            alpha=self.alpha,
            wealth=_bounded_exp(wealth),
            harm=_bounded_exp(harm),
            further=further,
            stop=futile or verdict != "undecided",
            reason=reason,
        )

    def _decide(self, tally: Tally, wealth: float, harm: float, futile: bool) -> tuple[Verdict, str, int | None]:
        counts = f"{tally.wins} wins, {tally.losses} losses, {tally.ties} ties"
        counts += f", {tally.withheld} lost to faults of the variant" if tally.withheld else ""
        if wealth >= -math.log(self.alpha):
            return "accept", f"{counts}: better at error level {self.alpha:.3g}", 0
        if harm >= -math.log(_HARM_ALPHA):
            return "reject", f"{counts}: worse at error level {_HARM_ALPHA:.3g}", 0
        further = self.predict(tally)
        if further is not None:
            return "undecided", f"{counts}: about {further} more pairs needed", further
        if futile:
            return "reject", f"{counts}: no gain that a practical number of pairs could show", 0
        return "undecided", f"{counts}: more pairs than are practical needed", None

    def predict(self, tally: Tally) -> int | None:
        """Pairs still needed if the rates seen so far continue; None when they never suffice.

        The win rate is shrunk to one half and the share of decisive pairs to one by one
        imagined pair of each sort, so an empty tally gives a prediction too.
        """
        rate = (tally.wins + 1) / (tally.decisive_pairs + 2) if tally.decisive_pairs else 0.75
        decisive = self._decisive_needed(tally, rate)
        share = (tally.decisive_pairs + 1) / (tally.pairs + 1)
        # Held against the horizon only now: with many ties a few decisive pairs can take thousands.
        pairs = math.inf if decisive is None else math.ceil(decisive / share)
        return int(pairs) if pairs <= _HORIZON else None

    def _is_futile(self, tally: Tally, left: int) -> bool:
        # The rule is asked after every pair, so a fixed-sample bound would sooner or later be
        # too low by chance; these bounds hold at all times at once.
        rate = _upper_rate(tally.wins, tally.losses, _GIVING_UP_ALPHA)
        share = _upper_rate(tally.decisive_pairs, tally.ties, _GIVING_UP_ALPHA)
        reach = math.ceil(left * share)
        if not reach:
            return True
        # Wealth is not monotone in the number of pairs, so the least number is looked for.
        needed = self._decisive_needed(tally, rate, most=reach, whole=math.ceil)
        return needed is None or needed > reach

    def wins_needed(self, losses: int) -> int:
        """The fewest wins that lead to acceptance beside this many losses; one more win never undoes it."""
        needed = -math.log(self.alpha)
        low, high = 0, 1
        while log_wealth(high, losses) < needed:
            low, high = high, 2 * high
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if log_wealth(middle, losses) >= needed else (middle, high)
        return high

    def _decisive_needed(
        self, tally: Tally, rate: float, *, most: int = _HORIZON, whole: Callable[[float], int] = round
    ) -> int | None:
        """Decisive pairs until acceptance at a win rate; None where more than ``most``. ``whole`` rounds wins."""
        if rate <= 0.5:
            return None
        lost = tally.losses + tally.withheld

        def enough(more: int) -> bool:
            won = whole(more * rate)
            return log_wealth(tally.wins + won, lost + more - won) >= -math.log(self.alpha)

        high = 1
        while not enough(high):
            high *= 2
            if high >= 2 * most:
                return None
        low = high // 2
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if enough(middle) else (middle, high)
        return high


def _upper_rate(successes: int, failures: int, alpha: float) -> float:
    """An upper bound on a probability that holds at every look at once with probability 1 - alpha.

    The largest rate not refuted by the uniform mixture of likelihood ratios against it (the
    upper end of Robbins' confidence sequence, 1970).
    """
    if failures == 0:
        return 1.0
    evidence = math.lgamma(successes + 1) + math.lgamma(failures + 1) - math.lgamma(successes + failures + 2)
    low, high = successes / (successes + failures), 1.0
    while high - low > 1e-6:
        middle = (low + high) / 2
        likelihood = successes * math.log(middle) + failures * math.log1p(-middle)
        low, high = (middle, high) if evidence - likelihood < -math.log(alpha) else (low, middle)
    return high


def beta_quantile(a: int, b: int, level: float) -> float:
    """The ``level`` quantile of Beta(a, b) for whole a, b >= 1, by bisection to 1e-9."""
    low, high = 0.0, 1.0
    while high - low > 1e-9:
        middle = (low + high) / 2
        low, high = (middle, high) if beta_cdf(a, b, middle) < level else (low, middle)
    return (low + high) / 2


def beta_cdf(a: int, b: int, x: float) -> float:
    """P(theta <= x) for theta ~ Beta(a, b) with whole a, b >= 1.

    Equals the probability of at least ``a`` successes in ``a + b - 1`` trials of rate ``x``.
    """
    if x <= 0.0:
        return 0.0
    if x >= 1.0:
        return 1.0
    trials = a + b - 1
    log_x, log_y = math.log(x), math.log1p(-x)
    whole = math.lgamma(trials + 1)
    return min(
        1.0,
        math.fsum(
            math.exp(whole - math.lgamma(k + 1) - math.lgamma(trials - k + 1) + k * log_x + (trials - k) * log_y)
            for k in range(a, trials + 1)
        ),
    )


def _bounded_exp(value: float) -> float:
    return math.exp(min(value, 700.0))  # a float ends near exp(709)
