"""Keeps the traceback of a fault in evolve itself in a file, so that it can be reported; the error still propagates."""

from __future__ import annotations

import os
import tempfile
import traceback
from contextlib import AbstractContextManager, suppress
from pathlib import Path
from types import TracebackType

from evolve.core.errors import EvolveError, WorkspaceError
from evolve.core.files import machine_problem, write_atomic

_KEPT = "kept in "


class FaultReport(AbstractContextManager["FaultReport"]):
    """Writes an error that is not of our tree to ``fault.txt`` in a folder; the error goes on.

    Args:
        folder: The run's folder.
    """

    def __init__(self, folder: Path) -> None:
        self.file = folder / "fault.txt"

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if not isinstance(error, Exception) or isinstance(error, EvolveError):
            return
        # A full disk or a missing right is told as a problem of the machine, and is no fault of evolve.
        if isinstance(error, OSError) and machine_problem(error) is not None:
            return
        with suppress(WorkspaceError):  # the fault matters more than a full disk
            write_atomic(self.file, _text(error))
            error.add_note(f"{_KEPT}{self.file}")


def kept_file(fault: Exception) -> str:
    """The file with the fault's traceback; one is made in the folder for temporary files where there is none."""
    notes: list[str] = getattr(fault, "__notes__", [])
    for note in notes:
        if note.startswith(_KEPT):
            return note.removeprefix(_KEPT)
    handle, name = tempfile.mkstemp(prefix="evolve-fault-", suffix=".txt")
    with os.fdopen(handle, "wb") as stream:
        stream.write(_text(fault))
    return name


def _text(error: Exception) -> bytes:
    return "".join(traceback.format_exception(error)).encode("utf-8", "backslashreplace")
