"""Seals: a checksum in every row, and a mark beside the file that says how it looked when it was closed.

SQLite's own check sees broken structure and misses overwritten content; the checksums see changed rows and miss
rows that are gone. Together they see both, at a cost that grows with the record. The mark saves that cost where
the file is, byte for byte, what it was at the last clean close.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterator, Mapping
from dataclasses import fields
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from evolve.core.errors import WorkspaceError
from evolve.core.files import canonical_json, digest

Value = None | bool | int | float | str | bytes
"""What a column can hold; structured data is stored as canonical JSON text."""

Row = dict[str, Value]

T = TypeVar("T")

_UNSEALED_COLUMNS = ("_rowid_", "checksum")
_MOST_STRUCTURAL = 20
# More than any record holds, so that the next copy is due at once.
UNKNOWN = 1 << 40


def row_checksum(table: str, row: Mapping[str, Value]) -> str:
    """SHA-256 of a row's table and content, NULLs left out, so that a column added later changes no seal."""
    content = {
        name: to_json_value(value) for name, value in row.items() if value is not None and name not in _UNSEALED_COLUMNS
    }
    return digest(canonical_json([table, content]))


def to_json_value(value: Value) -> Value:
    """The value as JSON can hold it; bytes become text."""
    return f"bytes:{value.hex()}" if isinstance(value, bytes) else value


def value_of(cls: type[T], row: Mapping[str, Value], **rest: Any) -> T:
    """The dataclass that a row keeps: every field from the column of its name, but for those that are given."""
    names = _names(cls)  # type: ignore[arg-type]
    return cls(**{name: row[name] for name in names if name in row and name not in rest}, **rest)


@cache
def _names(cls: type) -> tuple[str, ...]:
    return tuple(item.name for item in fields(cls))


def sealed_tables(connection: sqlite3.Connection) -> list[str]:
    """Tables whose rows carry a checksum, by name."""
    sql = (
        "SELECT m.name FROM sqlite_master AS m, pragma_table_info(m.name) AS c"
        " WHERE m.type = 'table' AND c.name = 'checksum' ORDER BY m.name"
    )
    return [str(row[0]) for row in connection.execute(sql)]


def row_name(connection: sqlite3.Connection, table: str, row: Mapping[str, Value]) -> str:
    """How a row is called in messages: its table and primary key."""
    keys = [str(column[1]) for column in connection.execute(f"PRAGMA table_info({table})") if column[5]]
    ids = [str(row[name]) for name in keys] or [str(row["_rowid_"])]
    return f"{table} row {', '.join(ids)}"


def structural_faults(connection: sqlite3.Connection) -> list[str]:
    """The messages of SQLite's own check; [] where it finds nothing."""
    messages = [str(row[0]) for row in connection.execute(f"PRAGMA integrity_check({_MOST_STRUCTURAL})")]
    return [] if messages == ["ok"] else [line for message in messages for line in message.splitlines()]


def broken_rows(connection: sqlite3.Connection, table: str) -> Iterator[Row]:
    """Rows of a table that fail their checksum, with ``_rowid_``."""
    # NOT INDEXED: an index that is damaged must not decide which rows are read.
    cursor = connection.execute(f"SELECT rowid AS _rowid_, * FROM {table} NOT INDEXED ORDER BY rowid")
    names = [column[0] for column in cursor.description]
    for values in cursor:
        row = dict(zip(names, values, strict=True))
        if row.get("checksum") != row_checksum(table, row):
            yield row


def database_faults(connection: sqlite3.Connection) -> list[str]:
    """Everything wrong with a database: its structure, then rows by table and id; empty when it is sound.

    Raises:
        sqlite3.DatabaseError: When SQLite cannot read it at all.
    """
    problems = structural_faults(connection)
    for table in sealed_tables(connection):
        try:
            broken = list(broken_rows(connection, table))
        except sqlite3.OperationalError as error:
            if not str(error).startswith("Could not decode"):
                raise
            broken = _broken_texts(connection, table)
        problems += [row_name(connection, table, row) for row in broken]
    return problems


def _broken_texts(connection: sqlite3.Connection, table: str) -> list[Row]:
    """Broken rows of a table in which a text is not UTF-8 any more."""
    # One such text would end the reading of the whole table.
    before, connection.text_factory = connection.text_factory, lambda data: data.decode("utf-8", "replace")
    try:
        return list(broken_rows(connection, table))
    finally:
        connection.text_factory = before


class CleanMark:
    """What the file beside a database says of its last clean close: size, digest and how much changed since.

    It needs no fsync: a mark that is lost or stale does not fit the file, and then the rows are checked.

    Attributes:
        changes: Rows written since the last backup; very many when that is not known.
    """

    def __init__(self, database: Path) -> None:
        self._database = database
        self.path = database.with_name(database.name + ".clean")
        self.changes = UNKNOWN

    def matches_database(self) -> bool:
        """Whether the database is byte for byte what it was at the last clean close."""
        if self._log_is_used():
            return False
        try:
            mark = json.loads(self.path.read_bytes())
            fits = bool(mark["digest"] == _file_digest(self._database))
            self.changes = int(mark["changes"]) if fits else UNKNOWN
        except (OSError, ValueError, KeyError, TypeError):
            return False
        return fits

    def write(self, changes: int) -> None:
        """Marks the database as it is now, just closed. Where that fails the next opening checks all rows.

        Args:
            changes: Rows written since the last backup.
        """
        try:
            if self._log_is_used():  # another process still reads it, and this file is not all there is
                self.remove()
                return
            text = canonical_json({"digest": _file_digest(self._database), "changes": changes})
            fresh = self.path.with_name(self.path.name + ".tmp")
            fresh.write_text(text, "utf-8")
            fresh.replace(self.path)
        except OSError:
            return

    def remove(self) -> None:
        """Removes the mark, so that the next opening checks all rows.

        Raises:
            WorkspaceError: When it cannot be removed.
        """
        try:
            self.path.unlink(missing_ok=True)
        except OSError as error:
            raise WorkspaceError(f"cannot remove {self.path}: {error.strerror}") from error

    def _log_is_used(self) -> bool:
        log = self._database.with_name(self._database.name + "-wal")
        return log.exists() and log.stat().st_size > 0


def repair_marker(database: Path) -> Path:
    """The file that is there while a repaired database takes the damaged one's place."""
    return database.with_name(database.name + ".repairing")


def _file_digest(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
