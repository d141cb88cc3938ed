"""Table families about totals: sums, means, counts and extremes of a column, or of a part of its rows."""

from __future__ import annotations

from benchmarks.suites.everyday_build import Family
from benchmarks.suites.tables_values import ROWS, SCHEMAS, each, mean, only, over, picked

INTS = ROWS.format("list[int]")
INT = ROWS.format("int")
FLOAT = ROWS.format("float")
BOOL = ROWS.format("bool")
_DRAW = SCHEMAS[0].draw

TOTALS = (
    Family(
        name="column-sum",
        draw=_DRAW,
        variants=(
            *each(2, "Add up the column {t.a}.", lambda t: lambda rows: sum(picked(rows, t.a)), INT),
            *each(2, "Add up the column {t.b}.", lambda t: lambda rows: sum(picked(rows, t.b)), INT, step=3),
        ),
    ),
    Family(
        name="column-mean",
        draw=_DRAW,
        variants=(
            *each(3, "Give the mean of {t.a}, two places.", lambda t: lambda rows: mean(picked(rows, t.a)), FLOAT),
        ),
    ),
    Family(
        name="column-largest",
        draw=_DRAW,
        variants=(*each(2, "Give the largest {t.a}.", lambda t: lambda rows: max(picked(rows, t.a)), INT),),
    ),
    Family(
        name="column-smallest",
        draw=_DRAW,
        variants=(*each(2, "Give the smallest {t.b}.", lambda t: lambda rows: min(picked(rows, t.b)), INT),),
    ),
    Family(
        name="column-spread",
        draw=_DRAW,
        variants=(
            *each(
                3,
                "Give the largest minus the smallest {t.a}.",
                lambda t: lambda rows: max(picked(rows, t.a)) - min(picked(rows, t.a)),
                INT,
                step=2,
            ),
        ),
    ),
    Family(
        name="sum-of-products",
        draw=_DRAW,
        variants=(
            *each(
                3,
                "Add up {t.a} times {t.b} over the rows.",
                lambda t: lambda rows: sum(r[t.a] * r[t.b] for r in rows),
                INT,
            ),
        ),
    ),
    Family(
        name="running-total",
        draw=_DRAW,
        variants=(
            *each(
                4,
                "List the running total of {t.a}.",
                lambda t: lambda rows: [sum(picked(rows[: at + 1], t.a)) for at in range(len(rows))],
                INTS,
                step=2,
            ),
        ),
    ),
    Family(
        name="count-of-group",
        draw=_DRAW,
        variants=(
            *each(
                3,
                "Count the rows whose {t.group} is {t.groups[0]}.",
                lambda t: lambda rows: len(only(rows, t.group, t.groups[0])),
                INT,
            ),
        ),
    ),
    Family(
        name="count-over-limit",
        draw=_DRAW,
        variants=(
            *each(
                3, "Count the rows with {t.a} over {t.cut}.", lambda t: lambda rows: len(over(rows, t.a, t.cut)), INT
            ),
        ),
    ),
    Family(
        name="sum-of-group",
        draw=_DRAW,
        variants=(
            *each(
                4,
                "Add up {t.b} where {t.group} is {t.groups[1]}.",
                lambda t: lambda rows: sum(picked(only(rows, t.group, t.groups[1]), t.b)),
                INT,
            ),
        ),
    ),
    Family(
        name="mean-of-group",
        draw=_DRAW,
        variants=(
            *each(
                5,
                "Give the mean {t.a} where {t.group} is {t.groups[0]}, two places, 0 if there is none.",
                lambda t: lambda rows: mean(picked(only(rows, t.group, t.groups[0]), t.a)),
                FLOAT,
                step=2,
            ),
        ),
    ),
    Family(
        name="any-over-limit",
        draw=_DRAW,
        variants=(
            *each(
                3,
                "Answer whether every {t.a} is over {t.cut}.",
                lambda t: lambda rows: min(picked(rows, t.a)) > t.cut,
                BOOL,
                step=3,
                draw="draw",
            ),
            *each(
                3,
                "Answer whether any {t.group} is {t.groups[2]}.",
                lambda t: lambda rows: t.groups[2] in picked(rows, t.group),
                BOOL,
                step=2,
            ),
        ),
    ),
)
