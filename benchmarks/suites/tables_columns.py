"""Table families about columns: list, add, drop, rename, change and join them."""

from __future__ import annotations

from typing import Any

from benchmarks.suites.everyday_build import Family
from benchmarks.suites.tables_values import ROWS, SCHEMAS, Table, each, picked

INTS = ROWS.format("list[int]")
INT = ROWS.format("int")
TEXT = ROWS.format("str")
TEXTS = ROWS.format("list[str]")
TABLE = ROWS.format("list[row]")
_DRAW = SCHEMAS[0].draw


def _joined(left: Table, right: Table, key: str) -> Table:
    by_key = {row[key]: row for row in right}
    return [row | by_key[row[key]] for row in left]


def _without(row: dict[str, Any], column: str) -> dict[str, Any]:
    return {key: value for key, value in row.items() if key != column}


def _renamed(row: dict[str, Any], old: str, new: str) -> dict[str, Any]:
    return {new if key == old else key: value for key, value in row.items()}


PROJECT = (
    Family(
        name="column-labels",
        draw=_DRAW,
        variants=(
            *each(1, "List the column {t.label}.", lambda t: lambda rows: picked(rows, t.label), TEXTS),
            *each(1, "List the column {t.group}.", lambda t: lambda rows: picked(rows, t.group), TEXTS, step=2),
        ),
    ),
    Family(
        name="column-numbers",
        draw=_DRAW,
        variants=(
            *each(1, "List the column {t.a}.", lambda t: lambda rows: picked(rows, t.a), INTS),
            *each(1, "List the column {t.b}.", lambda t: lambda rows: picked(rows, t.b), INTS, step=2),
        ),
    ),
    Family(
        name="column-joined",
        draw=_DRAW,
        variants=(
            *each(
                2,
                "Write the {t.label} column as one text with commas and blanks.",
                lambda t: lambda rows: ", ".join(picked(rows, t.label)),
                TEXT,
                step=2,
            ),
            *each(
                3,
                "Write the {t.label} column in capitals, separated by bars.",
                lambda t: lambda rows: "|".join(picked(rows, t.label)).upper(),
                TEXT,
                step=3,
            ),
        ),
    ),
    Family(
        name="column-changed",
        draw=_DRAW,
        variants=(
            *each(
                2, "List twice the {t.a} of every row.", lambda t: lambda rows: [2 * r[t.a] for r in rows], INTS, step=2
            ),
            *each(
                3,
                "List {t.a} times {t.b} of every row.",
                lambda t: lambda rows: [r[t.a] * r[t.b] for r in rows],
                INTS,
                step=2,
            ),
            *each(
                3,
                "List {t.b} minus {t.a} of every row.",
                lambda t: lambda rows: [r[t.b] - r[t.a] for r in rows],
                INTS,
                step=2,
            ),
        ),
    ),
    Family(
        name="column-phrases",
        draw=_DRAW,
        variants=(
            *each(
                3,
                "Write each row as {t.label} ({t.group}).",
                lambda t: lambda rows: [f"{r[t.label]} ({r[t.group]})" for r in rows],
                TEXTS,
            ),
            *each(
                3,
                "Write each row as {t.label}: {t.a}.",
                lambda t: lambda rows: [f"{r[t.label]}: {r[t.a]}" for r in rows],
                TEXTS,
                step=2,
            ),
        ),
    ),
    Family(
        name="first-or-last-row",
        draw=_DRAW,
        variants=(
            *each(1, "Give the {t.label} of the first row.", lambda t: lambda rows: rows[0][t.label], TEXT, step=2),
            *each(1, "Give the {t.a} of the last row.", lambda t: lambda rows: rows[-1][t.a], INT, step=2),
        ),
    ),
)

COLUMNS = (
    Family(
        name="add-total-column",
        draw=_DRAW,
        variants=(
            *each(
                4,
                "Add the column total: {t.a} times {t.b}.",
                lambda t: lambda rows: [r | {"total": r[t.a] * r[t.b]} for r in rows],
                TABLE,
            ),
            *each(
                4,
                "Add the column sum: {t.a} plus {t.b}.",
                lambda t: lambda rows: [r | {"sum": r[t.a] + r[t.b]} for r in rows],
                TABLE,
                step=2,
            ),
        ),
    ),
    Family(
        name="add-label-column",
        draw=_DRAW,
        variants=(
            *each(
                5,
                "Add the column level: high where {t.a} is over {t.cut}, else low.",
                lambda t: lambda rows: [r | {"level": "high" if r[t.a] > t.cut else "low"} for r in rows],
                TABLE,
                step=2,
            ),
        ),
    ),
    Family(
        name="add-number-column",
        draw=_DRAW,
        variants=(
            *each(
                4,
                "Add the column nr that numbers the rows from 1.",
                lambda t: lambda rows: [r | {"nr": at} for at, r in enumerate(rows, start=1)],
                TABLE,
                step=20,
            ),
        ),
    ),
    Family(
        name="drop-column",
        draw=_DRAW,
        variants=(
            *each(3, "Drop the column {t.group}.", lambda t: lambda rows: [_without(r, t.group) for r in rows], TABLE),
            *each(3, "Drop the column {t.b}.", lambda t: lambda rows: [_without(r, t.b) for r in rows], TABLE, step=2),
        ),
    ),
    Family(
        name="keep-columns",
        draw=_DRAW,
        variants=(
            *each(
                3,
                "Keep the columns {t.label} and {t.a}.",
                lambda t: lambda rows: [{k: r[k] for k in (t.label, t.a)} for r in rows],
                TABLE,
            ),
        ),
    ),
    Family(
        name="rename-column",
        draw=_DRAW,
        variants=(
            *each(
                4,
                "Rename the column {t.label} to id.",
                lambda t: lambda rows: [_renamed(r, t.label, "id") for r in rows],
                TABLE,
                step=2,
            ),
            *each(
                4,
                "Rename the column {t.a} to value.",
                lambda t: lambda rows: [_renamed(r, t.a, "value") for r in rows],
                TABLE,
                step=2,
            ),
        ),
    ),
    Family(
        name="change-column",
        draw=_DRAW,
        variants=(
            *each(
                4,
                "Add 10 to {t.a} in every row.",
                lambda t: lambda rows: [r | {t.a: r[t.a] + 10} for r in rows],
                TABLE,
                step=2,
            ),
            *each(
                4,
                "Write {t.label} in capitals in every row.",
                lambda t: lambda rows: [r | {t.label: r[t.label].upper()} for r in rows],
                TABLE,
                step=2,
            ),
        ),
    ),
    Family(
        name="fill-missing",
        draw=_DRAW,
        variants=(
            *each(
                5,
                "Put 0 where {t.a} is missing.",
                lambda t: lambda rows: [r | {t.a: 0 if r[t.a] is None else r[t.a]} for r in rows],
                TABLE,
                draw="draw_gappy",
                step=2,
            ),
            *each(
                4,
                "Add up {t.a}; missing cells count as 0.",
                lambda t: lambda rows: sum(r[t.a] or 0 for r in rows),
                INT,
                draw="draw_gappy",
                step=2,
            ),
        ),
    ),
    Family(
        name="join-tables",
        draw=_DRAW,
        variants=(
            *each(
                5,
                "Join the two tables by {t.label}.",
                lambda t: lambda rows, others: _joined(rows, others, t.label),
                "(rows: list[row], others: list[row]) -> list[row]",
                draw="draw_pair",
            ),
            *each(
                5,
                "List {t.b} from the second table in the order of the first.",
                lambda t: lambda rows, others: picked(_joined(rows, others, t.label), t.b),
                "(rows: list[row], others: list[row]) -> list[int]",
                draw="draw_pair",
                step=2,
            ),
        ),
    ),
    Family(
        name="row-to-text",
        draw=_DRAW,
        variants=(
            *each(
                3,
                "Write the rows as lines of comma-separated values.",
                lambda t: lambda rows: [",".join(str(v) for v in r.values()) for r in rows],
                TEXTS,
                step=20,
            ),
            *each(
                4,
                "Write each row as {t.group}/{t.label} = {t.b}.",
                lambda t: lambda rows: [f"{r[t.group]}/{r[t.label]} = {r[t.b]}" for r in rows],
                TEXTS,
                step=2,
            ),
        ),
    ),
)
