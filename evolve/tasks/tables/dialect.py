"""How a delimited table is written: encoding, delimiter, quotes, line ends, and where its cells stand."""

from __future__ import annotations

import codecs
import csv
import io
import itertools
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from evolve.core.errors import TaskError
from evolve.core.text_files import BYTE_ORDER_MARKS, guess_encoding, guess_utf16
from evolve.tasks.tables.columns import text_column
from evolve.tasks.tables.form import TableForm

QUOTE = '"'


@dataclass(frozen=True, kw_only=True)
class RowGrammar:
    """How cells stand in a row.

    Attributes:
        delimiter: What stands between them.
        spaced: Blanks may stand on both sides of a cell, outside of its quotes, and are no part of it.
    """

    delimiter: str
    spaced: bool = False

    def cell_spans(self, text: str) -> list[tuple[int, int]] | None:
        """Where the cells of a row stand in its text, quotes and blanks included; None where a quote is left open.

        A quote opens a cell only at its beginning, as for the standard library's reader.
        """
        spans = []
        start = 0
        while True:
            stop = self._end(text, start)
            if stop < 0:
                return None
            spans.append((start, stop))
            if stop == len(text):
                return spans
            start = stop + len(self.delimiter)

    def cell_value(self, text: str) -> str:
        """The value of a cell by its text."""
        text = text.strip(" ") if self.spaced else text
        if not text.startswith(QUOTE):
            return text
        stop = _closing_quote(text, 1)
        return text[1:stop].replace(QUOTE * 2, QUOTE) + text[stop + 1 :]

    def is_quoted(self, text: str) -> bool:
        """Whether a cell stands in quotes, by its text."""
        return text.startswith(QUOTE, self._begin(text, 0))

    def is_torn(self, text: str) -> bool:
        """Whether something stands behind the quotes of a cell, by its text."""
        text = text.strip(" ") if self.spaced else text
        return text.startswith(QUOTE) and _closing_quote(text, 1) != len(text) - 1

    def rows(self, lines: Iterable[str]) -> Iterator[tuple[str, str]]:
        """The text of each row as it stands in the file, with what ends it. A quote left open ends with the last line.

        Each line is looked at once, however many of them a row has.
        """
        held: list[str] = []
        inside = False
        for line in lines:
            text = line[: len(line) - (2 if line.endswith("\r\n") else 1 if line.endswith(("\n", "\r")) else 0)]
            inside = self._is_open(text, inside=inside)
            held.append(line if inside else text)
            if not inside:
                yield "".join(held), line[len(text) :]
                held.clear()
        if held:
            yield "".join(held), ""

    def _is_open(self, text: str, *, inside: bool) -> bool:
        """Whether a quote is open at the end of a line, where one may have been open before it."""
        if QUOTE not in text:
            return inside
        at = 0
        if inside:
            at = self._after(text, _closing_quote(text, 0))
        while 0 <= at < len(text):
            stop = self._end(text, at)
            at = stop if stop < 0 else stop + len(self.delimiter)
        return at < 0

    def _begin(self, text: str, start: int) -> int:
        while self.spaced and text.startswith(" ", start):
            start += 1
        return start

    def _end(self, text: str, start: int) -> int:
        """Where the cell that starts here ends; -1 where its quote is left open."""
        opening = self._begin(text, start)
        if not text.startswith(QUOTE, opening):
            return _or_end(text, text.find(self.delimiter, opening))
        closing = _closing_quote(text, opening + 1)
        return closing if closing < 0 else _or_end(text, text.find(self.delimiter, closing + 1))

    def _after(self, text: str, closing: int) -> int:
        """Where the next cell starts behind a closing quote; -1 where there is no such quote."""
        return closing if closing < 0 else _or_end(text, text.find(self.delimiter, closing + 1)) + len(self.delimiter)


def _cells_of(grammar: RowGrammar, text: str) -> Sequence[str] | None:
    """The values of the cells of a row; None where a quote is left open, or something stands behind quotes."""
    spans = grammar.cell_spans(text)
    if spans is None or any(grammar.is_torn(text[start:stop]) for start, stop in spans):
        return None
    return [grammar.cell_value(text[start:stop]) for start, stop in spans]


class SpacedReader:
    """Reads rows as the standard library's reader does, which takes a quote behind a blank for a part of the cell.

    Args:
        lines: Of the text, each with what ends it.

    Attributes:
        line_num: How many lines were read.
    """

    def __init__(self, lines: Iterable[str], grammar: RowGrammar) -> None:
        self._lines, self._grammar = lines, grammar
        self.line_num = 0

    def __iter__(self) -> Iterator[Sequence[str]]:
        for text, _ in self._grammar.rows(self._counted()):
            cells = _cells_of(self._grammar, text) if text else ()
            if cells is None:
                raise csv.Error("a quote is left open, or something stands behind it")
            yield cells

    def _counted(self) -> Iterator[str]:
        for line in self._lines:
            self.line_num += 1
            yield line


def _or_end(text: str, at: int) -> int:
    return len(text) if at < 0 else at


def _closing_quote(text: str, start: int) -> int:
    at = text.find(QUOTE, start)
    while at >= 0 and text.startswith(QUOTE, at + 1):
        at = text.find(QUOTE, at + 2)
    return at


_BLOCK = 1 << 20
_SAMPLE = 1 << 18
_ROWS = 500
"""Rows that are looked at to tell the delimiter."""
_QUOTED_ROWS = 50
_FITTING = 0.5
"""Share of rows that have to have as many cells where not all have; the others are titles and totals."""
_DELIMITERS = (",", ";", "\t", "|")


def recognise_form(path: Path, *, file: str, delimiter: str = ",") -> TableForm:
    """The form of a delimited table.

    Byte-order marks say the encoding; without one it is UTF-8 where all of the file is, else what charset-normalizer
    takes it for. The delimiter is the one that gives every row the same number of cells, two at least; of several the
    one with most cells, or of as many the usual one.

    Args:
        file: Its name for messages.
        delimiter: The one that is usual for files of this name.

    Raises:
        TaskError: The file is empty, no text, or in no encoding that is known.
    """
    with path.open("rb") as stream:
        head = stream.read(_SAMPLE)
    _refuse_other_files(head, file)
    marked = next(((mark, name) for mark, name in BYTE_ORDER_MARKS if head.startswith(mark)), None)
    mark, encoding = marked or (b"", _encoding_of(path, head, file))
    text = codecs.getincrementaldecoder(encoding)("replace").decode(head[len(mark) :])
    if not text.strip():
        raise TaskError("the file is empty", file=file)
    if len(head) == _SAMPLE:
        text = text[: text.rfind("\n") + 1] or text
    told = declared_delimiter(text.split("\n", 1)[0])
    lines = text.split("\n", 1)[1] if told and "\n" in text else text
    grammar = _reading(lines, told).grammar if told else _grammar(lines, delimiter)
    first = text.find("\n")
    line_end = "\r\n" if first > 0 and text[first - 1] == "\r" else "\r" if first < 0 and "\r" in text else "\n"
    return TableForm(
        kind="delimited",
        encoding=encoding,
        mark=mark,
        delimiter=grammar.delimiter,
        spaced=grammar.spaced,
        quoted=_all_quoted(lines, grammar),
        line_end=line_end,
    )


def declared_delimiter(line: str) -> str:
    """The delimiter that a first line ``sep=;`` declares, as some spreadsheets write it, or ""."""
    line = line.rstrip("\r\n")
    return line[4] if len(line) == 5 and line[:4].lower() == "sep=" else ""


def _encoding_of(path: Path, head: bytes, file: str) -> str:
    """The encoding of a file without a byte-order mark.

    Raises:
        TaskError: None that is known fits.
    """
    decoder = codecs.getincrementaldecoder("utf-8")()
    foreign = b""
    line = 1
    with path.open("rb") as stream:
        while block := stream.read(_BLOCK):
            try:
                decoder.decode(block)
                line += block.count(b"\n")
            except UnicodeDecodeError as error:
                line += block.count(b"\n", 0, error.start)
                foreign = block[max(0, error.start - 200) :]
                break
        else:
            try:
                decoder.decode(b"", final=True)
                return "utf-8"
            except UnicodeDecodeError:
                foreign = head
    return guess_utf16(head) or _guessed(path, foreign, (file, line))


def _guessed(path: Path, foreign: bytes, place: tuple[str, int]) -> str:
    letters = b"\n".join(part for part in foreign.splitlines() if not part.isascii())
    encoding = guess_encoding(letters, lambda name: _decodes(path, name))
    if not encoding:
        raise TaskError(
            "the text is not UTF-8, and in no other encoding that evolve knows",
            file=place[0],
            line=place[1],
            hint="save the file as UTF-8 and try again",
        )
    return encoding


def _decodes(path: Path, encoding: str) -> bool:
    """Whether all of a file is text of an encoding, from which the same bytes can be made again."""
    decoder, encoder = codecs.getincrementaldecoder(encoding)(), codecs.getincrementalencoder(encoding)()
    made = hold = b""
    try:
        with path.open("rb") as stream:
            while block := stream.read(_BLOCK):
                made += encoder.encode(decoder.decode(block))
                hold += block
                size = min(len(made), len(hold))
                if made[:size] != hold[:size]:
                    return False
                made, hold = made[size:], hold[size:]
            made += encoder.encode(decoder.decode(b"", final=True), final=True)
    except UnicodeError:
        return False
    return made == hold


def _refuse_other_files(head: bytes, file: str) -> None:
    if head.startswith(b"PK\x03\x04"):
        raise TaskError(
            "the file is a workbook or a zip archive, and no text",
            file=file,
            hint="name it .xlsx, or save the sheet as CSV",
        )
    if head.startswith(b"\xd0\xcf\x11\xe0"):
        raise TaskError("the file is a workbook of the old form, .xls", file=file, hint="save it as .xlsx or as CSV")


@dataclass(frozen=True, kw_only=True)
class _Reading:
    """The first rows of a text by one grammar."""

    grammar: RowGrammar
    rows: Sequence[Sequence[str]]

    @property
    def width(self) -> int:
        """How many cells most rows have."""
        return Counter(map(len, self.rows)).most_common(1)[0][0] if self.rows else 0

    @property
    def fitting(self) -> float:
        """Share of rows that have as many cells as most."""
        width = self.width
        return sum(len(row) == width for row in self.rows) / max(1, len(self.rows))

    def torn(self, marks: Iterable[str], *, prose: bool) -> float:
        """How many cells of a row, on average, have another delimiter in them that nothing explains.

        A comma in a number is explained, and in prose any delimiter that a blank follows. Prose is no reason to take
        fewer cells for the right reading, since a blank may follow a delimiter. The header counts as prose alone.
        """
        others = [mark for mark in marks if mark != self.grammar.delimiter]
        if self.grammar.delimiter == "\t":  # nobody types a tab into a cell
            return 0.0
        rows = self.rows if prose else self.rows[1:]
        cells = [cell.strip() for row in rows for cell in row if any(mark in cell for mark in others)]
        explained = sum(
            text_column([cell], loose=True, comma="decimal").is_number
            or (prose and all(part.startswith(" ") for mark in others for part in cell.split(mark)[1:]))
            for cell in cells
        )
        return (len(cells) - explained) / max(1, len(rows))


def _grammar(text: str, usual: str) -> RowGrammar:
    """The grammar that gives every row as many cells, two at least, and of several the one with most cells.

    A grammar with fewer cells comes first where all that another one would split are numbers, such as ``3,50;2,90``.
    Where no grammar fits every row, it is the one that fits most, half of them at least.
    """
    others = [mark for mark in _DELIMITERS if mark != usual]
    readings = [reading for mark in (usual, *others) if (reading := _reading(text, mark)).width >= 2]
    fits = [reading for reading in readings if reading.fitting == 1] or [
        reading for reading in readings if reading.fitting >= _FITTING
    ]
    marks = [reading.grammar.delimiter for reading in fits]

    def rank(reading: _Reading) -> tuple[float, ...]:
        whole = not reading.torn(marks, prose=False)
        return reading.fitting, whole, reading.width, -reading.torn(marks, prose=True)

    return max(fits, key=rank).grammar if fits else RowGrammar(delimiter=usual)


def _reading(text: str, mark: str) -> _Reading:
    """The reading by a delimiter, with blanks beside quotes where there are some and this fits more rows."""
    plain = _Reading(grammar=RowGrammar(delimiter=mark), rows=_rows(text, RowGrammar(delimiter=mark)))
    rows = itertools.islice(plain.grammar.rows(io.StringIO(text, newline="")), _ROWS)
    cells = (row[start:stop] for row, _ in rows if QUOTE in row for start, stop in plain.grammar.cell_spans(row) or ())
    if not any(cell.strip(" ") != cell and cell.lstrip(" ").startswith(QUOTE) for cell in cells):
        return plain
    spaced = RowGrammar(delimiter=mark, spaced=True)
    return max(_Reading(grammar=spaced, rows=_rows(text, spaced)), plain, key=lambda one: (bool(one.rows), one.fitting))


def _rows(text: str, grammar: RowGrammar) -> Sequence[Sequence[str]]:
    """The first rows of a text; none where the quotes do not go with the grammar."""
    rows: list[Sequence[str]] = []
    for row, _ in grammar.rows(io.StringIO(text, newline="")):
        cells = _cells_of(grammar, row)
        if cells is None:
            # An open quote at the end of the sample is no fault of the rows before it.
            return rows if len(text) > _SAMPLE // 8 and len(rows) > 1 else ()
        if row:
            rows.append(cells)
        if len(rows) >= _ROWS:
            break
    return rows


def _all_quoted(text: str, grammar: RowGrammar) -> bool:
    """Whether every cell of the first rows stands in quotes, but for empty ones."""
    found = quoted = 0
    for row, _ in itertools.islice(grammar.rows(io.StringIO(text, newline="")), _QUOTED_ROWS):
        cells = [cell for start, stop in grammar.cell_spans(row) or () if (cell := row[start:stop]).strip()]
        found += len(cells)
        quoted += sum(map(grammar.is_quoted, cells))
    return found == quoted > 1
