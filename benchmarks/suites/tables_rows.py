"""Table families about rows: filter, order, look up."""

from __future__ import annotations

from benchmarks.suites.everyday_build import Family
from benchmarks.suites.tables_values import ROWS, SCHEMAS, each, only, over, picked, ranked

TEXT = ROWS.format("str")
TEXTS = ROWS.format("list[str]")
TABLE = ROWS.format("list[row]")
_DRAW = SCHEMAS[0].draw

FILTERS = (
    Family(
        name="rows-of-group",
        draw=_DRAW,
        variants=(
            *each(
                3,
                "Keep the rows whose {t.group} is {t.groups[0]}.",
                lambda t: lambda rows: only(rows, t.group, t.groups[0]),
                TABLE,
            ),
            *each(
                3,
                "Drop the rows whose {t.group} is {t.groups[1]}.",
                lambda t: lambda rows: [r for r in rows if r[t.group] != t.groups[1]],
                TABLE,
                step=2,
            ),
        ),
    ),
    Family(
        name="rows-over-limit",
        draw=_DRAW,
        variants=(
            *each(3, "Keep the rows with {t.a} over {t.cut}.", lambda t: lambda rows: over(rows, t.a, t.cut), TABLE),
        ),
    ),
    Family(
        name="labels-of-group",
        draw=_DRAW,
        variants=(
            *each(
                3,
                "List {t.label} where {t.group} is {t.groups[2]}.",
                lambda t: lambda rows: picked(only(rows, t.group, t.groups[2]), t.label),
                TEXTS,
            ),
        ),
    ),
    Family(
        name="labels-over-limit",
        draw=_DRAW,
        variants=(
            *each(
                3,
                "List {t.label} where {t.a} is over {t.cut}.",
                lambda t: lambda rows: picked(over(rows, t.a, t.cut), t.label),
                TEXTS,
            ),
        ),
    ),
    Family(
        name="labels-compared",
        draw=_DRAW,
        variants=(
            *each(
                4,
                "List {t.label} where {t.a} is less than {t.b}.",
                lambda t: lambda rows: [r[t.label] for r in rows if r[t.a] < r[t.b]],
                TEXTS,
                step=4,
            ),
        ),
    ),
    Family(
        name="rows-given-group",
        draw=_DRAW,
        variants=(
            *each(
                3,
                "Keep the rows of the given {t.group}.",
                lambda t: lambda rows, value: only(rows, t.group, value),
                "(rows: list[row], value: str) -> list[row]",
                draw="draw_with_group",
            ),
        ),
    ),
    Family(
        name="rows-given-limit",
        draw=_DRAW,
        variants=(
            *each(
                4,
                "List {t.label} where {t.a} is over the given number.",
                lambda t: lambda rows, limit: picked(over(rows, t.a, limit), t.label),
                "(rows: list[row], limit: int) -> list[str]",
                draw="draw_with_number",
            ),
        ),
    ),
    Family(
        name="rows-two-conditions",
        draw=_DRAW,
        variants=(
            *each(
                5,
                "List {t.label} where {t.group} is {t.groups[0]} and {t.a} is over {t.cut}.",
                lambda t: lambda rows: picked(over(only(rows, t.group, t.groups[0]), t.a, t.cut), t.label),
                TEXTS,
            ),
        ),
    ),
    Family(
        name="rows-complete",
        draw=_DRAW,
        variants=(
            *each(
                3,
                "Keep the rows that have a {t.a}.",
                lambda t: lambda rows: [r for r in rows if r[t.a] is not None],
                TABLE,
                draw="draw_gappy",
                step=2,
            ),
            *each(
                4,
                "List {t.label} where {t.a} is missing.",
                lambda t: lambda rows: [r[t.label] for r in rows if r[t.a] is None],
                TEXTS,
                draw="draw_gappy",
                step=2,
            ),
        ),
    ),
)

ORDER = (
    Family(
        name="sort-rows",
        draw=_DRAW,
        variants=(
            *each(2, "Order the rows by {t.a}.", lambda t: lambda rows: ranked(rows, t.a), TABLE),
            *each(
                3,
                "Order the rows by {t.b}, largest first.",
                lambda t: lambda rows: ranked(rows, t.b, down=True),
                TABLE,
                step=2,
            ),
            *each(2, "Order the rows by {t.label}.", lambda t: lambda rows: ranked(rows, t.label), TABLE, step=3),
        ),
    ),
    Family(
        name="sorted-labels",
        draw=_DRAW,
        variants=(
            *each(
                3,
                "List {t.label} in the order of {t.a}, largest first.",
                lambda t: lambda rows: picked(ranked(rows, t.a, down=True), t.label),
                TEXTS,
            ),
        ),
    ),
    Family(
        name="label-of-largest",
        draw=_DRAW,
        variants=(
            *each(
                3,
                "Give the {t.label} with the largest {t.a}.",
                lambda t: lambda rows: ranked(rows, t.a)[-1][t.label],
                TEXT,
            ),
        ),
    ),
    Family(
        name="label-of-smallest",
        draw=_DRAW,
        variants=(
            *each(
                3,
                "Give the {t.label} with the smallest {t.b}.",
                lambda t: lambda rows: ranked(rows, t.b)[0][t.label],
                TEXT,
            ),
        ),
    ),
    Family(
        name="top-two",
        draw=_DRAW,
        variants=(
            *each(
                4,
                "List the {t.label} of the two rows with the largest {t.a}.",
                lambda t: lambda rows: picked(ranked(rows, t.a, down=True)[:2], t.label),
                TEXTS,
            ),
        ),
    ),
    Family(
        name="top-rows",
        draw=_DRAW,
        variants=(
            *each(
                3,
                "Keep the two rows with the smallest {t.b}, smallest first.",
                lambda t: lambda rows: ranked(rows, t.b)[:2],
                TABLE,
                step=2,
            ),
            *each(
                4,
                "Keep the three rows with the largest {t.a}, largest first.",
                lambda t: lambda rows: ranked(rows, t.a, down=True)[:3],
                TABLE,
                step=2,
            ),
        ),
    ),
    Family(
        name="sort-by-two",
        draw=_DRAW,
        variants=(
            *each(
                5,
                "List {t.label} ordered by {t.group}, then by {t.a}.",
                lambda t: lambda rows: [r[t.label] for r in sorted(rows, key=lambda r: (r[t.group], r[t.a]))],
                TEXTS,
                step=2,
            ),
        ),
    ),
    Family(
        name="look-up",
        draw=_DRAW,
        variants=(
            *each(
                4,
                "Give the {t.a} of the given {t.label}.",
                lambda t: lambda rows, key: only(rows, t.label, key)[0][t.a],
                "(rows: list[row], key: str) -> int",
                draw="draw_with_label",
            ),
            *each(
                4,
                "Give the {t.group} of the given {t.label}.",
                lambda t: lambda rows, key: only(rows, t.label, key)[0][t.group],
                "(rows: list[row], key: str) -> str",
                draw="draw_with_label",
                step=2,
            ),
        ),
    ),
    Family(
        name="look-up-or-zero",
        draw=_DRAW,
        branch=lambda rows, key: any(key in r.values() for r in rows),
        variants=(
            *each(
                5,
                "Give the {t.b} of the given {t.label}, 0 where it is not in the table.",
                lambda t: lambda rows, key: next((r[t.b] for r in rows if r[t.label] == key), 0),
                "(rows: list[row], key: str) -> int",
                draw="draw_with_any_label",
                step=2,
            ),
        ),
    ),
)
