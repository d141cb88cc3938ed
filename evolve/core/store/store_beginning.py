"""Makes a database that is missing, and refuses one that is not sound, before it is opened for writing."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from pathlib import Path

from evolve.core.failpoints import hit
from evolve.core.files import sync_folder, write_failure
from evolve.core.store import checksums
from evolve.core.store import migrations as schema
from evolve.core.store.connections import connect, damage_error, remove_database
from evolve.core.store.migrations import Migration
from evolve.core.store.wal import log_of


def refuse_damaged(path: Path, connection: sqlite3.Connection, changes: Sequence[Migration]) -> None:
    """Raises :class:`RecordDamaged` where a definition or a row is not as it was written.

    Args:
        changes: Every migration there is.
    """
    problems = [*schema.changed_definitions(connection, changes), *checksums.faults(connection)]
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
    hit("record.create")
    fresh.replace(path)
    # The new name itself has to survive a power cut.
    sync_folder(path.parent)
    hit("record.created")
    return True
