"""Connections to the record's file: for writing, and for reading where nothing may be written."""

from __future__ import annotations

import os
import sqlite3
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

from evolve.errors import WorkspaceError

_BUSY_TIMEOUT_MS = 5_000
_PEEK_STEPS, _PEEK_ROWS = 50_000, 1_000


def connect(target: str) -> sqlite3.Connection:
    """A connection that begins and ends transactions only when told to."""
    # isolation_level: with any other Python begins and commits transactions by itself.
    connection = sqlite3.connect(target, isolation_level=None, check_same_thread=False, uri=target.startswith("file:"))
    connection.row_factory = sqlite3.Row
    connection.execute(f"PRAGMA busy_timeout={_BUSY_TIMEOUT_MS}")
    connection.execute("PRAGMA foreign_keys=ON")
    # Functions hidden in the schema of a file somebody else made are not run.
    connection.execute("PRAGMA trusted_schema=OFF")
    return connection


def reader(path: Path) -> sqlite3.Connection:
    """A connection for reading. SQLite wants to make an index of the log beside the record even for that."""
    uri, log = path.as_uri(), path.with_name(path.name + "-wal")
    with ExitStack() as on_failure:
        connection = connect(f"{uri}?mode=ro")
        on_failure.callback(connection.close)
        try:
            connection.execute("PRAGMA schema_version").fetchone()  # the file is opened only now
        except sqlite3.OperationalError as error:
            refused = error.sqlite_errorcode & 0xFF in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY)
            if not refused or not path.exists() or os.access(path.parent, os.W_OK):
                raise
        else:
            on_failure.pop_all()
            return connection
    # "Immutable" passes over a log, so it is right only where there is nothing in one.
    if log.exists() and log.stat().st_size:
        raise WorkspaceError(
            f"{log} holds commits that cannot be read, because its folder cannot be written",
            hint=f"make {path.parent} writable, or copy it to a folder that is",
        )
    return connect(f"{uri}?immutable=1")


def peek(path: Path, sql: str, *, log: bool = False) -> list[tuple[Any, ...]] | None:
    """What a query finds in a file that may be anybody's; None where it cannot be read. Nothing is checked or written.

    Args:
        log: Look into the log beside the file too, for which SQLite makes an index there.
    """
    if path.is_symlink() or not path.is_file():
        return None
    steps = iter(range(_PEEK_STEPS))
    try:
        with closing(reader(path.absolute()) if log else connect(f"{path.absolute().as_uri()}?immutable=1")) as found:
            found.row_factory = None
            # A view under a table's name says what it likes, such as the time that it is, and could go on for ever.
            found.set_authorizer(lambda *asked: sqlite3.SQLITE_DENY if asked[4] else sqlite3.SQLITE_OK)
            found.set_progress_handler(lambda: next(steps, None) is None, 1_000)
            return found.execute(sql).fetchmany(_PEEK_ROWS)
    except (sqlite3.Error, WorkspaceError, UnicodeDecodeError):
        return None


def undo_cut_write(path: Path) -> None:
    """Lets SQLite undo what a kill left half-written beside a rollback journal; without one nothing is opened.

    The record keeps a log, not a journal. But a file that was just made or restored may have one: SQLite changes such a
    file to the log under its protection. A connection for reading cannot undo anything, and only says "readonly".
    """
    if not path.with_name(path.name + "-journal").exists() or not path.exists() or not os.access(path.parent, os.W_OK):
        return
    connection = connect(str(path))
    try:
        connection.execute("PRAGMA schema_version").fetchone()
    finally:
        connection.close()


def remove_database(path: Path) -> None:
    """Removes a database that was only built for a while, with everything SQLite may have left beside it.

    A journal that stayed would be applied to the next file of that name.
    """
    for end in ("", "-journal", "-wal", "-shm"):
        path.with_name(path.name + end).unlink(missing_ok=True)
