"""Builds a sound record from a damaged one: whole rows of the damaged file, the rest from the newest copy."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from evolve.core.errors import RecordDamaged
from evolve.core.failpoints import hit_failpoint
from evolve.core.files import sync_folder, write_atomic
from evolve.core.store import migrations as schema
from evolve.core.store.backups import newest_good
from evolve.core.store.checksums import CleanMark, Row, database_faults, repair_marker, row_name, sealed_tables
from evolve.core.store.connections import remove_database, translate_errors
from evolve.core.store.database import Database, with_own_connection
from evolve.core.store.migrations import Migration
from evolve.core.store.raw_pages import read_pages
from evolve.core.store.recovery import RecoveredRows, best_schema, recover_rows, table_of, tables_of
from evolve.core.store.wal import bytes_with_log, log_of


@dataclass(frozen=True, kw_only=True)
class RebuildResult:
    """What became of a record.

    Attributes:
        kept: Rows taken from the damaged file, by table.
        restored: Rows taken from the copy, by table.
        lost: One line for each row, or run of rows, that is in neither, as far as known.
        aside: Where the damaged file lies now; None where there was none.
        backup: The copy that was used.
    """

    kept: Mapping[str, int]
    restored: Mapping[str, int]
    lost: tuple[str, ...]
    aside: Path | None
    backup: Path | None


def rebuild_database(path: Path, changes: Sequence[Migration]) -> RebuildResult:
    """Replaces the database at ``path`` by a sound one and keeps the damaged one as ``<name>.corrupt-N``.

    The caller holds the writer's lock and has the database closed. A kill at any moment leaves the old file, the
    new one, or a marker with which :func:`finish_rebuild` ends the exchange.

    Args:
        changes: Every migration this version knows.

    Raises:
        RecordDamaged: When what was built is not sound itself; nothing was changed.
        WorkspaceError: When a newer version wrote the file, or it cannot be written.
    """
    finish_rebuild(path)
    pages = read_pages(bytes_with_log(path))
    migrations = best_schema(pages, with_own_connection(changes))
    fresh = path.with_name(path.name + ".repaired")
    remove_database(fresh)
    copy = newest_good(path)
    with translate_errors(fresh), closing(sqlite3.connect(fresh, isolation_level=None)) as target:
        target.execute("PRAGMA synchronous=OFF")  # synced as a whole below
        schema.migrate(target, migrations)
        remains = recover_rows(pages, tables_of(target))
        target.execute("BEGIN")
        rescued = {table: _insert(target, table, rows.items()) for table, rows in remains.rows.items()}
        restored, copied = _restore(target, copy, migrations, remains) if copy else ({}, {})
        lost = tuple(_losses(target, remains, copied))
        target.execute("COMMIT")
        problems = database_faults(target)
    if problems:
        raise RecordDamaged(f"the record rebuilt from {path} is not sound ({problems[0]}); {path} was not changed")
    with fresh.open("rb+") as stream:
        os.fsync(stream.fileno())
    hit_failpoint("repair.built")
    aside = _put_in_place(path)
    return RebuildResult(kept=rescued, restored=restored, lost=lost, aside=aside, backup=copy if restored else None)


def still_lost(db: Database, lost: Sequence[str]) -> list[str]:
    """The losses that nothing has made good since: named rows that are there again are left out."""
    present: set[str] = set()
    with closing(sqlite3.connect(db.path)) as connection:
        connection.row_factory = sqlite3.Row
        for table in {line.split(" ")[0] for line in lost} & set(sealed_tables(connection)):
            keys = table_of(connection, table).keys
            for row in connection.execute(f"SELECT rowid AS _rowid_, * FROM {table}"):
                present.add(row_name(connection, table, dict(row)))
                present |= {f"{table} row {', '.join(str(row[name]) for name in key)}" for key in keys}
    return [line for line in lost if line.partition(":")[0] not in present]


def finish_rebuild(path: Path) -> None:
    """Ends an exchange that a kill cut short; does nothing where there was none."""
    marker = repair_marker(path)
    if not marker.exists():
        return
    fresh = path.with_name(path.name + ".repaired")
    if fresh.exists():
        aside = path.with_name(marker.read_text("utf-8").strip())
        # The log first: beside a new file of that name SQLite would take it for that file's own.
        for end in ("-wal", ""):
            old = path.with_name(path.name + end)
            if old.exists():
                old.rename(aside.with_name(aside.name + end))
        path.with_name(path.name + "-shm").unlink(missing_ok=True)
        CleanMark(path).remove()
        sync_folder(path.parent)
        hit_failpoint("repair.aside")
        fresh.replace(path)
        sync_folder(path.parent)
        hit_failpoint("repair.kept")
    marker.unlink()
    sync_folder(path.parent)


def _put_in_place(path: Path) -> Path | None:
    """Exchanges the damaged file for the one that was built; gives the damaged one's new name."""
    number = 1
    while (aside := path.with_name(f"{path.name}.corrupt-{number}")).exists():
        number += 1
    existed = path.exists() or log_of(path).exists()
    write_atomic(repair_marker(path), aside.name.encode())
    hit_failpoint("repair.begun")
    finish_rebuild(path)
    return aside if existed else None


def _insert(target: sqlite3.Connection, table: str, rows: Iterable[tuple[int, Row]]) -> int:
    """Adds rows as they are, seals included; gives how many were new by every key."""
    before = target.total_changes
    alias = table_of(target, table).alias
    for rowid, row in rows:
        columns = list(row) if alias else ["rowid", *row]
        values = list(row.values()) if alias else [rowid, *row.values()]
        marks = ", ".join("?" * len(columns))
        # What the damaged file gave is newer and was added first, so the copy's row gives way.
        target.execute(f"INSERT OR IGNORE INTO {table} ({', '.join(columns)}) VALUES ({marks})", values)
    return target.total_changes - before


def _restore(
    target: sqlite3.Connection, copy: Path, migrations: Sequence[Migration], remains: RecoveredRows
) -> tuple[dict[str, int], dict[str, set[int]]]:
    """Adds what only the copy has, of tables that may miss rows; gives how many, and the row numbers it holds."""
    restored, copied = {}, {}
    scratch = copy.with_suffix(".restoring")
    remove_database(scratch)
    # A copy of the copy: it is migrated, and a backup is never changed.
    shutil.copyfile(copy, scratch)
    try:
        Database(
            scratch, [migration for migration in migrations if migration.package != "store"]
        ).close()  # brings an older copy up to the damaged file's schema
        with closing(sqlite3.connect(scratch)) as source:
            source.row_factory = sqlite3.Row
            # A whole table lost nothing: what only the copy has of it was deleted since.
            for table in sorted(set(remains.rows) - remains.whole):
                rows = {row["_rowid_"]: dict(row) for row in source.execute(f"SELECT rowid AS _rowid_, * FROM {table}")}
                for row in rows.values():
                    del row["_rowid_"]
                restored[table] = _insert(target, table, rows.items())
                copied[table] = set(rows)
    finally:
        remove_database(scratch)
        CleanMark(scratch).remove()
    return {table: count for table, count in restored.items() if count}, copied


def _losses(target: sqlite3.Connection, remains: RecoveredRows, copied: Mapping[str, set[int]]) -> Iterator[str]:
    """Names rows that are in neither file: by key where something still tells it, else by row number."""
    for table in sorted(set(remains.rows) - remains.whole):
        present = {row[0] for row in target.execute(f"SELECT rowid FROM {table}")}
        broken = {rowid: name for rowid, name in remains.broken[table].items() if rowid not in present}
        yield from (f"{name}: damaged, and in no backup" for _, name in sorted(broken.items()))
        in_copy = copied.get(table, set())
        # What the copy does not have although it is older had been deleted before.
        first = max(in_copy, default=0) + 1
        last = max([remains.counters.get(table, 0), *present, *broken], default=0)
        numbers = sorted(number for number in {*present, *broken} if number >= first)
        for low, high in pairwise([first - 1, *numbers, last + 1]):
            if high - low > 1:
                which = f"row number {low + 1}" if high - low == 2 else f"row numbers {low + 1} to {high - 1}"
                yield f"{table} {which}: not found, unless deleted earlier"
