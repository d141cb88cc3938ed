"""Schema changes: each package lists its own; they run once, in order, a transaction each."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from evolve.errors import WorkspaceError
from evolve.faults import hit
from evolve.files import sync_folder

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
        raise WorkspaceError(
            f"{path} was written by a newer version of evolve ({package} schema {number})",
            hint="upgrade with: pip install --upgrade evolve-agent",
        )
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


def backup(connection: sqlite3.Connection, path: Path) -> Path:
    """A consistent copy beside the database, in ``backups/``, named by how far its schema had come."""
    steps = len(_applied(connection))
    target = path.parent / "backups" / f"{path.stem}-{steps:04d}{path.suffix}"
    target.parent.mkdir(exist_ok=True)
    temporary = target.with_suffix(".tmp")
    temporary.unlink(missing_ok=True)
    hit("backup.begin")
    connection.execute("VACUUM INTO ?", (str(temporary),))
    with temporary.open("rb+") as stream:
        os.fsync(stream.fileno())
    hit("backup.copied")
    temporary.replace(target)
    sync_folder(target.parent)
    hit("backup.kept")
    return target


def backups(path: Path) -> list[Path]:
    """The copies made of the database at ``path``, oldest schema first."""
    return sorted((path.parent / "backups").glob(f"{path.stem}-*{path.suffix}"))


def _applied(connection: sqlite3.Connection) -> list[tuple[str, int]]:
    exists = connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'schema_migrations'").fetchone()
    if not exists:
        return []
    rows = connection.execute("SELECT package, number FROM schema_migrations").fetchall()
    return [(row[0], row[1]) for row in rows]


def _statements(script: str) -> Iterator[str]:
    """Splits at the semicolons that end statements, so that a script can run inside a transaction."""
    statement = ""
    for piece in script.split(";"):
        statement += piece + ";"
        if sqlite3.complete_statement(statement):
            if statement.strip(" \n\t;"):
                yield statement
            statement = ""
    if statement.strip(" \n\t;"):
        raise ValueError(f"a migration ends inside a statement: {statement.strip()[:60]!r}")
