"""What a table looks like as a file, and what is changed in it."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, Literal, Protocol

from evolve.core.errors import TaskError, UsageError
from evolve.core.files import named_path
from evolve.core.progress import report_activity
from evolve.core.reasons import Reason

Cell = Any
"""A text in delimited tables; a JSON value in the others, with dates as ISO texts; None where there is nothing."""

CHECKS = ": check"
"""How the column is called, after the one it speaks of, in which doubts stand."""
LONGEST_LINE = 1 << 25
"""Signs, or bytes; a longer line would take memory without end."""
_MOST_NAMES = 1_000
"""Files of a folder among which one is looked for that is called like a missing one."""
_MARKS = {b"\xef\xbb\xbf": "a byte-order mark", b"\xff\xfe": "", b"\xfe\xff": ""}
_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
_SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "vertical bars"}


@dataclass(frozen=True, kw_only=True)
class TableForm:
    """The form of a table's file, as it was recognised.

    Attributes:
        kind: ``delimited``, ``jsonl`` or ``workbook``.
        encoding: Python's name of it, without any byte-order mark.
        mark: The byte-order mark at the beginning, or nothing.
        delimiter: What stands between cells; "" where nothing does.
        quoted: Every cell stands in quotes.
        spaced: Blanks may stand beside quotes, outside of them.
        line_end: What stands at the end of lines.
        sheet: Name of the sheet of a workbook.
    """

    kind: Literal["delimited", "jsonl", "workbook"]
    encoding: str = "utf-8"
    mark: bytes = b""
    delimiter: str = ""
    quoted: bool = False
    spaced: bool = False
    line_end: str = "\n"
    sheet: str = ""

    def summary(self) -> str:
        """The form in words, such as ``separated by semicolons, cp1252, every cell quoted``."""
        if self.kind == "workbook":
            return f"a workbook, sheet {self.sheet!r}"
        parts = [self.encoding]
        if self.kind == "jsonl":
            parts.insert(0, "one JSON object per line")
        else:
            parts.insert(0, f"separated by {_SEPARATORS.get(self.delimiter, repr(self.delimiter))}")
        parts += filter(None, [_MARKS.get(self.mark, "")])
        parts += ["every cell quoted"] * self.quoted + ["blanks beside quotes"] * self.spaced
        return ", ".join(parts)


@dataclass(frozen=True, kw_only=True, slots=True)
class TableRow:
    """One row.

    Attributes:
        number: Rows of data are counted from 1; empty lines do not count.
        line: Where it begins in the file, from 1; the row of the sheet in a workbook.
        cells: As many as the table has columns.
    """

    number: int
    line: int
    cells: Sequence[Cell]


@dataclass(frozen=True, kw_only=True, slots=True)
class RowChange:
    """What is done to one row.

    Attributes:
        number: The row's.
        cell: What to write, as :class:`TableRow` has cells; None leaves the cell as it is.
        why: What is doubtful about the cell, or "".
        old: What stands there; for blank ones None.
    """

    number: int
    cell: Cell = None
    why: str = ""
    old: Cell = None

    def must_replace(self, found: Cell, file: str) -> None:
        """Refuses to write over a cell that is not the one that was read.

        Raises:
            TaskError: Another cell stands there; nothing may be written.
        """
        if found != self.old and not (is_blank(found) and is_blank(self.old)):
            raise row_moved_error(self.number, file)


@dataclass(frozen=True, kw_only=True)
class Rewriting:
    """What is written anew.

    Attributes:
        column: Index of the column; as many as there are columns for a new one at the end.
        label: Name of the column.
        changes: In the order of the rows; rows without any stay as they are.
        checks: A further column says what is doubtful.
    """

    column: int
    label: str
    changes: Iterator[RowChange]
    checks: bool = False

    @property
    def check_label(self) -> str:
        """Name of the column that says what is doubtful."""
        return f"{self.label}{CHECKS}"


class Table(Protocol):
    """A table as a file: read row by row, and written again with some cells changed and all others as they were."""

    path: Path
    form: TableForm
    columns: Sequence[str]
    typed: bool
    """Cells have types of their own; in delimited tables all are texts."""
    first_line: int
    """Where the header stands, or the first row where there is none."""
    loss: str
    """What of the file is lost when it is written again, in a sentence, or ""."""
    uncomputed: frozenset[int]
    """Indices of the columns with formulas whose values were not saved, which are read as the formulas themselves."""

    def records(self) -> Iterator[TableRow]:
        """Every row, read anew each time.

        Raises:
            TaskError: A row is malformed; names file and line.
        """
        ...

    def write_problem(self, cell: Cell, *, line: int = 0, column: int = -1) -> Reason | None:
        """Why a cell cannot be written in this form, or None.

        Args:
            line: Where its row begins.
            column: Index of its column; -1 where only the value is asked about.
        """
        ...

    def is_doubted(self, record: TableRow, column: int) -> bool:
        """Whether an earlier fill left a doubt about a cell that nobody has cleared since."""
        ...

    def rewrite(self, wanted: Rewriting, stream: BinaryIO) -> None:
        """Writes the whole table with some cells changed."""
        ...


def is_blank(cell: Cell) -> bool:
    """Whether there is nothing in a cell, or blanks alone."""
    return cell is None or (isinstance(cell, str) and not cell.strip())


def escape_unprintable(text: str) -> str:
    """A text with control characters, and all else that no XML or terminal can hold, as escapes."""
    return _UNPRINTABLE.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def row_moved_error(number: int, file: str) -> TaskError:
    """What is told where a row is not found again when the table is written."""
    return TaskError(
        f"row {number} changed while evolve worked, so evolve wrote nothing",
        file=file,
        hint="run the command again, and leave the table alone meanwhile",
    )


def too_long(line: int, file: str) -> TaskError:
    """What is told of a line that is longer than :data:`LONGEST_LINE`."""
    return TaskError(f"the line is longer than {LONGEST_LINE:,} characters", file=file, line=line)


def _like(path: Path) -> str:
    """Names the file beside a missing one that is called most like it, or ""."""
    from difflib import get_close_matches

    try:
        stems = [one.stem for one in islice(path.parent.iterdir(), _MOST_NAMES) if one.suffix == path.suffix]
    except OSError:
        return ""
    near = get_close_matches(path.stem, sorted(stems), n=1)
    return f"did you mean {escape_unprintable(near[0] + path.suffix)}?" if near else ""


def file_identity(path: Path) -> tuple[int, ...]:
    """What changes when somebody else writes the file."""
    state = os.stat(path)
    return state.st_dev, state.st_ino, state.st_size, state.st_mtime_ns


def table_path(text: str | os.PathLike[str]) -> Path:
    """The file of a table, which has to be there.

    Raises:
        UsageError: It is none that can be read.
    """
    path = named_path(text)
    if not path.exists():
        raise TaskError("no such file", file=os.fspath(text), hint=_like(path))
    if path.is_dir():
        raise TaskError("a folder, and no table", file=os.fspath(text), hint="name one file of it")
    if not path.is_file():
        raise TaskError("is not a regular file", file=os.fspath(text))
    return path.resolve()


@contextmanager
def translate_read_errors(table: Table) -> Iterator[None]:
    """Adds to the hint of each refusal how the table was read: where that is wrong, it is the reason of the refusal."""
    try:
        with report_activity("table", table.path.name):
            yield
    except UsageError as error:
        error.hint = "; ".join(filter(None, [error.hint, f"{table.path.name} was read as {table.form.summary()}"]))
        raise


def label_of(table: Table, index: int) -> str:
    """What a column is called, also where nothing stands above it."""
    return table.columns[index] or f"column {index + 1}"


def has_reason(table: Table, record: TableRow, column: int) -> bool:
    """Whether something stands in the further column in which doubts about a column stand."""
    if column >= len(table.columns):
        return False
    label = f"{label_of(table, column)}{CHECKS}"
    return label in table.columns and not is_blank(record.cells[table.columns.index(label)])


def column_of(table: Table, name: str) -> int:
    """Index of a column that a person named; as many as there are columns where there is none.

    A column is named as :func:`label_of` does, or by its number where none is called so.

    Raises:
        UsageError: Two columns have that name.
    """
    called = [label_of(table, index) for index in range(len(table.columns))]
    plain = [label.strip().casefold() for label in called]
    numbers = [str(index + 1) for index in range(len(called))]
    ways = ((table.columns, name), (called, name), (plain, name.strip().casefold()), (numbers, name.strip()))
    for labels, wanted in ways:
        found = [index for index, label in enumerate(labels) if label == wanted]
        if len(found) > 1:
            which = " or ".join(numbers[index] for index in found)
            raise UsageError(f"{len(found)} columns are called {name!r}", hint=f"name it by its number: {which}")
        if found:
            return found[0]
    return len(table.columns)
