"""Tables as tasks: a header names the arguments, the last column is the output."""

from __future__ import annotations

import csv
import io
import itertools
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass

from evolve.episodes import Json, Row
from evolve.tasks.reading.assemble import PlacedRow, RawTask, name_meta
from evolve.tasks.reading.limits import Place, scalar_problem
from evolve.tasks.signature import argument_name, is_plain_name

LONGEST_NUMBER = 300
"""Digits; longer cells stay text."""

_LABEL = re.compile(r"[\w-]+(?: [\w-]+){0,3}\Z")


@dataclass(frozen=True, kw_only=True)
class _Table:
    labels: list[str]
    cells: list[list[str]]
    lines: list[int]


def parse_table(text: str, *, file: str, name: str, delimiter: str = ",", header: bool = True) -> RawTask:
    """One task from a CSV or TSV text.

    A column is numeric only if every cell survives the way to a number and back, so codes with
    leading zeros stay text; an empty cell is "".

    Raises:
        TaskError: For ragged rows, broken quoting, fewer than two columns, or no rows.
    """
    table = _read(text, file, delimiter, header)
    columns = [_typed([row[position] for row in table.cells]) for position in range(len(table.labels))]
    rows: list[PlacedRow] = []
    for line, values in zip(table.lines, zip(*columns, strict=True), strict=True):
        place = Place(file=file, line=line)
        for label, value in zip(table.labels, values, strict=True):
            problem = scalar_problem(value)  # a cell is one value; places are made for those few that are refused
            if problem:
                raise place.at(label or "column").error(problem)
        rows.append(PlacedRow(row=Row(input=tuple(values[:-1]), output=values[-1]), place=place))
    return RawTask(
        id=name,
        place=Place(file=file),
        examples=rows,
        instruction=_instruction(table.labels, header),
        names=_argument_names(table.labels[:-1]),
        meta=name_meta(name),
    )


def _read(text: str, file: str, delimiter: str, header: bool) -> _Table:
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    cells: list[list[str]] = []
    lines: list[int] = []
    line = 1
    try:
        for row in reader:
            if row:
                cells.append(row)
                lines.append(line)
            line = reader.line_num + 1
    except csv.Error as error:
        raise Place(file=file, line=line).error(f"not a well-formed table: {error}") from error
    if not cells:
        raise Place(file=file).error("the table has no rows")
    labels = [cell.strip() for cell in cells[0]] if header else [""] * len(cells[0])
    if header:
        del cells[0]
    first = lines.pop(0) if header else lines[0]
    _check_width(labels, cells, lines, Place(file=file, line=first), delimiter)
    return _Table(labels=labels, cells=cells, lines=lines)


def _check_width(labels: list[str], cells: list[list[str]], lines: list[int], first: Place, delimiter: str) -> None:
    if len(labels) < 2:
        other = next((mark for mark in (";", "\t", ",", "|") if mark != delimiter and mark in labels[0]), "")
        hint = f"the columns seem to be separated by {other!r}; use {delimiter!r}" if other else ""
        raise first.error("at least two columns are needed: the arguments, then the output", hint=hint)
    if not labels[-1] and cells and not any(row[-1].strip() for row in cells if len(row) == len(labels)):
        raise first.error(
            f"column {len(labels)}, the last one and so the output, has neither a name nor a value",
            hint="take the comma from the end of each line",
        )
    if not cells:
        raise first.error("the table has a header but no rows", hint="use --no-header if the first line is a row")
    for row, line in zip(cells, lines, strict=True):
        if len(row) != len(labels):
            raise Place(file=first.file, line=line).error(
                f"{len(row)} cell{'s' * (len(row) != 1)} where the table has {len(labels)} columns"
            )


def _typed(column: list[str]) -> list[Json]:
    kinds = {_kind(cell) for cell in column}
    if kinds <= {"int"}:
        return [int(cell) for cell in column]
    if kinds <= {"int", "float"}:
        return [float(cell) for cell in column]
    return list(column)


def _kind(cell: str) -> str:
    if len(cell) > LONGEST_NUMBER or not cell.isascii():
        return "str"
    try:
        if str(int(cell)) == cell:
            return "int"
    except ValueError:
        pass
    try:
        number = float(cell)
    except ValueError:
        return "str"
    return "float" if math.isfinite(number) and repr(number) == cell else "str"


def _argument_names(labels: list[str]) -> list[str]:
    names: dict[str, None] = {}
    numbers: dict[str, Iterator[int]] = {}
    for position, label in enumerate(labels, start=1):
        base = name = argument_name(label if is_plain_name(label) else "", position)
        while name in names:
            name = f"{base}_{next(numbers.setdefault(base, itertools.count(2)))}"
        names[name] = None
    return list(names)


def _is_plain(label: str) -> bool:
    """Whether a label can stand in an instruction: a file may come from anybody, and a long one could be an order."""
    return is_plain_name(label) and bool(_LABEL.match(label))


def _instruction(labels: list[str], header: bool) -> str:
    if not header or not all(map(_is_plain, labels)):
        return "Give the last column from the others."
    *inputs, output = labels
    listed = inputs[0] if len(inputs) == 1 else ", ".join(inputs[:-1]) + " and " + inputs[-1]
    return f"Give {output} from {listed}."
