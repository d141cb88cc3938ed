"""Whatever happens to the bytes of a workspace, nothing wrong is read in silence."""

from __future__ import annotations

import signal
import sqlite3
from pathlib import Path

import pytest

import evolve
from benchmarks.damage import targets_of, trials
from evolve.core.errors import WorkspaceError
from evolve.core.paths import WorkspacePaths
from evolve.core.schema import MIGRATIONS
from evolve.core.store import Database, Migration
from evolve.core.store.backups import backups
from tests.reliability.workspaces import everything, stopped

UNSEALED = {"schema_migrations", "sqlite_sequence"}
"""Counters and notes of SQLite and of the store. Their keys are in an index too, so that its own check sees damage."""

SCHEMA_0 = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL, checksum TEXT NOT NULL);
CREATE TABLE schema_migrations (package TEXT NOT NULL, number INTEGER NOT NULL, PRIMARY KEY (package, number));
INSERT INTO schema_migrations VALUES ('store', 1);
INSERT INTO meta VALUES
    ('born', 'long ago', 'b6ec0802001f3b80d20bea917842603c15a5dca9a36c0d97a3fdabaa57856e2e');
"""
"""A record as the first version of the store would have left it, before any package had tables."""


@pytest.mark.slow
def test_random_damage_is_harmless_or_named_and_can_be_repaired() -> None:
    rows = trials(12, seed=3)
    assert [row for row in rows if row["silent_wrong"] or not row["repaired"]] == []
    assert {row["kind"] for row in rows} == {"torn", "flip"}
    assert all(target.met for target in targets_of(rows))
    assert min(row["kept"] for row in rows) > 0.9


def test_every_table_is_sealed(tmp_path: Path) -> None:
    Database(tmp_path / "memory.db", MIGRATIONS).close()
    connection = sqlite3.connect(tmp_path / "memory.db")
    tables = {row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    columns = {table: {row[1] for row in connection.execute(f"PRAGMA table_info({table})")} for table in tables}
    connection.close()
    assert {table for table, names in columns.items() if "checksum" not in names} == UNSEALED


@pytest.fixture
def oldest(tmp_path: Path) -> Path:
    """A workspace whose record is of schema 0."""
    paths = WorkspacePaths(tmp_path / "ws")
    paths.store.mkdir(parents=True)
    connection = sqlite3.connect(paths.db)
    connection.executescript(SCHEMA_0)
    connection.close()
    return paths.root


def test_a_record_of_schema_0_is_migrated_after_a_copy_of_it(oldest: Path) -> None:
    evolve.init(oldest, trust=True)
    assert everything(oldest)["notes"] == {}
    paths = WorkspacePaths(oldest)
    with Database(paths.db, MIGRATIONS) as db:
        assert db.get_meta("born") == "long ago"
    connection = sqlite3.connect(backups(paths.db)[0])
    assert connection.execute("SELECT * FROM schema_migrations").fetchall() == [("store", 1)]
    connection.close()


@pytest.mark.parametrize("turn", [1, 4, len(MIGRATIONS)])
@pytest.mark.parametrize("point", ["backup.copied", "migration.before", "migration.inside", "migration.after"])
def test_a_migration_that_is_killed_anywhere_goes_on(oldest: Path, point: str, turn: int) -> None:
    path = WorkspacePaths(oldest).db
    plan = f"{point}:{1 if point.startswith('backup') else turn}:kill"
    assert stopped(plan, lambda: Database(path, MIGRATIONS)) == -signal.SIGKILL
    with Database(path, MIGRATIONS) as db:
        assert db.get_meta("born") == "long ago" and db.check() == []
        assert len(db.query("SELECT * FROM schema_migrations")) == len(MIGRATIONS) + 2


def test_a_newer_record_is_refused_untouched(oldest: Path) -> None:
    path = WorkspacePaths(oldest).db
    newer = Migration("agent", MIGRATIONS[0].number + 8, "CREATE TABLE later (id INTEGER PRIMARY KEY)")
    connection = sqlite3.connect(path)
    connection.execute("INSERT INTO schema_migrations VALUES (?, ?)", (newer.package, newer.number))
    connection.commit()
    connection.close()
    before = {file: file.read_bytes() for file in path.parent.iterdir()}
    with pytest.raises(WorkspaceError, match="newer version of evolve"):
        Database(path, MIGRATIONS)
    after = {file: file.read_bytes() for file in path.parent.iterdir() if not file.name.endswith(("-shm", "-wal"))}
    assert after == before
