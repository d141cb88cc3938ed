"""Table families that change shape: group, join, pivot, add columns, dictionaries, lists of lists."""

from __future__ import annotations

from collections import Counter
from typing import Any

from evolve.tasks.suites import tables_values as values
from evolve.tasks.suites.everyday_build import Family, V
from evolve.tasks.suites.tables_values import ROWS, SCHEMAS, Table, each, picked

COUNTS, TABLE, TEXTS = ROWS.format("dict[str, int]"), ROWS.format("list[row]"), ROWS.format("list[str]")
INT, TEXT, LISTS = ROWS.format("int"), ROWS.format("str"), ROWS.format("dict[str, list[str]]")
MAP = "(mapping: dict[str, int]) -> {}"
MAPS = "(mapping: dict[str, int], other: dict[str, int]) -> {}"
GRID = "(rows: list[list[int]]) -> {}"
_DRAW = SCHEMAS[0].draw


def _grouped(rows: Table, group: str, column: str) -> dict[str, list[Any]]:
    """The cells of a column by group, groups in order of first appearance."""
    found: dict[str, list[Any]] = {}
    for row in rows:
        found.setdefault(row[group], []).append(row[column])
    return found


def _joined(left: Table, right: Table, key: str) -> Table:
    by_key = {row[key]: row for row in right}
    return [row | by_key[row[key]] for row in left]


def _common(rows: Table, column: str) -> str:
    """The most frequent cell, the first of equals."""
    return str(Counter(picked(rows, column)).most_common(1)[0][0])


def _without(row: dict[str, Any], column: str) -> dict[str, Any]:
    return {key: value for key, value in row.items() if key != column}


def _renamed(row: dict[str, Any], old: str, new: str) -> dict[str, Any]:
    return {new if key == old else key: value for key, value in row.items()}


def _added(first: dict[str, int], second: dict[str, int]) -> dict[str, int]:
    return {key: first.get(key, 0) + second.get(key, 0) for key in first | second}


def _columns(rows: list[list[Any]]) -> list[list[Any]]:
    return [list(column) for column in zip(*rows, strict=True)]


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

MAPPINGS = (
    Family(
        name="dictionary-parts",
        draw=values.tally,
        signature=MAP.format("list[str]"),
        variants=(
            V(1, "List the keys of the dictionary.", lambda m: list(m)),
            V(1, "List the values of the dictionary.", lambda m: list(m.values()), None, MAP.format("list[int]")),
            V(2, "List the keys in alphabetical order.", lambda m: sorted(m)),
            V(2, "List the values from small to large.", lambda m: sorted(m.values()), None, MAP.format("list[int]")),
            V(3, "Write the pairs as key=value.", lambda m: [f"{k}={v}" for k, v in m.items()]),
            V(3, "List the keys in the order of their values.", lambda m: sorted(m, key=m.__getitem__)),
            V(4, "List the keys with values over 20.", lambda m: [k for k, v in m.items() if v > 20]),
        ),
    ),
    Family(
        name="dictionary-numbers",
        draw=values.tally,
        signature=MAP.format("int"),
        variants=(
            V(1, "Count the keys.", lambda m: len(m)),
            V(2, "Add up the values.", lambda m: sum(m.values())),
            V(2, "Give the largest value.", lambda m: max(m.values())),
            V(3, "Give the key with the largest value.", lambda m: max(m, key=m.__getitem__), None, MAP.format("str")),
            V(3, "Give the key with the smallest value.", lambda m: min(m, key=m.__getitem__), None, MAP.format("str")),
            V(3, "Give the largest minus the smallest value.", lambda m: max(m.values()) - min(m.values())),
        ),
    ),
    Family(
        name="dictionary-changed",
        draw=values.tally,
        signature=MAP.format("dict[str, int]"),
        variants=(
            V(3, "Double every value.", lambda m: {k: 2 * v for k, v in m.items()}),
            V(3, "Write the keys in capitals.", lambda m: {k.upper(): v for k, v in m.items()}),
            V(4, "Keep the pairs with values over 30.", lambda m: {k: v for k, v in m.items() if v > 30}),
            V(
                4,
                "Keep the pairs whose key has more than four letters.",
                lambda m: {k: v for k, v in m.items() if len(k) > 4},
            ),
            V(3, "Replace every value by the length of its key.", lambda m: {k: len(k) for k in m}),
            V(
                5,
                "Give each value's share of the total in percent, one place.",
                lambda m: {k: round(100 * v / sum(m.values()), 1) for k, v in m.items()},
                None,
                MAP.format("dict[str, float]"),
            ),
        ),
    ),
    Family(
        name="dictionary-inverted",
        draw=values.code_book,
        signature="(mapping: dict[str, str]) -> dict[str, str]",
        variants=(
            V(3, "Swap keys and values.", lambda m: {v: k for k, v in m.items()}),
            V(
                4,
                "Swap keys and values and write the new values in lower case.",
                lambda m: {v: k.lower() for k, v in m.items()},
            ),
            V(4, "Replace every value by its first character.", lambda m: {k: v[0] for k, v in m.items()}),
            V(
                3,
                "List value-key for every pair.",
                lambda m: [f"{v}-{k}" for k, v in m.items()],
                None,
                "(mapping: dict[str, str]) -> list[str]",
            ),
        ),
    ),
    Family(
        name="dictionaries-merged",
        draw=values.two_tallies,
        signature=MAPS.format("dict[str, int]"),
        variants=(
            V(2, "Merge the dictionaries; the second one wins.", lambda m, o: m | o),
            V(3, "Merge the dictionaries; the first one wins.", lambda m, o: o | m),
            V(5, "Merge the dictionaries and add values with the same key.", _added),
            V(
                4,
                "List the keys both dictionaries have, in the order of the first.",
                lambda m, o: [k for k in m if k in o],
                None,
                MAPS.format("list[str]"),
            ),
            V(
                4,
                "Keep the pairs of the first whose key is not in the second.",
                lambda m, o: {k: v for k, v in m.items() if k not in o},
            ),
        ),
    ),
)

GRIDS = (
    Family(
        name="grid-column",
        draw=values.matrix,
        signature=GRID.format("list[int]"),
        variants=(
            *(
                V(2, f"List column {at + 1} of the table.", lambda rows, at=at: [r[at] for r in rows])
                for at in range(3)
            ),
            V(2, "List the last column of the table.", lambda rows: [r[-1] for r in rows]),
            V(1, "Give the last row of the table.", lambda rows: rows[-1]),
            V(4, "List the diagonal of the first three rows.", lambda rows: [rows[at][at] for at in range(3)]),
            V(2, "Write all cells in one list, row by row.", lambda rows: [x for r in rows for x in r]),
        ),
    ),
    Family(
        name="grid-totals",
        draw=values.matrix,
        signature=GRID.format("list[int]"),
        variants=(
            V(2, "Add up every row.", lambda rows: [sum(r) for r in rows]),
            V(4, "Add up every column.", lambda rows: [sum(c) for c in _columns(rows)]),
            V(2, "Give the largest cell of every row.", lambda rows: [max(r) for r in rows]),
            V(4, "Give the smallest cell of every column.", lambda rows: [min(c) for c in _columns(rows)]),
            V(3, "Add up all cells.", lambda rows: sum(map(sum, rows)), None, GRID.format("int")),
            V(3, "Give the largest cell of the table.", lambda rows: max(map(max, rows)), None, GRID.format("int")),
            *(
                V(3, f"Add up column {at + 1}.", lambda rows, at=at: sum(r[at] for r in rows), None, GRID.format("int"))
                for at in range(3)
            ),
        ),
    ),
    Family(
        name="grid-changed",
        draw=values.matrix,
        signature=GRID.format("list[list[int]]"),
        variants=(
            V(3, "Transpose the table.", _columns),
            V(2, "Reverse the order of the rows.", lambda rows: rows[::-1]),
            V(3, "Reverse every row.", lambda rows: [r[::-1] for r in rows]),
            V(3, "Sort every row.", lambda rows: [sorted(r) for r in rows]),
            *(
                V(3, f"Order the rows by column {at + 1}.", lambda rows, at=at: sorted(rows, key=lambda r: r[at]))
                for at in range(3)
            ),
            *(
                V(
                    3,
                    f"Keep the rows with more than 50 in column {at + 1}.",
                    lambda rows, at=at: [r for r in rows if r[at] > 50],
                )
                for at in range(3)
            ),
            V(4, "Append to every row its sum.", lambda rows: [[*r, sum(r)] for r in rows]),
            V(5, "Append a row with the sums of the columns.", lambda rows: [*rows, [sum(c) for c in _columns(rows)]]),
            V(2, "Drop the first column.", lambda rows: [r[1:] for r in rows]),
            V(4, "Swap the first two columns.", lambda rows: [[r[1], r[0], *r[2:]] for r in rows]),
            V(
                5,
                "Divide the table by its largest cell, two places.",
                lambda rows: [[round(x / max(map(max, rows)), 2) for x in r] for r in rows],
                None,
                GRID.format("list[list[float]]"),
            ),
        ),
    ),
    Family(
        name="header-and-rows",
        draw=values.headed,
        signature="(rows: list[list[any]]) -> list[row]",
        variants=(
            V(
                4,
                "Turn header and rows into dictionaries.",
                lambda rows: [dict(zip(rows[0], r, strict=True)) for r in rows[1:]],
            ),
            V(
                2,
                "Write the header with commas.",
                lambda rows: ",".join(rows[0]),
                None,
                "(rows: list[list[any]]) -> str",
            ),
            V(1, "Drop the header.", lambda rows: rows[1:], None, "(rows: list[list[any]]) -> list[list[any]]"),
            V(
                2,
                "Count the rows below the header.",
                lambda rows: len(rows) - 1,
                None,
                "(rows: list[list[any]]) -> int",
            ),
            V(
                4,
                "Turn dictionaries into a header and rows.",
                lambda rows: [list(rows[0]), *(list(r.values()) for r in rows)],
                lambda rng: rng.choice(SCHEMAS).draw(rng),
                ROWS.format("list[list[any]]"),
            ),
            V(
                2,
                "Give the names of the columns.",
                lambda rows: list(rows[0]),
                lambda rng: rng.choice(SCHEMAS).draw(rng),
                TEXTS,
            ),
            V(
                3,
                "Write the cells of each row with semicolons.",
                lambda rows: [";".join(map(str, r)) for r in rows],
                None,
                "(rows: list[list[any]]) -> list[str]",
            ),
        ),
    ),
    Family(
        name="text-rows",
        draw=values.text_rows,
        signature="(rows: list[list[str]]) -> list[str]",
        variants=(
            V(2, "Write each row with commas.", lambda rows: [",".join(r) for r in rows]),
            V(3, "Write each row as first (second).", lambda rows: [f"{r[0]} ({r[1]})" for r in rows]),
            V(3, "List the third column in capitals.", lambda rows: [r[2].upper() for r in rows]),
            V(3, "List the first column in alphabetical order.", lambda rows: sorted(r[0] for r in rows)),
            V(
                4,
                "Make a dictionary from first to third column.",
                lambda rows: {r[0]: r[2] for r in rows},
                None,
                "(rows: list[list[str]]) -> dict[str, str]",
            ),
            V(
                3,
                "Write one line per row, all in one text.",
                lambda rows: "\n".join(" ".join(r) for r in rows),
                None,
                "(rows: list[list[str]]) -> str",
            ),
            V(
                3,
                "Count the letters of every first cell.",
                lambda rows: [len(r[0]) for r in rows],
                None,
                "(rows: list[list[str]]) -> list[int]",
            ),
        ),
    ),
)
