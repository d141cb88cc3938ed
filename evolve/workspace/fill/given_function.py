"""A function that is applied to a table without a search: a saved one, or one of a file."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence, Set
from dataclasses import dataclass, replace

from evolve.core.episodes import Row
from evolve.core.errors import UsageError
from evolve.core.reasons import Reason
from evolve.runtime.sandbox import Program
from evolve.skills.parameters import annotations_of, drop_unread_parameters, parameters_of
from evolve.skills.signatures import types_of
from evolve.tasks.reading.labels import argument_names, wanted_label
from evolve.tasks.reading.partly_filled import (
    PartlyFilled,
    RowInputs,
    has_decimal_comma,
    has_digits,
    rows_of,
    wanted_column,
)
from evolve.tasks.tables import (
    ANY,
    CHECKS,
    TEXT,
    Cell,
    ColumnKind,
    Comma,
    Formulas,
    Table,
    is_blank,
    label_of,
    majority_kind,
    text_column,
    typed_column,
)
from evolve.workspace.fill.request import FillRequest
from evolve.workspace.fill.written_cells import IsOwn
from evolve.workspace.runs.applying import given_function
from evolve.workspace.runs.run_answers import function_named
from evolve.workspace.runs.saved import is_headerless
from evolve.workspace.runs.skill_origin import SkillOrigin, origin_of
from evolve.workspace.services import WorkspaceServices

_ANY_NUMBER = ColumnKind(name="float", whole=True)


def chosen_function(
    services: WorkspaceServices, table: Table, request: FillRequest, is_own: IsOwn = lambda *_: False
) -> tuple[Program, PartlyFilled, list[Row], SkillOrigin | None]:
    """The function that is named, the column that it fills, and the rows that it was learned from, as it reads them;
    and of a saved one where it comes from.

    Its arguments are the columns that are called as its parameters are; where none is, the first ones, unless it was
    saved with names of columns.

    Args:
        is_own: Whether an earlier fill wrote a cell; such a one shows nothing of a saved function.

    Raises:
        UsageError: There is no such function, or the table has not what it takes.
    """
    program, (takes, gives), origin = _named(services, request)
    names, _ = parameters_of(program)  # also those that it does not read: it was made for another column
    program, places = drop_unread_parameters(program)
    takes = tuple(takes[place] for place in places) if len(takes) == len(names) else ()
    read = columns_called(table, names)
    made_for = _own_column(table, program, "" if origin is None else origin.skill.description, read)
    column, given, blank = wanted_column(table, request.column, new=True, own=made_for, read=read)
    named = request.skill is not None
    unnamed = _by_place(table, column, places, len(names)) if named and not any(table.columns) else []
    columns = unnamed or _arguments(table, column, program, named=named)
    examples, others = rows_of(table, column)
    wanted = [record.cells[column] for record in examples]
    comma = has_decimal_comma(table, [*examples, *others])
    result = typed_column(wanted) if table.typed else text_column(wanted, loose=True, comma=comma)
    known = (result.is_number or not has_digits(wanted), comma)
    cells = [[record.cells[index] for record in (*examples, *others)] for index in columns]
    kinds = [_kind(table, of_column, takes[n] if takes else "", known) for n, of_column in enumerate(cells)]
    inputs = RowInputs(
        columns=tuple(columns),
        kinds=tuple(kinds),
        column=column,
        label=_label(table, column, request.column or ""),
        kind=result if examples else _new_kind(table, gives, kinds, None if origin is None else origin.written),
        formulas=Formulas.from_cells((record.line, record.cells[column]) for record in examples),
        numeric=frozenset(place for place in range(len(columns)) if takes and _is_number_type(takes[place])),
    )
    doubted = [table.is_doubted(record, column) for record in examples] if named else []
    own = [not known and is_own(table, one, column) for one, known in zip(examples, doubted, strict=False)]
    partly = PartlyFilled(inputs=inputs, given=given, blank=blank, doubted=sum(doubted), own=sum(own))
    rows = [row for row in (() if origin is None else origin.rows) if len(row.input) == len(names)]
    rows = [replace(row, input=tuple(row.input[at] for at in places[: len(columns)])) for row in rows]
    return program, partly, rows, origin


def _named(
    services: WorkspaceServices, request: FillRequest
) -> tuple[Program, tuple[tuple[str, ...], str], SkillOrigin | None]:
    """The function that is named, what it takes and gives, and of a saved one where it comes from."""
    if request.skill is None:
        program = given_function(request.function or "")
        return program, annotations_of(program), None
    if request.function is not None:
        raise UsageError("give either --with NAME or --function FILE.py", hint="leave one of them out")
    skill = function_named(services, request.skill)
    if skill.environment:
        raise UsageError(f"{skill.name} is a procedure, which works in a folder and gives no value for a cell")
    return Program(source=skill.code, entry=skill.entry), types_of(skill.signature), origin_of(services, skill)


def column_for(table: Table, program: Program, made_for: str) -> int | None:
    """The column that a saved function was made for, where the table has it and all that the function reads."""
    names, _ = parameters_of(program)
    program, _ = drop_unread_parameters(program)
    needed, _ = parameters_of(program)
    column = _own_column(table, program, made_for, columns_called(table, names))
    if column is None or is_headerless(needed):
        return None
    return column if len(columns_called(table, needed) - {column}) == len(needed) else None


def columns_called(table: Table, names: Collection[str]) -> frozenset[int]:
    """The columns that are called as some parameters are."""
    called = enumerate(_called(table))
    return frozenset(index for index, name in called if name in names or table.columns[index] in names)


def _label(table: Table, column: int, new: str) -> str:
    """What the column is called, also one that is not there yet."""
    if column < len(table.columns):
        return label_of(table, column)
    if table.write_problem(new) is not None:
        raise UsageError(f"{table.path.name} cannot hold the name {new!a}", hint="--column with another name")
    return new


def _called(table: Table) -> list[str]:
    """What a function that is learned from the table calls its columns."""
    return argument_names(table.columns)


def _own_column(table: Table, program: Program, made_for: str, read: Set[int]) -> int | None:
    """The column that a function was learned for: the one that it, or the sentence that describes it, is named for."""
    names = {program.entry, wanted_label(made_for)}
    places = [
        index
        for index, called in enumerate(_called(table))
        if index not in read and (called in names or table.columns[index] in names)
    ]
    return places[0] if len(places) == 1 else None


def _arguments(table: Table, column: int, program: Program, *, named: bool) -> list[int]:
    """The columns that a function takes.

    Args:
        named: Its parameters are called as the columns that it was learned from, so that others are no guess at them.
    """
    names, needed = parameters_of(program)
    others = [index for index, label in enumerate(table.columns) if index != column and not label.endswith(CHECKS)]
    called = dict(zip(argument_names([table.columns[index] for index in others]), others, strict=True))
    called |= {table.columns[index]: index for index in others if table.columns[index] in names}
    by_name = [called[name] for name in names if name in called]
    wanted = f"{program.entry} takes {', '.join(names) or 'nothing'}"
    if not names:
        raise UsageError(f"{wanted}, so it cannot fill a column", hint="a function of one argument or more")
    if by_name or (named and any(table.columns) and not is_headerless(names)):
        missing = [name for name in names[: max(needed, 1)] if name not in called]
        if missing:
            raise UsageError(
                f"{wanted}, and no column is called {missing[0]!r}",
                hint="rename the column that it is to read; --column NAME names the one to fill"
                + (", and --function FILE.py takes the first columns" if not by_name else ""),
            )
        return by_name[: next((n for n, name in enumerate(names) if name not in called), len(names))]
    if len(others) < needed:
        raise UsageError(f"{wanted}, and the table has {len(others)} other columns", hint="name the columns like that")
    return others[: max(needed, 1)]


def _by_place(table: Table, column: int, places: Sequence[int], width: int) -> list[int]:
    """The columns that a saved function reads in a table without names that has as many as its own; else none."""
    others = [index for index in range(len(table.columns)) if index != column]
    return [others[place] for place in places] if len(others) == width else []


def _is_number_type(annotation: str) -> bool:
    names = {name.strip() for name in annotation.split("|")}
    return bool(names & {"int", "float"}) and names <= {"int", "float", "None"}


def _number_kind(table: Table, cells: Sequence[Cell], comma: Comma) -> ColumnKind:
    """How cells are read that are to be numbers: as most of them are written, whatever the others are."""
    if table.typed:
        kind = typed_column([cell for cell in cells if isinstance(cell, int | float) and not isinstance(cell, bool)])
        return kind if kind.is_number else _ANY_NUMBER
    numbers = [cell for cell in cells if isinstance(cell, str) and text_column([cell], loose=True).is_number]
    kind = text_column(numbers, loose=True, comma=comma)
    if kind.is_number:
        return kind
    singly = (text_column([cell], loose=True) for cell in numbers)
    styles = {replace(_ANY_NUMBER, decimal=one.decimal, thousands=one.thousands) for one in singly}
    read = {style: sum(style.parse_number(cell) is not None for cell in numbers) for style in styles}
    return max(read, key=lambda style: (read[style], style.decimal, style.thousands), default=_ANY_NUMBER)


def _kind(table: Table, cells: Sequence[Cell], takes: str, known: tuple[bool, Comma]) -> ColumnKind:
    """How an argument is read: as the type that the function says it takes, else as for a function that is found."""
    if takes == "str":
        return TEXT
    filled = [cell for cell in cells if not is_blank(cell)]
    if _is_number_type(takes):
        return _number_kind(table, filled, known[1])
    if table.typed:
        return typed_column(filled)
    loose, comma = known
    return majority_kind(filled, loose=loose, comma=comma)


def _new_kind(table: Table, gives: str, kinds: Sequence[ColumnKind], written: ColumnKind | None) -> ColumnKind:
    """How values are written where no cell is filled: as when it was learned, else as the numbers that it reads.

    Args:
        written: How they were then, where that is on record; a table with another decimal sign keeps its own.
    """
    if gives == "str":
        return TEXT
    numbers = [kind for kind in kinds if kind.is_number]
    if table.typed:
        return ANY
    signs = {kind.decimal for kind in numbers if kind.name == "float"}
    if written is not None and signs <= {written.decimal}:
        return written
    if not numbers:
        return ANY
    style = max(numbers, key=lambda kind: (kind.thousands != "", kind.name == "float"))
    decimal = next((kind.decimal for kind in numbers if kind.name == "float"), style.decimal)
    digits = {kind.decimals for kind in numbers if kind.name == "float"}
    digits = digits if written is None else {written.decimals}
    decimals = digits.pop() if len(digits) == 1 and gives != "int" else None
    thousands = style.thousands if style.thousands != decimal else ""
    whole = any(kind.whole for kind in numbers)
    return _AsRead(name="any", decimal=decimal, thousands=thousands, decimals=decimals, whole=whole)


@dataclass(frozen=True, kw_only=True)
class _AsRead(ColumnKind):
    """Numbers written as those of other columns, with more digits where a value has more: it may be of another unit."""

    def write(self, value: Cell) -> tuple[Cell, Reason | None]:
        kind: ColumnKind = self
        if self.decimals is not None and isinstance(value, float) and math.isfinite(value):
            fits = math.isclose(round(value, self.decimals), value, rel_tol=1e-12)
            kind = self if fits else replace(self, decimals=None)
        return ColumnKind.write(kind, value)
