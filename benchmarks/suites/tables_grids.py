"""Table families about lists of lists: columns, totals, transposing, headers."""

from __future__ import annotations

from typing import Any

from benchmarks.suites import tables_values as values
from benchmarks.suites.everyday_build import Family, V
from benchmarks.suites.tables_values import ROWS, SCHEMAS

TEXTS = ROWS.format("list[str]")
GRID = "(rows: list[list[int]]) -> {}"


def _columns(rows: list[list[Any]]) -> list[list[Any]]:
    return [list(column) for column in zip(*rows, strict=True)]


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
