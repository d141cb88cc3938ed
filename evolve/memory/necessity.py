"""In how many of the solved problems of a scope a cause occurs, and in how many it was needed.

Two shares are kept apart. Occurrence is an observation: the cause stands in the answer. Need is found by intervention:
the cause was taken away and the problem tried again. The share of problems that need the cause is their product, as
an answer without the cause shows that the problem does without it.

Each share has a Beta posterior, whose prior is shrunk toward the scope above (empirical Bayes with a Beta-binomial
model; Gelman et al., Bayesian Data Analysis, section 5.3): worth :data:`STRENGTH` problems, at the mean of what the
rest of that scope says. The product is read as the Beta distribution with its first two moments.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

from evolve.core.episodes import Relation

STRENGTH = 2.0
"""Problems that the scope above counts for; as many as the flat prior Beta(1, 1) at the root."""
BOUND = 0.9
"""Posterior probability with which a share lies above its lower bound, and below its upper one."""
NECESSARY, CONTRIBUTES, NO_EFFECT = 0.8, 0.1, 0.05
"""What the lower bound must exceed, twice, and what the upper one must not reach."""


@dataclass(frozen=True, kw_only=True)
class CauseOccurrence:
    """What is known of one cause in one scope, as sets of groups.

    Attributes:
        solved: Groups with a verified answer.
        occurs: Those in whose answer the cause does something, or in which it was taken away.
        tried: Those in which it was taken away.
        mattered: Those in which it was missed.
        hindered: Those that went better without it.
    """

    solved: frozenset[str] = frozenset()
    occurs: frozenset[str] = frozenset()
    tried: frozenset[str] = frozenset()
    mattered: frozenset[str] = frozenset()
    hindered: frozenset[str] = frozenset()

    def outside_of(self, inner: CauseOccurrence) -> CauseOccurrence:
        """What is known of the groups that are not among those of a scope within."""
        return CauseOccurrence(**{name: groups - inner.solved for name, groups in vars(self).items()})


@dataclass(frozen=True, kw_only=True)
class BetaShare:
    """A Beta posterior over a share, with positive parameters."""

    a: float = 1.0
    b: float = 1.0

    @property
    def mean(self) -> float:
        return self.a / (self.a + self.b)

    @property
    def lower_bound(self) -> float:
        """What the share exceeds with probability :data:`BOUND`."""
        return beta_quantile(1.0 - BOUND, self.a, self.b)

    @property
    def upper_bound(self) -> float:
        """What the share stays below with probability :data:`BOUND`."""
        return beta_quantile(BOUND, self.a, self.b)

    def updated_with(self, yes: int, no: int) -> BetaShare:
        """The posterior after so many problems of either kind."""
        return BetaShare(a=self.a + yes, b=self.b + no)

    def product_with(self, other: BetaShare) -> BetaShare:
        """The product of two independent shares, by its first two moments."""
        mean = self.mean * other.mean
        second = self._second * other._second
        size = mean * (1.0 - mean) / (second - mean * mean) - 1.0
        return BetaShare(a=mean * size, b=(1.0 - mean) * size)

    @property
    def _second(self) -> float:
        whole = self.a + self.b
        return self.a * (self.a + 1.0) / (whole * (whole + 1.0))

    def _shrunk(self) -> BetaShare:
        """As the prior of a scope within."""
        return BetaShare(a=STRENGTH * self.mean, b=STRENGTH * (1.0 - self.mean))


@dataclass(frozen=True, kw_only=True)
class CauseNecessity:
    """How many of the problems of a scope have a cause in their answer, need it, or go better without it.

    Attributes:
        known: The groups behind it.
        occurs: Share of the solved problems in whose answer the cause occurs.
        needed: Share that needs it.
        hindered: Share that goes better without it.
    """

    known: CauseOccurrence
    occurs: BetaShare
    needed: BetaShare
    hindered: BetaShare

    @property
    def relation(self) -> Relation | None:
        """What the bounds settle; None before the cause was taken away anywhere, and where nothing is settled."""
        if not self.known.tried:
            return None
        needed, hindered = self.needed.lower_bound, self.hindered.lower_bound
        if needed > NECESSARY:
            return "necessary"
        if needed > CONTRIBUTES or hindered > CONTRIBUTES:
            if min(needed, hindered) > CONTRIBUTES:
                return None  # some problems need it, others go better without it
            return "contributes" if needed > hindered else "prevents"
        # What mattered once, however seldom, has an effect.
        return "no_effect" if self.needed.upper_bound < NO_EFFECT and not self.known.mattered else None


def need_of(levels: Sequence[CauseOccurrence]) -> CauseNecessity:
    """The shares of the last scope, shrunk along those that it lies in.

    Args:
        levels: The widest scope first; each holds all the groups of the next.
    """
    within = [*levels[1:], CauseOccurrence()]
    rest = [level.outside_of(inner) for level, inner in zip(levels, within, strict=True)]
    occurs = _along([(len(one.occurs), len(one.solved - one.occurs)) for one in rest])
    needed = _along([(len(one.mattered), len(one.tried - one.mattered)) for one in rest])
    hindered = _along([(len(one.hindered), len(one.tried - one.hindered)) for one in rest])
    own = levels[-1]
    # What stands in no answer was put into those in which it was tried, and is judged by these.
    hinders = occurs.product_with(hindered) if own.occurs - own.tried else hindered
    return CauseNecessity(known=own, occurs=occurs, needed=occurs.product_with(needed), hindered=hinders)


def _along(counts: Sequence[tuple[int, int]]) -> BetaShare:
    first, *others = counts
    return reduce(lambda above, own: above._shrunk().updated_with(*own), others, BetaShare().updated_with(*first))


def beta_quantile(probability: float, a: float, b: float) -> float:
    """The value that a Beta(a, b) variable stays below with this probability, by bisection, within 1e-9."""
    low, high = 0.0, 1.0
    for _ in range(30):
        middle = (low + high) / 2.0
        low, high = (middle, high) if beta_below(middle, a, b) < probability else (low, middle)
    return (low + high) / 2.0


def beta_below(x: float, a: float, b: float) -> float:
    """P(X <= x) for X ~ Beta(a, b), by the continued fraction of DLMF 8.17.22 with Lentz's method."""
    if not 0.0 < x < 1.0:
        return float(x >= 1.0)
    if x > (a + 1.0) / (a + b + 2.0):  # where the fraction converges slowly its mirror image does not
        return 1.0 - beta_below(1.0 - x, b, a)
    scale = math.exp(math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x))
    c, d = 1.0, 1.0 / (1.0 - (a + b) * x / (a + 1.0))
    fraction = d
    for m in range(1, 400):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        step = 1.0
        for term in (even, odd):
            d = 1.0 / (1.0 + term * d)
            c = 1.0 + term / c
            step *= c * d
        fraction *= step
        if abs(step - 1.0) < 1e-12:
            break
    return scale * fraction / a
