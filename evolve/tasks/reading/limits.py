"""What a task file may hold: sizes, and values that JSON, SQLite and every file system can carry."""

from __future__ import annotations

import math
import os
from dataclasses import dataclass
from pathlib import Path

from evolve.core.episodes import Json
from evolve.core.errors import TaskError

MAX_FILE_BYTES = 64 * 1024 * 1024
MAX_DEPTH = 32
MAX_VALUES = 20_000
"""Values in one row, counting every element of every list and dictionary."""
MAX_TEXT = 100_000
"""Characters in one string."""
MAX_INT = 10**300
"""Larger integers have no float, so arithmetic on them would fail halfway."""
MAX_ID = 200
MAX_EXAMPLES = 32
"""Visible examples: every expression of a search is evaluated on all of them."""
MAX_VERIFY = 200
MAX_HIDDEN = 1_000
MAX_UNLABELLED = 200
"""Inputs without an output that a task tells of."""


@dataclass(frozen=True, kw_only=True)
class FilePosition:
    """Where in a file something stands, for messages."""

    file: str
    line: int | None = None
    field: str = ""

    def field_position(self, field: str) -> FilePosition:
        """The same place, one field further in."""
        joined = f"{self.field}.{field}" if self.field and not field.startswith("[") else self.field + field
        return FilePosition(file=self.file, line=self.line, field=joined)

    def error(self, message: str, *, hint: str = "") -> TaskError:
        """The error to raise for this place."""
        return TaskError(message, file=self.file, line=self.line, field=self.field, hint=hint)


def read_source(path: Path) -> str:
    """The text of a task file.

    Raises:
        TaskError: When it is missing, not a regular file, unreadable, empty, too large, or not
            UTF-8 (a byte-order mark is allowed); the message names the file.
    """
    place = check_file(path)
    data = path.read_bytes()
    if data.startswith(b"PK\x03\x04"):
        raise place.error("holds a workbook or another zip archive, and no text", hint="name it .xlsx")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise TaskError("not UTF-8", file=place.file, line=line, hint="save the file as UTF-8 and try again") from error
    if not text.strip():
        raise place.error("the file is empty")
    return text


def check_file(path: Path) -> FilePosition:
    """Refuse what cannot be read whole; gives the place for messages.

    Raises:
        TaskError: As for :func:`read_source`, but for what stands in the file.
    """
    place = FilePosition(file=os.fspath(path))
    try:
        if path.is_dir():
            raise place.error("is a folder, not a file")
        if path.exists() and not path.is_file():
            raise place.error("is not a regular file")
        with path.open("rb") as stream:
            size = os.fstat(stream.fileno()).st_size
    except OSError as error:
        raise place.error((error.strerror or type(error).__name__).lower()) from error
    except ValueError as error:  # a NUL in the name
        raise TaskError("not a file name", file=repr(place.file)) from error
    if size > MAX_FILE_BYTES:
        raise place.error(f"larger than {MAX_FILE_BYTES // 2**20} MiB", hint="keep a sample of the rows")
    return place


def check_value(value: Json, place: FilePosition) -> None:
    """Refuse what no task may hold.

    Raises:
        TaskError: For non-finite numbers, lone surrogates and NUL characters, nesting deeper than
            :data:`MAX_DEPTH`, more than :data:`MAX_VALUES` values, text longer than
            :data:`MAX_TEXT`, integers beyond :data:`MAX_INT`, and what is not JSON.
    """
    pending: list[tuple[Json, int]] = [(value, 0)]
    count = 0
    while pending:
        item, depth = pending.pop()
        count += 1
        if count > MAX_VALUES:
            raise place.error(f"holds more than {MAX_VALUES:,} values")
        if depth > MAX_DEPTH:
            raise place.error(f"nested deeper than {MAX_DEPTH} levels")
        if isinstance(item, list):
            pending.extend((part, depth + 1) for part in item)
        elif isinstance(item, dict):
            pending.extend((part, depth + 1) for part in item.values())
            pending.extend((key, depth + 1) for key in item)
        else:
            problem = scalar_problem(item)
            if problem:
                raise place.error(problem)


def scalar_problem(item: Json) -> str:
    """Why a value that holds no others cannot be used, or ""."""
    if isinstance(item, str):
        return text_problem(item, MAX_TEXT)
    if isinstance(item, float):
        return "" if math.isfinite(item) else "NaN and infinite numbers are not JSON"
    if isinstance(item, int) and not isinstance(item, bool):
        return "" if -MAX_INT <= item <= MAX_INT else "an integer with more than 300 digits"
    return "" if item is None or isinstance(item, bool) else f"{type(item).__name__} is not a JSON value"


def text_problem(text: str, longest: int) -> str:
    """Why a string cannot be used, or ""."""
    if len(text) > longest:
        return f"text longer than {longest:,} characters"
    if "\0" in text:
        return "text holds a NUL character"
    if not text.isascii() and any("\ud800" <= char <= "\udfff" for char in text):
        return "text holds half of a surrogate pair, which is not a character"
    return ""


def check_id(task_id: str, place: FilePosition, *, hint: str = "") -> None:
    """Refuse ids that could be taken for a path, an option, or cannot be typed.

    Args:
        hint: How to give another one.

    Raises:
        TaskError: Naming what is wrong with the id.
    """
    problem = text_problem(task_id, MAX_ID)
    if not task_id.strip() or task_id != task_id.strip():
        problem = problem or "an id must not be empty or begin or end with a blank"
    elif "/" in task_id or "\\" in task_id or task_id.startswith((".", "~", "-")):
        problem = problem or f"id {task_id!r} looks like a path or an option; ids are plain names"
    elif not task_id.isprintable():
        problem = problem or f"id {task_id!r} holds characters that cannot be printed"
    if problem:
        raise place.error(problem, hint=hint)
