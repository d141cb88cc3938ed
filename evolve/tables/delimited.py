"""Delimited tables: read by the standard library, written with every other cell byte for byte as it was."""

from __future__ import annotations

import csv
import io
import itertools
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import BinaryIO

from evolve.errors import TaskError
from evolve.tables.form import LONGEST_LINE, Change, Form, Record, Rewriting, has_reason, moved, too_long
from evolve.tables.recognising import declared_delimiter, recognised

_QUOTE = '"'


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

    def __init__(self, path: Path, *, file: str, header: bool = True) -> None:
        self.path, self._file = path, file
        self.form: Form = recognised(path, file=file, delimiter="\t" if path.suffix.lower() == ".tsv" else ",")
        self._header = header
        self._checks = -1
        first = next(self._rows(), None)
        if first is None:
            raise TaskError("the table has no rows", file=file)
        self.first_line, cells = first
        self.columns: Sequence[str] = [cell.strip() for cell in cells] if header else [""] * len(cells)

    def records(self) -> Iterator[Record]:
        """Every row, read anew each time."""
        rows = self._rows()
        if self._header:
            next(rows, None)
        width = len(self.columns)
        for number, (line, cells) in enumerate(rows, 1):
            if len(cells) != width:
                raise TaskError(
                    f"{len(cells)} cell{'s' * (len(cells) != 1)} where the table has {width} columns",
                    file=self._file,
                    line=line,
                )
            yield Record(number=number, line=line, cells=cells)

    def _rows(self) -> Iterator[tuple[int, list[str]]]:
        """The rows with the lines where they begin; empty lines left out."""
        line = 1
        with self._text() as stream:
            try:
                lines = self._lines(stream)
                first = next(lines, "")
                skipped = 1 if declared_delimiter(first) else 0
                lines = lines if skipped else itertools.chain([first], lines)
                reader = csv.reader(lines, delimiter=self.form.delimiter, strict=True)
                line += skipped
                for row in reader:
                    if row:
                        yield line, row
                    line = reader.line_num + 1 + skipped
            except csv.Error as error:
                raise TaskError(f"not a well-formed table: {error}", file=self._file, line=line) from error
            except UnicodeDecodeError as error:
                hint = "save the file as UTF-8 and try again"
                raise TaskError(f"not {self.form.encoding}", file=self._file, line=line, hint=hint) from error

    def _lines(self, stream: io.TextIOWrapper) -> Iterator[str]:
        for number, line in enumerate(iter(lambda: stream.readline(LONGEST_LINE), ""), 1):
            if len(line) == LONGEST_LINE:
                raise too_long(number, self._file)
            yield line

    def _text(self) -> io.TextIOWrapper:
        stream = self.path.open("rb")
        stream.seek(len(self.form.mark))
        return io.TextIOWrapper(stream, encoding=self.form.encoding, newline="")

    def problem(self, cell: str, *, line: int = 0, column: int = -1) -> str:
        """Why a cell cannot be written, or ""."""
        try:
            cell.encode(self.form.encoding)
        except UnicodeEncodeError as error:
            return f"{self.form.encoding} has no {cell[error.start]!r}"
        return ""

    def is_doubted(self, record: Record, column: int) -> bool:
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
            raise moved(change.number, self._file)
        out.flush()

    def _headed(self, text: str, wanted: Rewriting) -> str:
        new = [wanted.label] if wanted.column == len(self.columns) else []
        return self._with_more(text, [*new, *([wanted.check_label] if wanted.checks and self._checks < 0 else [])])

    def _changed(self, text: str, wanted: Rewriting, change: Change | None, number: int) -> str:
        cell = None if change is None else change.cell
        why = "" if change is None else change.why
        more = [cell or ""] if wanted.column == len(self.columns) else []
        if change is not None and cell is not None and not more:
            start, stop = self._span(text, wanted.column, change.number)
            change.must_replace(_unquoted(text[start:stop]), self._file)
            text = text[:start] + self._quoted(cell) + text[stop:]
        told = why.encode(self.form.encoding, "replace").decode(self.form.encoding)
        if self._checks >= 0:
            # what an earlier fill said there holds no longer
            start, stop = self._span(text, self._checks, number)
            text = text if _unquoted(text[start:stop]) == told else text[:start] + self._quoted(told) + text[stop:]
        return self._with_more(text, [*more, *([told] if wanted.checks and self._checks < 0 else [])])

    def _span(self, text: str, column: int, number: int) -> tuple[int, int]:
        spans = cell_spans(text, self.form.delimiter) or ()
        if column >= len(spans):
            raise moved(number, self._file)
        return spans[column]

    def _with_more(self, text: str, cells: Sequence[str]) -> str:
        return self.form.delimiter.join([text, *map(self._quoted, cells)])

    def _quoted(self, cell: str) -> str:
        special = any(sign in cell for sign in (self.form.delimiter, _QUOTE, "\r", "\n"))
        if not (special or self.form.quoted):
            return cell
        return _QUOTE + cell.replace(_QUOTE, _QUOTE * 2) + _QUOTE

    def _raw(self) -> Iterator[tuple[str, str]]:
        """The text of each row as it stands in the file, with what ends it."""
        held = ""
        with self._text() as stream:
            for line in self._lines(stream):
                line = held + line
                text = line[: len(line) - _ending(line)]
                if _QUOTE in text and cell_spans(text, self.form.delimiter) is None:
                    held = line  # a quote is open: the line end belongs to a cell
                    continue
                held = ""
                yield text, line[len(text) :]
        if held:
            yield held, ""


class _Writer:
    """Encodes many small texts at once."""

    def __init__(self, stream: BinaryIO, form: Form) -> None:
        self._stream, self._encoding = stream, form.encoding
        self._held: list[str] = []

    def write(self, text: str) -> None:
        self._held.append(text)
        if len(self._held) >= 2_000:
            self.flush()

    def flush(self) -> None:
        self._stream.write("".join(self._held).encode(self._encoding))
        self._held.clear()


def _ending(line: str) -> int:
    """How many signs end a line."""
    return 2 if line.endswith("\r\n") else 1 if line.endswith(("\n", "\r")) else 0


def cell_spans(text: str, delimiter: str) -> list[tuple[int, int]] | None:
    """Where the cells of a row stand in its text, quotes included; None where a quote is left open.

    A quote opens a cell only at its beginning, as for the standard library's reader.
    """
    spans = []
    start = 0
    while True:
        stop = start
        if text.startswith(_QUOTE, start):
            closing = _closing_quote(text, start + 1)
            if closing < 0:
                return None
            stop = closing + 1
        stop = text.find(delimiter, stop)
        spans.append((start, len(text) if stop < 0 else stop))
        if stop < 0:
            return spans
        start = stop + len(delimiter)


def _unquoted(cell: str) -> str:
    """What the standard library's reader makes of the text of one cell."""
    if not cell.startswith(_QUOTE):
        return cell
    stop = _closing_quote(cell, 1)
    return cell[1:stop].replace(_QUOTE * 2, _QUOTE) + cell[stop + 1 :]


def _closing_quote(text: str, start: int) -> int:
    at = text.find(_QUOTE, start)
    while at >= 0 and text.startswith(_QUOTE, at + 1):
        at = text.find(_QUOTE, at + 2)
    return at
