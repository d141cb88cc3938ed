"""The figures of the comparison of agents as tables, each with its head first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

Rows = Sequence[Mapping[str, Any]]


def table(rows: Rows) -> Iterator[tuple[Any, ...]]:
    """A line for each arm and kind of task."""
    yield (
        "arm",
        "kind",
        "solved",
        "first answer right",
        "calls",
        "calls per solved task",
        "uncached prompt tokens",
        "all",
    )
    for row in rows:
        if row.get("measure") == "summary":
            per = "" if row["calls_per_solved"] is None else f"{row['calls_per_solved']:.2f}"
            yield (
                *(row["arm"], row["kind"], f"{row['solved']}/{row['tasks']}", row["first_right"], row["calls"], per),
                *(f"{row['uncached']:,}", f"{row['prompt_tokens']:,}"),
            )


def answered_table(rows: Rows) -> Iterator[tuple[Any, ...]]:
    """A line for each kind of task and arm, with a strong model."""
    yield ("kind", "arm", "solved", "calls", "calls per solved task", "uncached prompt tokens", "all")
    for kind in dict.fromkeys(str(row["kind"]) for row in rows):
        for arm in sorted({str(row["arm"]) for row in rows}, reverse=True):
            mine = [row for row in rows if (row["kind"], row["arm"]) == (kind, arm)]
            solved, calls = sum(row["solved"] for row in mine), sum(row["calls"] for row in mine)
            yield (
                *(kind, arm, f"{solved}/{len(mine)}", calls, f"{calls / solved:.2f}" if solved else ""),
                *(f"{sum(row[name] for row in mine) // 4:,}" for name in ("uncached_letters", "prompt_letters")),
            )
