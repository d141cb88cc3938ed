"""Confidence sequences for paired differences: intervals that hold at every number of pairs at once.

A report may be read again after every run; a fixed-sample interval is then wrong more often than it says. A mean is
left out of the interval when bets against it have multiplied a unit of wealth by 2 / (1 - level): bets that the
values lie above it, and bets that they lie below. Each bet stakes a fixed part of what it may lose, and the wealth is
a mixture over the same parts as in :mod:`evolve.trials.gate.eprocess`.

Source: Waudby-Smith and Ramdas, "Estimating means of bounded random variables by betting", JRSS B 86 (2024),
section 4 (the hedged capital process; there with bets that adapt, here with a mixture).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from evolve.trials.gate.eprocess import BETS
from evolve.trials.gate.gate_interval import Interval, PairedRow

if TYPE_CHECKING:
    import numpy as np

_GRID = 2001
"""Means that are tried between 0 and 1, both ends included."""


def mean_sequence(values: Sequence[float], *, level: float = 0.95) -> Interval:
    """Mean of differences in [-1, 1] with bounds that hold at every look with probability ``level``.

    Args:
        values: In the order in which they came, one per group; each with the same mean given those before it.

    Raises:
        ValueError: A value lies outside [-1, 1].
    """
    import numpy as np

    differences = np.asarray(values, dtype=float)
    if not len(differences):
        return Interval(level=level)
    if np.abs(differences).max() > 1.0:
        raise ValueError("differences must lie between -1 and 1")
    unit = (differences + 1.0) / 2.0
    means = np.linspace(0.0, 1.0, _GRID)[1:-1]
    bound = np.log(2.0 / (1.0 - level))
    above = means[_log_wealth(unit, means) < bound]
    below = 1.0 - means[_log_wealth(1.0 - unit, means) < bound]
    # What lies between two means of the grid was not tried, so each bound moves outwards by one step.
    low = above.min() - 1.0 / (_GRID - 1) if len(above) else unit.mean()
    high = below.max() + 1.0 / (_GRID - 1) if len(below) else unit.mean()
    return Interval(
        value=float(differences.mean()),
        low=max(-1.0, float(2.0 * low - 1.0)),
        high=min(1.0, float(2.0 * high - 1.0)),
        n=len(differences),
        level=level,
    )


def solved_sequence(rows: Iterable[PairedRow], *, level: float = 0.95) -> Interval:
    """Share solved by the variant minus share solved by the parent, over groups, at every look."""
    return mean_sequence(
        _per_group(rows, lambda row: float(row.variant_solved) - float(row.parent_solved)), level=level
    )


def saving_sequence(rows: Iterable[PairedRow], *, level: float = 0.95) -> Interval:
    """Mean saving over groups that both solve, at every look: the difference of costs divided by the larger one.

    1 is all saved, 0 the same, -1 all more; unlike a ratio it is bounded, so that no single task decides.
    """
    both = [row for row in rows if row.parent_solved and row.variant_solved]
    return mean_sequence(_per_group(both, _saving), level=level)


def _saving(row: PairedRow) -> float:
    most = max(row.parent_cost, row.variant_cost)
    return (row.parent_cost - row.variant_cost) / most if most else 0.0


def _per_group(rows: Iterable[PairedRow], figure: Callable[[PairedRow], float]) -> list[float]:
    groups: dict[str, list[float]] = {}
    for row in rows:
        groups.setdefault(row.group, []).append(figure(row))
    return [sum(figures) / len(figures) for figures in groups.values()]


def _log_wealth(unit: np.ndarray, means: np.ndarray) -> np.ndarray:
    """Log wealth of bets that the values in [0, 1] lie above each mean, of shape (means,)."""
    import numpy as np

    logs = []
    for bet in BETS:
        # A stake of ``bet`` loses at most that part, where a value is 0.
        # The logarithm of 0 is meant: whoever staked all and lost has nothing left.
        with np.errstate(divide="ignore"):
            logs.append(np.log1p(bet * (unit[:, None] / means[None, :] - 1.0)).sum(axis=0))
    return np.asarray(np.logaddexp.reduce(np.array(logs), axis=0) - np.log(len(BETS)))
