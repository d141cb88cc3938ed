"""Sheets of workbooks: other cells, formats and formulas are kept, and doubtful cells are coloured."""

from __future__ import annotations

import copy
import datetime
import io
import itertools
import math
import re
import struct
import warnings
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO
from xml.parsers import expat

from evolve.core.errors import TaskError, UsageError, WorkspaceError
from evolve.core.reasons import Reason, reason
from evolve.tasks.tables.columns import iso_text
from evolve.tasks.tables.form import Cell, Rewriting, TableForm, TableRow, escape_unprintable, is_blank
from evolve.tasks.tables.formulas import formula_sign
from evolve.tasks.tables.workbook_package import damaged_workbook_error, loss_of

_TOKEN = r'"[^"]*"|\\.|0|[ ():-]'
_FORMAT = re.compile(rf"(?:\[\$-[^\]]*\])?((?:{_TOKEN})+)(?:;.*)?", re.DOTALL)
"""Zeros and what stands between them: no decimals, thousands, dates or conditions. A language may stand before them."""
_TOKENS = re.compile(_TOKEN, re.DOTALL)
_EXACT_DIGITS = 15
_MOST_CELLS = 5_000_000
"""A workbook is held in memory whole, because what is not changed has to be written again; about 50 bytes a cell."""
_NO_XML = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_DOUBTFUL = "FFFFE699"
_AUTHOR = "evolve"
_DAMAGE = (
    *(zipfile.BadZipFile, zlib.error, EOFError, OSError, SyntaxError, LookupError, ValueError, TypeError),
    *(AttributeError, AssertionError, ArithmeticError, RuntimeError, struct.error),
)
"""What openpyxl raises on files that are cut off, encrypted, or no workbooks inside."""


class WorkbookTable:
    """One sheet of an XLSX file. Its first row with two cells or more names the columns.

    Cells with formulas have the values that were saved with them. Dates are ISO texts.

    Args:
        path: The file.
        file: Its name for messages.
        sheet: Name of the sheet; by default the one that was open when it was saved.

    Raises:
        TaskError: It is no workbook, too large, or the sheet has no rows.
        UsageError: There is no such sheet.
    """

    typed = True

    def __init__(self, path: Path, *, file: str, sheet: str | None = None) -> None:
        self.path = path
        self.loss = loss_of(path, file)
        book = _loaded(path, file, values=True)
        names = [one.title for one in book.worksheets]
        if sheet is not None and sheet not in names:
            raise UsageError(f"{path.name} has no sheet {sheet!r}", hint=f"it has {', '.join(names)}")
        active = book.active.title if book.active is not None and book.active.title in names else names[0]
        chosen = book[sheet if sheet is not None else active]
        self.form = TableForm(kind="workbook", sheet=chosen.title)
        self._book = _loaded(path, file, values=False)
        self._rows = _grid(chosen, self._book[chosen.title], file)
        self._head = next((index for index, row in enumerate(self._rows) if _filled(row) >= 2), -1)
        if self._head < 0:
            raise TaskError("the sheet has no row with two filled cells, so it has no header", file=file)
        self.first_line = self._head + 1
        width = range(len(self._rows[0]))
        used = [index for index in width if any(not is_blank(row[index]) for row in self._rows[self._head :])]
        self._left, self._right = used[0], used[-1] + 1
        head = self._rows[self._head][self._left : self._right]
        self.columns: Sequence[str] = ["" if cell is None else str(cell).strip() for cell in head]
        saved, cells = chosen._cells, self._book[chosen.title]._cells
        bare = (place for place, cell in cells.items() if cell.data_type == "f" and saved[place].value is None)
        self.uncomputed = frozenset(column - 1 - self._left for _, column in bare)

    def records(self) -> Iterator[TableRow]:
        """Every row that has a cell with something in it."""
        number = 0
        for index, row in enumerate(self._rows[self._head + 1 :], self._head + 2):
            cells = row[self._left : self._right]
            if _filled(cells):
                number += 1
                yield TableRow(number=number, line=index, cells=cells)

    def write_problem(self, cell: Cell, *, line: int = 0, column: int = -1) -> Reason | None:
        """Why a cell cannot be written, or None."""
        from openpyxl.cell.cell import MergedCell

        if isinstance(cell, list | dict):
            return reason("no_cell", kind=type(cell).__name__)
        if isinstance(cell, int | float) and not _is_exact(cell):
            return reason("no_workbook_number")
        there = self._book[self.form.sheet]._cells.get((line, self._left + column + 1)) if column >= 0 else None
        if isinstance(there, MergedCell):
            return reason("merged")
        if isinstance(cell, str) and (len(cell) > 32_767 or _NO_XML.search(cell)):
            return reason("no_workbook_text")
        return None

    def is_doubted(self, record: TableRow, column: int) -> bool:
        """Whether an earlier fill left a comment with a doubt about a cell that nobody has taken away since."""
        cell = self._book[self.form.sheet]._cells.get((record.line, self._left + column + 1))
        return cell is not None and cell.comment is not None and cell.comment.author == _AUTHOR

    def rewrite(self, wanted: Rewriting, stream: BinaryIO) -> None:
        """Writes the workbook with some cells changed, and those that are doubtful coloured, with a comment."""
        sheet = self._book[self.form.sheet]
        lines = {record.number: record.line for record in self.records()}
        column = self._left + wanted.column + 1
        if wanted.column == len(self.columns):
            head = sheet.cell(self._head + 1, column)
            _put(head, wanted.label, None)
            _like(head, sheet.cell(self._head + 1, column - 1))
        pattern = self._pattern(sheet, column)
        wholes = {
            row: whole
            for whole in sheet.merged_cells.ranges
            if whole.min_col <= column <= whole.max_col
            for row in range(whole.min_row, whole.max_row + 1)
        }
        for change in wanted.changes:
            cell = sheet.cell(lines[change.number], column)
            if change.cell is not None:
                _put(cell, change.cell, pattern)
            if change.why:
                _mark(sheet, cell, change.why, wholes.get(cell.row))
        _keep_digits(self._book)
        written = io.BytesIO()
        self._book.save(written)
        _check(written, self.path.name)
        stream.write(written.getbuffer())

    def _pattern(self, sheet: Any, column: int) -> Any:
        """A filled cell of the column, whose format the new ones get."""
        for record in self.records():
            cell = sheet.cell(record.line, column)
            if not is_blank(cell.value):
                return cell
        return None


def _grid(values: Any, formulas: Any, file: str) -> list[list[Cell]]:
    """Every cell up to the last row and column with something in them: formats alone, which people give to whole
    columns, make no rows."""
    found: dict[tuple[int, int], Cell] = {}
    codes: dict[int, dict[tuple[int, int], str]] = {}
    for place, cell in formulas._cells.items():
        saved = values._cells[place].value if place in values._cells else None
        # A formula whose value was not saved is no blank cell; one that has a link alone is.
        value = _value(saved if saved is not None else cell.value)
        if value is not None and not (value == "" and cell.hyperlink is not None):
            found[place] = value
            if type(value) is int and (code := _code_shown(value, cell.number_format)):
                codes.setdefault(place[1], {})[place] = code
    for shown in codes.values():
        if any(code != str(found[place]) for place, code in shown.items()):  # else they are numbers to a person, too
            found |= shown
    height, width = (max((place[axis] for place in found), default=0) for axis in (0, 1))
    if height * width > _MOST_CELLS:
        raise TaskError(
            f"the sheet has more than {_MOST_CELLS:,} cells, too many for memory",
            file=file,
            hint="save the sheet as CSV, which is read row by row",
        )
    rows: list[list[Cell]] = [[None] * width for _ in range(height)]
    for (row, column), value in found.items():
        rows[row - 1][column - 1] = value
    return rows


def _filled(row: Sequence[Cell]) -> int:
    return sum(not is_blank(cell) for cell in row)


def _value(value: Any) -> Cell:
    if isinstance(value, datetime.date | datetime.time):
        return iso_text(value)
    if isinstance(value, datetime.timedelta) or (isinstance(value, float) and not math.isfinite(value)):
        return str(value)
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return int(value)
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)


def _put(cell: Any, value: Cell, pattern: Any) -> None:
    """Writes a value as the cells of the column are: dates as dates, texts as texts."""
    dated = pattern is not None and isinstance(pattern.value, datetime.date | datetime.time)
    cell.value = _as_date(value) if dated and isinstance(value, str) else value
    coded = pattern is not None and type(pattern.value) is int and isinstance(value, str)
    if coded:
        cell.value = _coded_number(value, pattern.number_format)
    if isinstance(cell.value, str):
        cell.data_type = "s"  # a text that begins with an equals sign is no formula
    if pattern is not None:
        _like(cell, pattern)
    if coded and type(cell.value) is int:
        cell.number_format = pattern.number_format  # in the cell's own one it would be another code
    if formula_sign(cell.value):
        cell.quotePrefix = True  # it stays a text also when somebody edits the cell


def _as_date(value: str) -> Any:
    for read in (datetime.date.fromisoformat, datetime.datetime.fromisoformat, datetime.time.fromisoformat):
        try:
            return read(value)
        except ValueError:
            continue
    return value


def _like(cell: Any, pattern: Any) -> None:
    """Gives a cell the format of another, unless it has one of its own."""
    if pattern.has_style and not cell.has_style:
        cell._style = copy.copy(pattern._style)
    elif cell.number_format == "General":
        cell.number_format = pattern.number_format


def _is_exact(number: float) -> bool:
    """Whether a workbook, which has doubles alone, can hold a number."""
    try:
        return math.isfinite(number) and int(float(number)) == int(number)
    except OverflowError:
        return False


def _keep_digits(book: Any) -> None:
    """Numbers are written with all their digits, where openpyxl would write sixteen."""
    for sheet in book.worksheets:
        for cell in sheet._cells.values():
            value = cell.value
            if type(value) is int or (type(value) is float and float(f"{value:.16g}") != value):
                cell._value = repr(value)


def _mark(sheet: Any, cell: Any, why: str, whole: Any) -> None:
    """Colours a cell and says why; a part of a merged cell, which can have no comment, leaves both to the whole."""
    from openpyxl.cell.cell import MergedCell
    from openpyxl.comments import Comment
    from openpyxl.styles import PatternFill

    if isinstance(cell, MergedCell):
        why, cell = f"{cell.coordinate}: {why}", sheet.cell(whole.min_row, whole.min_col)
    cell.fill = PatternFill("solid", fgColor=_DOUBTFUL)
    before = cell.comment.text.split("\n") if cell.comment is not None else []
    if escape_unprintable(why) not in before:  # an earlier fill may have said the same
        cell.comment = Comment("\n".join([*before, escape_unprintable(why)]), _AUTHOR)


def _loaded(path: Path, file: str, *, values: bool) -> Any:
    import openpyxl

    try:
        with path.open("rb") as stream, warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what is lost is told in a sentence of our own
            book = openpyxl.load_workbook(
                stream,
                data_only=values,
                keep_vba=not values and path.suffix.lower() == ".xlsm",
                rich_text=not values,
            )
            _clear_linked(book, stream, values=values)
            if book.vba_archive is not None:  # left open for writing, it fails when it is collected
                held = book.vba_archive.fp
                book.vba_archive.close()
                book.vba_archive = zipfile.ZipFile(held)
    except _DAMAGE as error:
        raise damaged_workbook_error(file) from error
    if not book.worksheets:
        raise TaskError("the workbook has no sheet with cells", file=file)
    return book


def _clear_linked(book: Any, stream: BinaryIO, *, values: bool) -> None:
    """Takes out the addresses that openpyxl writes into blank cells with a link."""
    import openpyxl

    linked = {
        (sheet.title, cell.row, cell.column): cell
        for sheet in book.worksheets
        for cell in sheet._cells.values()
        if cell.hyperlink is not None and cell.value in (cell.hyperlink.target, cell.hyperlink.location)
    }
    if not linked:
        return
    plain = openpyxl.load_workbook(stream, read_only=True, data_only=values)  # which reads no links
    for sheet in plain.worksheets:
        for cell in itertools.chain.from_iterable(sheet.iter_rows()):
            if cell.value is not None:
                linked.pop((sheet.title, cell.row, cell.column), None)
    for cell in linked.values():
        cell.value, cell.data_type = "", "n"  # with nothing at all it would not be written, and its link with it


def _check(written: BinaryIO, name: str) -> None:
    """Reads every part again, so that a broken workbook never takes the place of a good one."""
    try:
        with zipfile.ZipFile(written) as parts:
            for part in parts.namelist():
                if part.endswith((".xml", ".rels", ".vml")):
                    with parts.open(part) as stream:
                        expat.ParserCreate().ParseFile(stream)
                else:
                    parts.read(part)  # compares the checksum
    except (zipfile.BadZipFile, expat.ExpatError) as error:
        raise WorkspaceError(f"writing would damage {name}, so nothing is written", hint="save it as CSV") from error


def _code_shown(number: int, pattern: str) -> str:
    """How a whole number looks in a format of at least two zeros, such as ``00123``; "" in any other."""
    found = _FORMAT.fullmatch(pattern) if pattern.count("0") > 1 else None
    tokens = _TOKENS.findall(found[1]) if found is not None else []
    zeros = tokens.count("0")
    if zeros < 2 or number < 0:
        return ""
    digits = str(number).zfill(zeros)
    # What a number has more of than the format stands before its first zero.
    ahead, rest = digits[: len(digits) - zeros + 1], iter(digits[len(digits) - zeros + 1 :])
    shown, begun = [], False
    for token in tokens:
        if token == "0":
            shown.append(next(rest) if begun else ahead)
            begun = True
        else:
            shown.append(token[1:-1] if token[0] == '"' else token[-1])
    return "".join(shown)


def _coded_number(text: str, pattern: str) -> int | str:
    """The number that a format shows as this text; the text itself where there is none."""
    tokens = _TOKENS.findall(found[1]) if (found := _FORMAT.fullmatch(pattern)) is not None else []
    bare = text
    for token in tokens:
        if token != "0":
            bare = bare.replace(token[1:-1] if token[0] == '"' else token[-1], "", 1)
    number = int(bare) if bare.isascii() and bare.isdigit() and len(bare) <= _EXACT_DIGITS else -1
    return number if _code_shown(number, pattern) == text else text
