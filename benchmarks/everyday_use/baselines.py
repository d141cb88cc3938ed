"""What little would do: the most common value, a copy of the nearest row, columns and constants joined."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from difflib import SequenceMatcher

from benchmarks.everyday_use.counting import counted, share
from benchmarks.everyday_use.table import Cells, Table, same

Filler = Callable[[Sequence[Cells], Sequence[str], Cells], str]
"""Gives a cell from the inputs of the filled rows, their target's cells, and the inputs of a blank row."""

Piece = int | str
"""A column by its place, or a constant."""

PLANS = 2_000
"""Most ways to cut the first cell that are tried."""


def most_common(inputs: Sequence[Cells], outputs: Sequence[str], asked: Cells) -> str:
    """The most common filled cell, the first of those that are equally common."""
    del inputs, asked
    return Counter(outputs).most_common(1)[0][0]


def nearest_row(inputs: Sequence[Cells], outputs: Sequence[str], asked: Cells) -> str:
    """The filled cell of the row whose inputs look most like those asked."""
    wanted = "\t".join(asked)
    likeness = [SequenceMatcher(None, "\t".join(row), wanted, autojunk=False).ratio() for row in inputs]
    return outputs[likeness.index(max(likeness))]


def concatenation(inputs: Sequence[Cells], outputs: Sequence[str], asked: Cells) -> str:
    """Columns and constants one after the other, as they give every filled cell; "" where no such plan is found."""
    for count, plan in enumerate(_plans(inputs[0], outputs[0])):
        if count >= PLANS:
            break
        if any(isinstance(piece, int) for piece in plan) and all(
            same(_joined(plan, row), output) for row, output in zip(inputs, outputs, strict=True)
        ):
            return _joined(plan, asked)
    return ""


def _joined(plan: Sequence[Piece], row: Cells) -> str:
    return "".join(row[piece] if isinstance(piece, int) else piece for piece in plan)


def _plans(row: Cells, text: str) -> Iterator[tuple[Piece, ...]]:
    """Ways to make the text of the row's cells and constants; those with columns in early places first."""
    if not text:
        yield ()
        return
    for place, cell in enumerate(row):
        if cell and text.startswith(cell):
            for rest in _plans(row, text[len(cell) :]):
                yield (place, *rest)
    for length in range(1, len(text) + 1):
        # A constant ends where a column begins, or at the end: two in a row would be one.
        rest_of = text[length:]
        if not rest_of:
            yield (text,)
        elif any(cell and rest_of.startswith(cell) for cell in row):
            for rest in _plans(row, rest_of):
                if isinstance(rest[0], int):
                    yield (text[:length], *rest)


BASELINES: dict[str, Filler] = {
    "most common value": most_common,
    "copy of the nearest row": nearest_row,
    "concatenation only": concatenation,
}


def measured(table: Table) -> dict[str, dict[str, int]]:
    """Outcomes of the blank cells of a table, per baseline."""
    inputs = [table.inputs(place) for place in table.filled]
    outputs = [table.shown[place][table.target] for place in table.filled]
    found = {}
    for name, fill in BASELINES.items():
        cells = [row[table.target] for row in table.shown]
        for place in table.blank:
            cells[place] = fill(inputs, outputs, table.inputs(place))
        found[name] = counted(cells, table.truth, set(), table.blank)
    return found


def figures(tables: Sequence[Table]) -> list[dict[str, object]]:
    """Per baseline the outcomes over all tables, and how many tables are right in every blank cell."""
    each = [measured(table) for table in tables]
    rows: list[dict[str, object]] = []
    for name in BASELINES:
        mine = [one[name] for one in each]
        total = {key: sum(one[key] for one in mine) for key in mine[0]} if mine else {}
        right = sum(one["right"] == sum(one.values()) for one in mine)
        rows.append({"baseline": name, "tables": len(mine), "tables_right": right, **total})
    return rows


def shown(rows: Sequence[dict[str, object]]) -> list[str]:
    """Lines for a terminal."""
    lines = []
    for row in rows:
        counts = {name: int(str(row[name])) for name in ("right", "wrong", "empty")}
        of = sum(counts.values())
        parts = "; ".join(f"{name} {count} ({share(count, of) or 0:.0%})" for name, count in counts.items())
        lines.append(f"baseline, {row['baseline']}: {row['tables_right']} tables right; cells {parts}")
    return lines
