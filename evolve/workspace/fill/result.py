"""What filling a table gives back, and how a value becomes a cell."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from evolve.core.episodes import Json, Row
from evolve.core.episodes.codec import to_data
from evolve.core.reasons import Reason, reason
from evolve.runtime.sandbox import NOT_RUN, Outcome
from evolve.tasks import equal
from evolve.tasks.reading.partly_filled import PartlyFilled, RowInputs
from evolve.tasks.tables import TEXT_PREFIX, Cell, FirstLine, Table, TableRow, formula_sign, label_of, other_kind
from evolve.workspace.fill.contradictions import UNKNOWN
from evolve.workspace.runs.result import Result
from evolve.workspace.runs.skill_origin import UsedSkill

_NO_NUMBER = re.compile(
    r"ValueError: (?:could not convert string to float|invalid literal for int\(\).*?): (['\"])(.*)\1"
)
_NEAR = 1e-13
"""Relative; further apart, a number that was written has other digits than the one beside it."""
_EXACT = 2.0**53
"""From here on not every whole number is a float."""

Left = Literal["", "not filled", "not compared"]


@dataclass(frozen=True, kw_only=True)
class FlagReasons:
    """What is doubtful about a cell; no reasons, nothing is.

    Attributes:
        left: What was left undone for these reasons.
    """

    reasons: tuple[Reason, ...] = ()
    left: Left = ""

    def __bool__(self) -> bool:
        return bool(self.reasons)

    def __str__(self) -> str:
        return "; ".join(filter(None, [self.left, *map(str, self.reasons)]))


@dataclass(frozen=True, kw_only=True)
class CellFlag:
    """One doubtful cell.

    Attributes:
        row: Rows of data are counted from 1.
        line: Where the row begins in the file.
        value: What stands in the cell now; None where it was left empty.
        flag: What is doubtful.
        others: What else could stand there.
    """

    row: int
    line: int
    value: Json
    flag: FlagReasons
    others: tuple[Json, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Counterexamples:
    """Rows whose given cells a kept function does not give.

    Attributes:
        function: That function.
        rows: Their numbers.
        searched: Another one was searched for that gives them; else the function was named, and nothing is learned.
    """

    function: UsedSkill
    rows: tuple[int, ...]
    searched: bool = True


@dataclass(frozen=True, kw_only=True)
class FillResult:
    """What became of a table.

    Attributes:
        out: The file that was written; None where nothing was.
        column: The column that was filled.
        inputs: The columns from which it was filled.
        given: Rows in which it was filled before.
        doubted: Of these, rows that are no examples, since an earlier fill doubted what it wrote there.
        own: Of these, rows that an earlier fill wrote and nobody changed since, which are no examples either.
        typed: Rows with a cell that the person typed into the file which an earlier fill wrote; it counts as given.
        filled: Cells that were filled.
        marked: Cells that are doubtful: left empty, filled and marked, or filled before and unlike what the function
            gives.
        marks: The first thousand of them.
        result: The run that found the function; None where one was given.
        form: What was recognised of the file, in words.
        first_line: ``names`` or ``row``: what its first line was taken for.
        guessed: Nobody said that, and the look of the line says something else than usual, or nothing, or the function
            gives a cell of the line from those beside it.
        function: Source of the function that was applied, without parameters that it does not read, or "".
        loss: What of the file could not be carried over, in a sentence, or "".
        seconds: How long it took, in all.
        used: The saved function that was applied, where it was not searched for.
        against: What speaks against a kept function; it was ``used`` all the same where none fits its rows and these.
        offered: Saved functions that may be meant where no cell is filled: nothing is filled until one is named.
        undo: The run that ``evolve undo`` takes the file back with; "" where it was not written in place, or what it
            held before is not kept.
        sample: The first row that was filled: the values that were read, and what the function gives for them.
    """

    out: Path | None = None
    column: str
    inputs: tuple[str, ...] = ()
    given: int = 0
    filled: int = 0
    marked: int = 0
    marks: tuple[CellFlag, ...] = ()
    result: Result | None = None
    form: str
    first_line: FirstLine = "names"
    guessed: bool = False
    function: str = ""
    loss: str = ""
    seconds: float = 0.0
    doubted: int = 0
    own: int = 0
    typed: int = 0
    used: UsedSkill | None = None
    against: Counterexamples | None = None
    offered: tuple[UsedSkill, ...] = ()
    undo: str = ""
    sample: Row | None = None

    def to_json(self) -> dict[str, Any]:
        """One JSON object."""
        plain = {name: value for name, value in vars(self).items() if name not in ("out", "result", "marks")}
        return {
            **plain,
            "out": None if self.out is None else str(self.out),
            "marks": to_data(self.marks),
            "used": to_data(self.used),
            "against": to_data(self.against),
            "offered": to_data(self.offered),
            "sample": to_data(self.sample),
            "result": None if self.result is None else self.result.to_json(),
            "seconds": round(self.seconds, 3),
        }


def initial_fill(table: Table, wanted: PartlyFilled, result: Result | None) -> FillResult:
    """What is known before anything is filled."""
    kinds = (*wanted.inputs.kinds, wanted.inputs.kind)
    comma = ", decimal comma" if any(kind.decimal == "," and kind.is_number for kind in kinds) else ""
    return FillResult(
        column=wanted.inputs.label,
        inputs=tuple(label_of(table, index) for index in wanted.inputs.read_columns),
        given=wanted.given,
        doubted=wanted.doubted,
        own=wanted.own,
        result=result,
        form=table.form.summary() + comma,
        loss=table.loss,
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class JudgedCell:
    """What is done to one cell: ``cell`` is written unless it is None, and ``flag`` says what is doubtful."""

    cell: Cell = None
    flag: FlagReasons = FlagReasons()
    others: tuple[Json, ...] = ()

    def with_reason(self, why: Reason) -> JudgedCell:
        """The same with one more reason."""
        return replace(self, flag=replace(self.flag, reasons=(*self.flag.reasons, why)))


def judge_cell(
    table: Table, inputs: RowInputs, record: TableRow, arguments: Sequence[Json], outcomes: Sequence[Outcome]
) -> JudgedCell:
    """What to do with the blank cell of a row.

    Args:
        outcomes: Of the function first, then of the rivals that fit the filled rows as well.
    """
    answer, *others = outcomes
    if not answer.ok:
        return unfilled_cell("not filled", _failure(inputs, record, arguments, answer.error))
    cell, doubt = cell_value(table, inputs, answer.value)
    problem = doubt if cell is None else table.write_problem(cell, line=record.line, column=inputs.column)
    if cell is None or problem is not None:
        return unfilled_cell("not filled", problem)
    odd = inputs.misread(arguments)
    if odd is not None:
        doubt = reason("unlike_column", value=record.cells[odd], column=table.columns[odd])
    rivals = _other_values(answer.value, others)
    if rivals:
        doubt = reason("another_gives", value=rivals[0])
    elif doubt is None and any(not one.ok for one in others):
        doubt = reason("another_fails")
    run, sign = None, formula_sign(cell)
    if sign and inputs.formulas.allows_cell(str(cell)):
        delimited = table.form.kind == "delimited"
        run = reason("formula_row") if delimited and inputs.formulas.is_elsewhere(str(cell), record.line) else None
    elif sign:
        run = reason("formula", sign=sign)
        if table.form.kind == "delimited":
            cell, run = TEXT_PREFIX + cell, reason("formula_as_text", sign=sign, prefix=TEXT_PREFIX)
    return JudgedCell(
        cell=cell, flag=FlagReasons(reasons=tuple(one for one in (run, doubt) if one is not None)), others=rivals
    )


def unfilled_cell(left: Left, why: Reason | None) -> JudgedCell:
    """A cell that stays as it is."""
    return JudgedCell(flag=FlagReasons(left=left, reasons=(why or reason("no_value"),)))


def compare_cell(
    table: Table, inputs: RowInputs, record: TableRow, arguments: Sequence[Json], answer: Outcome
) -> JudgedCell | None:
    """The doubt about a cell that was filled before, where the function gives something else; the cell stays."""
    given = record.cells[inputs.column]
    if answer.ok:
        cell, _ = cell_value(table, inputs, answer.value)
        known = inputs.kind.read(given)
        same = _plain(given) in (_plain(cell), f"{TEXT_PREFIX}{_plain(cell)}")
        if same or (equal(known, answer.value) and _is_as_near(inputs.kind.read(cell), known)):
            return None
        return JudgedCell(flag=FlagReasons(reasons=(reason("differs", value=answer.value),)), others=(answer.value,))
    return unfilled_cell("not compared", _failure(inputs, record, arguments, answer.error))


def _failure(inputs: RowInputs, record: TableRow, arguments: Sequence[Json], error: str) -> Reason:
    """Why a function gave nothing, as a fact about the cells: nobody with a table reads Python's."""
    if UNKNOWN in error:
        return reason("no_equal_row")
    odd = inputs.misread(arguments)
    place = None if odd is None else inputs.columns.index(odd)
    if place is not None and inputs.kinds[place].is_number:
        return reason("not_a_number", value=str(arguments[place]))
    used = [value for place, value in enumerate(arguments) if inputs.used is None or place in inputs.used]
    if used and all(value is None or value == "" for value in used):
        return reason("blank_inputs")
    named = _NO_NUMBER.match(error)
    if named is not None and any(isinstance(value, str) and named[2] in (value, value.strip()) for value in used):
        # else it is a piece of a cell, or nothing of it, that nobody would find there
        return reason("not_a_number", value=named[2])
    if error.startswith((NOT_RUN, "time limit", "TimeoutError")):
        return reason("too_slow")
    return reason("fails", values=[record.cells[index] for index in inputs.read_columns])


def _is_as_near(written: Cell, known: Cell) -> bool:
    """Whether a number that is right within the tolerance of floats is also written with all its digits."""
    if isinstance(written, float) and isinstance(known, int | float):
        return math.isclose(written, known, rel_tol=_NEAR)
    return True


def cell_value(table: Table, inputs: RowInputs, value: Json) -> tuple[Cell, Reason | None]:
    """A cell for a value, and what is doubtful about it or None; no cell where the value cannot stand in one."""
    kind = inputs.kind
    if value is None:
        return None, reason("no_value")
    if isinstance(value, str) and not value.strip():
        return None, reason("empty_text")
    if not table.typed:
        return kind.write(value)
    if (kind.name == "int" or kind.whole) and isinstance(value, float) and value.is_integer() and abs(value) < _EXACT:
        return int(value), None
    if kind.accepts_value(value):
        large = isinstance(value, float) and kind.is_number and abs(value) >= _EXACT
        return value, reason("inexact") if large else None
    return value, other_kind(value, kind)


def _other_values(value: Json, others: Sequence[Outcome]) -> tuple[Json, ...]:
    found: list[Json] = []
    for one in others:
        if one.ok and not equal(one.value, value) and not any(equal(one.value, known) for known in found):
            found.append(one.value)
    return tuple(found)


def is_same(one: Json, other: Json) -> bool:
    """Whether two values are equal but for blanks that are no more than between words."""
    if isinstance(one, str) and isinstance(other, str):
        return one.split() == other.split()
    return equal(one, other)


def _plain(cell: Cell) -> Cell:
    return cell.strip() if isinstance(cell, str) else cell
