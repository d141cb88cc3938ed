"""The record: one SQLite file whose rows carry checksums and whose commits survive a power cut.

SQLite promises that a committed transaction is kept whole (WAL with ``synchronous=FULL``); its own
checks miss some overwritten pages, so every row also carries a SHA-256 of its content.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

from evolve.core.errors import RecordDamaged, WorkspaceBusy
from evolve.core.failpoints import hit_failpoint
from evolve.core.files import canonical_json, clean_text
from evolve.core.store import checksums
from evolve.core.store import migrations as schema
from evolve.core.store.backups import backup, is_due, prune
from evolve.core.store.checksums import UNKNOWN, CleanMark, Row, Value, repair_marker, row_checksum, to_json_value
from evolve.core.store.connections import connect, damage_error, open_reader, translate_errors, undo_cut_write
from evolve.core.store.migrations import Migration, create_missing, refuse_damaged
from evolve.core.store.wal import hides_commits, log_of

Where = Mapping[str, Value] | str
"""Either columns that must equal values, or an SQL condition with ``?`` for its parameters.
Conditions are written in code, never taken from input."""

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
    """One open database. Safe to use from several threads, and beside other processes that write.

    SQLite gives writers their turn: each transaction waits until that of another process is over.

    A table written through :meth:`insert` needs a column ``checksum TEXT NOT NULL`` and must be an
    ordinary rowid table. A new file appears only once its whole schema is in place, so an empty
    file is always damage and never a fresh start.

    Args:
        path: The database file; its folder is made when missing.
        migrations: Every package's migrations, in order of registration.
        read_only: Opens an existing file for reading, without running migrations. It shows the record as it was
            when opened, whoever writes meanwhile. In a folder that cannot be written a log left beside it by a
            crash can be read only where its index was left too.
        shared: Another process has it open for writing, and has checked it; nothing is checked or migrated.
        born: Facts for :meth:`get_meta` that a file has from the moment it is made.

    Raises:
        WorkspaceError: When the file is unwritable, the disk is full, or a newer version wrote it.
        WorkspaceBusy: It is shared and has to be migrated.
        RecordDamaged: When the file is not a sound database.
    """

    def __init__(
        self,
        path: Path,
        migrations: Sequence[Migration] = (),
        *,
        read_only: bool = False,
        shared: bool = False,
        born: Mapping[str, str] | None = None,
    ) -> None:
        self.path = Path(path)
        # Reentrant: a transaction calls the methods that take it too.
        self._guard = threading.RLock()
        self._depth = 0
        self._mark = None if read_only else CleanMark(self.path)
        self._fitted = self._distrusted = False
        self._version = 0
        self._deletions = self._copied = self._changed_before = 0
        changes = with_own_connection(migrations)
        schema.check_numbering(changes)
        self._changes_known = changes
        if repair_marker(self.path).exists():
            raise damage_error(self.path, "a repair was cut short")
        if self.path.exists() and self.path.stat().st_size == 0:
            raise damage_error(self.path, "the file is empty")
        with translate_errors(self.path):
            undo_cut_write(self.path)
            if read_only:
                self._connection = open_reader(self.path.absolute())
                self._connection.execute("BEGIN")  # until it is closed; the first thing read fixes the moment
                self._connection.execute("SELECT 1 FROM sqlite_master").fetchone()
                if not CleanMark(self.path).matches_database():
                    refuse_damaged(self.path, self._connection, changes)
                return
            if not shared and not create_missing(self.path, changes, born or {}):
                self._look_before_opening()
            self._connection, self._shared = connect(str(self.path)), shared
            self._open(changes)
            self._version = self._data_version()

    def _look_before_opening(self) -> None:
        """Checks the file without changing a byte: once opened for writing, SQLite would tidy up evidence."""
        assert self._mark is not None
        self._fitted = self._mark.matches_database()
        self._changed_before = self._mark.changes
        if self._fitted:
            return
        if hides_commits(log_of(self.path)):
            raise damage_error(log_of(self.path), "commits stand behind a frame that is wrong")
        with closing(open_reader(self.path.absolute())) as connection:
            connection.execute("BEGIN")  # one state for every table
            refuse_damaged(self.path, connection, self._changes_known)

    def _open(self, changes: Sequence[Migration]) -> None:
        with ExitStack() as on_failure:
            on_failure.callback(self._connection.close)
            # First, because the file of a newer version is not to be touched.
            missing = schema.pending_migrations(self._connection, changes, self.path)
            self._connection.execute("PRAGMA journal_mode=WAL")
            self._connection.execute("PRAGMA synchronous=FULL")
            # What is deleted is overwritten, so that salvage never finds it again.
            self._connection.execute("PRAGMA secure_delete=ON")
            if missing and self._shared:
                told = f"a process works with {self.path}, which an earlier version made"
                raise WorkspaceBusy(told, hint="wait for it to finish")
            if missing:
                # Before the first change of the schema, as an older version could not read it afterwards.
                backup(self._connection, self.path, schema.steps(self._connection))
                schema.migrate(self._connection, missing)
            on_failure.pop_all()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All writes inside are kept together or not at all; when it ends without error they are durable.

        Inside another transaction it joins that one.
        """
        with self._guard, self._watched():
            self._depth += 1
            try:  # from here on whatever interrupts is followed by a rollback
                if self._depth == 1 and self._connection.in_transaction:  # a reader's, who is refused now
                    self._connection.execute("ROLLBACK")
                if self._depth == 1:
                    # The right to write at once: taken later, it could be refused in the middle of the work.
                    self._connection.execute("BEGIN IMMEDIATE")
                    hit_failpoint("record.begin")
                yield
                if self._depth == 1:
                    hit_failpoint("record.commit.before")
                    self._connection.execute("COMMIT")
                    hit_failpoint("record.commit.after")
            finally:
                self._depth -= 1
                # Still open means not committed. After some failures SQLite has rolled back by itself.
                if self._depth == 0 and self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")

    def refresh(self) -> None:
        """A reader shows from now on what others have saved by then, and keeps their log from growing no longer."""
        with self._guard, self._watched():
            if self._mark is None and self._connection.in_transaction:
                self._connection.execute("ROLLBACK")

    @contextmanager
    def read_snapshot(self) -> Iterator[None]:
        """All that is read inside is of one moment, whoever writes meanwhile. Nothing is written inside."""
        with self._guard, self._watched():
            if self._connection.in_transaction:
                yield
                return
            self._connection.execute("BEGIN")
            try:
                yield
            finally:
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
        # RETURNING, because lastrowid still tells of an earlier row where nothing was added.
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
            count = self._connection.execute(f"DELETE FROM {table}{condition}", values).rowcount
            self._deletions += count
            return count

    def rows(self, table: str, where: Where = "", *, parameters: Sequence[Value] = (), order: str = "") -> list[Row]:
        """The matching rows without their checksums, in ``order`` (SQL), else in order of insertion.

        Raises:
            RecordDamaged: Naming the table and id of the first row that fails its checksum.
        """
        condition, values = _condition(where, parameters)
        with self._guard, self._watched():
            rows = self._select(table, condition, values, order)
        for row in rows:
            self._verify(table, row)
        return [_plain(row) for row in rows]

    def query(self, sql: str, parameters: Sequence[Value] = ()) -> list[Row]:
        """Reads by SQL: counts, joins, sums. Checksums are not verified here."""
        with self._guard, self._watched():
            return [dict(row) for row in self._connection.execute(sql, list(parameters))]

    def columns(self, sql: str, parameters: Sequence[Value] = ()) -> list[tuple[Value, ...]]:
        """What an SQL query finds, one tuple for each of its columns: for many rows, of which each as a mapping costs
        three times as much. Checksums are not verified here."""
        with self._guard, self._watched():
            cursor = self._connection.cursor()
            cursor.row_factory = None
            return list(zip(*cursor.execute(sql, list(parameters)), strict=True))

    def set_meta(self, key: str, value: str) -> None:
        """Keeps one small fact about the workspace."""
        with self.transaction():
            if not self.update("meta", {"key": key}, {"value": value}):
                self.insert("meta", {"key": key, "value": value})

    def get_meta(self, key: str) -> str | None:
        """What :meth:`set_meta` kept, or None."""
        rows = self.rows("meta", {"key": key})
        return str(rows[0]["value"]) if rows else None

    def set_aside(self, table: str, where: Where, *, parameters: Sequence[Value] = ()) -> list[str]:
        """Moves the rows that match into the table ``damaged``, where they stay readable; names them."""
        condition, values = _condition(where, parameters)
        with self.transaction():
            return [self._move_aside(table, row) for row in self._select(table, condition, values, "")]

    def _move_aside(self, table: str, row: Row) -> str:
        content = canonical_json({name: to_json_value(value) for name, value in _plain(row).items()})
        self.insert("damaged", {"source": table, "content": content})
        self._connection.execute(f"DELETE FROM {table} WHERE rowid = ?", [row["_rowid_"]])
        return self._name(table, row)

    def check(self) -> list[str]:
        """Names what is wrong: structural damage by SQLite's own check, then rows by checksum."""
        with self._guard, self._watched():
            return checksums.database_faults(self._connection)

    def keep_copy(self) -> bool:
        """Makes a backup if enough has changed since the last one, and removes old ones; says whether it did.

        What was deleted should not come back by way of a copy, so a deletion is always enough.

        Raises:
            WorkspaceError: When the copy cannot be written.
        """
        with self._guard, self._watched():
            if not self._deletions and not is_due(self._connection, self._changes()):
                return False
            backup(self._connection, self.path, schema.steps(self._connection))
            prune(self.path)
            self._deletions, self._changed_before, self._copied = 0, 0, self._connection.total_changes
            self._version = self._data_version()
            return True

    def close(self, *, alone: bool = True) -> None:
        """Closes the file; committed work is already durable. Closing twice is no error.

        Args:
            alone: Nobody else writes, so who checked it can mark it as sound for the next opening.
        """
        with self._guard:
            # The mark is made of the closed file, whose log SQLite has taken in by then.
            mark, self._mark = self._mark, None
            written = self._connection.total_changes if mark is not None else 0
            changes = self._changes() if mark is not None else 0
            self._connection.close()
            if mark is not None and (self._distrusted or self._shared or not alone):
                mark.remove()
            elif mark is not None and (written or not self._fitted):
                mark.write(changes)

    def _changes(self) -> int:
        # What others wrote meanwhile is not counted anywhere, and may have been deletions.
        by_others = UNKNOWN if self._version != self._data_version() else 0
        return by_others + self._changed_before + self._connection.total_changes - self._copied

    def _data_version(self) -> int:
        """A number that changes when another connection commits; -1 where the file is too damaged to tell."""
        try:
            return int(self._connection.execute("PRAGMA data_version").fetchone()[0])
        except sqlite3.DatabaseError:
            return -1

    @contextmanager
    def _watched(self) -> Iterator[None]:
        """Translates failures; once damage was met, the file is not marked as clean at the end."""
        try:
            with translate_errors(self.path):
                yield
        except RecordDamaged:
            self._distrusted = True
            raise

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
        self._connection.execute(f"UPDATE {table} SET checksum = ? WHERE rowid = ?", (row_checksum(table, row), rowid))

    def _verify(self, table: str, row: Row) -> None:
        if row.get("checksum") != row_checksum(table, row):
            self._distrusted = True
            raise RecordDamaged(
                f"{self._name(table, row)} in {self.path} does not match its checksum", hint="evolve status --repair"
            )

    def _name(self, table: str, row: Row) -> str:
        return checksums.row_name(self._connection, table, row)


def with_own_connection(migrations: Sequence[Migration]) -> list[Migration]:
    """These migrations, after those of the store itself."""
    return [*_OWN, *migrations]


def _condition(where: Where, parameters: Sequence[Value]) -> tuple[str, list[Value]]:
    if isinstance(where, str):
        return (f" WHERE {where}" if where else ""), list(parameters)
    # IS, because = is never true of NULL.
    clauses = " AND ".join(f"{column} IS ?" for column in where)
    return (f" WHERE {clauses}" if clauses else ""), [_stored(value) for value in where.values()]


def _stored(value: Value) -> Value:
    return clean_text(value) if isinstance(value, str) else value


def _plain(row: Row) -> Row:
    return {name: value for name, value in row.items() if name not in ("_rowid_", "checksum")}
