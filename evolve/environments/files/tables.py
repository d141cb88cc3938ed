"""Files of data in short: what their columns hold and how they begin, in place of all their rows."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence

SMALL = 1_200
"""Characters of a file of data that is shown whole."""

_OBJECTS = ("jsonl", "ndjson")
"""Endings of files with one JSON object on each line."""

_FIRST = 3
_FEW = 5
"""Different values of a column that are listed."""

_LONGEST_VALUE = 40
_LONGEST_LINE = 240
_MOST_COLUMNS = 30


def is_table(name: str) -> bool:
    """Whether a file's name says that it holds a table."""
    return name.casefold().rpartition(".")[2] in ("csv", "tsv", *_OBJECTS)


def short_table(name: str, text: str) -> str:
    """The columns of a table with the kinds of their values, and its first lines; "" for what is short or no table."""
    if len(text) <= SMALL or not is_table(name):
        return ""
    ending = name.casefold().rpartition(".")[2]
    rows = _objects(text) if ending in _OBJECTS else _separated(text, "\t" if ending == "tsv" else "")
    if len(rows) <= _FIRST + 1:
        return ""
    head, *rest = rows
    columns = [
        f"  {column}: {_held([row[place] if place < len(row) else '' for row in rest])}"
        for place, column in enumerate(head[:_MOST_COLUMNS])
    ]
    more = [f"  and {len(head) - _MOST_COLUMNS} more columns"] if len(head) > _MOST_COLUMNS else []
    first = [line[:_LONGEST_LINE] for line in text.split("\n")[: _FIRST + 1]]
    return "\n".join([*first, f"... {len(rest) - _FIRST:,} more rows; of all {len(rest):,}", *columns, *more])


def _separated(text: str, delimiter: str) -> list[list[str]]:
    """The rows of a table, the first of which names the columns; [] where rows differ in length."""
    try:
        comma = delimiter or csv.Sniffer().sniff(text[:4_000], ",;|\t").delimiter
        rows = [row for row in csv.reader(io.StringIO(text), delimiter=comma) if row]
    except csv.Error:
        return []
    return rows if len({len(row) for row in rows}) == 1 and len(rows[0]) > 1 else []


def _objects(text: str) -> list[list[str]]:
    """The objects of a file with one on each line as rows, below the names of their fields."""
    try:
        objects = [json.loads(line) for line in text.split("\n") if line.strip()]
    except (ValueError, RecursionError):
        return []
    if not all(isinstance(each, dict) for each in objects):
        return []
    names = list(dict.fromkeys(name for each in objects for name in each))
    return [names, *([_written(each.get(name, "")) for name in names] for each in objects)]


def _written(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _held(values: Sequence[str]) -> str:
    """What the values of a column are, in a few words."""
    filled = [value for value in values if value.strip()]
    different = list(dict.fromkeys(filled))
    numbers = [number for value in filled if (number := _number(value)) is not None]
    if filled and len(numbers) == len(filled):
        kind = f"numbers, {min(numbers):g} to {max(numbers):g}"
    elif len(different) <= _FEW:
        kind = ", ".join(f"{value[:_LONGEST_VALUE]!r} {filled.count(value)} times" for value in different)
    else:
        some = f", {len(numbers)} of them numbers" if numbers else ""
        kind = f"{len(different)} different texts{some}, such as {different[-1][:_LONGEST_VALUE]!r}"
    empty = len(values) - len(filled)
    return kind + (f"{'; ' if kind else ''}{empty} empty" if empty else "")


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
