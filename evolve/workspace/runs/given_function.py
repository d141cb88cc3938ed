"""A function that is applied to a table without a search: a saved one, or one of a file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from evolve.errors import UsageError
from evolve.sandbox import Program
from evolve.skills.signatures import types_of
from evolve.tables import ANY, TEXT, Cell, ColumnKind, Comma, Table, is_blank, mostly, text_column, typed_column
from evolve.tasks.reading.labels import argument_names
from evolve.tasks.reading.partly_filled import (
    CHECKS,
    Inputs,
    PartlyFilled,
    comma_in,
    has_digits,
    label_of,
    rows_of,
    wanted_column,
)
from evolve.workspace.desk import Desk
from evolve.workspace.runs.applying import annotations_of, given_function, parameters_of
from evolve.workspace.runs.fill_request import FillRequest


def chosen_function(desk: Desk, table: Table, request: FillRequest) -> tuple[Program, PartlyFilled]:
    """The function that is named, and the column that it fills.

    Its arguments are the columns that are called as its parameters are; where none is, the first ones.

    Raises:
        UsageError: There is no such function, or the table has not what it takes.
    """
    if request.skill is not None and request.function is not None:
        raise UsageError("give either --with NAME or --function FILE.py", hint="leave one of them out")
    if request.skill is not None:
        skill = desk.stores.skills.get(request.skill)
        program = Program(source=skill.code, entry=skill.entry)
        takes, gives = types_of(skill.signature)
    else:
        program = given_function(request.function or "")
        takes, gives = annotations_of(program)
    column, given, blank = wanted_column(table, request.column, new=True)
    columns = _arguments(table, column, program)
    examples, others = rows_of(table, column)
    wanted = [record.cells[column] for record in examples]
    comma = comma_in(table, [*examples, *others])
    result = typed_column(wanted) if table.typed else text_column(wanted, loose=True, comma=comma)
    loose = result.is_number or not has_digits(wanted)
    kinds = [
        _kind(
            table,
            [record.cells[index] for record in (*examples, *others)],
            takes[place] if takes else "",
            (loose, comma),
        )
        for place, index in enumerate(columns)
    ]
    label = label_of(table, column) if column < len(table.columns) else request.column or ""
    problem = table.problem(label) if column == len(table.columns) else ""
    if problem:
        raise UsageError(
            f"the new column cannot be called {label!a}: {problem}", hint="--column with another name"
        )
    inputs = Inputs(
        columns=tuple(columns),
        kinds=tuple(kinds),
        column=column,
        label=label,
        kind=result if examples else _new_kind(gives, kinds),
    )
    return program, PartlyFilled(inputs=inputs, given=given, blank=blank)


def _arguments(table: Table, column: int, program: Program) -> list[int]:
    names, needed = parameters_of(program)
    others = [index for index, label in enumerate(table.columns) if index != column and not label.endswith(CHECKS)]
    called = dict(zip(argument_names([table.columns[index] for index in others]), others, strict=True))
    called |= {table.columns[index]: index for index in others if table.columns[index] in names}
    by_name = [called[name] for name in names if name in called]
    wanted = f"{program.entry} takes {', '.join(names) or 'nothing'}"
    if not names:
        raise UsageError(f"{wanted}, so it cannot fill a column", hint="a function of one argument or more")
    if by_name:
        missing = [name for name in names[:needed] if name not in called]
        if missing:
            raise UsageError(f"{wanted}, and no column is called {missing[0]!r}", hint="call the columns like that")
        return by_name[: next((n for n, name in enumerate(names) if name not in called), len(names))]
    if len(others) < needed:
        raise UsageError(f"{wanted}, and the table has {len(others)} other columns", hint="name the columns like that")
    return others[: max(needed, 1)]


def _kind(table: Table, cells: Sequence[Cell], takes: str, known: tuple[bool, Comma]) -> ColumnKind:
    """How an argument is read: as the type that the function says it takes, else as for a function that is found."""
    if takes == "str":
        return TEXT
    filled = [cell for cell in cells if not is_blank(cell)]
    if table.typed:
        return typed_column(filled)
    loose, comma = known
    return mostly(filled, loose=takes in ("int", "float") or loose, comma=comma)


def _new_kind(gives: str, kinds: Sequence[ColumnKind]) -> ColumnKind:
    """How values are written where no cell is filled: with the decimal sign of the arguments."""
    if gives == "str":
        return TEXT
    style = next((kind for kind in kinds if kind.is_number and kind.decimal == ","), None)
    return ANY if style is None else replace(ANY, decimal=",")
