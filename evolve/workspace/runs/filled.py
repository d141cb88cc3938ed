"""What filling a table gives back, and how a value becomes a cell."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evolve.agent.codec import to_data
from evolve.episodes import Json
from evolve.sandbox import Outcome
from evolve.tables import Cell, Record, Table, printable
from evolve.tasks import equal
from evolve.tasks.reading.partly_filled import Inputs
from evolve.workspace.runs.result import Result

_SHOWN = 80
"""Longest value in a reason."""
_NEAR = 1e-13
"""Relative; further apart, a number that was written has other digits than the one beside it."""
_EXACT = 2.0**53
"""From here on not every whole number is a float."""


@dataclass(frozen=True, kw_only=True)
class Mark:
    """One doubtful cell.

    Attributes:
        row: Rows of data are counted from 1.
        line: Where the row begins in the file.
        value: What stands in the cell now; None where it was left empty.
        why: What is doubtful, in one sentence.
        others: What else could stand there.
    """

    row: int
    line: int
    value: Json
    why: str
    others: tuple[Json, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Filled:
    """What became of a table.

    Attributes:
        out: The file that was written; None where nothing was.
        column: The column that was filled.
        inputs: The columns from which it was filled.
        given: Rows in which it was filled before.
        doubted: Of these, rows that are no examples, since an earlier fill doubted what it wrote there.
        own: Of these, rows that an earlier fill wrote and nobody changed since, which are no examples either.
        filled: Cells that were filled.
        marked: Cells that are doubtful: left empty, filled and marked, or filled before and unlike what the function
            gives.
        marks: The first thousand of them.
        result: The run that found the function; None where one was given.
        form: What was recognised of the file, in words.
        function: Source of the function that was applied, or "".
        loss: What of the file could not be carried over, in a sentence, or "".
        seconds: How long it took, in all.
    """

    out: Path | None
    column: str
    inputs: tuple[str, ...]
    given: int
    filled: int
    marked: int
    marks: tuple[Mark, ...]
    result: Result | None
    form: str
    function: str = ""
    loss: str = ""
    seconds: float = 0.0
    doubted: int = 0
    own: int = 0

    def to_json(self) -> dict[str, Any]:
        """One JSON object."""
        plain = {name: value for name, value in vars(self).items() if name not in ("out", "result", "marks")}
        return {
            **plain,
            "out": None if self.out is None else str(self.out),
            "marks": to_data(self.marks),
            "result": None if self.result is None else self.result.to_json(),
            "seconds": round(self.seconds, 3),
        }


@dataclass(frozen=True, kw_only=True, slots=True)
class Judged:
    """What is done to one cell: ``cell`` is written unless it is None, and ``why`` says what is doubtful, or ""."""

    cell: Cell = None
    why: str = ""
    others: tuple[Json, ...] = ()


def judged(
    table: Table, inputs: Inputs, record: Record, arguments: Sequence[Json], outcomes: Sequence[Outcome]
) -> Judged:
    """What to do with the blank cell of a row.

    Args:
        outcomes: Of the function first, then of the rivals that fit the filled rows as well.
    """
    answer, *others = outcomes
    if not answer.ok:
        return Judged(why=f"the function fails here: {_brief(answer.error)}")
    cell, doubt = as_cell(table, inputs, answer.value)
    problem = "" if cell is None else table.problem(cell, line=record.line, column=inputs.column)
    if cell is None or problem:
        return Judged(why=problem or doubt)
    odd = inputs.misread(arguments)
    if odd is not None:
        doubt = f"{_told(record.cells[odd])} under {table.columns[odd]!r} is of another kind than the cells beside it"
    rivals = _other_values(answer.value, others)
    if rivals:
        doubt = f"another function that fits the rows gives {_told(rivals[0])}"
    elif not doubt and any(not one.ok for one in others):
        doubt = "another function that fits the rows fails here"
    return Judged(cell=cell, why=doubt, others=rivals)


def compared(table: Table, inputs: Inputs, record: Record, answer: Outcome) -> Judged | None:
    """The doubt about a cell that was filled before, where the function gives something else; the cell stays."""
    given = record.cells[inputs.column]
    if answer.ok:
        cell, _ = as_cell(table, inputs, answer.value)
        known = inputs.kind.read(given)
        if _plain(cell) == _plain(given) or (equal(known, answer.value) and _is_as_near(inputs.kind.read(cell), known)):
            return None
        said = f"the function gives {_told(answer.value)} here"
        return Judged(why=f"{said}, unlike this row", others=(answer.value,))
    return Judged(why=f"the function fails here: {_brief(answer.error)}")


def _is_as_near(written: Cell, known: Cell) -> bool:
    """Whether a number that is right within the tolerance of floats is also written with all its digits."""
    if isinstance(written, float) and isinstance(known, int | float):
        return math.isclose(written, known, rel_tol=_NEAR)
    return True


def as_cell(table: Table, inputs: Inputs, value: Json) -> tuple[Cell, str]:
    """A cell for a value, and what is doubtful about it or ""; None where the value cannot stand in one."""
    kind = inputs.kind
    if value is None:
        return None, "the function gives nothing here"
    if isinstance(value, str) and not value.strip():
        return None, "the function gives an empty text here"
    if not table.typed:
        return kind.write(value)
    if (kind.name == "int" or kind.whole) and isinstance(value, float) and value.is_integer() and abs(value) < _EXACT:
        return int(value), ""
    if kind.fits(value):
        large = isinstance(value, float) and kind.is_number and abs(value) >= _EXACT
        return value, "it gives a number that is too large to be exact to its last digit" if large else ""
    return value, f"it gives {_sort(value)} where the other cells are {'text' if kind.name == 'text' else 'numbers'}"


def _sort(value: Json) -> str:
    if isinstance(value, bool):
        return "true or false"
    if isinstance(value, str):
        return "text"
    return "a number" if isinstance(value, int | float) else f"a {type(value).__name__}"


def _other_values(value: Json, others: Sequence[Outcome]) -> tuple[Json, ...]:
    found: list[Json] = []
    for one in others:
        if one.ok and not equal(one.value, value) and not any(equal(one.value, known) for known in found):
            found.append(one.value)
    return tuple(found)


def _plain(cell: Cell) -> Cell:
    return cell.strip() if isinstance(cell, str) else cell


def _told(value: Json) -> str:
    return _brief(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False), quoted=True)


def _brief(text: str, *, quoted: bool = False) -> str:
    line = " ".join(text.split()) if not quoted else text.replace("\n", " ").replace("\r", " ")
    short = printable(line if len(line) <= _SHOWN else line[: _SHOWN - 1] + "…")
    return f"'{short}'" if quoted else short
