"""Cells that a person typed into the file which a fill wrote: given cells of the table when it is filled again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import BinaryIO

from evolve.core.errors import UsageError
from evolve.core.files import digest
from evolve.core.reasons import Reason
from evolve.tasks.tables import (
    CHECKS,
    Cell,
    Rewriting,
    RowChange,
    Table,
    TableRow,
    column_of,
    is_blank,
    label_of,
    open_table,
)
from evolve.workspace.fill.request import FillRequest
from evolve.workspace.fill.table import TakenLine
from evolve.workspace.fill.written_cells import OwnCells, WrittenColumn, cell_key


@dataclass(frozen=True, kw_only=True)
class Corrections:
    """What a person who typed cells into the file that a fill wrote did with the cells there.

    Attributes:
        typed: Those that they typed, by the number of their row.
        flagged: By what the others are known that the fill flagged.
    """

    typed: Mapping[int, Cell] = field(default_factory=dict)
    flagged: frozenset[str] = frozenset()


class CorrectedTable:
    """A table with cells of one column as they stand in another file.

    Args:
        column: Index of the column.
        cells: By the number of their row; for blank cells of the table, or in place of others.
    """

    def __init__(self, table: Table, column: int, cells: Mapping[int, Cell]) -> None:
        self._table, self._column, self.corrections = table, column, cells
        self.path, self.form, self.columns, self.typed = table.path, table.form, table.columns, table.typed
        self.first_line, self.loss, self.uncomputed = table.first_line, table.loss, table.uncomputed

    def records(self) -> Iterator[TableRow]:
        """Every row, read anew each time."""
        for record in self._table.records():
            yield self._corrected(record)

    def write_problem(self, cell: Cell, *, line: int = 0, column: int = -1) -> Reason | None:
        """Why a cell cannot be written in this form, or None."""
        return self._table.write_problem(cell, line=line, column=column)

    def is_doubted(self, record: TableRow, column: int) -> bool:
        """Whether an earlier fill left a doubt about a cell that nobody has cleared since."""
        return record.number not in self.corrections and self._table.is_doubted(record, column)

    def rewrite(self, wanted: Rewriting, stream: BinaryIO) -> None:
        """Writes the whole table with some cells changed, and those that the person typed."""
        self._table.rewrite(replace(wanted, changes=self._changes(wanted.changes)), stream)

    def _corrected(self, record: TableRow) -> TableRow:
        if record.number not in self.corrections:
            return record
        cells = list(record.cells)
        cells[self._column] = self.corrections[record.number]
        return replace(record, cells=cells)

    def _changes(self, changes: Iterator[RowChange]) -> Iterator[RowChange]:
        wanted = next(changes, None)
        for record in self._table.records():
            change = wanted if wanted is not None and wanted.number == record.number else None
            if change is not None:
                wanted = next(changes, None)
            if record.number in self.corrections:
                old, typed = record.cells[self._column], self.corrections[record.number]
                change = replace(change or RowChange(number=record.number), cell=typed, old=old)
            if change is not None:
                yield change


def apply_corrections(
    table: Table, line: TakenLine, target: Path, request: FillRequest, own: OwnCells
) -> tuple[Table, FillRequest, Corrections]:
    """The table with the cells that a person typed into the file to write since a fill wrote it, and what these are.

    Raises:
        UsageError: Something else was changed there, or a cell that was changed in the table as well; or it is not on
            record what a fill wrote there. Writing the file anew would lose it.
    """
    if request.out is not None or request.in_place or not target.exists():
        return table, request, Corrections()
    written = own.written_to(target)
    column = len(table.columns) if written is None else column_of(table, written.column)
    is_known = written is not None and column < len(table.columns)
    if own.is_as_written(target) and not (is_known and written and written.file == digest(target.read_bytes())):
        return table, request, Corrections()
    cells: Mapping[int, Cell] | None = None
    if is_known and written and column == (column if request.column is None else column_of(table, request.column)):
        cells = _typed(table, column, open_table(target, header=line.first_line == "names"), written)
    if cells is None:
        hint = f"--out {target.name} replaces it, --in-place writes the table itself"
        raise UsageError(f"{target.name} already exists, and is not as evolve wrote it", hint=hint)
    if not (cells and written):
        return table, request, Corrections()
    made = Corrections(typed=cells, flagged=frozenset(key for key, flagged in written.cells.items() if flagged))
    return CorrectedTable(table, column, cells), replace(request, column=label_of(table, column)), made


def _typed(table: Table, column: int, other: Table, written: WrittenColumn) -> dict[int, Cell] | None:
    """The cells of the other table's column that no fill wrote; None where more than these was changed."""
    label = written.column
    place, is_checked = column_of(other, label), f"{label}{CHECKS}" in other.columns
    if place == len(other.columns):
        return None
    here: dict[str, list[TableRow]] = {}
    for record in table.records():
        here.setdefault(cell_key(table, record, column, label, None), []).append(record)
    typed: dict[int, Cell] = {}
    for record in other.records():
        cell, left = record.cells[place], here.get(cell_key(other, record, place, label, None))
        same = left.pop(0) if left else None
        flagged = written.cells.get(cell_key(other, record, place, label, cell))
        # who clears the flag of a cell says that it is right
        if flagged is False or (flagged and (not is_checked or other.is_doubted(record, place))):
            continue
        if same is None:
            return None
        old = same.cells[column]
        if is_blank(cell) or cell == old:
            continue
        if not is_blank(old) and cell_key(table, same, column, label, old) not in written.cells:
            return None
        typed[same.number] = cell
    return typed
