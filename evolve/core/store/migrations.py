"""Schema changes: they run once, in order, a transaction each."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from evolve.core.errors import WorkspaceError
from evolve.core.failpoints import hit

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


def pending(connection: sqlite3.Connection, migrations: Sequence[Migration], path: Path) -> list[Migration]:
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
        hit("migration.before")
        connection.execute("BEGIN IMMEDIATE")
        try:
            connection.execute(SCHEMA)
            if isinstance(item.change, str):
                for statement in _statements(item.change):
                    connection.execute(statement)
            else:
                item.change(connection)
            connection.execute("INSERT INTO schema_migrations VALUES (?, ?)", (item.package, item.number))
            hit("migration.inside")
            connection.execute("COMMIT")
            hit("migration.after")
        finally:
            if connection.in_transaction:  # still open means not committed
                connection.execute("ROLLBACK")


def steps(connection: sqlite3.Connection) -> int:
    """How many migrations a database has seen."""
    return len(_applied(connection))


def changed_definitions(connection: sqlite3.Connection, migrations: Sequence[Migration]) -> list[str]:
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
