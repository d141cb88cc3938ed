from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from evolve.core.errors import WorkspaceError
from evolve.core.store import Database, Migration
from evolve.core.store.backups import backups

FIRST = Migration("things", 1, "CREATE TABLE things (id TEXT PRIMARY KEY, checksum TEXT NOT NULL)")
SECOND = Migration("things", 2, "ALTER TABLE things ADD COLUMN note TEXT; CREATE INDEX by_note ON things (note)")
OTHER = Migration("other", 1, "CREATE TABLE other (id TEXT PRIMARY KEY, checksum TEXT NOT NULL)")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "memory.db"
    with Database(path, [FIRST]) as db:
        db.insert("things", {"id": "old"})
    return path


def test_new_migrations_run_once_and_keep_what_was_there(path: Path) -> None:
    for _ in range(2):
        with Database(path, [FIRST, OTHER, SECOND]) as db:
            assert db.rows("things") == [{"id": "old", "note": None}]
            assert db.rows("other") == []


def test_a_backup_is_made_before_migrating_and_only_then(path: Path) -> None:
    with Database(path, [FIRST]):
        assert backups(path) == []
    with Database(path, [FIRST, SECOND]):
        pass
    (copy,) = backups(path)
    with Database(copy, [FIRST]) as old:
        assert old.rows("things") == [{"id": "old"}]


def test_a_migration_can_be_a_function(path: Path) -> None:
    def fill(connection: sqlite3.Connection) -> None:
        connection.execute("CREATE TABLE filled AS SELECT id FROM things")

    with Database(path, [FIRST, Migration("things", 2, fill)]) as db:
        assert db.query("SELECT id FROM filled") == [{"id": "old"}]


def test_a_migration_that_fails_leaves_nothing_behind(path: Path) -> None:
    broken = Migration("things", 2, "ALTER TABLE things ADD COLUMN note TEXT; INSERT INTO nowhere VALUES (1)")
    with pytest.raises(sqlite3.OperationalError, match="nowhere"):
        Database(path, [FIRST, broken])
    with Database(path, [FIRST]) as db:
        assert db.rows("things") == [{"id": "old"}]


@pytest.mark.parametrize("newer", [[FIRST, SECOND], [FIRST, OTHER]])
def test_a_newer_record_is_refused_and_not_touched(path: Path, newer: list[Migration]) -> None:
    Database(path, newer).close()
    before = path.read_bytes()
    with pytest.raises(WorkspaceError, match="newer version of evolve"):
        Database(path, [FIRST])
    assert path.read_bytes() == before


@pytest.mark.parametrize("wrong", [[SECOND], [FIRST, FIRST], [FIRST, Migration("things", 3, "")]])
def test_numbers_out_of_order_are_a_bug(tmp_path: Path, wrong: list[Migration]) -> None:
    with pytest.raises(ValueError, match="out of order"):
        Database(tmp_path / "memory.db", wrong)


def test_an_interrupted_first_run_leaves_no_record(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"

    def stop(connection: sqlite3.Connection) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Database(path, [FIRST, Migration("things", 2, stop)])
    assert not path.exists()
    with Database(path, [FIRST, SECOND]) as db:
        assert db.rows("things") == []


def test_triggers_keep_their_semicolons(tmp_path: Path) -> None:
    trigger = Migration(
        "things",
        1,
        "CREATE TABLE log (n INTEGER); CREATE TABLE things (id TEXT, checksum TEXT NOT NULL);"
        "CREATE TRIGGER t AFTER INSERT ON things BEGIN INSERT INTO log VALUES (1); INSERT INTO log VALUES (2); END;",
    )
    with Database(tmp_path / "memory.db", [trigger]) as db:
        db.insert("things", {"id": "a"})
        assert db.query("SELECT n FROM log ORDER BY n") == [{"n": 1}, {"n": 2}]


def test_a_script_cut_off_is_a_bug(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="inside a statement"):
        Database(tmp_path / "memory.db", [Migration("things", 1, "CREATE TRIGGER t AFTER INSERT ON x BEGIN SELECT 1")])
