from __future__ import annotations

import shutil
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evolve.core.errors import RecordDamaged, WorkspaceBusy, WorkspaceError
from evolve.core.store import Database, Migration

THINGS = Migration(
    "things",
    1,
    "CREATE TABLE things"
    " (id TEXT PRIMARY KEY, amount REAL, note TEXT DEFAULT 'a; b', body BLOB, checksum TEXT NOT NULL);"
    "CREATE TABLE steps (episode TEXT, step INTEGER, kind TEXT, checksum TEXT NOT NULL, UNIQUE (episode, step, kind));",
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "memory_store" / "memory.db"


@pytest.fixture
def db(path: Path) -> Iterator[Database]:
    with Database(path, [THINGS]) as database:
        yield database


def overwrite(path: Path, sql: str) -> None:
    """Changes the file behind the record's back."""
    connection = sqlite3.connect(path)
    with connection:
        connection.execute(sql)
    connection.close()


def test_rows_come_back_as_they_were_stored(db: Database) -> None:
    assert db.insert("things", {"id": "a", "amount": 1, "body": b"\x00\xff"})
    assert db.rows("things") == [{"id": "a", "amount": 1.0, "note": "a; b", "body": b"\x00\xff"}]


def test_a_key_makes_inserting_idempotent(db: Database) -> None:
    row = {"episode": "e", "step": 1, "kind": "observation"}
    key = ("episode", "step", "kind")
    assert [db.insert("steps", row, key=key) for _ in range(3)] == [True, False, False]
    assert db.rows("steps") == [row]


def test_without_a_key_a_conflict_is_a_bug(db: Database) -> None:
    db.insert("things", {"id": "a"})
    with pytest.raises(sqlite3.IntegrityError):
        db.insert("things", {"id": "a"})


@settings(max_examples=40)
@given(
    values=st.lists(
        st.tuples(
            st.none() | st.floats(allow_nan=False, allow_infinity=False) | st.integers(-(2**40), 2**40),
            st.none() | st.text(st.characters(codec=None, exclude_categories=())),
            st.none() | st.binary(max_size=20),
        ),
        max_size=4,
    )
)
def test_whatever_is_stored_verifies(tmp_path_factory: pytest.TempPathFactory, values: list[tuple]) -> None:
    with Database(tmp_path_factory.mktemp("db") / "memory.db", [THINGS]) as db:
        for number, (amount, note, body) in enumerate(values):
            db.insert("things", {"id": str(number), "amount": amount, "note": note, "body": body})
        assert len(db.rows("things")) == len(values)
        assert db.check() == []


def test_rows_are_chosen_by_equality_or_condition(db: Database) -> None:
    for number, name in enumerate("abc"):
        db.insert("things", {"id": name, "amount": number, "note": None})
    assert [row["id"] for row in db.rows("things", {"amount": 1, "note": None})] == ["b"]
    assert [row["id"] for row in db.rows("things", "amount >= ?", parameters=[1], order="amount DESC")] == ["c", "b"]
    assert db.query("SELECT count(*) AS n, max(amount) AS top FROM things") == [{"n": 3, "top": 2.0}]


def test_updating_renews_the_checksum(db: Database) -> None:
    db.insert("things", {"id": "a", "note": "old"})
    assert db.update("things", {"id": "a"}, {"note": "new", "amount": 2}) == 1
    assert db.update("things", {"id": "b"}, {"note": "new"}) == 0
    assert db.rows("things")[0]["note"] == "new"
    assert db.check() == []


def test_deleting_says_how_many(db: Database) -> None:
    for name in "abc":
        db.insert("things", {"id": name})
    assert db.delete("things", "id > ?", parameters=["a"]) == 2
    assert [row["id"] for row in db.rows("things")] == ["a"]


def test_a_transaction_is_kept_whole_or_not_at_all(db: Database) -> None:
    with pytest.raises(RuntimeError), db.transaction():
        db.insert("things", {"id": "a"})
        with db.transaction():
            db.insert("things", {"id": "b"})
        raise RuntimeError
    assert db.rows("things") == []
    with db.transaction():
        db.insert("things", {"id": "c"})
    assert len(db.rows("things")) == 1


def test_threads_take_turns(db: Database) -> None:
    def work(name: str) -> None:
        for number in range(20):
            with db.transaction():
                db.insert("things", {"id": f"{name}{number}"})

    threads = [threading.Thread(target=work, args=(name,)) for name in "abcd"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(db.rows("things")) == 80


def test_a_changed_row_is_named_and_not_used(db: Database, path: Path) -> None:
    db.insert("things", {"id": "good", "amount": 1})
    db.insert("things", {"id": "bad", "amount": 1})
    overwrite(path, "UPDATE things SET amount = 2 WHERE id = 'bad'")
    with pytest.raises(RecordDamaged, match="things row bad"):
        db.rows("things")
    with pytest.raises(RecordDamaged, match="things row bad"):
        db.update("things", {"id": "bad"}, {"note": "sealed again?"})
    assert db.check() == ["things row bad"]
    assert [row["id"] for row in db.rows("things", {"id": "good"})] == ["good"]


def test_a_text_that_is_no_text_any_more_is_a_damaged_row(db: Database, path: Path) -> None:
    db.insert("things", {"id": "good", "note": "fine"})
    db.insert("things", {"id": "bad", "note": "fine"})
    overwrite(path, "UPDATE things SET note = CAST(x'66ff6e65' AS TEXT) WHERE id = 'bad'")
    with pytest.raises(RecordDamaged, match="Could not decode"):
        db.rows("things")
    assert db.check() == ["things row bad"]
    assert [row["id"] for row in db.rows("things", {"id": "good"})] == ["good"]


def test_damaged_rows_are_set_aside_and_the_rest_works(db: Database, path: Path) -> None:
    for name in ("good", "bad"):
        db.insert("things", {"id": name, "body": b"\x01"})
    overwrite(path, "UPDATE things SET note = 'forged' WHERE id = 'bad'")
    assert db.set_aside("things", {"id": "bad"}) == ["things row bad"]
    assert [row["id"] for row in db.rows("things")] == ["good"]
    aside = db.rows("damaged")
    assert [row["source"] for row in aside] == ["things"]
    assert "forged" in str(aside[0]["content"])
    assert db.check() == []


def test_small_facts_are_kept(db: Database, path: Path) -> None:
    assert db.get_meta("active") is None
    db.set_meta("active", "one")
    db.set_meta("active", "two")
    db.close()
    with Database(path, [THINGS]) as again:
        assert again.get_meta("active") == "two"


def test_commits_are_flushed_to_disk(db: Database) -> None:
    assert db.query("PRAGMA journal_mode") == [{"journal_mode": "wal"}]
    assert db.query("PRAGMA synchronous") == [{"synchronous": 2}]


def test_reading_only_sees_commits_and_cannot_write(db: Database, path: Path) -> None:
    db.insert("things", {"id": "a"})
    with Database(path, read_only=True) as reader:
        assert len(reader.rows("things")) == 1
        db.insert("things", {"id": "c"})
        assert len(reader.rows("things")) == 1  # the state that was there when it was opened
        reader.refresh()
        assert len(reader.rows("things")) == 2
        with pytest.raises(WorkspaceError, match="cannot open or write"):
            reader.insert("things", {"id": "b"})


@pytest.mark.parametrize("content", [b"", b"this is not a database, whatever its name says" * 100])
def test_what_is_no_database_is_damage_and_is_left_alone(path: Path, content: bytes) -> None:
    path.parent.mkdir()
    path.write_bytes(content)
    with pytest.raises(RecordDamaged, match="memory.db is damaged"):
        Database(path, [THINGS])
    assert path.read_bytes() == content


def test_a_truncated_file_is_damage(path: Path) -> None:
    with Database(path, [THINGS]) as db:
        for number in range(200):
            db.insert("things", {"id": str(number), "note": "x" * 500})
    path.write_bytes(path.read_bytes()[:20_000])
    with pytest.raises(RecordDamaged, match="memory.db is damaged"), Database(path, [THINGS]) as db:
        db.rows("things")


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "memory_store").write_text("a file where the folder should be")
    with pytest.raises(WorkspaceError, match="cannot write"):
        Database(tmp_path / "memory_store" / "memory.db")
    with pytest.raises(WorkspaceError, match="cannot open"):
        Database(tmp_path / "missing.db", read_only=True)


def test_a_full_disk_is_named_and_loses_nothing(db: Database) -> None:
    db.insert("things", {"id": "saved"})
    pages = db.query("PRAGMA page_count")[0]["page_count"]
    db.query(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(WorkspaceError, match="disk full"):
        db.insert("things", {"id": "big", "body": b"x" * 1_000_000})
    db.query("PRAGMA max_page_count = 1000000")
    assert [row["id"] for row in db.rows("things")] == ["saved"]
    assert db.insert("things", {"id": "after"})


def test_a_writer_elsewhere_is_busy_not_broken(db: Database, path: Path) -> None:
    db.query("PRAGMA busy_timeout = 10")
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(WorkspaceBusy):
        db.insert("things", {"id": "a"})
    other.execute("ROLLBACK")
    other.close()


def test_acknowledged_rows_survive_a_kill(path: Path) -> None:
    script = (
        "import sys, itertools\n"
        "from pathlib import Path\n"
        "from evolve.core.store import Database, Migration\n"
        "change = Migration('things', 1, 'CREATE TABLE things (id TEXT PRIMARY KEY, checksum TEXT NOT NULL)')\n"
        "db = Database(Path(sys.argv[1]), [change])\n"
        "for n in itertools.count():\n"
        "    db.insert('things', {'id': str(n)}, key='id')\n"
        "    print(n, flush=True)\n"
    )
    writer = subprocess.Popen([sys.executable, "-c", script, str(path)], stdout=subprocess.PIPE, text=True)
    assert writer.stdout is not None
    acknowledged = [writer.stdout.readline().strip() for _ in range(60)]
    writer.kill()
    acknowledged += writer.stdout.read().split("\n")[:-1]  # a last line without its end was never said
    writer.stdout.close()
    writer.wait()
    change = Migration("things", 1, "CREATE TABLE things (id TEXT PRIMARY KEY, checksum TEXT NOT NULL)")
    with Database(path, [change]) as db:
        kept = [row["id"] for row in db.rows("things")]
        assert kept[: len(acknowledged)] == acknowledged
        assert len(kept) <= len(acknowledged) + 1
        assert db.check() == []


def test_a_change_of_mode_that_a_kill_cut_short_is_undone_at_the_next_opening(path: Path, tmp_path: Path) -> None:
    with Database(path, [THINGS]) as database:
        database.insert("things", {"id": "a"})
    cut = tmp_path / "cut" / path.name
    cut.parent.mkdir()
    connection = sqlite3.connect(path, isolation_level=None)
    for statement in ("journal_mode=DELETE", "cache_size=1"):
        connection.execute(f"PRAGMA {statement}")
    connection.execute("BEGIN IMMEDIATE")
    connection.execute(
        "CREATE TABLE half AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 999)"
        " SELECT i, hex(randomblob(99)) AS text FROM n"
    )  # more than the cache: pages go to the file
    for end in ("", "-journal"):
        shutil.copyfile(f"{path}{end}", f"{cut}{end}")
    connection.close()
    assert Path(f"{cut}-journal").read_bytes()[:1] != b"\0"

    with Database(cut, [THINGS]) as database:
        assert [row["id"] for row in database.rows("things")] == ["a"]
        assert not database.query("SELECT 1 FROM sqlite_master WHERE name = 'half'")
