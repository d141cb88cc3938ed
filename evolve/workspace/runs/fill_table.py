"""Opens the table that is to be filled: what its first line is, and whether there is such a column."""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches

from evolve.errors import UsageError
from evolve.sandbox import Program
from evolve.tables import FirstLine, Record, Table, column_of, first_line_of, form_of, label_of, open_table, table_path
from evolve.tasks.reading.partly_filled import Inputs
from evolve.workspace.desk import Desk
from evolve.workspace.runs.applying import Applier
from evolve.workspace.runs.fill_request import FillRequest
from evolve.workspace.runs.filled import as_cell

_NAMED = 8
"""Columns that a hint names."""


@dataclass(frozen=True, kw_only=True)
class TakenLine:
    """What the first line of a table is taken for; see :class:`~evolve.workspace.runs.filled.Filled`."""

    first_line: FirstLine = "names"
    guessed: bool = False


def opened_table(request: FillRequest) -> tuple[Table, TakenLine]:
    """The table, and what its first line is taken for.

    Raises:
        UsageError: It is no delimited table, so that its first row names the columns, and the request says otherwise.
    """
    path, name = table_path(request.table), os.fspath(request.table)
    if form_of(path) != "delimited":
        if request.header is False:
            why = f"{path.name} is no CSV, so its first row has the names of the columns"
            raise UsageError(why, hint="put a row of names above the others")
        return open_table(name, sheet=request.sheet), TakenLine()
    table = open_table(name, sheet=request.sheet, header=request.header is not False)
    if request.header is not None:
        return table, TakenLine(first_line="names" if request.header else "row")
    looks = "names" if names_column(table, request) else first_line_of(path, file=name)
    if looks == "row":
        return open_table(name, header=False), TakenLine(first_line="row", guessed=True)
    return table, TakenLine(guessed=looks == "unclear")


def names_column(table: Table, request: FillRequest) -> bool:
    """Whether the request names a column by what stands in the first line, which says what that is."""
    name = (request.column or "").strip().casefold()
    return bool(name) and name in [label.strip().casefold() for label in table.columns]


def check_in_place(table: Table, line: TakenLine, request: FillRequest) -> None:
    """Refuses to write the table itself where a part of it would be lost, or a guess alone says where its rows begin.

    Raises:
        UsageError: It is to be written in place, and may not be.
    """
    if not request.in_place:
        return
    if table.loss:
        raise UsageError(f"{table.loss}, so the file is not written in place", hint="leave --in-place out")
    if line.guessed:
        file = os.fspath(request.table)
        raise UsageError(
            f"{file} is not written in place, because its first line may be a row of data or the names of the columns",
            hint="say which: --set header=no if it is data, --set header=yes if it has the names",
        )


def line_checked(
    desk: Desk, table: Table, line: TakenLine, request: FillRequest, inputs: Inputs, programs: Sequence[Program]
) -> TakenLine:
    """What the first line is taken for: a guess where the function gives a cell of it from those beside it.

    Raises:
        UsageError: It is a guess, and the table is to be written in place.
    """
    is_told = request.header is not None or names_column(table, request) or table.form.kind != "delimited"
    if is_told or line != TakenLine() or not programs or inputs.column >= len(table.columns):
        return line
    values = inputs.of(Record(number=0, line=1, cells=table.columns))
    ((outcome,),) = Applier(desk.open_sandbox(), programs[:1])([values])
    if not outcome.ok or as_cell(table, inputs, outcome.value)[0] != table.columns[inputs.column]:
        return line
    guess = replace(line, guessed=True)
    check_in_place(table, guess, request)
    return guess


def check_column(table: Table, request: FillRequest) -> None:
    """Refuses a column that is not there, unless a given function may add it.

    Raises:
        UsageError: There is none of that name, or there are two.
    """
    name, adds = request.column, request.skill is not None or request.function is not None
    if name is None or column_of(table, name) < len(table.columns) or adds:
        return
    labels = [label_of(table, index) for index in range(len(table.columns))]
    plain = {label.casefold(): label for label in labels}
    near = [plain[one] for one in get_close_matches(name.strip().casefold(), list(plain), n=3)]
    others = [label for label in labels if label not in near]
    known = [*near, *others][:_NAMED]
    listed = ", ".join(map(repr, known)) + (", ..." if len(labels) > len(known) else "")
    meant = f"--column {shlex.quote(near[0])}; " if near else ""
    raise UsageError(f"{table.path.name} has no column {name!r}", hint=f"{meant}its columns are {listed}")
