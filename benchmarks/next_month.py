"""Does what was learned from one month fill the next? ``python -m benchmarks.next_month --json [--seed N]``.

Pairs of tables are drawn by a seed (:mod:`benchmarks.months`). The first month has seven filled rows. The next one is
filled with none, one or two of its cells given; without any, the skill that is offered is taken. The arm ``early`` was
filled with one given cell before the first month was met, so that its answer is on record. Every pair that is drawn
counts; where the first month was not verified, nothing is known for the next one, which is told apart. With
``--strange`` some cells of the next month hold something else, such as ``n/a``, and no value is right beside them.
"""

from __future__ import annotations

import argparse
import csv
import tempfile
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import evolve
from benchmarks.copied_workspaces import copy_workspace
from benchmarks.everyday_use.__main__ import in_processes
from benchmarks.everyday_use.counting import OUTCOMES, Row, cells, counted, share, target_lines
from benchmarks.months import FILLED_FIRST, Pair, drawn, with_strange_cells
from benchmarks.record import UNSEEDED, Outcome, Target, common_options, publish

PAIRS = 30
_QUICK = 2
DEVELOPED_WITH = 0
"""The seed that work on the product looks at; figures are told of others."""
REPORTED = 20261128
ARMS = ((False, 0), (False, 1), (False, 2), (True, 1))
"""Whether the table was met before the first month, and how many of its cells are given."""


def measured(seed: int, number: int, strange: bool = False) -> dict[str, Any]:
    """What became of one pair, arm by arm."""
    pair = with_strange_cells(drawn(seed, number), seed, number) if strange else drawn(seed, number)
    arms: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory(prefix="months-") as name:
        folder = Path(name)
        for early in (False, True):
            learned, verified = _learned(pair, folder / f"learned-{early}", early=early)
            for given in (given for was_early, given in ARMS if was_early is early):
                here = folder / f"{early}-{given}"
                here.mkdir()
                copy_workspace(learned / "workspace", here / "workspace")
                arms.append({"early": early, "given": given, "march_verified": verified, **_filled(pair, here, given)})
    return {"table": f"{pair.job}-{number}", "kind": pair.job, "seed": seed, "arms": arms}


def _learned(pair: Pair, folder: Path, *, early: bool) -> tuple[Path, bool]:
    """A workspace that was taught the first month, and whether its answer was verified."""
    folder.mkdir()
    with evolve.open(folder / "workspace", model="", settings=UNSEEDED) as workspace:
        if early:
            workspace.fill(_written(pair, pair.april, folder / "april.csv", 1))
            (folder / "april.filled.csv").unlink(missing_ok=True)
        result = workspace.fill(_written(pair, pair.march, folder / "march.csv", FILLED_FIRST)).result
    return folder, bool(result is not None and result.verified)


def _filled(pair: Pair, folder: Path, given: int) -> dict[str, Any]:
    """What became of the next month."""
    table, out = _written(pair, pair.april, folder / "next.csv", given), folder / "out.csv"
    with evolve.open(folder / "workspace", model="", settings=UNSEEDED) as workspace:
        try:
            filled = workspace.fill(table, out=out)
            offered = len(filled.offered)
            if offered:
                filled = workspace.fill(table, out=out, skill=filled.offered[0].name, column=pair.header[pair.target])
        except evolve.core.errors.UsageError as problem:
            return _row(pair, ["" for _ in pair.april], frozenset(), given, error=str(problem))
    values = ["" for _ in pair.april]
    if filled.out is not None:
        with filled.out.open(newline="", encoding="utf-8") as file:
            values = [row[pair.target] for row in list(csv.reader(file))[1:]]
    found = _row(pair, values, frozenset(mark.row - 1 for mark in filled.marks), given)
    result = filled.result
    return {
        **found,
        "offered": offered,
        "used": filled.used is not None,
        "verified": bool(result is not None and result.verified),
        "answer": "" if result is None else result.answer,
        "note": "" if result is None else f"{result.note}; {result.reason or ''}",
        "whys": [str(mark.flag) for mark in filled.marks][:3],
    }


def _row(pair: Pair, values: Sequence[str], marked: frozenset[int], given: int, error: str = "") -> dict[str, Any]:
    truth = [row[pair.target] for row in pair.april]
    none_right = [place for place, cell in enumerate(truth) if not cell]
    found = counted(values, truth, marked, (place for place in range(given, len(truth)) if truth[place]))
    guessed = sum(bool(values[place]) for place in none_right)
    return {**found, "strange": len(none_right), "guessed": guessed, "error": error, "used": False}


def _written(pair: Pair, rows: Sequence[tuple[str, ...]], file: Path, filled: int) -> Path:
    with file.open("w", newline="", encoding="utf-8") as out:
        csv.writer(out).writerows(pair.shown(rows, filled))
    return file


def arm_rows(rows: Sequence[Row]) -> list[dict[str, Any]]:
    """One row per pair and arm."""
    return [{**{name: row[name] for name in ("table", "kind", "seed")}, **arm} for row in rows for arm in row["arms"]]


def targets_of(rows: Sequence[Row]) -> list[Target]:
    """What the next month should reach, over all arms."""
    found = cells(rows)
    total, right = sum(found.values()), found["right"] + found["right_marked"]
    known = [row for row in rows if row["march_verified"]]
    taken = sum(row["used"] for row in known)
    return [
        Target(name="right cells marked", op="<=", target=0.1, value=share(found["right_marked"], right), n=right),
        Target(name="cells wrong and unmarked", op="==", target=0.0, value=share(found["wrong"], total), n=total),
        Target(
            name="verified months that serve the next",
            op=">=",
            target=0.9,
            value=share(taken, len(known)),
            n=len(known),
        ),
    ]


def table(rows: Sequence[Row]) -> str:
    """The figures for a terminal."""
    lines = [f"{'arm':<16} tables  used  verified  " + "  ".join(OUTCOMES)]
    for early, given in ARMS:
        mine = [row for row in rows if (row["early"], row["given"]) == (early, given)]
        found = cells(mine)
        lines.append(
            f"{f'{given} given' + (', early' if early else ''):<16} {len(mine):6} {sum(row['used'] for row in mine):5}"
            f" {sum(row.get('verified', False) for row in mine):9}  "
            + "  ".join(f"{found[name]:{len(name)}}" for name in OUTCOMES)
        )
    if strange := sum(row["strange"] for row in rows):
        lines.append(f"{sum(row['guessed'] for row in rows)} of {strange} cells are filled for which none is right")
    lines.append(f"{_unverified(rows)} of {len(rows)} tables follow a month that was not verified")
    return "\n".join([*lines, *target_lines(targets_of(rows))])


def main(argv: Sequence[str] | None = None) -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.next_month", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--seed", type=int, default=REPORTED, help=f"of the draw; work looks at {DEVELOPED_WITH}")
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    parser.add_argument("--strange", action="store_true", help="with other things in some cells of the next month")
    common_options(parser, seeds=1)
    options = parser.parse_args(argv)
    jobs = [
        partial(measured, options.seed, number, options.strange) for number in range(_QUICK if options.quick else PAIRS)
    ]
    rows = arm_rows(in_processes(jobs, options.jobs, lambda row: str(row["table"])))
    outcome = Outcome(
        benchmark="next_month",
        seeds=1,
        quick=options.quick,
        rows=rows,
        targets=targets_of(rows),
        settings={"seed": options.seed, "strange": options.strange, "after_an_unverified_month": _unverified(rows)},
    )
    publish(outcome, options, table(rows))


def _unverified(rows: Sequence[Row]) -> int:
    return sum(not row["march_verified"] for row in rows)


if __name__ == "__main__":
    main()
