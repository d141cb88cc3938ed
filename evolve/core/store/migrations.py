"""Makes a database that is missing, refuses one that is not sound, and changes its schema, once and in order."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from evolve.core.errors import WorkspaceError
from evolve.core.failpoints import hit_failpoint
from evolve.core.files import sync_folder, write_failure
from evolve.core.store import checksums
from evolve.core.store import migrations as schema
from evolve.core.store.connections import connect, damage_error, remove_database
from evolve.core.store.wal import log_of

SCHEMA = (
    "CREATE TABLE IF NOT EXISTS schema_migrations"
    " (package TEXT NOT NULL, number INTEGER NOT NULL, PRIMARY KEY (package, number))"
)


@dataclass(frozen=True)
class Migration:
    """One change of one package's tables.

    Attributes:
        package: The package that owns the tables, such as ``memory``.
        number: Position within the package, counted from 1 without gaps. Never reused or edited
            once released.
        change: SQL statements separated by semicolons, or a function of the connection. A function
            must not begin or end a transaction.
    """

    package: str
    number: int
    change: str | Callable[[sqlite3.Connection], object]


def check_numbering(migrations: Sequence[Migration]) -> None:
    """Raises ValueError unless each package's numbers run 1, 2, 3... in list order."""
    last: dict[str, int] = {}
    for item in migrations:
        if item.number != last.get(item.package, 0) + 1:
            raise ValueError(f"migration {item.package} {item.number} is out of order")
        last[item.package] = item.number


def pending_migrations(connection: sqlite3.Connection, migrations: Sequence[Migration], path: Path) -> list[Migration]:
    """The migrations still to run.

    Raises:
        WorkspaceError: When the database has seen a migration that this version does not know.
    """
    applied = set(_applied(connection))
    unknown = applied - {(item.package, item.number) for item in migrations}
    if unknown:
        package, number = min(unknown)
        raise from_newer(f"{path} ({package} schema {number})")
    return [item for item in migrations if (item.package, item.number) not in applied]


def migrate(connection: sqlite3.Connection, migrations: Sequence[Migration]) -> None:
    """Runs each migration together with the note that it ran, in one transaction."""
    for item in migrations:
        hit_failpoint("migration.before")
        connection.execute("BEGIN IMMEDIATE")
        try:
            connection.execute(SCHEMA)
            if isinstance(item.change, str):
                for statement in _statements(item.change):
                    connection.execute(statement)
            else:
                item.change(connection)
            connection.execute("INSERT INTO schema_migrations VALUES (?, ?)", (item.package, item.number))
            hit_failpoint("migration.inside")
            connection.execute("COMMIT")
            hit_failpoint("migration.after")
        finally:
            if connection.in_transaction:  # still open means not committed
                connection.execute("ROLLBACK")


def steps(connection: sqlite3.Connection) -> int:
    """How many migrations a database has seen."""
    return len(_applied(connection))


def _changed_definitions(connection: sqlite3.Connection, migrations: Sequence[Migration]) -> list[str]:
    """Tables and indexes that are not defined as the migrations define them; nothing where some are unknown.

    A table whose definition was damaged may have lost its checksums without a word.
    """
    applied = set(_applied(connection))
    if not applied or applied - {(item.package, item.number) for item in migrations}:
        return []
    # Compared with what the migrations make today: SQLite keeps the text of every definition.
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as fresh:
        migrate(fresh, [item for item in migrations if (item.package, item.number) in applied])
        expected, actual = _definitions(fresh), _definitions(connection)
    return [f"the definition of {name}" for name in sorted(expected | actual) if expected.get(name) != actual.get(name)]


def _definitions(connection: sqlite3.Connection) -> dict[str, str]:
    rows = connection.execute("SELECT type || ' ' || name, tbl_name || ': ' || ifnull(sql, '') FROM sqlite_master")
    return {str(row[0]): str(row[1]) for row in rows}


def from_newer(what: str) -> WorkspaceError:
    """The error for a record that a newer version wrote."""
    return WorkspaceError(
        f"{what} was written by a newer version of evolve",
        hint="install a newer one: pip install . in its folder",
    )


def _applied(connection: sqlite3.Connection) -> list[tuple[str, int]]:
    exists = connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'schema_migrations'").fetchone()
    if not exists:
        return []
    rows = connection.execute("SELECT package, number FROM schema_migrations").fetchall()
    return [(row[0], row[1]) for row in rows]


def _statements(script: str) -> Iterator[str]:
    """Splits at the semicolons that end statements, so that a script can run inside a transaction."""
    # Not executescript, which commits whatever transaction is open.
    statement = ""
    for piece in script.split(";"):
        statement += piece + ";"
        if sqlite3.complete_statement(statement):
            if statement.strip(" \n\t;"):
                yield statement
            statement = ""
    if statement.strip(" \n\t;"):
        raise ValueError(f"a migration ends inside a statement: {statement.strip()[:60]!r}")


def refuse_damaged(path: Path, connection: sqlite3.Connection, changes: Sequence[Migration]) -> None:
    """Raises :class:`RecordDamaged` where a definition or a row is not as it was written.

    Args:
        changes: Every migration there is.
    """
    problems = [*schema._changed_definitions(connection, changes), *checksums.database_faults(connection)]
    if problems:
        more = f" and {len(problems) - 1} more" if len(problems) > 1 else ""
        raise damage_error(path, f"{problems[0]}{more}")


def create_missing(path: Path, changes: Sequence[Migration], born: Mapping[str, str]) -> bool:
    """Creates a missing database under another name and moves it into place complete; whether it was missing.

    Args:
        born: Facts that it has from the moment it is made.
    """
    if path.exists():
        return False
    if log_of(path).exists():
        raise damage_error(path, "the file is missing, and its log is there")
    fresh = path.with_name(path.name + ".new")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        remove_database(fresh)
    except OSError as error:
        raise write_failure(path, error) from error
    connection = connect(str(fresh))
    try:
        # Already here, because a kill while SQLite changes a file to the log leaves a journal beside it.
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=FULL")
        schema.migrate(connection, changes)
        for row in ({"key": key, "value": value} for key, value in born.items()):
            seal = checksums.row_checksum("meta", row)
            connection.execute("INSERT INTO meta VALUES (?, ?, ?)", (*row.values(), seal))
    finally:
        connection.close()
    hit_failpoint("record.create")
    fresh.replace(path)
    # The new name itself has to survive a power cut.
    sync_folder(path.parent)
    hit_failpoint("record.created")
    return True
