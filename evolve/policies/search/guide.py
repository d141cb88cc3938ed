"""The guide: from a task's features to how likely each operation is in its answer.

A logistic model per operation, fitted jointly by full-batch Adam on experience rows (what
interventions showed to be necessary) and dreams; literals also share weights for their
clues. Its probabilities become integer prices, so that the search stays a plain cost-ordered
enumeration (Probe, Barke et al. 2020; DreamCoder's recognition model, Ellis et al. 2021).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from evolve.policies.search.clues import READERS, WIDTH, Clues, kind_of, priced_literals

if TYPE_CHECKING:
    import numpy as np

MAX_PRICE = 14
PENALTY = 2e-4
"""Ridge penalty of the fit, per weight."""
FLOOR = 4e-4
"""Least probability: nothing is ever excluded."""


@dataclass(frozen=True, kw_only=True)
class Sample:
    """One training row: a task's features, its clues by literal, and the names its answer needed."""

    features: tuple[float, ...]
    needed: frozenset[str]
    weight: float = 1.0
    clues: Mapping[str, Clues] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Guide:
    """A fitted model.

    Attributes:
        names: Operation and leaf names, one per column.
        weights: Matrix of shape (features + 1, names) as nested tuples of floats; last row the bias.
        rows: Experience rows behind it.
        clue_weights: Per kind of literal, one weight per clue, shared by all literals of the kind.
    """

    names: tuple[str, ...]
    weights: tuple[tuple[float, ...], ...]
    rows: int
    clue_weights: Mapping[str, tuple[float, ...]] = field(default_factory=dict)

    def probabilities(self, features: Sequence[float], clues: Mapping[str, Clues] | None = None) -> dict[str, float]:
        """Probability of each name being needed in a task with these features and clues."""
        import numpy as np

        x = np.append(np.asarray(features, dtype=np.float64), 1.0)
        z = dict(zip(self.names, (x @ self._matrix).tolist(), strict=True))
        for name, shown in (clues or {}).items():
            learned = self.clue_weights.get(kind_of(name))
            if learned and name in z:
                z[name] += sum(w for w, holds in zip(learned, shown, strict=True) if holds)
        return {name: 1.0 / (1.0 + math.exp(-min(30.0, max(-30.0, value)))) for name, value in z.items()}

    @cached_property
    def _matrix(self) -> np.ndarray:
        import numpy as np

        return np.asarray(self.weights, dtype=np.float64)

    def to_json(self) -> dict[str, Any]:
        """JSON form, weights rounded to four decimals so that the digest is stable."""
        return {
            "names": list(self.names),
            "weights": [[round(w, 4) for w in row] for row in self.weights],
            "clue_weights": {kind: list(row) for kind, row in sorted(self.clue_weights.items())},
            "rows": self.rows,
        }

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> Guide:
        """The inverse of :meth:`to_json`."""
        return Guide(
            names=tuple(data["names"]),
            weights=tuple(tuple(row) for row in data["weights"]),
            clue_weights={kind: tuple(row) for kind, row in data["clue_weights"].items()},
            rows=int(data["rows"]),
        )


def fit(samples: Sequence[Sample], *, rows: int, steps: int = 250) -> Guide:
    """Fits a guide by penalised logistic regression; deterministic, so it takes no seed.

    Args:
        samples: Experience and dreams; at least one.
        rows: How many experience rows are among them.
        steps: Full-batch Adam steps.
    """
    import numpy as np

    literal_names = {name for name, _, _ in priced_literals()}
    names = tuple(sorted({n for s in samples for n in s.needed} | literal_names))
    column = {n: j for j, n in enumerate(names)}
    x = np.array([(*s.features, 1.0) for s in samples], dtype=np.float32)
    y = np.zeros((len(samples), len(names)), dtype=np.float32)
    for i, sample in enumerate(samples):
        for name in sample.needed:
            y[i, column[name]] = 1.0
    weight = np.array([s.weight for s in samples], dtype=np.float32)[:, None]
    evidence = _Evidence.of(samples, column)
    w, u = _descend(x, y, weight / weight.sum(), evidence, steps)
    learned = {kind: tuple(np.round(row, 4).tolist()) for kind, row in zip(evidence.kinds, u, strict=True)}
    weights = tuple(map(tuple, np.round(w, 4).tolist()))
    return Guide(names=names, weights=weights, rows=rows, clue_weights={k: r for k, r in learned.items() if any(r)})


@dataclass(frozen=True)
class _Evidence:
    """Every clue that holds in a sample, as parallel arrays: where it counts, and its shared weight.

    Attributes:
        kinds: Kinds of literals, in the order of the weights.
        cell: Index into the flattened (samples, names) matrix.
        shared: Index into the flattened (kinds, clues) matrix.
    """

    kinds: tuple[str, ...]
    cell: np.ndarray
    shared: np.ndarray

    @staticmethod
    def of(samples: Sequence[Sample], column: Mapping[str, int]) -> _Evidence:
        import numpy as np

        kinds = tuple(sorted(READERS))
        place = {kind: i * WIDTH for i, kind in enumerate(kinds)}
        cell, shared = [], []
        for i, sample in enumerate(samples):
            for name, shown in sample.clues.items():
                for k, holds in enumerate(shown):
                    if holds:
                        cell.append(i * len(column) + column[name])
                        shared.append(place[kind_of(name)] + k)
        return _Evidence(kinds, np.array(cell, dtype=np.intp), np.array(shared, dtype=np.intp))


def _descend(
    x: np.ndarray, y: np.ndarray, weight: np.ndarray, evidence: _Evidence, steps: int
) -> tuple[np.ndarray, np.ndarray]:
    """Weights of shape (features + 1, names) and clue weights of shape (kinds, clues)."""
    import numpy as np

    prior = np.clip((y * weight).sum(axis=0), 1e-4, 0.9)
    w = np.zeros((x.shape[1], y.shape[1]), dtype=np.float32)
    w[-1] = np.log(prior / (1 - prior))
    u = np.zeros(len(evidence.kinds) * WIDTH, dtype=np.float32)
    penalty = np.full_like(w, PENALTY)
    penalty[-1] = 0.0
    adam_w, adam_u = _Adam(w), _Adam(u)
    for t in range(1, steps + 1):
        z = x @ w
        z += np.bincount(evidence.cell, u[evidence.shared], minlength=z.size).reshape(z.shape)
        error = (1.0 / (1.0 + np.exp(-np.clip(z, -30.0, 30.0))) - y) * weight
        toward = np.bincount(evidence.shared, error.ravel()[evidence.cell], minlength=u.size)
        adam_w.step(x.T @ error + penalty * w, t)
        adam_u.step(toward.astype(np.float32) + PENALTY * u, t)
    return w, u.reshape(len(evidence.kinds), WIDTH)


class _Adam:
    """Adam (Kingma & Ba 2015), in place."""

    def __init__(self, weights: np.ndarray) -> None:
        import numpy as np

        self._weights = weights
        self._mean, self._square = np.zeros_like(weights), np.zeros_like(weights)

    def step(self, gradient: np.ndarray, t: int) -> None:
        import numpy as np

        self._mean += 0.1 * (gradient - self._mean)
        self._square += 0.01 * (gradient**2 - self._square)
        self._weights -= 0.08 * (self._mean / (1 - 0.9**t)) / (np.sqrt(self._square / (1 - 0.99**t)) + 1e-6)
