"""The record: one SQLite file whose rows carry checksums and whose commits survive a power cut.

SQLite promises that a committed transaction is kept whole (WAL with ``synchronous=FULL``); its own
checks miss some overwritten pages, so every row also carries a SHA-256 of its content.
"""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from evolve.errors import RecordDamaged, WorkspaceError
from evolve.faults import hit
from evolve.files import canonical_json, clean_text, digest, sync_folder, write_failure
from evolve.store import migrations as schema
from evolve.store.failures import damaged, translated
from evolve.store.migrations import Migration

Value = None | bool | int | float | str | bytes
"""What a column can hold; structured data is stored as canonical JSON text."""

Row = dict[str, Value]
Where = Mapping[str, Value] | str
"""Either columns that must equal values, or an SQL condition with ``?`` for its parameters.
Conditions are written in code, never taken from input."""

_BUSY_TIMEOUT_MS = 5_000
_OWN = (
    Migration("store", 1, "CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL, checksum TEXT NOT NULL)"),
    Migration(
        "store",
        2,
        "CREATE TABLE damaged (id INTEGER PRIMARY KEY, source TEXT NOT NULL, content TEXT NOT NULL,"
        " checksum TEXT NOT NULL)",
    ),
)


class Database:
    """One open database. Safe to use from several threads; writers in other processes are kept out by the lock.

    A table written through :meth:`insert` needs a column ``checksum TEXT NOT NULL`` and must be an
    ordinary rowid table. A new file appears only once its whole schema is in place, so an empty
    file is always damage and never a fresh start.

    Args:
        path: The database file; its folder is made when missing.
        migrations: Every package's migrations, in order of registration.
        read_only: Opens an existing file for reading, without running migrations. In a folder that cannot
            be written it shows the record as it was when opened, and a log left beside it by a crash can
            be read only where its index was left too.

    Raises:
        WorkspaceError: When the file is unwritable, the disk is full, or a newer version wrote it.
        RecordDamaged: When the file is not a sound database.
    """

    def __init__(self, path: Path, migrations: Sequence[Migration] = (), *, read_only: bool = False) -> None:
        self.path = Path(path)
        self._guard = threading.RLock()
        self._depth = 0
        changes = [*_OWN, *migrations]
        schema.check_numbering(changes)
        with translated(self.path):
            if read_only:
                self._connection = _reader(self.path.absolute())
                return
            self._prepare(changes)
            self._connection = _connect(str(self.path))
            self._open(changes)

    def _prepare(self, changes: Sequence[Migration]) -> None:
        """Creates a missing database under another name and moves it into place complete."""
        if self.path.exists():
            if self.path.stat().st_size == 0:
                raise damaged(self.path, "the file is empty")
            return
        fresh = self.path.with_name(self.path.name + ".new")
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            for leftover in (fresh, fresh.with_name(fresh.name + "-journal")):
                leftover.unlink(missing_ok=True)
        except OSError as error:
            raise write_failure(self.path, error) from error
        connection = _connect(str(fresh))
        try:
            connection.execute("PRAGMA synchronous=FULL")
            schema.migrate(connection, changes)
        finally:
            connection.close()
        hit("record.create")
        fresh.replace(self.path)
        sync_folder(self.path.parent)
        hit("record.created")

    def _open(self, changes: Sequence[Migration]) -> None:
        with ExitStack() as on_failure:
            on_failure.callback(self._connection.close)
            self._connection.execute("PRAGMA journal_mode=WAL")
            self._connection.execute("PRAGMA synchronous=FULL")
            missing = schema.pending(self._connection, changes, self.path)
            if missing:
                schema.backup(self._connection, self.path)
                schema.migrate(self._connection, missing)
            on_failure.pop_all()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All writes inside are kept together or not at all; when it ends without error they are durable.

        Inside another transaction it joins that one.
        """
        with self._guard, translated(self.path):
            if self._depth == 0:
                self._connection.execute("BEGIN IMMEDIATE")
                hit("record.begin")
            self._depth += 1
            try:
                yield
                if self._depth == 1:
                    hit("record.commit.before")
                    self._connection.execute("COMMIT")
                    hit("record.commit.after")
            finally:
                self._depth -= 1
                # Still open means not committed. After some failures SQLite has rolled back by itself.
                if self._depth == 0 and self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")

    def insert(self, table: str, row: Mapping[str, Value], *, key: str | Sequence[str] = ()) -> bool:
        """Adds a row with its checksum, once.

        Args:
            table: Table to write.
            row: Column values without the checksum; text is cleaned of what SQLite refuses.
            key: The column or columns whose uniqueness makes the call idempotent. With a key, a row
                whose key is there already is left as it is; without, a conflict is an error.

        Returns:
            True when the row was added, False when its key was there already.
        """
        columns = [*row, "checksum"]
        target = (key,) if isinstance(key, str) else tuple(key)
        conflict = f" ON CONFLICT ({', '.join(target)}) DO NOTHING" if target else ""
        statement = (
            f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))}){conflict}"
            " RETURNING rowid"
        )
        with self.transaction():
            added = self._connection.execute(statement, [*map(_stored, row.values()), ""]).fetchone()
            if added is not None:
                self._seal(table, added[0])
        return added is not None

    def update(
        self, table: str, where: Where, changes: Mapping[str, Value], *, parameters: Sequence[Value] = ()
    ) -> int:
        """Changes the rows that match and renews their checksums; gives their number.

        Raises:
            RecordDamaged: When a row to change fails its checksum; sealing it again would hide that.
        """
        condition, values = _condition(where, parameters)
        assignments = ", ".join(f"{column} = ?" for column in changes)
        with self.transaction():
            before = self._select(table, condition, values, "")
            for row in before:
                self._verify(table, row)
                self._connection.execute(
                    f"UPDATE {table} SET {assignments} WHERE rowid = ?",
                    [*map(_stored, changes.values()), row["_rowid_"]],
                )
                self._seal(table, row["_rowid_"])
        return len(before)

    def delete(self, table: str, where: Where, *, parameters: Sequence[Value] = ()) -> int:
        """Removes the rows that match; gives their number."""
        condition, values = _condition(where, parameters)
        with self.transaction():
            return self._connection.execute(f"DELETE FROM {table}{condition}", values).rowcount

    def rows(self, table: str, where: Where = "", *, parameters: Sequence[Value] = (), order: str = "") -> list[Row]:
        """The matching rows without their checksums, in ``order`` (SQL), else in order of insertion.

        Raises:
            RecordDamaged: Naming the table and id of the first row that fails its checksum.
        """
        condition, values = _condition(where, parameters)
        with self._guard, translated(self.path):
            found = self._select(table, condition, values, order)
        for row in found:
            self._verify(table, row)
        return [_plain(row) for row in found]

    def query(self, sql: str, parameters: Sequence[Value] = ()) -> list[Row]:
        """Reads by SQL: counts, joins, sums. Checksums are not verified here."""
        with self._guard, translated(self.path):
            return [dict(row) for row in self._connection.execute(sql, list(parameters))]

    def set_meta(self, key: str, value: str) -> None:
        """Keeps one small fact about the workspace."""
        with self.transaction():
            if not self.update("meta", {"key": key}, {"value": value}):
                self.insert("meta", {"key": key, "value": value})

    def get_meta(self, key: str) -> str | None:
        """What :meth:`set_meta` kept, or None."""
        found = self.rows("meta", {"key": key})
        return str(found[0]["value"]) if found else None

    def set_aside_damaged(self) -> list[str]:
        """Moves every row that fails its checksum into the table ``damaged``; names them.

        Reading the tables works again afterwards; what was set aside stays readable in ``damaged``.
        """
        moved: list[str] = []
        with self.transaction():
            for table in self._sealed_tables():
                for row in self._select(table, "", [], ""):
                    if row["checksum"] == _checksum(table, row):
                        continue
                    content = canonical_json({name: _jsonable(value) for name, value in _plain(row).items()})
                    self.insert("damaged", {"source": table, "content": content})
                    self._connection.execute(f"DELETE FROM {table} WHERE rowid = ?", [row["_rowid_"]])
                    moved.append(self._name(table, row))
        return moved

    def check(self) -> list[str]:
        """Names what is wrong: structural damage by SQLite's own check, then rows by checksum."""
        with self._guard, translated(self.path):
            found = [str(row[0]) for row in self._connection.execute("PRAGMA integrity_check(20)")]
            problems = [] if found == ["ok"] else found
            for table in self._sealed_tables():
                rows = self._select(table, "", [], "")
                problems += [self._name(table, row) for row in rows if row["checksum"] != _checksum(table, row)]
        return problems

    def close(self) -> None:
        """Closes the file; committed work is already durable."""
        with self._guard:
            self._connection.close()

    def __enter__(self) -> Database:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def _select(self, table: str, condition: str, values: Sequence[Value], order: str) -> list[Row]:
        sql = f"SELECT rowid AS _rowid_, * FROM {table}{condition} ORDER BY {order or 'rowid'}"
        return [dict(row) for row in self._connection.execute(sql, list(values))]

    def _seal(self, table: str, rowid: Value) -> None:
        # Read back first: defaults and type affinity decide what is really stored, not the values passed.
        row = self._select(table, " WHERE rowid = ?", [rowid], "")[0]
        self._connection.execute(f"UPDATE {table} SET checksum = ? WHERE rowid = ?", (_checksum(table, row), rowid))

    def _verify(self, table: str, row: Row) -> None:
        if row["checksum"] != _checksum(table, row):
            raise RecordDamaged(
                f"{self._name(table, row)} in {self.path} does not match its checksum",
                hint="evolve doctor sets damaged rows aside and lists them",
            )

    def _name(self, table: str, row: Row) -> str:
        columns = self._connection.execute(f"PRAGMA table_info({table})").fetchall()
        keys = [column["name"] for column in columns if column["pk"]]
        ids = [str(row[name]) for name in keys] or [str(row["_rowid_"])]
        return f"{table} row {', '.join(ids)}"

    def _sealed_tables(self) -> list[str]:
        sql = (
            "SELECT m.name FROM sqlite_master AS m, pragma_table_info(m.name) AS c"
            " WHERE m.type = 'table' AND c.name = 'checksum' ORDER BY m.name"
        )
        return [str(row[0]) for row in self._connection.execute(sql)]


def _connect(target: str) -> sqlite3.Connection:
    connection = sqlite3.connect(target, isolation_level=None, check_same_thread=False, uri=target.startswith("file:"))
    connection.row_factory = sqlite3.Row
    connection.execute(f"PRAGMA busy_timeout={_BUSY_TIMEOUT_MS}")
    connection.execute("PRAGMA foreign_keys=ON")
    # Functions hidden in the schema of a file somebody else made are not run.
    connection.execute("PRAGMA trusted_schema=OFF")
    return connection


def _reader(path: Path) -> sqlite3.Connection:
    """A connection for reading. SQLite wants to make an index of the log beside the record even for that."""
    uri, log = path.as_uri(), path.with_name(path.name + "-wal")
    with ExitStack() as on_failure:
        connection = _connect(f"{uri}?mode=ro")
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
    return _connect(f"{uri}?immutable=1")


def _condition(where: Where, parameters: Sequence[Value]) -> tuple[str, list[Value]]:
    if isinstance(where, str):
        return (f" WHERE {where}" if where else ""), list(parameters)
    clauses = " AND ".join(f"{column} IS ?" for column in where)
    return (f" WHERE {clauses}" if clauses else ""), [_stored(value) for value in where.values()]


def _stored(value: Value) -> Value:
    return clean_text(value) if isinstance(value, str) else value


def _plain(row: Row) -> Row:
    return {name: value for name, value in row.items() if name not in ("_rowid_", "checksum")}


def _jsonable(value: Value) -> Value:
    return f"bytes:{value.hex()}" if isinstance(value, bytes) else value


def _checksum(table: str, row: Row) -> str:
    content = {name: _jsonable(value) for name, value in _plain(row).items() if value is not None}
    return digest(canonical_json([table, content]))
