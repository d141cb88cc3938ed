"""Turns what was learned into the integer prices of one search."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence

from evolve.policies.search.clues import kind_of
from evolve.policies.search.grammar import ORDINARY
from evolve.policies.search.guide import FLOOR, MAX_PRICE

UNSEEN = 0.02
"""Probability that a kind of literal is needed without any known one being likely."""


_BASE = 0.3
"""Price of a certainty."""
_PRIOR = 0.2
"""Share of the static price in the pool."""
_RISE, _UNSEEN_RISE = 5, 3
"""Most by which the price of a name with evidence, and of one without, may exceed the static one."""
_RECALL = 0.15
"""Share that recalled insights have in a probability."""


def priced(
    probabilities: Mapping[str, float], recalled: Sequence[tuple[str, float, bool]], static: Mapping[str, int]
) -> dict[str, int]:
    """A price per name with a static one.

    A learned price is pooled with the static one, which is a hand-tuned prior: bits of surprise
    are averaged, a logarithmic opinion pool (Genest & Zidek 1986).

    Args:
        probabilities: What the guide says of the names it knows.
        recalled: ``(name, score, helps)`` of the recalled insights.
        static: Static price by name.
    """
    support = _support(recalled)
    share = _RECALL if support else 0.0
    mixed = {
        name: (1 - share) * probabilities.get(name, 0.0) + share * support.get(name, 0.0)
        for name in sorted({*static, *probabilities, *support})
    }
    surprise = _within_kinds(mixed)
    prices = {}
    for name in sorted(static):
        own = _BASE - math.log2(max(surprise[name], FLOOR))
        pooled = (1 - _PRIOR) * own + _PRIOR * static[name]
        ceiling = static[name] + (_RISE if name in probabilities or name in support else _UNSEEN_RISE)
        # Logarithms differ between machines in the last bit, which must not decide how a price is rounded.
        prices[name] = max(1, min(MAX_PRICE, ceiling, round(round(pooled, 9))))
    return prices


def _within_kinds(probabilities: Mapping[str, float]) -> dict[str, float]:
    """Literals of a kind fill one place of a program, so each is as likely as it is among its kind."""
    kinds = {name: kind for name in probabilities if (kind := kind_of(name)) and kind not in ORDINARY}
    total: dict[str, float] = defaultdict(lambda: UNSEEN)
    for name, kind in kinds.items():
        total[kind] += probabilities[name]
    return {name: p / total[kinds[name]] if name in kinds else p for name, p in probabilities.items()}


def _support(recalled: Sequence[tuple[str, float, bool]]) -> dict[str, float]:
    """Weight in [0, 1] per name; insights of several scopes about one name add up."""
    support: dict[str, float] = defaultdict(float)
    for name, score, helps in recalled:
        if helps:
            support[name] = min(1.0, support[name] + score)
    return dict(support)
