"""The section of the results page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from benchmarks.everyday_use import counting

Row = Mapping[str, Any]
NOTE = (
    "Tables with a few filled cells and many blank ones, each filled in a fresh workspace without a model. A rule that"
    " is true for all rows was written with each table, without a look at what can be found. *Right*: of tables, those"
    " with every blank cell right. *Marked*: pointed out as doubtful. *Empty*: left blank. Baselines fill every table"
    " by the most common filled cell, by the filled cell of the row that looks most alike, or by columns and constants"
    " joined."
)
NOTE_OF_ROWS = (
    "Public rows: some are drawn to be given, all in one list or split into rows to show and rows to verify with, and"
    " the answer is right where it is right on all others."
)


def section(file: Mapping[str, Any]) -> Iterator[tuple[Any, ...]]:
    """The table, its head first: per kind and baseline, or per way of giving public rows and draw."""
    rows = file["rows"]
    if "data" in file["settings"]:
        yield ("given as", "draw", "tasks", "right", "verified", "verified and wrong", "right and unverified", "s")
        for arm in dict.fromkeys(row["arm"] for row in rows):
            mine = [row for row in rows if row["arm"] == arm]
            for draw in (*sorted({row["draw"] for row in mine}), "all"):
                yield (arm, draw, *_answers([row for row in mine if draw in ("all", row["draw"])]))
        return
    yield ("kind", "tables", "right", "cells", "right", "right, marked", "wrong", "wrong, marked", "empty", "s")
    for kind in (*dict.fromkeys(row["kind"] for row in rows), "all"):
        mine = [row for row in rows if kind in ("all", row["kind"])]
        found = counting.cells(mine)
        seconds = f"{sum(row['seconds'] for row in mine):.0f}"
        yield (kind, len(mine), sum(row["all_right"] for row in mine), sum(found.values()), *found.values(), seconds)
    for row in file["settings"]["baselines"]:
        counts = [row[name] for name in counting.OUTCOMES]
        yield (row["baseline"], row["tables"], row["tables_right"], sum(counts), *counts, "")


def _answers(rows: Sequence[Row]) -> tuple[Any, ...]:
    verified = [row for row in rows if row["verified"]]
    return (
        len(rows),
        sum(row["all_right"] for row in rows),
        len(verified),
        sum(not row["all_right"] for row in verified),
        sum(row["all_right"] and not row["verified"] for row in rows),
        f"{sum(row['seconds'] for row in rows):.0f}",
    )


def note(file: Mapping[str, Any]) -> str:
    """What the table does not say, with the two-by-two of the tables."""
    if "data" in file["settings"]:
        return NOTE_OF_ROWS
    tables = "; ".join(f"{count} {name}" for name, count in counting.two_by_two(file["rows"]).items())
    return f"{NOTE} Tables: {tables}."
