"""Turns what was learned into the integer prices of one search."""

from __future__ import annotations

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


class Pricing:
    """Learned prices for the names that have a static one, worked out for all of them at once.

    A learned price is pooled with the static one, which is a hand-tuned prior: bits of surprise
    are averaged, a logarithmic opinion pool (Genest & Zidek 1986).

    Args:
        static: Static price by name.
    """

    def __init__(self, static: Mapping[str, int]) -> None:
        import numpy as np  # at first use, because opening a package must not load it

        self._names = tuple(sorted(static))
        self._known = frozenset(static)
        self._static = np.array([static[name] for name in self._names], dtype=np.float64)
        kinds = list(map(_closed_kind, self._names))
        self._kinds = {kind: place for place, kind in enumerate(sorted({*kinds} - {""}))}
        self._filling = np.flatnonzero(np.array([kind != "" for kind in kinds]))
        self._kind_of = np.array([self._kinds[kind] for kind in kinds if kind], dtype=np.intp)

    def prices(self, probabilities: Mapping[str, float], recalled: Sequence[tuple[str, float, bool]]) -> dict[str, int]:
        """A price per name with a static one.

        Args:
            probabilities: What the guide says of the names it knows.
            recalled: ``(name, score, helps)`` of the recalled insights.
        """
        import numpy as np

        support, names = _support(recalled), self._names
        share = _RECALL if support else 0.0
        mixed = (1 - share) * np.array([probabilities.get(name, 0.0) for name in names])
        if support:
            mixed += share * np.array([support.get(name, 0.0) for name in names])
        filling = mixed[self._filling]
        # Literals of a kind fill one place of a program, so each is as likely as it is among its kind.
        total = UNSEEN + np.bincount(self._kind_of, filling, minlength=len(self._kinds))
        for name in (probabilities.keys() | support.keys()).difference(self._known):
            if (kind := _closed_kind(name)) in self._kinds:
                total[self._kinds[kind]] += (1 - share) * probabilities.get(name, 0.0) + share * support.get(name, 0.0)
        mixed[self._filling] = filling / total[self._kind_of]
        pooled = (1 - _PRIOR) * (_BASE - np.log2(np.maximum(mixed, FLOOR))) + _PRIOR * self._static
        seen = np.array([name in probabilities or name in support for name in names])
        ceiling = np.minimum(MAX_PRICE, self._static + np.where(seen, _RISE, _UNSEEN_RISE))
        # Logarithms differ between machines in the last bit, which must not decide how a price is rounded.
        whole = np.clip(np.rint(np.round(pooled, 9)), 1, ceiling)
        return dict(zip(names, whole.astype(int).tolist(), strict=True))


def _closed_kind(name: str) -> str:
    """The kind of a literal of a closed set, "" for other names."""
    kind = kind_of(name)
    return "" if kind in ORDINARY else kind


def _support(recalled: Sequence[tuple[str, float, bool]]) -> dict[str, float]:
    """Weight in [0, 1] per name; insights of several scopes about one name add up."""
    support: dict[str, float] = defaultdict(float)
    for name, score, helps in recalled:
        if helps:
            support[name] = min(1.0, support[name] + score)
    return dict(support)
