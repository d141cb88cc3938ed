"""Do remembered claims help a search that has the same guide already?

The bar, stated before it was measured. For each suite the learner practises on 12, 30 and 60 tasks of one half of the
groups as in ``benchmarks.learning`` and is frozen. Three arms then try each held-out task of the other half once,
with the same guide and the same skills: ``memory`` recalls claims as the product does, ``memory off`` recalls none,
and ``other claims`` is a placebo that recalls from the same memory with the evidence of each task filed under another
one. The measure is work units: what an attempt spent, whether or not it found anything; where only one of two arms
solves a task, the other counts as having spent as much as the dearest attempt of that suite and size. Of each problem
(group) the mean of log2(work of the rival / work of ``memory``) over its tasks and splits goes into a one-sided
Wilcoxon signed-rank test, exact, zeros left out (Wilcoxon 1945). At each size and against each rival the p-values are
corrected over suites (Holm 1979); ``memory`` passes where the corrected one is below .05.

``memory off`` saves the time of recalling: in its work :data:`RECALLING` is taken off what planning is charged.

    python -m benchmarks.claims --suites strings,everyday --out claims.json
"""

from __future__ import annotations

import argparse
import math
import multiprocessing
import random
import statistics
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from typing import Any

from benchmarks.attempts import row_of
from benchmarks.judging import HostJudge
from benchmarks.learner import Course, practise, solver_of
from benchmarks.learning import halves
from benchmarks.record import Outcome, Target, common_options, progress, publish
from benchmarks.suites import suite_of
from evolve.tasks import Task

SUITES, SIZES, HELD_OUT = ("strings", "everyday", "lists"), (12, 30, 60), 60
MEMORY, RIVALS = "guide+library", {"no-recall": "memory off", "other-claims": "other claims"}
LEVEL = 0.05
RECALLING = 5_000
"""Work units of one recall: half a millisecond of CPU with 30 episodes, a whole one with 140."""

Row = Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class Cell:
    """One frozen learner on the held-out tasks of one split."""

    suite: str
    size: int
    seed: int
    budget: int
    held_out: int


def rows_of(cell: Cell) -> list[dict[str, Any]]:
    """A row per arm and held-out task."""
    train, test = halves(suite_of(cell.suite).tasks, cell.seed)
    judge = HostJudge()
    learned = practise(
        Course(suite=cell.suite, tasks=_mixed(train, cell)[: cell.size], budget=cell.budget, seed=cell.seed), judge
    )
    where = {"suite": cell.suite, "split": "test", "seed": cell.seed, "budget": cell.budget}
    rows = []
    for arm in (MEMORY, *RIVALS):
        solver = solver_of(arm, learned, judge)
        for task in _mixed(test, cell)[: cell.held_out]:
            row = row_of(solver.attempt(task, cell.budget), solver, arm=arm, **where)
            rows.append({**row, "practised": cell.size, "work": row["work"] - RECALLING * (arm == "no-recall")})
    return rows


def _mixed(tasks: Sequence[Task], cell: Cell) -> list[Task]:
    mixed = list(tasks)
    random.Random(f"claims:{cell.seed}").shuffle(mixed)
    return mixed


def differences(rows: Sequence[Row], rival: str) -> list[float]:
    """Per problem, how many doublings of work the memory saves against a rival; 0 where both spent the same."""
    most = max(row["work"] for row in rows)
    by_task: dict[tuple[int, str], dict[str, Row]] = defaultdict(dict)
    for row in rows:
        by_task[row["seed"], row["task"]][row["arm"]] = row
    groups: dict[str, list[float]] = defaultdict(list)
    for arms in by_task.values():
        own, other = arms[MEMORY], arms[rival]
        decided = own["solved"] != other["solved"]
        spent = [most if decided and not row["solved"] else row["work"] for row in (other, own)]
        groups[own["group"]].append(math.log2(spent[0] / spent[1]))
    return [statistics.fmean(groups[group]) for group in sorted(groups)]


def signed_rank(values: Iterable[float]) -> float:
    """P of a sum of positive ranks as large as this, were every sign a fair coin; ties have their middle rank."""
    left = sorted((value for value in values if value), key=abs)
    sizes = [round(abs(value), 9) for value in left]
    # Twice the middle rank, so that it is a whole number.
    ranks = [sizes.index(size) + len(sizes) - sizes[::-1].index(size) + 1 for size in sizes]
    reached = sum(rank for rank, value in zip(ranks, left, strict=True) if value > 0)
    ways = {0: 1}
    for rank in ranks:
        more: dict[int, int] = defaultdict(int, ways)
        for total, count in ways.items():
            more[total + rank] += count
        ways = more
    return sum(count for total, count in ways.items() if total >= reached) / 2 ** len(ranks)


def corrected(values: Mapping[str, float]) -> dict[str, float]:
    """The p-values of a family after Holm's correction, by the same names."""
    least, found = 0.0, {}
    for place, name in enumerate(sorted(values, key=lambda name: values[name])):
        least = max(least, min(1.0, values[name] * (len(values) - place)))
        found[name] = least
    return found


def targets_of(rows: Sequence[Row]) -> list[Target]:
    """A target per size, rival and suite: the corrected p-value."""
    found = []
    suites = list(dict.fromkeys(row["suite"] for row in rows))
    for size in sorted({row["practised"] for row in rows}):
        for rival, name in RIVALS.items():
            own = {suite: _of(rows, suite, size) for suite in suites}
            values = corrected({suite: signed_rank(differences(own[suite], rival)) for suite in suites})
            found += [
                Target(
                    name=f"{suite}, {size} tasks, memory against {name}, p",
                    op="<=",
                    target=LEVEL,
                    value=values[suite],
                    n=len(differences(own[suite], rival)),
                )
                for suite in suites
            ]
    return found


def _of(rows: Sequence[Row], suite: str, size: int) -> list[Row]:
    return [row for row in rows if (row["suite"], row["practised"]) == (suite, size)]


def table(outcome: Outcome) -> str:
    """The figures for a terminal: a line per suite, size and rival."""
    lines = ["suite     tasks  rival         solved  work in sum  middle  saves  costs       p"]
    p_of = {target.name: target.value for target in outcome.targets}
    for suite, size in dict.fromkeys((row["suite"], row["practised"]) for row in outcome.rows):
        own = _of(outcome.rows, suite, size)
        for rival, name in RIVALS.items():
            saved = differences(own, rival)
            p = p_of[f"{suite}, {size} tasks, memory against {name}, p"]
            solved = "{}/{}".format(
                *(sum(row["solved"] for row in own if row["arm"] == arm) for arm in (MEMORY, rival))
            )
            mine, other = (sum(row["work"] for row in own if row["arm"] == arm) for arm in (MEMORY, rival))
            less, more = sum(value > 0 for value in saved), sum(value < 0 for value in saved)
            lines.append(
                f"{suite:<10}{size:>5}  {name:<13}{solved:>7}{mine / other:>13.3f}"
                f"{2 ** -statistics.median(saved):>8.3f}{less:>7}{more:>7}{p:>8.3f}"
            )
    return "\n".join(lines)


def main(argv: Sequence[str] | None = None) -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--suites", default=",".join(SUITES))
    parser.add_argument("--sizes", default=",".join(map(str, SIZES)), help="tasks practised on")
    parser.add_argument("--held-out", type=int, default=HELD_OUT, help="tasks of one split")
    parser.add_argument("--budget", type=int, default=10_000, help="candidates of one attempt")
    parser.add_argument("--workers", type=int, default=2, help="processes")
    common_options(parser, seeds=1)
    options = parser.parse_args(argv)
    settings = {name: getattr(options, name) for name in ("suites", "sizes", "held_out", "budget")}
    cells = [
        Cell(suite=suite, size=int(size), seed=seed, budget=options.budget, held_out=options.held_out)
        for suite in options.suites.split(",")
        for size in options.sizes.split(",")
        for seed in range(options.seeds)
    ]
    rows: list[dict[str, Any]] = []
    with ProcessPoolExecutor(options.workers, mp_context=multiprocessing.get_context("spawn")) as executor:
        for cell, found in zip(cells, executor.map(rows_of, cells), strict=True):
            progress(f"{cell.suite}, {cell.size} tasks, split {cell.seed}")
            rows += found
    outcome = Outcome(
        benchmark="claims",
        seeds=options.seeds,
        quick=options.quick,
        rows=rows,
        targets=targets_of(rows),
        settings=settings,
    )
    publish(outcome, options, table(outcome))


if __name__ == "__main__":
    main()
