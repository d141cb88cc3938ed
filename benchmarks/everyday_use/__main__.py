"""Are tables filled with what is true? ``python -m benchmarks.everyday_use --json [--tables open|kept|all]``.

Every table has a few filled cells and many blank ones, and a rule that is true for all its rows. It is filled in a
fresh workspace without a model. With ``--data FOLDER`` public rows are drawn instead.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from benchmarks.everyday_use import baselines, counting, public
from benchmarks.everyday_use.measure import measured
from benchmarks.everyday_use.tables import chosen
from benchmarks.record import Outcome, common_options, progress, publish

Job = Callable[[], dict[str, Any]]


def in_processes(jobs: Sequence[Job], workers: int, told: Callable[[dict[str, Any]], str]) -> list[dict[str, Any]]:
    """Rows of all jobs in their order, made by so many processes."""
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    rows: dict[int, dict[str, Any]] = {}
    with ProcessPoolExecutor(max(1, workers), mp_context=get_context("spawn")) as executor:
        places = {executor.submit(job): place for place, job in enumerate(jobs)}
        for number, future in enumerate(as_completed(places), start=1):
            row = rows[places[future]] = future.result()
            progress(f"{number} of {len(jobs)}: {told(row)}")
    return [rows[place] for place in range(len(jobs))]


def _told(row: dict[str, Any]) -> str:
    state = "right" if row["all_right"] else "wrong or open" if row["answered"] else row["error"] or row["status"]
    return f"{row['table']}: {state}, {row['resting_on'] or '-'}, {row['seconds']} s"


def tables(options: argparse.Namespace) -> tuple[Outcome, str]:
    """Fills the chosen tables."""
    wanted = chosen(options.tables)
    if options.only:
        wanted = tuple(table for table in wanted if table.name in options.only)
    if options.quick:
        wanted = wanted[:: max(1, len(wanted) // 10)]
    jobs = [
        partial(measured, table.name, with_fill=not options.without_fill, budget=options.budget) for table in wanted
    ]
    rows = in_processes(jobs, options.jobs, _told)
    beside = baselines.figures(wanted) if options.baselines else []
    outcome = Outcome(
        benchmark="everyday_use",
        seeds=1,
        quick=options.quick,
        rows=rows,
        targets=counting.targets_of(rows),
        settings={
            "suite": options.tables + (", without fill" if options.without_fill else ""),
            "fill": not options.without_fill,
            "baselines": beside,
        },
    )
    return outcome, "\n".join([counting.table(rows), *baselines.shown(beside)])


def rows_of_others(options: argparse.Namespace) -> tuple[Outcome, str]:
    """Answers to public rows."""
    arms = public.ARMS if options.arm is None else (options.arm,)
    jobs = public.jobs(options.data, arms, options.draws, options.shown, options.verify)
    rows = in_processes(jobs[::11] if options.quick else jobs, options.jobs, _told)
    outcome = Outcome(
        benchmark="everyday_use",
        seeds=options.draws,
        quick=options.quick,
        rows=rows,
        targets=public.targets_of(rows),
        settings={
            "suite": options.data.name,
            "data": options.data.name,
            "shown": options.shown,
            "verify": options.verify,
        },
    )
    return outcome, public.table(rows)


def parser() -> argparse.ArgumentParser:
    """The options."""
    made = argparse.ArgumentParser(prog="python -m benchmarks.everyday_use", description=(__doc__ or "").split("\n")[0])
    made.add_argument("--tables", choices=("open", "kept", "all"), default="open", help="which of the tables")
    made.add_argument("--only", action="append", help="this table alone; may be repeated")
    made.add_argument("--without-fill", action="store_true", help="give the filled rows to run, and apply its answer")
    made.add_argument("--budget", help="of each table, such as 50k-candidates; by default the product's own")
    made.add_argument("--jobs", type=int, default=2, help="processes")
    made.add_argument("--baselines", action="store_true", help="also what copying and joining cells would do")
    made.add_argument("--data", type=Path, help="a folder with tasks.jsonl: its rows instead of tables")
    made.add_argument("--draws", type=int, default=3, help="with --data: how often the rows to show are drawn")
    made.add_argument("--shown", type=int, default=5, help="with --data: rows to show")
    made.add_argument("--verify", type=int, default=5, help="with --data: rows to verify with, where a task has them")
    made.add_argument("--arm", choices=public.ARMS, help="with --data: only this way of giving the rows")
    common_options(made, seeds=1)
    return made


def main(argv: Iterable[str] | None = None) -> None:
    """The command line."""
    options = parser().parse_args(None if argv is None else list(argv))
    outcome, shown = rows_of_others(options) if options.data is not None else tables(options)
    publish(outcome, options, shown)


if __name__ == "__main__":
    main()
