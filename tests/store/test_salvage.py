"""Damaged records are rebuilt from what is whole, and what is lost is named."""

from __future__ import annotations

import os
import random
import signal
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from evolve.core.errors import RecordDamaged, WorkspaceError
from evolve.core.failpoints import POINTS, VARIABLE
from evolve.core.store import Database, Migration, finish_rebuild, rebuild_database
from evolve.core.store.backups import backups

CHANGES = [
    Migration(
        "things",
        1,
        "CREATE TABLE things (id TEXT PRIMARY KEY, amount REAL, body BLOB, checksum TEXT NOT NULL);"
        "CREATE TABLE facts (seq INTEGER PRIMARY KEY AUTOINCREMENT, text TEXT NOT NULL, checksum TEXT NOT NULL)",
    ),
    Migration("things", 2, "ALTER TABLE things ADD COLUMN note TEXT"),
]
COUNT = 60
Rows = dict[str, list[dict[str, object]]]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A record of some pages, among them rows of several pages each, closed in order."""
    path = tmp_path / "memory.db"
    with Database(path, CHANGES) as db, db.transaction():
        for number in range(COUNT):
            add(db, number)
    return path


def add(db: Database, number: int) -> None:
    body = bytes([number]) * (9000 if number % 20 == 0 else 90)
    db.insert("things", {"id": f"t{number:03d}", "amount": number, "body": body, "note": f"note {number}"})
    db.insert("facts", {"text": f"fact {number} " * 10})


def contents(path: Path) -> Rows:
    with Database(path, CHANGES) as db:
        return {table: db.rows(table) for table in ("things", "facts")}


def garble(path: Path, start: int, length: int = 512, seed: int = 0) -> None:
    data = bytearray(path.read_bytes())
    data[start : start + length] = random.Random(seed).randbytes(len(data[start : start + length]))
    path.write_bytes(data)


def test_every_page_can_be_lost_and_nothing_wrong_comes_back(path: Path, tmp_path: Path) -> None:
    before, pages = contents(path), path.read_bytes()
    for page in range(len(pages) // 4096):
        hurt = tmp_path / f"page-{page}" / "memory.db"
        hurt.parent.mkdir()
        hurt.write_bytes(pages)
        garble(hurt, page * 4096, 4096, seed=page)
        with pytest.raises(RecordDamaged, match="memory.db is damaged"):
            Database(hurt, CHANGES)
        done = rebuild_database(hurt, CHANGES)
        after = contents(hurt)
        for table, rows in before.items():
            assert [row for row in rows if row in after[table]] == after[table]
        gone = sum(map(len, before.values())) - sum(map(len, after.values()))
        assert gone == 0 or done.lost
        assert gone < 45
        assert done.aside is not None and done.aside.stat().st_size == len(pages)


def test_a_lost_schema_loses_no_row(path: Path) -> None:
    before = contents(path)
    garble(path, 0, 4096)
    done = rebuild_database(path, CHANGES)
    assert contents(path) == before
    assert (done.lost, done.kept) == ((), {"things": COUNT, "facts": COUNT, "meta": 0, "damaged": 0})


def test_a_table_that_lost_its_seals_with_its_definition_is_damage(path: Path) -> None:
    before = contents(path)
    path.write_bytes(path.read_bytes().replace(b"text TEXT NOT NULL, checksum", b"text TEXT NOT NULL, checksuM"))
    with pytest.raises(RecordDamaged, match="the definition of table facts"):
        Database(path, CHANGES)
    rebuild_database(path, CHANGES)
    assert contents(path) == before


def test_the_copy_fills_the_gaps_and_newer_rows_win(path: Path) -> None:
    with Database(path, CHANGES) as db:
        assert db.keep_copy() or (db.delete("facts", {"seq": 1}) and db.keep_copy())
        db.update("things", {"id": "t007"}, {"note": "newer"})
        add(db, COUNT)
    before = contents(path)
    for start in range(4096, path.stat().st_size, 3 * 4096):
        garble(path, start, 100)
    done = rebuild_database(path, CHANGES)
    after = contents(path)
    assert sum(done.restored.values()) > 5
    assert done.backup == backups(path)[-1]
    assert len({row["id"] for row in after["things"]}) == len(after["things"])
    assert len(after["things"]) >= COUNT - 1 and len(after["facts"]) >= COUNT - 2
    rows = {row["id"]: row for row in after["things"]}
    assert all(row == rows[row["id"]] for row in before["things"] if row["id"] in rows and row["id"] != "t007")


def test_what_a_killed_repair_left_beside_its_copy_is_not_taken_for_part_of_the_next(path: Path) -> None:
    with Database(path, CHANGES) as db:
        assert db.keep_copy() or (db.delete("facts", {"seq": 1}) and db.keep_copy())
    left = backups(path)[-1].with_suffix(".restoring-journal")
    with closing(sqlite3.connect(path.with_name("other.db"), isolation_level=None)) as other:
        other.execute("PRAGMA cache_size=1")
        other.execute("CREATE TABLE other AS SELECT zeroblob(99999) AS data")
        other.execute("BEGIN IMMEDIATE")
        other.execute("UPDATE other SET data = randomblob(99999)")
        left.write_bytes(path.with_name("other.db-journal").read_bytes())
    garble(path, 3 * 4096, 8 * 4096)

    done = rebuild_database(path, CHANGES)

    assert sum(done.restored.values()) > 5
    assert not left.exists()


def test_a_changed_row_is_lost_by_name_and_all_others_are_kept(path: Path) -> None:
    connection = sqlite3.connect(path)
    with connection:
        connection.execute("UPDATE things SET note = 'forged' WHERE id = 't005'")
        connection.execute("UPDATE facts SET text = 'forged' WHERE seq = 9")
    connection.close()
    with pytest.raises(RecordDamaged, match=r"memory.db is damaged \(facts row 9 and 1 more\).*nothing was changed"):
        Database(path, CHANGES)
    done = rebuild_database(path, CHANGES)
    assert done.lost == ("facts row 9: damaged, and in no backup", "things row t005: damaged, and in no backup")
    assert [len(rows) for rows in contents(path).values()] == [COUNT - 1, COUNT - 1]


def test_what_was_deleted_does_not_come_back(path: Path) -> None:
    with Database(path, CHANGES) as db:
        assert db.delete("facts", "seq > ?", parameters=[10]) == COUNT - 10
        assert db.keep_copy()
    assert b"fact 40" not in path.read_bytes()
    garble(path, 0, 4096)
    rebuild_database(path, CHANGES)
    assert len(contents(path)["facts"]) == 10


def test_commits_behind_a_damaged_frame_of_the_log_are_not_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    with Database(path, CHANGES) as db:
        for number in range(COUNT):
            add(db, number)
        killed = tmp_path / "killed" / "memory.db"
        killed.parent.mkdir()
        for end in ("", "-wal"):  # as a kill would leave them
            (killed.parent / f"memory.db{end}").write_bytes((tmp_path / f"memory.db{end}").read_bytes())
    log = killed.parent / "memory.db-wal"
    garble(log, 32 + 40 * 4120 + 3000, 60)
    with pytest.raises(RecordDamaged, match="memory.db-wal is damaged"):
        Database(killed, CHANGES)
    done = rebuild_database(killed, CHANGES)
    after = contents(killed)
    assert len(after["facts"]) >= COUNT - 3 and len(after["things"]) >= COUNT - 3
    assert done.aside is not None and done.aside.with_name(done.aside.name + "-wal").exists()


def test_a_torn_end_of_the_log_is_no_damage(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    with Database(path, CHANGES) as db:
        for number in range(5):
            add(db, number)
        data, log = path.read_bytes(), (tmp_path / "memory.db-wal").read_bytes()
    path.write_bytes(data)
    (tmp_path / "memory.db-wal").write_bytes(log[:-1000])
    kept = contents(path)
    assert [len(kept["things"]), len(kept["facts"])] == [5, 4]


@pytest.mark.parametrize("content", [b"", b"no database" * 900, None])
def test_with_nothing_to_salvage_the_copy_is_the_record(path: Path, content: bytes | None) -> None:
    with Database(path, CHANGES) as db:
        db.delete("facts", {"seq": 60})
        db.keep_copy()
    before = contents(path)
    if content is None:
        path.unlink()
    else:
        path.write_bytes(content)
    rebuild_database(path, CHANGES)
    assert contents(path) == before


@pytest.mark.parametrize("point", [*(point for point in POINTS if point.startswith("repair.")), "migration.inside"])
def test_a_repair_that_is_killed_leaves_the_old_or_the_new_and_can_be_repeated(path: Path, point: str) -> None:
    before = contents(path)
    garble(path, 0, 4096)
    assert killed_at(point, lambda: rebuild_database(path, CHANGES)) == signal.SIGKILL
    with pytest.raises(RecordDamaged):
        Database(path, CHANGES)
    finish_rebuild(path)
    if point in ("repair.built", "migration.inside"):
        rebuild_database(path, CHANGES)
    assert contents(path) == before
    assert [file.name for file in path.parent.glob("memory.db.*") if file.suffix != ".clean"] == ["memory.db.corrupt-1"]


def killed_at(point: str, work: Callable[[], object]) -> int:
    """The signal that ended a process which did the work with a kill planned at the point."""
    child = os.fork()
    if child == 0:
        os.environ[VARIABLE] = f"{point}:1:kill"
        work()
        os._exit(0)
    return os.WTERMSIG(os.waitpid(child, 0)[1])


def test_a_newer_record_is_not_rebuilt_by_an_older_version(path: Path) -> None:
    Database(path, [*CHANGES, Migration("things", 3, "ALTER TABLE things ADD COLUMN more TEXT")]).close()
    garble(path, path.stat().st_size - 4096, 300)
    with pytest.raises(WorkspaceError, match="newer version of evolve"):
        rebuild_database(path, CHANGES)
    assert not list(path.parent.glob("*.corrupt-*"))


def test_an_older_record_is_rebuilt_at_its_own_schema(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    with Database(path, CHANGES[:1]) as db:
        db.insert("things", {"id": "old", "amount": 1})
    garble(path, path.stat().st_size - 4096, 4096)
    rebuild_database(path, CHANGES)
    with Database(path, CHANGES) as db:
        assert db.rows("things") == [{"id": "old", "amount": 1.0, "body": None, "note": None}]
