"""Public rows instead of tables: a few are given, and the answer is judged on rows that were not.

As a person would give them, all in one list, and the product keeps some back; or with the split given; or in a table
whose other cells are blank, so that the inputs to come are known as they are to ``fill``.
"""

from __future__ import annotations

import json
import random
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import evolve
from benchmarks.everyday_use.before import applied, function
from benchmarks.everyday_use.counting import share, target_lines
from benchmarks.record import UNSEEDED, Target
from evolve.core.episodes import Row
from evolve.core.errors import EvolveError
from evolve.tasks import Task, equal, load_suite

ARMS = ("one list", "split given", "table")
LEAST_JUDGED = 3
"""Rows that are not given, however few a task has."""


def jobs(folder: Path, arms: Sequence[str], draws: int, shown: int, verify: int) -> list[partial[dict[str, Any]]]:
    """One attempt per task, draw and arm."""
    tasks = load_suite(folder / "tasks.jsonl").tasks
    return [
        partial(measured, str(folder), task.id, arm, draw, (shown, verify))
        for draw in range(draws)
        for task in tasks
        for arm in arms
    ]


def drawn(task: Task, draw: int, counts: tuple[int, int]) -> tuple[list[Row], list[Row], list[Row]]:
    """Rows to show, rows to verify with, and rows to judge by; the same ones for the same draw."""
    rows = [*task.examples, *task.verify, *task.hidden]
    random.Random(f"{draw}: {task.id}").shuffle(rows)
    shown, verify = counts
    shown = min(shown, max(1, len(rows) - LEAST_JUDGED))
    verify = max(0, min(verify, len(rows) - shown - LEAST_JUDGED))
    return rows[:shown], rows[shown : shown + verify], rows[shown + verify :]


def measured(folder: str, name: str, arm: str, draw: int, counts: tuple[int, int]) -> dict[str, Any]:
    """The row of one attempt."""
    task = load_suite(Path(folder) / "tasks.jsonl").task(name)
    shown, verify, judged = drawn(task, draw, counts)
    result, error = None, ""
    filled: _Cells | None = None
    with (
        tempfile.TemporaryDirectory(prefix="everyday-") as place,
        evolve.open(place, model="", settings=UNSEEDED) as workspace,
    ):
        started = time.perf_counter()
        try:
            if arm == "table":
                filled = _filled(workspace, Path(place), [*shown, *verify], judged)
                result = filled.result
            elif arm == "one list":
                result = workspace.run(examples=[*shown, *verify])
            else:
                result = workspace.run(Task(**_parts(task), examples=tuple(shown), verify=tuple(verify)))
        except EvolveError as problem:
            error = f"{type(problem).__name__}: {problem}"
        seconds = time.perf_counter() - started
    right = filled is not None and filled.right == len(judged)
    if filled is None and result is not None and result.solved:
        values = applied(function(result.answer, result.entry), [row.input for row in judged])
        right = all(equal(value, row.output) for row, value in zip(judged, values, strict=True))
    return {
        "table": f"{task.id}, draw {draw}, {arm}",
        "task": task.id,
        "family": task.family,
        "arm": arm,
        "draw": draw,
        "given": len(shown) + len(verify),
        "judged": len(judged),
        "answered": bool(result is not None and result.solved),
        "verified": bool(result is not None and result.verified),
        "all_right": right,
        "seconds": round(seconds, 2),
        "status": getattr(result, "status", ""),
        "resting_on": getattr(result, "kind", ""),
        "reason": str(getattr(result, "reason", None) or ""),
        "answer": getattr(result, "answer", ""),
        "candidates": getattr(getattr(result, "cost", None), "candidates", 0),
        "error": error,
        **(
            {}
            if filled is None
            else {"wrong": filled.wrong, "marked": filled.marked, "right_marked": filled.right_marked}
        ),
    }


@dataclass(frozen=True, kw_only=True)
class _Cells:
    """What became of the blank cells of a table.

    Attributes:
        wrong: Wrong cells that are not marked.
        marked: Marked cells, right or wrong.
        right_marked: Those of them that are right.
    """

    result: evolve.Result | None
    right: int = 0
    wrong: int = 0
    marked: int = 0
    right_marked: int = 0


def _filled(workspace: evolve.Workspace, folder: Path, given: Sequence[Row], blank: Sequence[Row]) -> _Cells:
    """By ``Workspace.fill``, on a table of JSON lines, which keeps every text as it is."""
    path, out = folder / "rows.jsonl", folder / "filled.jsonl"
    names = [f"column_{number}" for number in range(1, len(given[0].input) + 1)]
    rows = [*((row, row.output) for row in given), *((row, None) for row in blank)]
    lines = [json.dumps({**dict(zip(names, row.input, strict=True)), "wanted": wanted}) for row, wanted in rows]
    path.write_text("\n".join(lines) + "\n")
    filled = workspace.fill(path, out=out, column="wanted")
    if filled.out is None:
        return _Cells(result=filled.result)
    cells = [json.loads(line)["wanted"] for line in out.read_text().splitlines()][len(given) :]
    doubted = {mark.row - 1 - len(given) for mark in filled.marks}
    right = {place for place, cell in enumerate(cells) if equal(cell, blank[place].output)}
    wrong = {place for place, cell in enumerate(cells) if place not in right and cell is not None}
    return _Cells(
        result=filled.result,
        right=len(right),
        wrong=len(wrong - doubted),
        marked=len(doubted),
        right_marked=len(right & doubted),
    )


def _parts(task: Task) -> dict[str, Any]:
    return {"id": "rows", "family": task.family, "group": "", "instruction": task.instruction, "signature": ""}


def targets_of(rows: Sequence[dict[str, Any]]) -> list[Target]:
    """Of the answers to rows in one list."""
    mine = [row for row in rows if row["arm"] == ARMS[0]] or list(rows)
    verified = [row for row in mine if row["verified"]]
    right = sum(row["all_right"] for row in mine)
    wrong = sum(not row["all_right"] for row in verified)
    return [
        Target(name="answers right", op=">=", target=0.6, value=share(right, len(mine)), n=len(mine)),
        Target(name="verified answers wrong", op="<=", target=0.05, value=share(wrong, len(verified)), n=len(verified)),
    ]


def table(rows: Sequence[dict[str, Any]]) -> str:
    """The figures for a terminal."""
    lines = ["arm          draw tasks  right  verified  verified, wrong  right, unverified  wrong, unverified  seconds"]
    for arm in dict.fromkeys(row["arm"] for row in rows):
        mine = [row for row in rows if row["arm"] == arm]
        for draw in (*sorted({row["draw"] for row in mine}), "all"):
            some = [row for row in mine if draw in ("all", row["draw"])]
            count = {
                (verified, right): sum(
                    row["answered"] and row["verified"] == verified and row["all_right"] == right for row in some
                )
                for verified in (True, False)
                for right in (True, False)
            }
            lines.append(
                f"{arm:<12} {draw:>4} {len(some):5} {count[True, True] + count[False, True]:6}"
                f" {count[True, True] + count[True, False]:9} {count[True, False]:16} {count[False, True]:18}"
                f" {count[False, False]:18} {sum(row['seconds'] for row in some):8.0f}"
            )
    return "\n".join([*lines, *target_lines(targets_of(rows))])
