"""The guide: from a task's features to how likely, and so how cheap, each operation is in its answer.

A logistic model per operation, fitted jointly by full-batch Adam on experience rows (what
answers were seen to have) and dreams; all names share weights for their
clues. Its probabilities become integer prices, so that the search stays a plain cost-ordered
enumeration (Probe, Barke et al. 2020; DreamCoder's recognition model, Ellis et al. 2021).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from evolve.policies.search.features import TaskFeatures, literal_clue_kind, literals_with_price
from evolve.policies.search.grammar import ORDINARY
from evolve.policies.search.problem import SearchProblem
from evolve.policies.search.searcher import Vocabulary
from evolve.policies.search.task_features import features_of

if TYPE_CHECKING:
    import numpy as np


MAX_PRICE = 14
"""Of a name, however unlikely: it is found late and not never."""
PENALTY, CLUE_PENALTY = 1.6, 0.6
"""Ridge penalties of the fit on weights of features and of clues, spread over the weight of all samples: a prior that
counts for less the more there is to learn from."""
FLOOR = 4e-4
"""Least probability: nothing is ever excluded."""
_SHARE, _WEIGHT, _DIGITS = 2.0**-12, 2.0**-22, 4
"""Grids of features and of weights and errors, and the decimals of kept weights. On them every product and every sum
of a fit, and of what a guide says, is exact in 64 bits. So they are the same whatever the processor, the version of
the numeric library and the order in which it adds; else a last bit could turn a price, and a search with it."""
_LOGIT, _LOGITS = 2.0**-11, 16
"""Grid and range of the table of the logistic function: the library's own differs in the last bit too."""


@dataclass(frozen=True, kw_only=True)
class Sample:
    """One training row: a task's features, its clues by name, and the names its answer needed."""

    features: tuple[float, ...]
    needed: frozenset[str]
    weight: float = 1.0
    clues: Mapping[str, Sequence[str]] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Guide:
    """A fitted model.

    Attributes:
        names: Operation and leaf names, one per column.
        weights: Matrix of shape (features + 1, names) as nested tuples of floats; last row the bias.
        rows: Experience rows behind it.
        clue_weights: Weight by clue, shared by all names that the clue may speak for.
    """

    names: tuple[str, ...]
    weights: tuple[tuple[float, ...], ...]
    rows: int
    clue_weights: Mapping[str, float] = field(default_factory=dict)

    def probabilities(
        self, features: Sequence[float], clues: Mapping[str, Sequence[str]] | None = None
    ) -> dict[str, float]:
        """Probability of each name being needed in a task with these features and clues."""
        pairs = ((name, clue) for name, named in (clues or {}).items() for clue in named)
        return dict(zip(self.names, self.name_probabilities(features, pairs), strict=True))

    def name_probabilities(self, features: Sequence[float], clues: Iterable[tuple[str, str]]) -> list[float]:
        """The probabilities in the order of the names, from ``(name, clue)`` for each clue that holds."""
        import numpy as np  # here and below at first use, because opening a package must not load it

        shares = _on_grid(np.array((*features, 1.0)), _SHARE)
        held = np.flatnonzero(shares)  # of most features a task has nothing
        units = (shares[held] @ self._units[held]).tolist()
        place_of, weight_of = self._places.get, self._clue_units.get
        for name, clue in clues:
            if (place := place_of(name)) is not None:
                units[place] += weight_of(clue, 0)
        exp, unit = math.exp, 10.0**-_DIGITS
        odds = np.clip(np.array(units) * -unit, -30.0, 30.0).tolist()
        return [1.0 / (1.0 + exp(odd)) for odd in odds]

    @cached_property
    def _places(self) -> Mapping[str, int]:
        return {name: place for place, name in enumerate(self.names)}

    @cached_property
    def _units(self) -> np.ndarray:
        """The weights as whole numbers of their last digit."""
        import numpy as np

        return np.asarray(np.rint(np.asarray(self.weights) * 10.0**_DIGITS))

    @cached_property
    def _clue_units(self) -> Mapping[str, int]:
        return {clue: round(weight * 10**_DIGITS) for clue, weight in self.clue_weights.items()}

    def to_json(self) -> dict[str, Any]:
        """JSON form, weights rounded to four decimals so that the digest is stable."""
        return {
            "names": list(self.names),
            "weights": [[round(w, _DIGITS) for w in row] for row in self.weights],
            "clue_weights": dict(sorted(self.clue_weights.items())),
            "rows": self.rows,
        }

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> Guide:
        """The inverse of :meth:`to_json`."""
        return Guide(
            names=tuple(data["names"]),
            weights=tuple(tuple(row) for row in data["weights"]),
            clue_weights=dict(data["clue_weights"]),
            rows=int(data["rows"]),
        )


def fit(
    samples: Sequence[Sample], *, rows: int, steps: int = 250, check: Callable[[float], None] = lambda done: None
) -> Guide:
    """Fits a guide by penalised logistic regression; deterministic, so it takes no seed.

    Args:
        samples: Experience and dreams; at least one.
        rows: How many experience rows are among them.
        steps: Full-batch Adam steps.
        check: Called between steps with the share that is done; what it raises ends the fit.
    """
    import numpy as np

    literal_names = {name for name, _, _ in literals_with_price()}
    spoken_for = {n for s in samples for n in s.clues}
    # Also names that no answer needed so far: what was learned of a clue speaks for all that have it.
    names = tuple(sorted({n for s in samples for n in s.needed} | literal_names | spoken_for))
    column = {n: j for j, n in enumerate(names)}
    x = _on_grid(np.array([(*s.features, 1.0) for s in samples]), _SHARE)
    y = np.zeros((len(samples), len(names)))
    for i, sample in enumerate(samples):
        for name in sample.needed:
            y[i, column[name]] = 1.0
    weight = _on_grid(np.array([s.weight for s in samples]), 0.25)[:, None]
    evidence = _Evidence.of(samples, column)
    w, u = _descend((x, y, weight), evidence, steps, check)
    learned = dict(zip(evidence.clues, np.round(u, _DIGITS).tolist(), strict=True))
    weights = tuple(map(tuple, np.round(w, _DIGITS).tolist()))
    return Guide(names=names, weights=weights, rows=rows, clue_weights=learned)


@dataclass(frozen=True)
class _Evidence:
    """Every clue that holds in a sample, as parallel arrays: where it counts, and its shared weight.

    Attributes:
        clues: All clues, in the order of the weights.
        cell: Index into the flattened (samples, names) matrix.
        shared: Index into the clues.
    """

    clues: tuple[str, ...]
    cell: np.ndarray
    shared: np.ndarray

    @staticmethod
    def of(samples: Sequence[Sample], column: Mapping[str, int]) -> _Evidence:
        import numpy as np

        clues = tuple(sorted({clue for s in samples for shown in s.clues.values() for clue in shown}))
        place = {clue: k for k, clue in enumerate(clues)}
        cell, shared = [], []
        for i, sample in enumerate(samples):
            for name, shown in sample.clues.items():
                cell += [i * len(column) + column[name]] * len(shown)
                shared += [place[clue] for clue in shown]
        return _Evidence(clues, np.array(cell, dtype=np.intp), np.array(shared, dtype=np.intp))


def _descend(
    rows: tuple[np.ndarray, np.ndarray, np.ndarray], evidence: _Evidence, steps: int, check: Callable[[float], None]
) -> tuple[np.ndarray, np.ndarray]:
    """Weights of shape (features + 1, names) and one weight per clue."""
    import numpy as np

    x, y, weight = rows
    total = float(weight.sum())
    prior = np.clip((y * weight).sum(axis=0) / total, 1e-4, 0.9).tolist()
    present = np.flatnonzero(x.any(axis=0))  # the weights of a feature that no sample has stay where they begin
    seen, bias = np.ascontiguousarray(x[:, present]), len(present) - 1
    w = np.zeros((len(present), y.shape[1]))
    # Rounded, because logarithms differ between machines in the last bit.
    w[bias] = [round(math.log(share / (1 - share)), 9) for share in prior]
    u = np.zeros(len(evidence.clues))
    penalty = np.full_like(w, PENALTY / total)
    # The bias says how often a name is needed at all, and a prior toward zero would call every name even.
    penalty[bias] = 0.0
    table, adam_w, adam_u = _logistic(), _Adam(w), _Adam(u)
    for step in range(steps):
        check(step / steps)
        z = seen @ _on_grid(w, _WEIGHT)
        z += np.bincount(evidence.cell, _on_grid(u, _WEIGHT)[evidence.shared], minlength=z.size).reshape(z.shape)
        z = np.rint(np.clip(z, -_LOGITS, _LOGITS) / _LOGIT)
        error = (table[z.astype(np.intp) + len(table) // 2] - y) * weight
        toward = np.bincount(evidence.shared, error.ravel()[evidence.cell], minlength=u.size)
        adam_w.step(seen.T @ error / total + penalty * w)
        adam_u.step((toward + CLUE_PENALTY * u) / total)
    whole = np.zeros((x.shape[1], y.shape[1]))
    whole[present] = w
    return whole, u


def _on_grid(values: np.ndarray, step: float) -> np.ndarray:
    import numpy as np

    return np.asarray(np.rint(values / step) * step)


def _logistic() -> np.ndarray:
    """The logistic function at every multiple of its grid from ``-_LOGITS`` to ``_LOGITS``."""
    import numpy as np

    most = int(_LOGITS / _LOGIT)
    values = [1.0 / (1.0 + math.exp(-place * _LOGIT)) for place in range(-most, most + 1)]
    return _on_grid(np.asarray(values), _WEIGHT)


class _Adam:
    """Adam (Kingma & Ba 2015), in place."""

    def __init__(self, weights: np.ndarray) -> None:
        import numpy as np

        self._weights = weights
        self._mean, self._square = np.zeros_like(weights), np.zeros_like(weights)
        self._mean_left = self._square_left = 1.0

    def step(self, gradient: np.ndarray) -> None:
        import numpy as np

        self._mean_left *= 0.9
        self._square_left *= 0.99
        self._mean += 0.1 * (gradient - self._mean)
        self._square += 0.01 * (gradient**2 - self._square)
        size = np.sqrt(self._square / (1 - self._square_left)) + 1e-6
        self._weights -= 0.08 * (self._mean / (1 - self._mean_left)) / size


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
    kind = literal_clue_kind(name)
    return "" if kind in ORDINARY else kind


class Planner:
    """Prices a vocabulary for tasks, as a guide says."""

    def __init__(self, guide: Guide, vocabulary: Vocabulary) -> None:
        self._guide = guide
        self._clues, self._pricing = TaskFeatures(vocabulary), Pricing(vocabulary.static, guide.names)

    def prices(self, problem: SearchProblem) -> dict[str, int]:
        """A price for every name of the vocabulary."""
        clues = self._clues.clue_reader(problem).clue_pairs()
        return self._pricing.prices(self._guide.name_probabilities(features_of(problem), clues))
