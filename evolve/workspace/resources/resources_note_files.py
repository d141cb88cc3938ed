"""Notes as a file of JSON lines: taken along to another workspace, or brought in from elsewhere."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from evolve.core.errors import UsageError
from evolve.core.files import write_atomic
from evolve.core.redaction import Scanner
from evolve.memory import Note
from evolve.tasks.reading.limits import read_source

_FORM = 'one JSON object a line, such as {"text": "..."}; evolve memory export FILE writes such a file'
_FIELDS = ("text", "author", "at", "role", "thread", "source", "environment", "family")


class NoteLine(BaseModel):
    """One line of a file, as untrusted as whoever wrote it."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    text: str = Field(min_length=1, max_length=20_000)
    author: str = Field(default="unknown", min_length=1, max_length=200)
    at: float = Field(default=0.0, ge=0, allow_inf_nan=False)
    role: Literal["user", "assistant", "tool", "document"] = "user"
    thread: str = Field(default="", max_length=200)
    source: str = Field(default="", max_length=500)
    environment: str = Field(default="", max_length=200)
    family: str = Field(default="", max_length=200)


def read_notes(path: Path, *, mine: bool) -> list[dict[str, Any]]:
    """The fields of every note in a file.

    Args:
        mine: The person vouches for the file, so roles stay as they are. Else it is a document, whatever it says of
            itself: nothing in it is an instruction, and nothing of it reaches a run.

    Raises:
        TaskError: The file cannot be read or is too large.
        UsageError: A line is no note; it is named.
    """
    found = []
    for number, line in enumerate(_lines(path).split("\n"), 1):
        if not line.strip():
            continue
        try:
            note = NoteLine.model_validate(json.loads(line))
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(map(str, first["loc"])) or "the line"
            raise UsageError(f"{path}: line {number}: {where}: {first['msg']}", hint=_FORM) from error
        except (ValueError, RecursionError) as error:
            raise UsageError(f"{path}: line {number} is no JSON", hint=_FORM) from error
        fields = note.model_dump()
        if not mine:
            origin = f"{path.name}: {note.source}" if note.source else path.name
            fields |= {"role": "document", "source": origin}
        found.append(fields)
    return found


def _lines(path: Path) -> str:
    try:
        return read_source(path)
    except UsageError as error:
        error.hint = error.hint or _FORM
        raise


def write_notes(path: Path, notes: Iterable[Note], scanner: Scanner) -> int:
    """Writes notes to a new file, and gives how many.

    Raises:
        UsageError: There is such a file, or a note holds a known secret.
        WorkspaceError: It cannot be written.
    """
    if os.path.lexists(path):
        raise UsageError(f"{path} is there already", hint="give another name")
    lines = []
    for note in notes:
        line = json.dumps({name: getattr(note, name) for name in _FIELDS}, ensure_ascii=False)
        if scanner.spans(line):
            raise UsageError(f"note {note.id[:10]} holds a secret", hint="nothing was written")
        lines.append(line)
    write_atomic(path, "".join(f"{line}\n" for line in lines).encode("utf-8", "backslashreplace"))
    return len(lines)
