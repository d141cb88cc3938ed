"""Table families that bring rows together by a column: group, count distinct, turn into a dictionary."""

from __future__ import annotations

from collections import Counter
from typing import Any

from benchmarks.suites.everyday_build import Family
from benchmarks.suites.tables_values import ROWS, SCHEMAS, Table, each, picked

INT = ROWS.format("int")
TEXT = ROWS.format("str")
TEXTS = ROWS.format("list[str]")
COUNTS = ROWS.format("dict[str, int]")
LISTS = ROWS.format("dict[str, list[str]]")
_DRAW = SCHEMAS[0].draw


def _grouped(rows: Table, group: str, column: str) -> dict[str, list[Any]]:
    """The cells of a column by group, groups in order of first appearance."""
    found: dict[str, list[Any]] = {}
    for row in rows:
        found.setdefault(row[group], []).append(row[column])
    return found


def _common(rows: Table, column: str) -> str:
    """The most frequent cell, the first of equals."""
    return str(Counter(picked(rows, column)).most_common(1)[0][0])


GROUPS = (
    Family(
        name="group-counts",
        draw=_DRAW,
        variants=(
            *each(
                4, "Count the rows by {t.group}.", lambda t: lambda rows: dict(Counter(picked(rows, t.group))), COUNTS
            ),
        ),
    ),
    Family(
        name="group-sums",
        draw=_DRAW,
        variants=(
            *each(
                5,
                "Add up {t.a} by {t.group}.",
                lambda t: lambda rows: {k: sum(v) for k, v in _grouped(rows, t.group, t.a).items()},
                COUNTS,
            ),
        ),
    ),
    Family(
        name="group-largest",
        draw=_DRAW,
        variants=(
            *each(
                5,
                "Give the largest {t.b} by {t.group}.",
                lambda t: lambda rows: {k: max(v) for k, v in _grouped(rows, t.group, t.b).items()},
                COUNTS,
                step=2,
            ),
        ),
    ),
    Family(
        name="group-labels",
        draw=_DRAW,
        variants=(
            *each(
                5,
                "List {t.label} by {t.group}.",
                lambda t: lambda rows: _grouped(rows, t.group, t.label),
                LISTS,
                step=2,
            ),
        ),
    ),
    Family(
        name="group-common",
        draw=_DRAW,
        variants=(
            *each(
                4,
                "Give the most frequent {t.group}, the first of equals.",
                lambda t: lambda rows: _common(rows, t.group),
                TEXT,
                step=2,
            ),
        ),
    ),
    Family(
        name="distinct-groups",
        draw=_DRAW,
        variants=(
            *each(
                3,
                "List the distinct values of {t.group} in order of appearance.",
                lambda t: lambda rows: list(dict.fromkeys(picked(rows, t.group))),
                TEXTS,
            ),
            *each(
                3,
                "List the distinct values of {t.group} in alphabetical order.",
                lambda t: lambda rows: sorted(set(picked(rows, t.group))),
                TEXTS,
                step=2,
            ),
        ),
    ),
    Family(
        name="distinct-count",
        draw=_DRAW,
        variants=(
            *each(
                3,
                "Count the distinct values of {t.group}.",
                lambda t: lambda rows: len(set(picked(rows, t.group))),
                INT,
                step=2,
            ),
        ),
    ),
    Family(
        name="pivot-to-dictionary",
        draw=_DRAW,
        variants=(
            *each(
                3,
                "Make a dictionary from {t.label} to {t.a}.",
                lambda t: lambda rows: {r[t.label]: r[t.a] for r in rows},
                COUNTS,
            ),
            *each(
                3,
                "Make a dictionary from {t.label} to {t.group}.",
                lambda t: lambda rows: {r[t.label]: r[t.group] for r in rows},
                ROWS.format("dict[str, str]"),
                step=2,
            ),
            *each(
                4,
                "Make a dictionary from {t.label} to {t.a} times {t.b}.",
                lambda t: lambda rows: {r[t.label]: r[t.a] * r[t.b] for r in rows},
                COUNTS,
                step=3,
            ),
        ),
    ),
)
