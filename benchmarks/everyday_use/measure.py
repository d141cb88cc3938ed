"""Fills one table in a fresh workspace and counts what became of its blank cells."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Sequence, Set
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import evolve
from benchmarks.everyday_use import forms
from benchmarks.everyday_use.before import applied, function, text, typed
from benchmarks.everyday_use.counting import OUTCOMES, counted, outcome, unseen_rows
from benchmarks.everyday_use.table import Table, same
from benchmarks.everyday_use.tables import TABLES, kind_of
from benchmarks.record import UNSEEDED
from evolve.core.errors import EvolveError
from evolve.trials.learner import Learner

MISTAKES = 3
"""Wrong cells that a row of the file shows."""


@dataclass(frozen=True, kw_only=True)
class Got:
    """What filling gave.

    Attributes:
        cells: The target's cells of every row; () where nothing was filled.
        marked: Places of rows that are marked, from 0.
        touched: Cells beside the blank ones that are not as they were.
        result: What the search for the function gave, or None.
    """

    cells: Sequence[str] = ()
    marked: Set[int] = field(default_factory=set)
    touched: int = 0
    result: Any = None
    error: str = ""


def measured(
    name: str, *, with_fill: bool = True, budget: str | None = None, policy: Learner | None = None
) -> dict[str, Any]:
    """The row of a table, by its name; with the product's own policy unless one is given."""
    table = next(one for one in TABLES if one.name == name)
    with tempfile.TemporaryDirectory(prefix="everyday-") as folder:
        place = Path(folder)
        with evolve.open(place / "workspace", model="", policy=policy, settings=UNSEEDED) as workspace:
            started = time.perf_counter()
            try:
                got = (_filled if with_fill else _applied)(workspace, table, place, budget)
            except EvolveError as error:
                got = Got(error=f"{type(error).__name__}: {error}".replace(str(place), "."))
            except Exception as error:  # a fault of one table is a row, and no reason to lose the others
                got = Got(error=f"FAULT {type(error).__name__}: {error}".replace(str(place), "."))
            seconds = time.perf_counter() - started
    return row_of(table, got, seconds)


def row_of(table: Table, got: Got, seconds: float) -> dict[str, Any]:
    """What is kept of a table that was filled."""
    result = got.result
    cells = got.cells or [""] * len(table.whole)
    counts = counted(cells, table.truth, got.marked, table.blank)
    wrong = [place for place in table.blank if outcome(cells[place], table.truth[place], False) == "wrong"]
    filled = len({table.inputs(place) for place in table.filled})
    return {
        "table": table.name,
        "kind": kind_of(table),
        "form": table.form,
        "given": len(table.filled),
        "slip": table.slip,
        "in_middle": table.in_middle,
        "answered": bool(got.cells),
        "verified": bool(result is not None and result.verified),
        "all_right": bool(got.cells) and counts["right"] + counts["right_marked"] == len(table.blank),
        "unseen": unseen_rows(filled, sum(one.row is not None for one in getattr(result, "refused", ()))),
        "typo_told": table.typo is not None and _told(table, got),
        "touched": got.touched,
        "seconds": round(seconds, 2),
        "status": getattr(result, "status", ""),
        "resting_on": getattr(result, "kind", ""),
        "reason": str(getattr(result, "reason", None) or ""),
        "note": getattr(result, "note", ""),
        "answer": getattr(result, "answer", ""),
        "candidates": getattr(getattr(result, "cost", None), "candidates", 0),
        "error": got.error,
        "mistakes": [[*table.inputs(place), cells[place], table.truth[place]] for place in wrong[:MISTAKES]],
        **{name: counts[name] for name in OUTCOMES},
    }


def _told(table: Table, got: Got) -> bool:
    """Whether the row with the typo is pointed out: marked, or named as the one row that does not fit."""
    assert table.typo is not None
    place, wrong = table.typo
    misfits = getattr(got.result, "misfits", ())
    return place in got.marked or (len(misfits) == 1 and same(text(misfits[0].given), wrong))


def _filled(workspace: Any, table: Table, folder: Path, budget: str | None) -> Got:
    """By ``Workspace.fill``, on the file as it was saved."""
    path = forms.write(table, folder)
    out = folder / f"filled{path.suffix}"
    filled = workspace.fill(
        path,
        out=out,
        column=table.header[table.target] if table.named else None,
        **({"budget": budget} if budget else {}),
    )
    marked = {mark.row - 1 for mark in filled.marks}
    if filled.out is None or not Path(filled.out).exists():
        return Got(result=filled.result, marked=marked)
    before, after = forms.saved(table), forms.read(Path(filled.out), table.form)
    return Got(
        cells=[forms.meant(row[table.target], table) for row in after[1:]],
        marked=marked,
        touched=touched(table, before, after),
        result=filled.result,
    )


def touched(table: Table, before: Sequence[Sequence[str]], after: Sequence[Sequence[str]]) -> int:
    """Cells other than the blank ones that are not what they were; a row more or less counts as one."""
    blank = {(place + 1, table.target) for place in table.blank}
    return abs(len(before) - len(after)) + sum(
        (number, place) not in blank and (place >= len(new) or cell != new[place])
        for number, (old, new) in enumerate(zip(before, after, strict=False))
        for place, cell in enumerate(old)
    )


def _applied(workspace: Any, table: Table, folder: Path, budget: str | None) -> Got:
    """By ``Workspace.run`` on the filled rows, its answer applied to the blank ones."""
    del folder
    inputs = typed([table.inputs(place) for place in range(len(table.shown))])
    outputs = [one for (one,) in typed([(table.shown[place][table.target],) for place in table.filled])]
    pairs = [(inputs[place], output) for place, output in zip(table.filled, outputs, strict=True)]
    result = workspace.run(examples=pairs, budget=budget)
    if not result.solved:
        return Got(result=result)
    cells = [row[table.target] for row in table.shown]
    values = applied(function(result.answer, result.entry), [inputs[place] for place in table.blank])
    for place, value in zip(table.blank, values, strict=True):
        cells[place] = text(value)
    return Got(cells=cells, result=result)
