"""The guide: from a task's features to how likely each operation is in its answer.

A logistic model per operation, fitted jointly by full-batch Adam on experience rows (what
interventions showed to be necessary) and dreams. Its probabilities become integer prices,
so that the search stays a plain cost-ordered enumeration (Probe, Barke et al. 2020;
DreamCoder's recognition model, Ellis et al. 2021).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np

MAX_PRICE = 14
PENALTY = 2e-4
"""Ridge penalty of the fit, per weight."""
FLOOR = 4e-4
"""Least probability: nothing is ever excluded."""


@dataclass(frozen=True, kw_only=True)
class Sample:
    """One training row: a task's features and the names its answer needed."""

    features: tuple[float, ...]
    needed: frozenset[str]
    weight: float = 1.0


@dataclass(frozen=True, kw_only=True)
class Guide:
    """A fitted model.

    Attributes:
        names: Operation and leaf names, one per column.
        weights: Matrix of shape (features + 1, names) as nested tuples of floats; last row the bias.
        rows: Experience rows behind it; more rows weigh more against static prices.
    """

    names: tuple[str, ...]
    weights: tuple[tuple[float, ...], ...]
    rows: int

    def probabilities(self, features: Sequence[float]) -> dict[str, float]:
        """Probability of each name being needed."""
        import numpy as np

        x = np.append(np.asarray(features, dtype=np.float64), 1.0)
        z = x @ np.asarray(self.weights, dtype=np.float64)
        p = 1.0 / (1.0 + np.exp(-np.clip(z, -30.0, 30.0)))
        return dict(zip(self.names, p.tolist(), strict=True))

    def to_json(self) -> dict[str, Any]:
        """JSON form, weights rounded to four decimals so that the digest is stable."""
        rows = [[round(w, 4) for w in row] for row in self.weights]
        return {"names": list(self.names), "weights": rows, "rows": self.rows}

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> Guide:
        """The inverse of :meth:`to_json`."""
        return Guide(
            names=tuple(data["names"]),
            weights=tuple(tuple(row) for row in data["weights"]),
            rows=int(data["rows"]),
        )


def price_of(probability: float) -> int:
    """Integer price of a probability: about its surprise in bits, at least 1."""
    return max(1, min(MAX_PRICE, round(0.6 - 1.05 * math.log2(max(probability, FLOOR)))))


def fit(samples: Sequence[Sample], *, rows: int, steps: int = 250, seed: int = 0) -> Guide:
    """Fits a guide by penalised logistic regression.

    Args:
        samples: Experience and dreams; at least one.
        rows: How many experience rows are among them.
        steps: Full-batch Adam steps.
        seed: Kept for interface stability; the fit is deterministic.
    """
    import numpy as np

    names = tuple(sorted({n for s in samples for n in s.needed}))
    column = {n: j for j, n in enumerate(names)}
    x = np.array([(*s.features, 1.0) for s in samples], dtype=np.float32)
    y = np.zeros((len(samples), len(names)), dtype=np.float32)
    for i, sample in enumerate(samples):
        for name in sample.needed:
            y[i, column[name]] = 1.0
    weight = np.array([s.weight for s in samples], dtype=np.float32)[:, None]
    w = _descend(x, y, weight / weight.sum(), steps)
    return Guide(names=names, weights=tuple(map(tuple, np.round(w, 4).tolist())), rows=rows)


def _descend(x: np.ndarray, y: np.ndarray, weight: np.ndarray, steps: int) -> np.ndarray:
    import numpy as np

    prior = np.clip((y * weight).sum(axis=0), 1e-4, 0.9)
    w = np.zeros((x.shape[1], y.shape[1]), dtype=np.float32)
    w[-1] = np.log(prior / (1 - prior))
    mean, square = np.zeros_like(w), np.zeros_like(w)
    penalty = np.full_like(w, PENALTY)
    penalty[-1] = 0.0
    for t in range(1, steps + 1):
        p = 1.0 / (1.0 + np.exp(-np.clip(x @ w, -30.0, 30.0)))
        gradient = x.T @ ((p - y) * weight) + penalty * w
        mean = 0.9 * mean + 0.1 * gradient
        square = 0.99 * square + 0.01 * gradient**2
        w -= 0.08 * (mean / (1 - 0.9**t)) / (np.sqrt(square / (1 - 0.99**t)) + 1e-6)
    return w


def merge_neighbours(
    probabilities: Mapping[str, float], neighbours: Iterable[tuple[str, float]], share: float
) -> dict[str, float]:
    """Mixes the guide with what recalled insights say: ``(name, support in [0, 1])``."""
    mixed = {name: (1 - share) * p for name, p in probabilities.items()}
    for name, support in neighbours:
        mixed[name] = mixed.get(name, 0.0) + share * support
    return mixed
