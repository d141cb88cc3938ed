"""Turns SQLite's failures into errors of our tree; bugs (bad SQL, broken constraints) pass through."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from evolve.errors import EvolveError, RecordDamaged, UsageError, WorkspaceBusy, WorkspaceError
from evolve.files import AFTER_SPACE

# Extended codes say more in their upper bits.
_PRIMARY_CODE = 0xFF


@contextmanager
def translated(path: Path) -> Iterator[None]:
    """Raises what the machine did to the database at ``path`` as an :class:`EnvironmentProblem`.

    That it was closed is told to whoever still asks it as a :class:`UsageError`.
    """
    try:
        yield
    except sqlite3.DatabaseError as error:
        problem = _problem(path, error)
        if problem is None:
            raise
        raise problem from error


def closed() -> UsageError:
    """The error for whoever asks something of a closed workspace."""
    return UsageError("the workspace is closed", hint="open it again: evolve.open(...)")


def damage_error(path: Path, reason: str) -> RecordDamaged:
    """The error for a database file that cannot be trusted."""
    return RecordDamaged(f"{path} is damaged ({reason}); nothing was changed", hint="evolve status --repair")


def _problem(path: Path, error: sqlite3.DatabaseError) -> EvolveError | None:
    if isinstance(error, sqlite3.ProgrammingError) and str(error).startswith("Cannot operate on a closed"):
        return closed()
    code = getattr(error, "sqlite_errorcode", 0) & _PRIMARY_CODE
    if code == sqlite3.SQLITE_FULL:
        return WorkspaceError(f"disk full while writing {path}", hint=AFTER_SPACE)
    # Text is cleaned before it is stored, so what cannot be decoded was changed since.
    if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB) or str(error).startswith("Could not decode to UTF-8"):
        return damage_error(path, str(error))
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return WorkspaceBusy(f"another process is writing to {path}")
    if code in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM, sqlite3.SQLITE_AUTH):
        return WorkspaceError(f"cannot open or write {path}: {error}")
    # Among them a full disk under the index of the log.
    if code in (sqlite3.SQLITE_IOERR, sqlite3.SQLITE_NOLFS):
        return WorkspaceError(f"disk full or failing while using {path}: {error}", hint=AFTER_SPACE)
    return None
