"""What is recalled does not depend on what became of the index."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

from evolve.core.store import Database
from evolve.memory import MemoryRepository
from evolve.memory.index import IndexOptions, MemoryIndex, StoredIndex, open_index
from evolve.runtime.retrieval import HashingEmbedder
from tests.architecture.source import ROOT

COUNT = 300
RECALL = (
    "import sys; from pathlib import Path\n"
    "from tests.memory.conftest import Store; from tests.memory.test_index_made_anew import recalled\n"
    "recalled(Store(Path(sys.argv[1])).memory())\n"
)


def recalled(memory: MemoryRepository) -> list[object]:
    return [memory.recall("order", 5, features=(1.0, number / 2, 3.0)) for number in range(8)]


def taught(store, lesson) -> Database:
    db = store.database()
    memory = store.memory(db)
    with db.transaction():
        for number in range(COUNT):
            memory.commit(lesson(number, cause=f"operation:{number % 7}", features=(1.0, number / 50, number % 7)))
    return db


@pytest.mark.slow
def test_without_a_working_library_recall_is_exact(store, lesson) -> None:
    db = taught(store, lesson)
    warnings: list[str] = []
    care = IndexOptions(warn=warnings.append, command=("false",))

    def broken(dimension: int) -> StoredIndex:
        return open_index(store.folder / "other", "insights", dimension, care, store="chroma")

    without, oracle = (MemoryRepository(db, index, HashingEmbedder(64)) for index in (broken, MemoryIndex))
    assert recalled(without) == recalled(oracle)
    assert len(warnings) == 1
    without.close()


@pytest.mark.parametrize("kept_by", ["exact", pytest.param("chroma", marks=pytest.mark.slow)])
def test_recall_is_the_same_before_and_after_the_index_was_lost(store, lesson, kept_by: str) -> None:
    store.vectors = kept_by
    db = taught(store, lesson)
    before = recalled(MemoryRepository(db, MemoryIndex, HashingEmbedder(64)))
    assert recalled(store.opened[0][0]) == before
    store.close()
    largest = max((store.folder / "index").rglob("*.*"), key=lambda path: path.stat().st_size)
    largest.write_bytes(largest.read_bytes()[:-9])
    memory = store.memory()
    assert recalled(memory) == before
    store.close()
    # Marked for this record, and yet with an episode less: found by comparing, not by the mark.
    holed = store.index()
    holed.delete(["episode-7"])
    holed.close()
    memory = store.memory()
    assert recalled(memory) == before and memory.check().ok


def test_a_kill_while_the_index_is_filled_changes_no_recall(store, lesson) -> None:
    with store.database() as db:
        memory = store.memory(db)
        with db.transaction():
            for number in range(30):  # few enough to be added one by one
                memory.commit(lesson(number, cause=f"operation:{number % 7}", features=(1.0, number / 50, number % 7)))
        before = recalled(MemoryRepository(db, MemoryIndex, HashingEmbedder(64)))
        assert recalled(memory) == before
        store.close()
    other = store.index()
    other.delete(["episode-7"])
    other.close()
    env = {**os.environ, "PYTHONPATH": str(ROOT), "EVOLVE_FAULT": "index.filled:1:kill"}
    killed = subprocess.run([sys.executable, "-c", RECALL, str(store.folder)], env=env, check=False)
    assert killed.returncode == -signal.SIGKILL

    memory = store.memory()

    assert recalled(memory) == before and memory.check().ok
