"""Delimited tables: read by the standard library, written with every other cell byte for byte as it was.

The first line of one names its columns, or is a row like the others, which the cells below it tell.
"""

from __future__ import annotations

import csv
import io
import itertools
import re
from collections.abc import Iterator, Sequence
from itertools import islice, pairwise
from pathlib import Path
from typing import BinaryIO, Literal

from evolve.core.errors import TaskError
from evolve.core.reasons import Reason, reason
from evolve.tasks.tables.dialect import QUOTE, RowGrammar, SpacedReader, declared_delimiter, recognise_form
from evolve.tasks.tables.form import (
    CHECKS,
    LONGEST_LINE,
    Cell,
    Rewriting,
    RowChange,
    TableForm,
    TableRow,
    has_reason,
    is_blank,
    row_moved_error,
    too_long,
)

_CHECK = re.compile(rf"column [0-9]+{CHECKS}: ")
"""How what is doubtful begins where no header names the column in which it stands."""


class DelimitedTable:
    """A CSV or TSV file.

    Args:
        path: The file.
        file: Its name for messages.
        header: The first line names the columns; without, all of it is data.

    Raises:
        TaskError: The file has no rows, or is no text.
    """

    typed = False
    loss = ""
    uncomputed: frozenset[int] = frozenset()

    def __init__(self, path: Path, *, file: str, header: bool = True) -> None:
        self.path, self._file = path, file
        self.form: TableForm = recognise_form(path, file=file, delimiter="\t" if path.suffix.lower() == ".tsv" else ",")
        self._grammar = RowGrammar(delimiter=self.form.delimiter, spaced=self.form.spaced)
        self._header = header
        self._checks = -1
        first = next(self._rows(), None)
        if first is None:
            raise TaskError("the table has no rows", file=file)
        self.first_line, cells = first
        self.columns: Sequence[str] = [cell.strip() for cell in cells] if header else self._unnamed(len(cells))

    def records(self) -> Iterator[TableRow]:
        """Every row, read anew each time."""
        rows = self._rows()
        if self._header:
            next(rows, None)
        width = len(self.columns)
        for number, (line, cells) in enumerate(rows, 1):
            if len(cells) != width:
                raise self._ragged(line, len(cells))
            yield TableRow(number=number, line=line, cells=cells)

    def _unnamed(self, width: int) -> Sequence[str]:
        """No names, but of a column in which an earlier fill says what is doubtful: its cells begin with its name."""
        begins: list[set[str]] = [set() for _ in range(width)]
        for _, cells in self._rows():
            for known, cell in zip(begins, cells, strict=False):
                if cell and len(known) <= 1:
                    known.add(found[0] if (found := _CHECK.match(cell)) else "")
        return [known.pop().removesuffix(": ") if len(known) == 1 else "" for known in begins]

    def _ragged(self, line: int, count: int) -> TaskError:
        width = len(self.columns)
        hint = "delete this row if it is a total or a note; put quotes around a cell with a separator or a line break"
        if count > width:
            hint = f"delete line {self.first_line} if it is a title above the header; {hint}"
        return TaskError(
            f"the row has {count} cell{'s' * (count != 1)}, the header has {width}",
            file=self._file,
            line=line,
            hint=hint,
        )

    def _rows(self) -> Iterator[tuple[int, Sequence[str]]]:
        """The rows with the lines where they begin; empty lines left out."""
        line = 1
        with self._text() as stream:
            try:
                lines = self._lines(stream)
                first = next(lines, "")
                skipped = 1 if declared_delimiter(first) else 0
                lines = lines if skipped else itertools.chain([first], lines)
                reader = (
                    SpacedReader(lines, self._grammar)
                    if self.form.spaced
                    else csv.reader(lines, delimiter=self.form.delimiter, strict=True)
                )
                line += skipped
                for row in reader:
                    if row:
                        yield line, row
                    line = reader.line_num + 1 + skipped
            except csv.Error as error:
                raise self._unreadable(line, str(error)) from error
            except UnicodeDecodeError as error:
                hint = "save the file as UTF-8 and try again"
                raise TaskError(
                    f"the text is not {self.form.encoding}", file=self._file, line=line, hint=hint
                ) from error

    def _unreadable(self, line: int, why: str) -> TaskError:
        if "field limit" in why:
            return TaskError(f"a cell is longer than {csv.field_size_limit():,} characters", file=self._file, line=line)
        return TaskError(
            "a quotation mark is not closed, or text follows it",
            file=self._file,
            line=line,
            hint='put quotes around the whole cell, and write each quotation mark in it twice: "say ""no"""',
        )

    def _lines(self, stream: io.TextIOWrapper) -> Iterator[str]:
        for number, line in enumerate(iter(lambda: stream.readline(LONGEST_LINE), ""), 1):
            if len(line) == LONGEST_LINE:
                raise too_long(number, self._file)
            yield line

    def _text(self) -> io.TextIOWrapper:
        stream = self.path.open("rb")
        stream.seek(len(self.form.mark))
        return io.TextIOWrapper(stream, encoding=self.form.encoding, newline="")

    def write_problem(self, cell: str, *, line: int = 0, column: int = -1) -> Reason | None:
        """Why a cell cannot be written, or None."""
        try:
            cell.encode(self.form.encoding)
        except UnicodeEncodeError as error:
            return reason("no_such_character", character=cell[error.start], encoding=self.form.encoding)
        return None

    def is_doubted(self, record: TableRow, column: int) -> bool:
        """Whether an earlier fill left a doubt about a cell that nobody has cleared since."""
        return has_reason(self, record, column)

    def rewrite(self, wanted: Rewriting, stream: BinaryIO) -> None:
        """Writes the table; only cells that change, and the further columns, are made anew."""
        rows = self._raw()
        out = _Writer(stream, self.form)
        stream.write(self.form.mark)
        changes = iter(wanted.changes)
        change = next(changes, None)
        number = 0 if self._header else 1
        self._checks = self.columns.index(wanted.check_label) if wanted.check_label in self.columns else -1
        for line, (text, end) in enumerate(rows):
            if not text or (line == 0 and declared_delimiter(text)):
                out.write(text + end)
                continue
            if number == 0:
                out.write(self._headed(text, wanted) + end)
            else:
                mine = change if change is not None and change.number == number else None
                if mine is not None:
                    change = next(changes, None)
                out.write(self._changed(text, wanted, mine, number) + end)
            number += 1
        if change is not None:
            raise row_moved_error(change.number, self._file)
        out.flush()

    def _headed(self, text: str, wanted: Rewriting) -> str:
        new = [wanted.label] if wanted.column == len(self.columns) else []
        return self._with_more(text, [*new, *([wanted.check_label] if wanted.checks and self._checks < 0 else [])])

    def _changed(self, text: str, wanted: Rewriting, change: RowChange | None, number: int) -> str:
        cell = None if change is None else change.cell
        why = "" if change is None else change.why
        why = f"{wanted.check_label}: {why}" if why and not self._header else why
        more = [cell or ""] if wanted.column == len(self.columns) else []
        if change is not None and cell is not None and not more:
            start, stop = self._span(text, wanted.column, change.number)
            change.must_replace(self._grammar.cell_value(text[start:stop]), self._file)
            text = text[:start] + self._beside(text[start:stop], cell) + text[stop:]
        told = why.encode(self.form.encoding, "replace").decode(self.form.encoding)
        if self._checks >= 0:
            # what an earlier fill said there holds no longer
            start, stop = self._span(text, self._checks, number)
            old = text[start:stop]
            text = (
                text if self._grammar.cell_value(old) == told else text[:start] + self._beside(old, told) + text[stop:]
            )
        return self._with_more(text, [*more, *([told] if wanted.checks and self._checks < 0 else [])])

    def _span(self, text: str, column: int, number: int) -> tuple[int, int]:
        spans = self._grammar.cell_spans(text) or ()
        if column >= len(spans):
            raise row_moved_error(number, self._file)
        return spans[column]

    def _with_more(self, text: str, cells: Sequence[str]) -> str:
        return self.form.delimiter.join([text, *map(self._quoted, cells)])

    def _beside(self, old: str, cell: str) -> str:
        """A new cell with the blanks around the old one that are no part of it."""
        if not self.form.spaced:
            return self._quoted(cell)
        left, right = len(old) - len(old.lstrip(" ")), len(old.rstrip(" "))
        return old[:left] + self._quoted(cell) + old[max(left, right) :]

    def _quoted(self, cell: str) -> str:
        special = any(sign in cell for sign in (self.form.delimiter, QUOTE, "\r", "\n"))
        if not (special or self.form.quoted):
            return cell
        return QUOTE + cell.replace(QUOTE, QUOTE * 2) + QUOTE

    def _raw(self) -> Iterator[tuple[str, str]]:
        """The text of each row as it stands in the file, with what ends it."""
        with self._text() as stream:
            yield from self._grammar.rows(self._lines(stream))


class _Writer:
    """Encodes many small texts at once."""

    def __init__(self, stream: BinaryIO, form: TableForm) -> None:
        self._stream, self._encoding = stream, form.encoding
        self._held: list[str] = []

    def write(self, text: str) -> None:
        self._held.append(text)
        if len(self._held) >= 2_000:
            self.flush()

    def flush(self) -> None:
        self._stream.write("".join(self._held).encode(self._encoding))
        self._held.clear()


FirstLine = Literal["names", "row", "unclear"]

_ROWS = 200
"""Rows that are looked at."""
_ENOUGH = 2
"""Cells below that have to be alike before they say what the one above them is."""
_NUMBER = re.compile(r"[-+]?\d[\d.,' ]*%?")
_RUNS = (("A", re.compile(r"[^\W\d_]+")), ("0", re.compile(r"\d+")))
_WORDS = re.compile(r"A[A ()_/#-]*\.?0?")
"""The form of words, with a number behind them or none, which names of columns have as well as cells."""
_UNUSUAL = re.compile(r"[@=+&|<>*~]|://")
"""Signs of addresses and the like, which names of columns seldom have."""
_YEAR = re.compile(r"(19|20)\d\d")


def first_line_of(path: Path, *, file: str) -> FirstLine:
    """What the first line of a delimited table is, as far as its cells tell.

    It names the columns where one of its cells is a word and no cell below is, such as ``date`` above ``2026-03-01``.
    It is a row where nothing says that and a cell of it has the form of those below, such as an address or an amount,
    or comes again among them, perhaps with another number, such as ``x-1`` above ``x-2``. It is unclear where a name is
    missing, stands there twice, or is a number.
    """
    table = DelimitedTable(path, file=file)
    first, others = table.columns, [record.cells for record in islice(table.records(), _ROWS)]
    told = [_told(cell, [row[index] for row in others]) for index, cell in enumerate(first)]
    if "names" in told or [*first] in others:  # files that were put together have it again in the middle
        return "names"
    filled = [cell for cell in first if cell]
    used = [index for index, cell in enumerate(first) if cell or not all(is_blank(row[index]) for row in others)]
    numbers = [int(cell) for cell in filled if cell.isascii() and cell.isdecimal()]
    counted = len(numbers) > _ENOUGH and {b - a for a, b in pairwise(numbers)} == {1}  # such as months
    if "row" in told and not counted:
        return "row"
    is_odd = len(set(filled)) < len(used) or any(map(_NUMBER.fullmatch, filled))
    return "unclear" if is_odd and others else "names"


def _told(cell: str, below: Sequence[Cell]) -> FirstLine:
    """What one cell of the first line says of it."""
    known = [other.strip() for other in below if not is_blank(other)]
    if not cell or len(known) < _ENOUGH:
        return "unclear"
    forms = {_form(other) for other in known}
    if (code := _numbered(cell)) and code in {_numbered(other) for other in known}:
        return "row"
    if _WORDS.fullmatch(_form(cell)):
        if not any(map(_WORDS.fullmatch, forms)):
            return "names"
        return "row" if cell in known and len(set(known)) > 1 else "unclear"
    if _YEAR.fullmatch(cell) and not all(map(_YEAR.fullmatch, known)):
        return "unclear"  # the year of a column of figures
    signs = set(_UNUSUAL.findall(cell))
    is_like = forms == {_form(cell)} or (signs and all(signs <= set(_UNUSUAL.findall(other)) for other in known))
    return "row" if is_like else "unclear"


def _numbered(cell: str) -> str:
    """A code with ``0`` for each number in it, such as ``x-0``; "" for a number alone and for a word without one."""
    code = re.sub(r"\d+", "0", cell)
    return code if code != cell and any(map(str.isalpha, cell)) else ""


def _form(cell: str) -> str:
    """The cell with ``A`` for each run of letters and ``0`` for each of digits; a number of any form is one form."""
    if "." in cell and _NUMBER.fullmatch(cell):
        cell = re.sub(r"^[-+]?[\d,' ]*", "0", cell)
    for sign, run in _RUNS:
        cell = run.sub(sign, cell)
    return cell
