"""Turns what was learned into the integer prices of one search."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from evolve.policies.search.features import TaskFeatures, kind_of
from evolve.policies.search.grammar import ORDINARY
from evolve.policies.search.guide import FLOOR, MAX_PRICE, Guide
from evolve.policies.search.problem import SearchProblem
from evolve.policies.search.searcher import Vocabulary
from evolve.policies.search.task_features import features_of

UNSEEN = 0.02
"""Probability that a kind of literal is needed without any known one being likely."""
_BASE = 0.3
"""Price of a certainty."""
_PRIOR = 0.2
"""Share of the static price in the pool."""
_RISE, _UNSEEN_RISE = 5, 3
"""Most by which the price of a name with evidence, and of one without, may exceed the static one."""


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
        place = {name: place for place, name in enumerate(names)}
        self._all, self._known = len(names), np.array([place[name] for name in known], dtype=np.intp)
        prior = np.array([static[name] for name in self._names], dtype=np.float64)
        seen = np.zeros(len(names), dtype=bool)
        seen[self._known] = True
        self._prior = _PRIOR * prior
        self._ceiling = np.minimum(MAX_PRICE, prior + np.where(seen[: self._own], _RISE, _UNSEEN_RISE))
        kinds = list(map(_closed_kind, names))
        number = {kind: place for place, kind in enumerate(sorted({*kinds} - {""}))}
        self._filling = np.flatnonzero(np.array([kind != "" for kind in kinds], dtype=bool))
        self._kind_of = np.array([number[kind] for kind in kinds if kind], dtype=np.intp)

    def prices(self, likely: Sequence[float]) -> dict[str, int]:
        """A price per name with a static one.

        Args:
            likely: What the guide says of the names that it knows.
        """
        import numpy as np

        mixed = np.zeros(self._all)
        mixed[self._known] = likely
        # Literals of a kind fill one place of a program, so each is as likely as it is among its kind.
        filling = mixed[self._filling]
        mixed[self._filling] = filling / (UNSEEN + np.bincount(self._kind_of, filling))[self._kind_of]
        bits = -np.log2(np.maximum(mixed[: self._own], FLOOR))
        pooled = (1 - _PRIOR) * (_BASE + bits) + self._prior
        # Logarithms differ between machines in the last bit, which must not decide how a price is rounded.
        whole = np.clip(np.rint(np.round(pooled, 9)), 1, self._ceiling)
        return dict(zip(self._names, whole.astype(int).tolist(), strict=True))


def _closed_kind(name: str) -> str:
    """The kind of a literal of a closed set, "" for other names."""
    kind = kind_of(name)
    return "" if kind in ORDINARY else kind


class Planner:
    """Prices a vocabulary for tasks, as a guide says."""

    def __init__(self, guide: Guide, vocabulary: Vocabulary) -> None:
        self._guide = guide
        self._clues, self._pricing = TaskFeatures(vocabulary), Pricing(vocabulary.static, guide.names)

    def prices(self, problem: SearchProblem) -> dict[str, int]:
        """A price for every name of the vocabulary."""
        clues = self._clues.reader(problem).pairs()
        return self._pricing.prices(self._guide.likely(features_of(problem), clues))
