"""Tables as tasks: a header names the arguments, one column is the output."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from evolve.core.episodes import Json, Row
from evolve.core.errors import UsageError
from evolve.tasks.reading.assemble import PlacedRow, RawTask, name_meta
from evolve.tasks.reading.labels import argument_names, instruction_of
from evolve.tasks.reading.limits import FilePosition, check_file, scalar_problem
from evolve.tasks.tables import (
    CHECKS,
    Table,
    TableRow,
    column_of,
    is_blank,
    open_table,
    text_column,
    translate_read_errors,
    typed_column,
)


def parse_table(path: Path, *, name: str, header: bool = True, target: str | None = None) -> RawTask:
    """One task from a table, however it was saved.

    A column is numeric only if every cell survives the way to a number and back, so codes with leading zeros stay text;
    an empty cell is "". Rows without an output are no examples: what belongs there is unknown.

    Args:
        target: The column that is the output; by default the last one.

    Raises:
        TaskError: For ragged rows, broken quoting, fewer than two columns, or no rows.
        UsageError: There is no column of that name.
    """
    file = os.fspath(path)
    check_file(path)
    table = open_table(path, header=header)
    with translate_read_errors(table):
        return _task_of(table, name=name, header=header, target=target, file=file)


def _task_of(table: Table, *, name: str, header: bool, target: str | None, file: str) -> RawTask:
    records = list(table.records())
    column = _target(table, target)
    _check(table, records, column, FilePosition(file=file, line=table.first_line))
    given = [record for record in records if not is_blank(record.cells[column])] or records
    others = [record for record in records if is_blank(record.cells[column])] if given is not records else []
    order = [*(index for index in _own_columns(table) if index != column), column]
    columns = [_values(table, given, index, others if index != column else ()) for index in order]
    rows = []
    for number, record in enumerate(given):
        place, values = FilePosition(file=file, line=record.line), [column[number] for column in columns]
        for index, value in zip(order, values, strict=True):
            problem = scalar_problem(value)  # a cell is one value; places are made for those few that are refused
            if problem:
                raise place.field_position(table.columns[index] or "column").error(problem)
        rows.append(PlacedRow(row=Row(input=tuple(values[:-1]), output=values[-1]), place=place))
    labels = [table.columns[index] for index in order]
    return RawTask(
        id=name,
        place=FilePosition(file=file),
        examples=rows,
        instruction=instruction_of(labels) if header else instruction_of([""]),
        names=argument_names(labels[:-1]),
        meta=name_meta(name),
        unlabelled=list(zip(*(column[len(given) :] for column in columns[:-1]), strict=True)),
        warnings=(
            *_left_out(file, len(others), labels[-1]),
            *(_other(table, records, column) if target is None else ()),
        ),
    )


def _own_columns(table: Table) -> list[int]:
    """Those that no fill added."""
    return [index for index, label in enumerate(table.columns) if not label.endswith(CHECKS)]


def _target(table: Table, name: str | None) -> int:
    if name is None:
        return max(_own_columns(table), default=len(table.columns) - 1)
    index = column_of(table, name)
    if index == len(table.columns):
        known = ", ".join(repr(label) for label in table.columns)
        raise UsageError(f"{table.path.name} has no column {name!r}", hint=f"--target with one of {known}")
    return index


def _values(table: Table, given: Sequence[TableRow], index: int, others: Sequence[TableRow]) -> list[Json]:
    """The values of a column, first of the examples, then of the other rows."""
    cells = [record.cells[index] for record in (*given, *others)]
    kind = typed_column(cells) if table.typed else text_column(cells)
    return [kind.read(cell) for cell in cells]


def _check(table: Table, records: Sequence[TableRow], column: int, first: FilePosition) -> None:
    if len({*_own_columns(table), column}) < 2:
        raise first.error("at least two columns are needed: the arguments, then the output")
    if not table.columns[column] and records and all(is_blank(record.cells[column]) for record in records):
        raise first.error(
            f"column {column + 1}, the last one and so the output, has neither a name nor a value",
            hint="take the comma from the end of each line",
        )
    if not records:
        raise first.error("the table has a header but no rows", hint="use --set header=no if the first line is a row")


def _left_out(file: str, count: int, label: str) -> tuple[str, ...]:
    if not count:
        return ()
    rows = "1 row has no" if count == 1 else f"{count:,} rows have no"
    what = f"{label!r}" if label else "last cell"
    return (f"{rows} {what}, so no example; `evolve fill {file}` fills such cells",)


def _other(table: Table, records: Sequence[TableRow], column: int) -> tuple[str, ...]:
    """Says that another column may be meant: the last one is full, and one alone is partly filled."""
    blank = {
        index: sum(is_blank(record.cells[index]) for record in records)
        for index in _own_columns(table)
        if table.columns[index]
    }
    partly = [index for index, count in blank.items() if 0 < count < len(records)]
    if len(partly) != 1 or blank.get(column, 1):
        return ()
    file, meant, last = os.fspath(table.path.name), table.columns[partly[0]], table.columns[column]
    return (
        f"what gives {last!r} is looked for, the last column; where {meant!r} is meant, which has blank cells, "
        f"`evolve fill {file}` fills it",
    )
