"""Connections to the record's file: for writing, and for reading where nothing may be written.

SQLite's failures become errors of our tree; bugs (bad SQL, broken constraints) pass through.
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any

from evolve.core.errors import EvolveError, RecordDamaged, UsageError, WorkspaceBusy, WorkspaceError
from evolve.core.files import AFTER_SPACE
from evolve.core.store.lock import POLL_S, try_lock, write_failures

# Extended codes say more in their upper bits.
_PRIMARY_CODE = 0xFF


@contextmanager
def translate_errors(path: Path) -> Iterator[None]:
    """Raises what the machine did to the database at ``path`` as an :class:`SetupProblem`.

    That it was closed is told to whoever still asks it as a :class:`UsageError`.
    """
    try:
        yield
    except sqlite3.DatabaseError as error:
        problem = _problem(path, error)
        if problem is None:
            raise
        raise problem from error


def closed_error() -> UsageError:
    """The error for whoever asks something of a closed workspace."""
    return UsageError("the workspace is closed", hint="open it again: evolve.open(...)")


def damage_error(path: Path, reason: str) -> RecordDamaged:
    """The error for a database file that cannot be trusted."""
    return RecordDamaged(f"{path} is damaged ({reason}); nothing was changed", hint="evolve status --repair")


def _problem(path: Path, error: sqlite3.DatabaseError) -> EvolveError | None:
    if isinstance(error, sqlite3.ProgrammingError) and str(error).startswith("Cannot operate on a closed"):
        return closed_error()
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


_BUSY_TIMEOUT_MS = 30_000
"""How long a transaction waits for that of another process. The longest of a loop take about a second."""
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


def open_reader(path: Path) -> sqlite3.Connection:
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


def query_untrusted_file(path: Path, sql: str, *, log: bool = False) -> list[tuple[Any, ...]] | None:
    """What a query finds in a file that may be anybody's; None where it cannot be read. Nothing is checked or written.

    Args:
        log: Look into the log beside the file too, for which SQLite makes an index there.
    """
    if path.is_symlink() or not path.is_file():
        return None
    steps = iter(range(_PEEK_STEPS))
    try:
        with closing(
            open_reader(path.absolute()) if log else connect(f"{path.absolute().as_uri()}?immutable=1")
        ) as found:
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


_ENTER_S = 30.0
"""How long to wait for a process that has the record alone."""


class RecordAccess:
    """Access to the record for writing: several processes share it, and who checks or replaces it has it alone.

    One file is locked for as long as the record is open. A second one, the door, is locked while somebody comes in or
    goes out, because ``flock`` changes one lock into another in two steps.

    Args:
        path: The first file; the second one lies beside it.

    Raises (on entering):
        WorkspaceBusy: Somebody has the record alone, or comes in, for longer than 30 s.
        WorkspaceError: When a lock file cannot be written.
    """

    def __init__(self, path: Path) -> None:
        self.path = Path(path)
        self._handle: int | None = None
        self._door: int | None = None

    def acquire(self) -> bool:
        """Comes in; True where nobody else is there. Then nobody else comes in before :meth:`admit_others`."""
        with write_failures(self.path):
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._door = self._waited(self._door_path)
            self._handle = try_lock(self.path)
            if self._handle is not None:
                return True
            try:
                self._handle = self._waited(self.path, shared=True)
            finally:
                self._close_door()
        return False

    def admit_others(self) -> None:
        """Lets others in."""
        import fcntl

        if self._handle is not None:
            fcntl.flock(self._handle, fcntl.LOCK_SH)
        self._close_door()

    def is_alone(self) -> bool:
        """Whether nobody else is there; then nobody comes in before :meth:`release`."""
        import fcntl

        if self._handle is None:
            return False
        self._door = self._door or try_lock(self._door_path)
        if self._door is None:
            return False
        try:
            fcntl.flock(self._handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self.admit_others()
            return False
        return True

    @contextmanager
    def hold_exclusively(self) -> Iterator[None]:
        """Has the record alone for a block.

        Raises:
            WorkspaceBusy: Somebody else has it open for writing.
        """
        try:
            if not self.acquire():
                raise WorkspaceBusy(
                    f"another process works with the workspace {self.path.parent.parent}", hint="wait for it to finish"
                )
            yield
        finally:
            self.release()

    def release(self) -> None:
        """Goes out; leaving twice is no error."""
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None
        self._close_door()

    @property
    def _door_path(self) -> Path:
        return self.path.with_name(self.path.name + ".door")

    def _close_door(self) -> None:
        if self._door is not None:
            os.close(self._door)
            self._door = None

    def _waited(self, path: Path, *, shared: bool = False) -> int:
        latest = time.monotonic() + _ENTER_S
        while (handle := try_lock(path, shared=shared)) is None:
            if time.monotonic() > latest:
                raise WorkspaceBusy(
                    f"another process checks or repairs the workspace {path.parent.parent}",
                    hint="the same command in a moment",
                )
            time.sleep(POLL_S)
        return handle
