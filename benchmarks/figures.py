"""Every aggregate of the learning benchmark, computed from rows and from nothing else.

A row says how one arm fared on one held-out task of one split. The same problem turns up in
several splits, so intervals come from resampling groups, never rows.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from evolve.trials.gate import ConfidenceInterval, PairedRow, clopper_pearson, cost_ratio, solved_difference

if TYPE_CHECKING:
    import numpy as np

Row = Mapping[str, Any]
INTERACTIVE = 300
"""Candidates of a budget a person does not notice."""
RESAMPLES = 4000
BASE, LEARNED = "unlearned", "guide+library"


@dataclass(frozen=True, kw_only=True)
class ArmFigures:
    """What one arm did on the held-out tasks of all splits together.

    Attributes:
        tasks: Task-by-split rows.
        groups: Distinct problems among them.
        wrong: Claims that fail on some row the search never saw, out of ``checked`` claims.
        cpu_s: CPU seconds of the policy over all rows.
    """

    arm: str
    tasks: int
    groups: int
    solved_interactive: int
    solved: int
    claimed: int
    wrong: int
    checked: int
    candidates: int
    cpu_s: float


def held_out(rows: Iterable[Row], arm: str) -> list[Row]:
    """The rows of an arm on tasks that nothing was learned from."""
    return [row for row in rows if row["arm"] == arm and row["split"] == "test"]


def solved_at(row: Row, candidates: int) -> bool:
    """Whether the right answer was there after so many candidates."""
    return bool(row["solved"]) and row["candidates"] <= candidates


def arm_figures(rows: Iterable[Row], arm: str) -> ArmFigures:
    """Counts of one arm."""
    mine = held_out(rows, arm)
    wrong, checked = _wrong_claims(mine)
    return ArmFigures(
        arm=arm,
        tasks=len(mine),
        groups=len({row["group"] for row in mine}),
        solved_interactive=sum(solved_at(row, INTERACTIVE) for row in mine),
        solved=sum(bool(row["solved"]) for row in mine),
        claimed=sum(bool(row["claimed_verified"]) for row in mine),
        wrong=wrong,
        checked=checked,
        candidates=sum(row["cost"] for row in mine),
        cpu_s=sum(row["cpu_s"] for row in mine),
    )


def pairs(rows: Iterable[Row], parent: str, variant: str, *, at: int | None = None) -> list[PairedRow]:
    """Both arms side by side, one pair per task and split that both were run on.

    Args:
        at: Counts as solved only what was there after so many candidates; None for the whole budget.
    """
    listed = list(rows)
    theirs = {_key(row): row for row in held_out(listed, parent)}
    return [
        PairedRow(
            task="/".join(map(str, _key(row))),
            group=row["group"],
            parent_solved=_solved(theirs[_key(row)], at),
            variant_solved=_solved(row, at),
            parent_cost=theirs[_key(row)]["candidates"],
            variant_cost=row["candidates"],
        )
        for row in held_out(listed, variant)
        if _key(row) in theirs
    ]


def candidate_ratio(rows: Iterable[Row], parent: str, variant: str) -> ConfidenceInterval:
    """Median, over tasks both solve, of the variant's candidates divided by the parent's; below 1 is cheaper."""
    return cost_ratio(pairs(rows, parent, variant))


def solved_gain(rows: Iterable[Row], parent: str, variant: str, *, at: int | None = None) -> ConfidenceInterval:
    """Share solved by the variant minus share solved by the parent."""
    return solved_difference(pairs(rows, parent, variant, at=at))


def relative_solved(rows: Iterable[Row], parent: str, variant: str, *, at: int | None = None) -> ConfidenceInterval:
    """How many times as many tasks the variant solves; a parent that solves none counts as solving one."""
    joined = pairs(rows, parent, variant, at=at)
    columns = [(float(pair.variant_solved), float(pair.parent_solved)) for pair in joined]

    def ratio(sums: np.ndarray) -> np.ndarray:
        import numpy as np

        return np.asarray(sums[:, 0] / np.maximum(sums[:, 1], 1.0))

    return grouped_bootstrap([pair.group for pair in joined], columns, ratio)


def doublings_saved(rows: Iterable[Row], parent: str, variant: str) -> ConfidenceInterval:
    """Mean over all tasks of log2(parent's effort / variant's effort); above 0 the variant needs less.

    Effort is the number of candidates until the right answer. A task that an arm did not solve
    counts as the larger of the two arms' budgets, which understates the difference.
    """
    listed = list(rows)
    theirs = {_key(row): row for row in held_out(listed, parent)}
    groups, columns = [], []
    for row in held_out(listed, variant):
        other = theirs.get(_key(row))
        if other is not None:
            cap = max(row["budget"], other["budget"])
            groups.append(row["group"])
            columns.append((math.log2(_effort(other, cap) / _effort(row, cap)), 1.0))
    return grouped_bootstrap(groups, columns, _ratio_of_sums)


def cpu_ratio(rows: Iterable[Row], parent: str, variant: str, *, both: bool) -> ConfidenceInterval:
    """CPU seconds of the variant, summed, over the parent's; below 1 is cheaper.

    Args:
        both: Over the tasks that both solve; else over all tasks.
    """
    listed = list(rows)
    theirs = {_key(row): row for row in held_out(listed, parent)}
    joined = [(theirs[_key(row)], row) for row in held_out(listed, variant) if _key(row) in theirs]
    joined = [(old, new) for old, new in joined if not both or (old["solved"] and new["solved"])]
    columns = [(float(new["cpu_s"]), float(old["cpu_s"])) for old, new in joined]
    return grouped_bootstrap([new["group"] for _, new in joined], columns, _ratio_of_sums)


def cpu_per_candidate(rows: Iterable[Row], parent: str, variant: str) -> float | None:
    """CPU seconds a candidate of the variant over those of the parent, over all tasks."""
    listed = list(rows)
    sums = [arm_figures(listed, arm) for arm in (variant, parent)]
    if not all(one.candidates and one.cpu_s for one in sums):
        return None
    own, other = (one.cpu_s / one.candidates for one in sums)
    return own / other


def work_error(rows: Iterable[Row]) -> ConfidenceInterval:
    """How far CPU seconds are from what work units tell: the median of the relative error over all attempts.

    A unit is taken to last as long as in the median attempt.
    """
    told = [row for row in rows if row["split"] == "test" and row.get("work") and row["cpu_s"]]
    if not told:
        return ConfidenceInterval(value=None, low=None, high=None, n=0)
    each = sorted(row["cpu_s"] / row["work"] for row in told)
    unit = each[len(each) // 2]
    errors = sorted(abs(row["work"] * unit / row["cpu_s"] - 1.0) for row in told)
    low, middle, high = (errors[int(share * (len(errors) - 1))] for share in (0.1, 0.5, 0.9))
    return ConfidenceInterval(value=middle, low=low, high=high, n=len(errors), level=0.8)


def _ratio_of_sums(sums: np.ndarray) -> np.ndarray:
    return sums[:, 0] / sums[:, 1]  # type: ignore[no-any-return]


def wrong_share(rows: Iterable[Row], arm: str) -> ConfidenceInterval:
    """Of the answers claimed verified, the share that fails on some row the search never saw; exact bounds.

    Claims on tasks without further unseen rows cannot be checked and are left out.
    """
    return clopper_pearson(*_wrong_claims(held_out(rows, arm)))


def claimed_over_solved(rows: Iterable[Row], arm: str) -> ConfidenceInterval:
    """Answers claimed verified per answer that is right; None where nothing was solved."""
    figures = arm_figures(rows, arm)
    value = figures.claimed / figures.solved if figures.solved else None
    return ConfidenceInterval(value=value, low=None, high=None, n=figures.solved)


def splits_of(rows: Iterable[Row]) -> int:
    """Number of different splits among the rows."""
    return len({row["seed"] for row in rows})


def grouped_bootstrap(
    groups: Sequence[str],
    columns: Sequence[Sequence[float]],
    statistic: Callable[[np.ndarray], np.ndarray],
    *,
    level: float = 0.95,
) -> ConfidenceInterval:
    """Percentile interval of a statistic of column sums, resampling groups.

    Args:
        groups: Group of each row.
        columns: Numbers of each row, to be summed.
        statistic: From sums of shape (resamples, columns) to one number each.
    """
    import numpy as np

    names = sorted(set(groups))
    if not names:
        return ConfidenceInterval(value=None, low=None, high=None, n=0, level=level)
    place = {name: i for i, name in enumerate(names)}
    table = np.zeros((len(names), len(columns[0])))
    np.add.at(table, np.array([place[name] for name in groups]), np.array(columns))
    value = float(statistic(table.sum(axis=0, keepdims=True))[0])
    counts = np.random.default_rng(0).multinomial(len(names), np.full(len(names), 1 / len(names)), size=RESAMPLES)
    low, high = np.quantile(statistic(counts @ table), [(1 - level) / 2, 1 - (1 - level) / 2])
    return ConfidenceInterval(value=value, low=float(low), high=float(high), n=len(names), level=level)


def _key(row: Row) -> tuple[str, int, str]:
    return str(row["suite"]), int(row["seed"]), str(row["task"])


def _solved(row: Row, at: int | None) -> bool:
    return bool(row["solved"]) if at is None else solved_at(row, at)


def _effort(row: Row, cap: int) -> float:
    return float(min(max(row["candidates"], 1), cap)) if row["solved"] else float(cap)


def _wrong_claims(rows: Iterable[Row]) -> tuple[int, int]:
    checked = [row for row in rows if row["claimed_verified"] and row["correct_unseen"] is not None]
    return sum(not row["correct_unseen"] for row in checked), len(checked)
