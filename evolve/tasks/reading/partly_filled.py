"""A partly filled column of a table as a task: filled rows are examples, the others are what is wanted."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field

from evolve.core.episodes import Json, Row
from evolve.core.errors import TaskError, UsageError
from evolve.tasks.model import Task
from evolve.tasks.reading.assemble import PlacedRow, RawTask, assemble_task, name_meta
from evolve.tasks.reading.labels import argument_names, instruction_of
from evolve.tasks.reading.limits import MAX_ID, FilePosition, check_value
from evolve.tasks.reading.load import with_source
from evolve.tasks.tables import (
    CHECKS,
    TEXT,
    Cell,
    ColumnKind,
    Comma,
    Formulas,
    Table,
    TableRow,
    column_of,
    comma_of,
    is_blank,
    label_of,
    text_column,
    typed_column,
)

_MOST_GIVEN = 5_000
_MOST_BLANK = 2_000
"""Rows that are looked at to tell what a column is and to find the function."""
_DIGITS = re.compile(r"\d+")


@dataclass(frozen=True, kw_only=True)
class RowInputs:
    """What a function of rows takes from a table, and what becomes of its values.

    Attributes:
        columns: Indices of the columns that are its arguments, in their order.
        kinds: How their cells are read.
        column: Index of the column that is filled; as many as there are columns for a new one.
        label: What that column is called.
        kind: How its values are written.
        used: Positions of the arguments that the function reads; None where all count.
        numeric: Positions of the arguments that the function takes as numbers alone.
        formulas: What filled cells consist of that a spreadsheet takes for formulas.
    """

    columns: tuple[int, ...]
    kinds: tuple[ColumnKind, ...]
    column: int
    label: str
    kind: ColumnKind
    used: frozenset[int] | None = None
    numeric: frozenset[int] = frozenset()
    formulas: Formulas = field(default_factory=Formulas)

    @property
    def read_columns(self) -> tuple[int, ...]:
        """Indices of the columns that count."""
        return tuple(index for place, index in enumerate(self.columns) if self.used is None or place in self.used)

    def arguments_of(self, record: TableRow) -> tuple[Json, ...]:
        """The arguments of a row."""
        return tuple(kind.read(record.cells[index]) for index, kind in zip(self.columns, self.kinds, strict=True))

    def no_number(self, arguments: Sequence[Json]) -> str | None:
        """The first argument that is none of the numbers that the function takes, or None; blank cells do not count."""
        values = (arguments[place] for place in sorted(self.numeric))
        return next((value for value in values if isinstance(value, str)), None)

    def misread(self, arguments: Sequence[Json]) -> int | None:
        """Index of the first column with a cell of another kind than the others, or None."""
        for index, kind, value in zip(self.columns, self.kinds, arguments, strict=True):
            if value is not None and not kind.accepts_value(value) and index in self.read_columns:
                return index
        return None


@dataclass(frozen=True, kw_only=True)
class PartlyFilled:
    """A column that is to be filled.

    Attributes:
        given: Rows in which it is filled.
        blank: Rows in which it is not.
        doubted: Rows in which an earlier fill filled and doubted it, and which are no examples.
        own: Rows in which an earlier fill filled it and nobody changed anything since, which are none either.
        own_rows: What stands in these.
    """

    inputs: RowInputs
    given: int
    blank: int
    doubted: int = 0
    own: int = 0
    own_rows: tuple[Row, ...] = ()

    @property
    def example_count(self) -> int:
        """Rows that show what belongs there."""
        return self.given - self.doubted - self.own


def counts_of(table: Table) -> list[tuple[int, int]]:
    """How many cells of each column are filled, and how many are blank; rows without any cell do not count."""
    filled = [0] * len(table.columns)
    rows = 0
    for record in table.records():
        here = [not is_blank(cell) for cell in record.cells]
        if any(here):
            rows += 1
            filled = [count + one for count, one in zip(filled, here, strict=True)]
    return [(count, rows - count) for count in filled]


def has_example(table: Table, column: int, is_own: Callable[[Table, TableRow, int], bool]) -> bool:
    """Whether a cell of a column is filled that no earlier fill wrote or doubted."""
    filled = (record for record in table.records() if not is_blank(record.cells[column]))
    return any(not (table.is_doubted(one, column) or is_own(table, one, column)) for one in filled)


def wanted_column(
    table: Table, name: str | None, *, new: bool = False, own: int | None = None, read: Collection[int] = ()
) -> tuple[int, int, int]:
    """Index of the column to fill, how many of its cells are filled, and how many are blank.

    Args:
        name: As the person named it; None where there is only one that can be meant.
        new: It need not be there yet, and need not have a filled cell.
        own: Index of the column that is meant where none is named.
        read: Indices of columns that are not meant unless they are named.

    Raises:
        UsageError: None or several can be meant, there is none of that name, or nothing in it to go by.
    """
    counts, file = counts_of(table), table.path.name
    if not any(map(sum, counts)):
        raise TaskError("the table has a header but no rows", file=os.fspath(table.path))
    if name is None:
        index = _only_one(table, counts, new=new, read=read) if own is None else own
    else:
        index = column_of(table, name)
        if index == len(table.columns):
            if new:
                return index, 0, max(map(sum, counts))
            known = _labels([label_of(table, place) for place in range(index)])
            raise UsageError(f"{file} has no column {name!r}", hint=f"--column with one of {known}")
    filled, blank = counts[index]
    label = label_of(table, index)
    if not blank:
        other = "; --column names another column" if name is None else ""
        raise UsageError(
            f"every cell of {label!r} is filled", hint=f"clear the cells that are to be filled, and save{other}"
        )
    if not filled and not new:
        raise UsageError(
            f"no cell of {label!r} is filled, so nothing shows what belongs there",
            hint="fill a few rows by hand, six or more for a verified answer; or give --with NAME or --function FILE",
        )
    return index, filled, blank


def _only_one(table: Table, counts: Sequence[tuple[int, int]], *, new: bool, read: Collection[int]) -> int:
    columns = [index for index, label in enumerate(table.columns) if index not in read and not label.endswith(CHECKS)]
    partly = [index for index in columns if all(counts[index])]
    empty = [index for index in columns if not counts[index][0] and table.columns[index]]
    fits = partly or empty
    file = table.path.name
    if not fits:
        beside = " beside those that the function reads" if read else ""
        more = "; --column with a new name adds one" if new else ""
        raise UsageError(
            f"no column of {file}{beside} has blank cells, so there is nothing to fill",
            hint=f"clear the cells that are to be filled, and save{more}",
        )
    if len(fits) > 1:
        how = "partly filled" if partly else "empty"
        called = [label_of(table, index) for index in fits]
        is_plain = all(table.columns.count(label) < 2 for label in called)
        hint = f"say which with --column {'NAME' if is_plain else f'{fits[0] + 1}, its number'}"
        raise UsageError(f"{len(fits)} columns of {file} are {how}: {_labels(called)}", hint=hint)
    if partly and empty:
        label, blank = label_of(table, fits[0]), _labels([table.columns[index] for index in empty])
        raise UsageError(
            f"{blank} {'is' if len(empty) == 1 else 'are'} empty and {label!r} has gaps, so either may be meant",
            hint=f"--column {shlex.quote(label)} fills the gaps; an empty column needs a few rows filled by hand first",
        )
    return fits[0]


def _labels(names: Sequence[str]) -> str:
    return ", ".join(repr(name) for name in names[:8]) + (", ..." if len(names) > 8 else "")


def column_task(
    table: Table,
    name: str | None = None,
    is_own: Callable[[Table, TableRow, int], bool] = lambda *_: False,
    *,
    as_text: bool = False,
) -> tuple[Task, PartlyFilled]:
    """The column to fill, and the task of finding how.

    Columns that are empty, that have the same cell in every row that is looked at, or that hold numbers and are blank
    in an example, are no arguments.

    Args:
        name: The column; by default the only one that is partly filled.
        is_own: Whether an earlier fill wrote the cell of a row in that column.
        as_text: Its cells are texts, also where those that are given look like numbers.

    Raises:
        TaskError: A row is malformed, or two rows contradict each other.
        UsageError: It does not say which column is meant, or nothing shows what belongs there.
    """
    column, given, blank = wanted_column(table, name)
    filled, empty = rows_of(table, column)
    # what a fill guessed is no evidence for the next one, but as open as before
    doubted = [record for record in filled if table.is_doubted(record, column)]
    undoubted = [(one, is_own(table, one, column)) for one in filled if not table.is_doubted(one, column)]
    examples, own = ([one for one, is_ours in undoubted if is_ours is wanted] for wanted in (False, True))
    others = [*empty, *doubted, *own]
    if not examples:
        raise UsageError(
            f"every filled cell of {label_of(table, column)!r} was written by an earlier fill",
            hint="look at them, and clear the reasons beside doubtful ones that are right, or fill a few rows by hand",
        )
    inputs = _inputs(table, column, examples, others, as_text=as_text)
    labels = [table.columns[index] for index in inputs.columns]
    rows = [_placed(table, inputs, record) for record in examples]
    raw = RawTask(
        id=_id(table, inputs.label),
        place=FilePosition(file=os.fspath(table.path)),
        examples=rows,
        instruction=instruction_of([*labels, inputs.label]),
        names=argument_names(labels),
        meta=name_meta(inputs.label),
        unlabelled=[one for one in map(inputs.arguments_of, others) if inputs.misread(one) is None and _is_usual(one)],
    )
    own_rows = tuple(Row(input=inputs.arguments_of(one), output=inputs.kind.read(one.cells[column])) for one in own)
    wanted = PartlyFilled(
        inputs=inputs, given=given, blank=blank, doubted=len(doubted), own=len(own), own_rows=own_rows
    )
    return with_source((assemble_task(raw),), table.path)[0], wanted


def rows_of(table: Table, column: int) -> tuple[list[TableRow], list[TableRow]]:
    """The first rows in which a column is filled, and the first in which it is not."""
    examples: list[TableRow] = []
    others: list[TableRow] = []
    for record in table.records():
        filled = column < len(record.cells) and not is_blank(record.cells[column])
        kept, most = (examples, _MOST_GIVEN) if filled else (others, _MOST_BLANK)
        if len(kept) < most and not all(map(is_blank, record.cells)):
            kept.append(record)
        elif len(examples) >= _MOST_GIVEN and len(others) >= _MOST_BLANK:
            break
    return examples, others


def _inputs(
    table: Table, column: int, examples: Sequence[TableRow], others: Sequence[TableRow], *, as_text: bool
) -> RowInputs:
    if column in table.uncomputed:
        raise UsageError(
            f"{label_of(table, column)!r} has formulas, and the workbook does not have their values",
            hint="copy the formula down in your spreadsheet; or save the workbook there, so that it has the values",
        )
    wanted = [record.cells[column] for record in examples]
    comma = has_decimal_comma(table, [*examples, *others])
    kind = typed_column(wanted) if table.typed else text_column(wanted, loose=True, comma=comma)
    if as_text and not table.typed:
        kind = TEXT
    columns = [
        index
        for index, label in enumerate(table.columns)
        if index != column and not label.endswith(CHECKS) and _varies([*examples, *others], index)
    ]
    if not columns:
        raise UsageError(
            f"no column beside {label_of(table, column)!r} has cells that differ",
            hint="a function needs something to go by",
        )
    kinds = [
        typed_column([one.cells[index] for one in (*examples, *others)])
        if table.typed
        else text_column(
            (cells := [one.cells[index] for one in examples]),
            [one.cells[index] for one in others],
            loose=kind.is_number or not _are_copied(cells, wanted),
            comma=comma,
        )
        for index in columns
    ]
    # a function of numbers has no value for a blank: such a column explains nothing, unless there is no other
    whole = [place for place, kind in enumerate(kinds) if not _has_blank(kind, columns[place], examples)]
    places = whole or range(len(columns))
    return RowInputs(
        columns=tuple(columns[place] for place in places),
        kinds=tuple(kinds[place] for place in places),
        column=column,
        label=label_of(table, column),
        kind=kind,
        formulas=Formulas.from_cells((record.line, record.cells[column]) for record in examples),
    )


def _has_blank(kind: ColumnKind, index: int, examples: Sequence[TableRow]) -> bool:
    """Whether an example has no value in a column whose blanks are no empty texts."""
    return any(kind.read(record.cells[index]) is None for record in examples)


def _are_copied(cells: Sequence[Cell], wanted: Sequence[Cell]) -> bool:
    """Whether half of the outputs that have digits, or more, may copy those of a column's cells as they are written."""
    pairs = [(_DIGITS.findall(str(cell)), str(one)) for cell, one in zip(cells, wanted, strict=True)]
    copied = [
        any(run in one for run in runs if len(run) > 1) or all(run in one for run in runs)
        for runs, one in pairs
        if _DIGITS.search(one)
    ]
    return 2 * sum(copied) >= len(copied) > 0


def has_digits(cells: Sequence[Cell]) -> bool:
    """Whether any cell has a digit: such a text may repeat another cell as it is written, a word does not."""
    return any(any(sign.isdigit() for sign in str(cell)) for cell in cells)


def has_decimal_comma(table: Table, records: Sequence[TableRow]) -> Comma:
    """What a comma is in the numbers of a table; see :func:`evolve.tasks.tables.comma_of`."""
    if table.typed:
        return ""
    columns = ([record.cells[index] for record in records] for index in range(len(table.columns)))
    return comma_of(columns, table.form.delimiter)


def _varies(records: Sequence[TableRow], index: int) -> bool:
    """Whether a column has cells that differ, or there is only one row to tell."""
    first = records[0].cells[index]
    if len(records) == 1:
        return not is_blank(first)
    return any(record.cells[index] != first for record in records)


def _placed(table: Table, inputs: RowInputs, record: TableRow) -> PlacedRow:
    place = FilePosition(file=os.fspath(table.path), line=record.line)
    arguments, output = inputs.arguments_of(record), inputs.kind.read(record.cells[inputs.column])
    for index, value in zip((*inputs.columns, inputs.column), (*arguments, output), strict=True):
        check_value(value, place.field_position(table.columns[index] or "column"))
    return PlacedRow(row=Row(input=arguments, output=output), place=place)


def _is_usual(arguments: tuple[Json, ...]) -> bool:
    """Whether a task may hold them: a text of megabytes is filled, but nothing is tried on it."""
    try:
        check_value(list(arguments), FilePosition(file=""))
    except TaskError:
        return False
    return True


def _id(table: Table, label: str) -> str:
    words = re.findall(r"\w+", f"{table.path.stem} {label}")
    return "-".join(words)[:MAX_ID] or "table"
