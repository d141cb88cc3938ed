"""Intervals: confidence sequences for paired differences, bootstrap over groups, exact binomial bounds.

A report may be read again after every run; a fixed-sample interval is then wrong more often than it says. A mean is
left out of the interval when bets against it have multiplied a unit of wealth by 2 / (1 - level): bets that the
values lie above it, and bets that they lie below. Each bet stakes a fixed part of what it may lose, and the wealth is
a mixture over the same parts as in :mod:`evolve.trials.gate.eprocess`.

Source: Waudby-Smith and Ramdas, "Estimating means of bounded random variables by betting", JRSS B 86 (2024),
section 4 (the hedged capital process; there with bets that adapt, here with a mixture).

Groups are resampled, not tasks: tasks of one group are the same problem, and counting
them as independent would make intervals too narrow (Davison and Hinkley, "Bootstrap
Methods and their Application", 1997, section 3.8).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from evolve.trials.gate.eprocess import BETS, beta_quantile

if TYPE_CHECKING:
    import numpy as np

    Resampled = Callable[["np.ndarray"], "np.ndarray"]


FEWEST_GROUPS = 6
"""Groups below which a bootstrap has no bounds: a median of n values lies outside of them all with probability
2 ** (1 - n), so five cannot enclose it with 95 %, and values that agree by chance would look certain."""


@dataclass(frozen=True, kw_only=True)
class PairedRow:
    """One task under both arms.

    Attributes:
        parent_cost: Work units, or tokens, the parent spent on the task.
        variant_cost: The same for the variant.
    """

    task: str
    group: str
    parent_solved: bool
    variant_solved: bool
    parent_cost: float
    variant_cost: float


@dataclass(frozen=True, kw_only=True)
class ConfidenceInterval:
    """An estimate with its bounds.

    Attributes:
        n: Groups (bootstrap) or trials (binomial) it rests on. With ``n`` 0 there is no
            estimate and the three figures are None; with too few groups only the bounds are.
    """

    value: float | None = None
    low: float | None = None
    high: float | None = None
    n: int = 0
    level: float = 0.95


NOTHING = ConfidenceInterval()
"""The interval of what was not measured."""


def cost_ratio(
    rows: Iterable[PairedRow], *, level: float = 0.95, resamples: int = 4000, seed: int = 0
) -> ConfidenceInterval:
    """Median over tasks both arms solve of variant cost divided by parent cost.

    Below 1 the variant is cheaper. Between two middle ratios the median is their geometric mean.
    Percentile bootstrap over groups, paired by task.
    """
    import numpy as np

    both = [row for row in rows if row.parent_solved and row.variant_solved]
    groups, index = _group_index([row.group for row in both])
    # At least one candidate or token each: what cost nothing has no ratio.
    ratios = np.array([max(row.variant_cost, 1.0) / max(row.parent_cost, 1.0) for row in both])
    order = np.argsort(ratios, kind="stable")
    ratios, index = ratios[order], index[order]

    def weighted_medians(counts: np.ndarray) -> np.ndarray:
        # A task drawn m times weighs m; the median is where the running weight passes half.
        weights = counts[:, index]
        running = np.cumsum(weights, axis=1)
        total = running[:, -1:]
        lower = np.argmax(2 * running >= total, axis=1)
        upper = np.argmax(2 * running > total, axis=1)
        return np.asarray(np.sqrt(ratios[lower] * ratios[upper]))

    return _bootstrap(len(groups), weighted_medians, level, resamples, seed)


def solved_difference(
    rows: Iterable[PairedRow], *, level: float = 0.95, resamples: int = 4000, seed: int = 0
) -> ConfidenceInterval:
    """Share of tasks solved by the variant minus the share solved by the parent, in [-1, 1]."""
    import numpy as np

    listed = list(rows)
    groups, index = _group_index([row.group for row in listed])
    gain = np.zeros(len(groups))
    size = np.zeros(len(groups))
    np.add.at(gain, index, [float(row.variant_solved) - float(row.parent_solved) for row in listed])
    np.add.at(size, index, 1.0)

    def difference(counts: np.ndarray) -> np.ndarray:
        return np.asarray((counts @ gain) / (counts @ size))

    return _bootstrap(len(groups), difference, level, resamples, seed)


def mean(values: Sequence[float], *, level: float = 0.95, resamples: int = 4000, seed: int = 0) -> ConfidenceInterval:
    """Mean of what was measured once for each group, with a percentile bootstrap over groups."""
    import numpy as np

    own = np.asarray(values, dtype=float)

    def average(counts: np.ndarray) -> np.ndarray:
        return np.asarray((counts @ own) / len(own))

    return _bootstrap(len(own), average, level, resamples, seed)


def clopper_pearson(successes: int, trials: int, *, level: float = 0.95) -> ConfidenceInterval:
    """Exact two-sided bounds on a probability (Clopper and Pearson, Biometrika 26, 1934).

    Raises:
        ValueError: not ``0 <= successes <= trials``.
    """
    if not 0 <= successes <= trials:
        raise ValueError("successes must lie between 0 and trials")
    if trials == 0:
        return ConfidenceInterval(level=level)
    tail = (1 - level) / 2
    low = beta_quantile(successes, trials - successes + 1, tail) if successes else 0.0
    high = beta_quantile(successes + 1, trials - successes, 1 - tail) if successes < trials else 1.0
    return ConfidenceInterval(value=successes / trials, low=low, high=high, n=trials, level=level)


def _group_index(names: Sequence[str]) -> tuple[list[str], np.ndarray]:
    import numpy as np

    groups = sorted(set(names))
    place = {group: i for i, group in enumerate(groups)}
    return groups, np.array([place[name] for name in names], dtype=np.intp)


def _bootstrap(groups: int, statistic: Resampled, level: float, resamples: int, seed: int) -> ConfidenceInterval:
    import numpy as np

    if groups == 0:
        return ConfidenceInterval(level=level)
    value = float(statistic(np.ones((1, groups)))[0])
    if groups < FEWEST_GROUPS:
        return ConfidenceInterval(value=value, n=groups, level=level)
    rng = np.random.default_rng(seed)
    counts = rng.multinomial(groups, np.full(groups, 1.0 / groups), size=resamples)
    low, high = np.quantile(statistic(counts), [(1 - level) / 2, 1 - (1 - level) / 2])
    return ConfidenceInterval(value=value, low=float(low), high=float(high), n=groups, level=level)


_GRID = 2001
"""Means that are tried between 0 and 1, both ends included."""


def mean_confidence_sequence(values: Sequence[float], *, level: float = 0.95) -> ConfidenceInterval:
    """Mean of differences in [-1, 1] with bounds that hold at every look with probability ``level``.

    Args:
        values: In the order in which they came, one per group; each with the same mean given those before it.

    Raises:
        ValueError: A value lies outside [-1, 1].
    """
    import numpy as np

    differences = np.asarray(values, dtype=float)
    if not len(differences):
        return ConfidenceInterval(level=level)
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
    return ConfidenceInterval(
        value=float(differences.mean()),
        low=max(-1.0, float(2.0 * low - 1.0)),
        high=min(1.0, float(2.0 * high - 1.0)),
        n=len(differences),
        level=level,
    )


def solved_confidence_sequence(rows: Iterable[PairedRow], *, level: float = 0.95) -> ConfidenceInterval:
    """Share solved by the variant minus share solved by the parent, over groups, at every look."""
    return mean_confidence_sequence(
        _per_group(rows, lambda row: float(row.variant_solved) - float(row.parent_solved)), level=level
    )


def saving_confidence_sequence(rows: Iterable[PairedRow], *, level: float = 0.95) -> ConfidenceInterval:
    """Mean saving over groups that both solve, at every look: the difference of costs divided by the larger one.

    1 is all saved, 0 the same, -1 all more; unlike a ratio it is bounded, so that no single task decides.
    """
    both = [row for row in rows if row.parent_solved and row.variant_solved]
    return mean_confidence_sequence(_per_group(both, _saving), level=level)


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
