"""Opens the table that is to be filled, with what its first line is, and reads its column as a task."""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches

from evolve.core.episodes import Question
from evolve.core.errors import UsageError
from evolve.core.reasons import reason
from evolve.runtime.sandbox import Program
from evolve.skills.signatures import types_of
from evolve.tasks import Task
from evolve.tasks.reading.assemble import ENOUGH_TO_SPLIT
from evolve.tasks.reading.partly_filled import PartlyFilled, RowInputs, column_task
from evolve.tasks.tables import (
    FirstLine,
    Table,
    TableRow,
    column_of,
    first_line_of,
    form_of,
    label_of,
    open_table,
    table_path,
)
from evolve.workspace.fill.offers import YES, is_yes
from evolve.workspace.fill.request import FillRequest
from evolve.workspace.fill.result import FlagReasons, cell_value
from evolve.workspace.fill.written_cells import IsOwn
from evolve.workspace.runs.applying import Applier
from evolve.workspace.runs.contradictions import functions_giving
from evolve.workspace.services import WorkspaceServices

_NAMED = 8
"""Columns that a hint names."""


@dataclass(frozen=True, kw_only=True)
class TakenLine:
    """What the first line of a table is taken for; see :class:`~evolve.workspace.fill.result.Filled`."""

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
    looks = "names" if _names_column(table, request) else first_line_of(path, file=name)
    if looks == "row":
        return open_table(name, header=False), TakenLine(first_line="row", guessed=True)
    return table, TakenLine(guessed=looks == "unclear")


def _names_column(table: Table, request: FillRequest) -> bool:
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


def check_first_line(
    services: WorkspaceServices,
    table: Table,
    line: TakenLine,
    request: FillRequest,
    inputs: RowInputs,
    programs: Sequence[Program],
) -> TakenLine:
    """What the first line is taken for: a guess where the function gives a cell of it from those beside it.

    Raises:
        UsageError: It is a guess, and the table is to be written in place.
    """
    is_told = request.header is not None or _names_column(table, request) or table.form.kind != "delimited"
    if is_told or line != TakenLine() or not programs or inputs.column >= len(table.columns):
        return line
    values = inputs.arguments_of(TableRow(number=0, line=1, cells=table.columns))
    ((outcome,),) = Applier(services.open_sandbox(), programs[:1])([values])
    if not outcome.ok or cell_value(table, inputs, outcome.value)[0] != table.columns[inputs.column]:
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


def read_column(
    services: WorkspaceServices, table: Table, request: FillRequest, own: IsOwn
) -> tuple[Task, PartlyFilled]:
    """The task of a column.

    What an earlier fill wrote is no example. Where the other cells are too few to verify a function, a person who is
    there is asked whether they checked it; then it is one.

    Args:
        own: Whether an earlier fill wrote a cell.
    """
    task, wanted = _as_it_is(services, table, request.column, own)
    respond = None if request.person is None else request.person.respond
    if not wanted.own or respond is None or len(task.examples) + len(task.verify) >= ENOUGH_TO_SPLIT:
        return task, wanted
    label = wanted.inputs.label
    text = request.words(FlagReasons(reasons=(reason("own_cells", column=label, given=wanted.given, own=wanted.own),)))
    said = respond(Question(id=f"own:{label}", kind="ask", text=text, options=(YES, "no")))
    return _as_it_is(services, table, request.column, lambda *cell: False) if is_yes(said) else (task, wanted)


def _as_it_is(services: WorkspaceServices, table: Table, column: str | None, own: IsOwn) -> tuple[Task, PartlyFilled]:
    """The task of a column; its cells are texts where a function of an earlier month gives them as texts."""
    task, wanted = column_task(table, column, own)
    if wanted.inputs.kind.is_number and not table.typed and not services.uses_model:
        texts = column_task(table, column, own, as_text=True)  # codes of which none here has leading zeros
        gives = any(types_of(one.signature)[1] == "str" for one in functions_giving(services, texts[0]))
        return texts if gives else (task, wanted)
    return task, wanted
