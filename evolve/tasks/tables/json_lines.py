"""Tables of one JSON object per line, written with every other value byte for byte as it was."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import BinaryIO

from evolve.core.errors import TaskError
from evolve.core.reasons import Reason, reason
from evolve.tasks.tables.form import (
    LONGEST_LINE,
    Cell,
    Rewriting,
    RowChange,
    TableForm,
    TableRow,
    has_reason,
    row_moved_error,
    too_long,
)

_BOM = b"\xef\xbb\xbf"
_DECODER = json.JSONDecoder()
_SPACE = " \t\r\n"
_MOST_KEYS = 20_000
"""Every row has a cell for each; a sheet has no more than 16,384 columns."""


class JsonLinesTable:
    """A JSONL file of objects; a key that a line lacks is a cell with nothing in it.

    Args:
        path: The file, in UTF-8.
        file: Its name for messages.

    Raises:
        TaskError: A line is no JSON object.
    """

    typed = True
    first_line = 1
    loss = ""
    uncomputed: frozenset[int] = frozenset()

    def __init__(self, path: Path, *, file: str) -> None:
        self.path, self._file = path, file
        with path.open("rb") as stream:
            head = stream.readline(LONGEST_LINE)
        self.form = TableForm(
            kind="jsonl",
            mark=_BOM if head.startswith(_BOM) else b"",
            line_end="\r\n" if head.endswith(b"\r\n") else "\n",
        )
        names: dict[str, None] = {}
        for line, value in self._objects():
            names.update(dict.fromkeys(value))
            if len(names) > _MOST_KEYS:
                raise TaskError(f"the lines have more than {_MOST_KEYS:,} different keys", file=file, line=line)
        if not names:
            raise TaskError("the table has no rows", file=file)
        self.columns: Sequence[str] = list(names)

    def records(self) -> Iterator[TableRow]:
        """Every row, read anew each time."""
        for number, (line, value) in enumerate(self._objects(), 1):
            yield TableRow(number=number, line=line, cells=[value.get(name) for name in self.columns])

    def _objects(self) -> Iterator[tuple[int, dict[str, Cell]]]:
        for number, text in self._lines():
            if not text.strip():
                continue
            try:
                value = json.loads(text, parse_constant=_refuse, parse_float=_finite)
            except (ValueError, RecursionError) as error:
                why = error.msg if isinstance(error, json.JSONDecodeError) else str(error)
                raise TaskError(f"the line is not JSON: {why}", file=self._file, line=number) from error
            if not isinstance(value, dict):
                raise TaskError("""the line is not an object such as {"name": "Ann"}""", file=self._file, line=number)
            yield number, value

    def _lines(self) -> Iterator[tuple[int, str]]:
        with self.path.open("rb") as stream:
            stream.seek(len(self.form.mark))
            for number, line in enumerate(iter(lambda: stream.readline(LONGEST_LINE), b""), 1):
                if len(line) == LONGEST_LINE:
                    raise too_long(number, self._file)
                try:
                    yield number, line.decode("utf-8")
                except UnicodeDecodeError as error:
                    hint = "save the file as UTF-8 and try again"
                    raise TaskError("the line is not UTF-8", file=self._file, line=number, hint=hint) from error

    def write_problem(self, cell: Cell, *, line: int = 0, column: int = -1) -> Reason | None:
        """Why a cell cannot be written, or None."""
        try:
            json.dumps(cell, allow_nan=False, ensure_ascii=False).encode("utf-8")
        except (TypeError, ValueError, RecursionError):
            return reason("no_json")
        return None

    def is_doubted(self, record: TableRow, column: int) -> bool:
        """Whether an earlier fill left a doubt about a cell that nobody has cleared since."""
        return has_reason(self, record, column)

    def rewrite(self, wanted: Rewriting, stream: BinaryIO) -> None:
        """Writes the table; only values that change, and further keys, are made anew."""
        stream.write(self.form.mark)
        key = self.columns[wanted.column] if wanted.column < len(self.columns) else wanted.label
        changes = iter(wanted.changes)
        change: RowChange | None = next(changes, None)
        number = 0
        for _, line in self._lines():
            number += bool(line.strip())
            if change is not None and line.strip() and change.number == number:
                if change.cell is not None:
                    change.must_replace(json.loads(line).get(key), self._file)
                    line = _with_value(line, key, change.cell)
                line = self._with_reason(line, wanted, change.why)
                change = next(changes, None)
            elif line.strip():
                line = self._with_reason(line, wanted, "")
            stream.write(line.encode("utf-8"))
        if change is not None:
            raise row_moved_error(change.number, self._file)

    def _with_reason(self, line: str, wanted: Rewriting, why: str) -> str:
        """What is doubtful, in the place of what an earlier fill said there, which holds no longer."""
        label = wanted.check_label
        if not why and not (label in self.columns and json.loads(line).get(label)):
            return line
        return _with_value(line, label, why)


def _with_value(line: str, key: str, value: Cell) -> str:
    """The line of a JSON object with one value changed, or added at its end; all else stays as it stands."""
    text = json.dumps(value, ensure_ascii=line.isascii() and "\\u" in line, allow_nan=False)
    spans = _value_spans(line)
    if key in spans:
        start, stop = spans[key]
        return line[:start] + text + line[stop:]
    end = line.rindex("}")
    spaced = ": " in line or not spans
    # whether it can stand in UTF-8 as it is; half of a surrogate pair cannot
    name = json.dumps(key, ensure_ascii=any("\ud800" <= sign <= "\udfff" for sign in key))
    body = line[:end].rstrip(_SPACE)
    comma = "" if not spans else ", " if spaced else ","
    return f"{body}{comma}{name}{': ' if spaced else ':'}{text}{line[len(body) :]}"


def _value_spans(line: str) -> dict[str, tuple[int, int]]:
    """Where the value of each key of an object stands; of a key that comes twice, the last, which is what counts."""
    spans: dict[str, tuple[int, int]] = {}
    at = _skip(line, line.index("{") + 1)
    while line[at] != "}":
        key, at = _DECODER.raw_decode(line, at)
        start = _skip(line, _skip(line, at) + 1)
        _, stop = _DECODER.raw_decode(line, start)
        spans[key] = (start, stop)
        at = _skip(line, stop)
        if line[at] == ",":
            at = _skip(line, at + 1)
    return spans


def _skip(line: str, at: int) -> int:
    while line[at] in _SPACE:
        at += 1
    return at


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{text[:20]} is too large for a number")
    return number


def _refuse(name: str) -> None:
    raise ValueError(f"{name} is not JSON")
