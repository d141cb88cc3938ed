"""Confirmation of an accepted variant on tasks that judged nothing before it.

Tasks that are kept back are few and each is tried, whatever the others said, so a test of a fixed size serves them
better than one that may be looked at any time: of variants that win .71 of the pairs and lose .09, .91 are accepted and
confirmed on 64 groups with a third of them kept back, and .65 where the second
test is a :class:`~evolve.trials.gate.eprocess.SequentialTest`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from evolve.trials.gate.eprocess import Tally, TestState, Verdict


def sign_test_p(wins: int, losses: int) -> float:
    """Probability of at least so many wins where each of these pairs is won with probability one half.

    The exact one-sided form of McNemar's test ("Note on the sampling error of the difference between correlated
    proportions or percentages", Psychometrika 12, 1947). Where pairs are won less often it is smaller still.
    """
    pairs = wins + losses
    return float(sum(math.comb(pairs, more) for more in range(wins, pairs + 1)) / 2**pairs)


@dataclass(frozen=True, kw_only=True)
class ExactTest:
    """A test of wins against losses over a fixed number of pairs, decided as soon as the rest cannot turn it.

    Attributes:
        alpha: Bound on the probability of accepting a variant that is no better.
    """

    alpha: float

    def judge(self, tally: Tally, *, left: int | None = None) -> TestState:
        """Decides from the counts.

        Args:
            left: Pairs that are still to be run; without a number nothing is decided.
        """
        lost = tally.losses + tally.withheld
        verdict: Verdict = "undecided"
        if left is not None and sign_test_p(tally.wins, lost + left) <= self.alpha:
            verdict = "accept"
        elif left is not None and sign_test_p(tally.wins + left, lost) > self.alpha:
            verdict = "reject"
        return _state(tally, self.alpha, verdict, left)


def _state(tally: Tally, alpha: float, verdict: Verdict, left: int | None) -> TestState:
    return TestState(
        verdict=verdict,
        tally=tally,
        alpha=alpha,
        wealth=1.0,
        harm=1.0,
        further=left,
        stop=verdict != "undecided",
        reason=f"{tally.wins} wins, {tally.losses} losses, {tally.ties} ties",
    )


@dataclass(frozen=True, kw_only=True)
class Confirmation:
    """What came of trying an accepted variant on tasks that judged nothing before it.

    Attributes:
        source: Where the tasks come from, as in :class:`~evolve.trials.gate.error_budget.ServedProposal`.
        number: Which proposal these tasks confirm, from 1.
        level: Error level of the test.
        planned: Groups that could be tried.
        wealth: What a sequential test made of one unit of wealth; 1 where the test was of a fixed size.
        confirmed: Whether the variant was accepted here too.
    """

    source: str
    number: int
    level: float
    planned: int
    tally: Tally
    wealth: float = 1.0
    confirmed: bool = False

    def to_json(self) -> dict[str, Any]:
        """As JSON, for the grounds of a decision."""
        return asdict(self)

    @classmethod
    def from_json(cls, body: Mapping[str, Any]) -> Confirmation:
        """The other way round."""
        return cls(**{**body, "tally": Tally(**body["tally"])})

    @property
    def text(self) -> str:
        """What came of it, for the end of a sentence."""
        said = f"{self.tally.wins} wins, {self.tally.losses} losses, {self.tally.ties} ties"
        where = f"on {self.planned} problems {self.source}: {said} at error level {self.level:.3g}"
        return f"{'confirmed' if self.confirmed else 'not confirmed'} {where}"
