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
        known: The names that the guide knows, in its order.
    """

    def __init__(self, static: Mapping[str, int], known: Sequence[str]) -> None:
        import numpy as np  # at first use, because opening a package must not load it

        # Names of the guide without a static price, such as of literals that are gone, count among their kind.
        names = (*sorted(static), *sorted({*known}.difference(static)))
        self._names, self._own = names[: len(static)], len(static)
        self._place = {name: place for place, name in enumerate(names)}
        self._known = np.array([self._place[name] for name in known], dtype=np.intp)
        self._static = np.array([static[name] for name in self._names], dtype=np.float64)
        self._seen = np.zeros(len(names), dtype=bool)
        self._seen[self._known] = True
        kinds = list(map(_closed_kind, names))
        number = {kind: place for place, kind in enumerate(sorted({*kinds} - {""}))}
        self._filling = np.flatnonzero(np.array([kind != "" for kind in kinds], dtype=bool))
        self._kind_of = np.array([number[kind] for kind in kinds if kind], dtype=np.intp)

    def prices(self, likely: Sequence[float], recalled: Sequence[tuple[str, float, bool]]) -> dict[str, int]:
        """A price per name with a static one.

        Args:
            likely: What the guide says of the names that it knows.
            recalled: ``(name, score, helps)`` of the recalled insights.
        """
        import numpy as np

        mixed, seen, support = np.zeros(len(self._place)), self._seen, _support(recalled)
        mixed[self._known] = likely
        places = [place for name in support if (place := self._place.get(name)) is not None]
        if support:
            mixed *= 1 - _RECALL
            mixed[places] += _RECALL * np.array([support[name] for name in support if name in self._place])
            seen = seen.copy()
            seen[places] = True
        # Literals of a kind fill one place of a program, so each is as likely as it is among its kind.
        filling = mixed[self._filling]
        mixed[self._filling] = filling / (UNSEEN + np.bincount(self._kind_of, filling))[self._kind_of]
        bits = -np.log2(np.maximum(mixed[: self._own], FLOOR))
        pooled = (1 - _PRIOR) * (_BASE + bits) + _PRIOR * self._static
        ceiling = np.minimum(MAX_PRICE, self._static + np.where(seen[: self._own], _RISE, _UNSEEN_RISE))
        # Logarithms differ between machines in the last bit, which must not decide how a price is rounded.
        whole = np.clip(np.rint(np.round(pooled, 9)), 1, ceiling)
        return dict(zip(self._names, whole.astype(int).tolist(), strict=True))


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
