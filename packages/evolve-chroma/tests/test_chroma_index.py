"""Chroma's index keeps what every index promises, and begins anew whenever its files cannot be trusted."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from evolve.memory.index import MemoryIndex, Rows, VectorIndex, open_store
from evolve_chroma import open_chroma

DIMENSION = 8
COUNT = 1200


def rows(count: int = COUNT, seed: int = 0) -> Rows:
    vectors = np.random.default_rng(seed).normal(size=(count, DIMENSION))
    tags = [{"family": ("lists", "dates")[number % 2]} for number in range(count)]
    return Rows(ids=[f"e{number:04d}" for number in range(count)], vectors=vectors, tags=tags, generation=count)


def same_answers(index: VectorIndex, content: Rows) -> bool:
    oracle = MemoryIndex(DIMENSION)
    oracle.refill(content)
    return index.ids() == oracle.ids() and all(
        [hit.id for hit in index.query(probe, 10, where)] == [hit.id for hit in oracle.query(probe, 10, where)]
        for probe in np.random.default_rng(1).normal(size=(20, DIMENSION))
        for where in (None, {"family": "dates"}, {"family": ["dates", "lists"]}, {"family": []})
    )


@pytest.fixture
def filled(tmp_path: Path) -> Path:
    folder = tmp_path / "index"
    index = open_chroma(folder, "test", DIMENSION)
    index.refill(rows())
    index.close()
    return folder


def test_it_is_filled_changed_and_opened_again(filled: Path) -> None:
    index = open_chroma(filled, "test", DIMENSION)
    assert index.generation == COUNT and same_answers(index, rows())
    index.delete(["e0000", "unknown"])
    index.upsert(["e0001"], np.ones((1, DIMENSION)))
    index.mark(COUNT + 1)
    index.close()
    index = open_chroma(filled, "test", DIMENSION)
    assert (index.generation, len(index.ids())) == (COUNT + 1, COUNT - 1)
    assert index.query(np.ones(DIMENSION), 1)[0].id == "e0001" and not index.query(np.ones(DIMENSION), 0)
    index.clear()
    assert (index.generation, index.ids()) == (0, [])
    index.close()


def test_what_is_no_vector_is_refused(tmp_path: Path) -> None:
    index = open_chroma(tmp_path / "index", "test", DIMENSION)
    for ids, wrong in (
        (["a"], np.zeros((1, DIMENSION))),
        (["a", "a"], np.ones((2, DIMENSION))),
        (["a"], np.ones((1, 3))),
    ):
        with pytest.raises(ValueError):
            index.upsert(ids, wrong)
    index.close()


def test_the_setting_opens_it_beside_the_exact_index(tmp_path: Path) -> None:
    index = open_store("chroma", tmp_path / "index", "test", DIMENSION)
    index.close()
    assert [path.name for path in tmp_path.iterdir()] == ["index-chroma"]


@pytest.mark.slow
@pytest.mark.parametrize("pattern", ["*.bin", "chroma.sqlite3", "manifest.json"])
def test_damaged_files_are_set_aside(filled: Path, pattern: str) -> None:
    for path in list(filled.rglob(pattern)):
        path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    index = open_chroma(filled, "test", DIMENSION)
    assert (index.generation, index.ids()) == (0, [])
    assert index.set_aside == filled.with_name("index.damaged-1") and sorted(index.set_aside.rglob("*.bin"))
    index.refill(rows())
    assert same_answers(index, rows())
    index.close()


@pytest.mark.slow
def test_another_version_or_dimension_begins_anew(filled: Path) -> None:
    promise = json.loads((filled / "manifest.json").read_text())
    (filled / "manifest.json").write_text(json.dumps({**promise, "version": "0.1"}))
    index = open_chroma(filled, "test", DIMENSION)
    assert (index.generation, index.ids(), index.set_aside) == (0, [], None)
    index.close()
    index = open_chroma(filled, "test", 3)
    assert (index.generation, index.ids()) == (0, [])
    index.close()


@pytest.mark.slow
def test_an_index_whose_process_was_killed_begins_anew(tmp_path: Path) -> None:
    code = (
        "import os, sys, numpy as np; from evolve_chroma import open_chroma;"
        "i = open_chroma(sys.argv[1], 'test', 8); i.upsert(['a'], np.ones((1, 8))); i.mark(1); os._exit(9)"
    )
    assert subprocess.run([sys.executable, "-c", code, str(tmp_path / "index")], env=os.environ).returncode == 9
    index = open_chroma(tmp_path / "index", "test", DIMENSION)
    assert (index.generation, index.ids(), index.set_aside) == (0, [], None)
    index.close()


@pytest.mark.slow
def test_an_index_of_mostly_replaced_rows_begins_anew(tmp_path: Path) -> None:
    index = open_chroma(tmp_path / "index", "test", DIMENSION)
    for number in range(9):
        index.upsert(rows(250).ids, rows(250, number).vectors)
        index.mark(number)
    index.close()
    before = (tmp_path / "index" / "chroma.sqlite3").stat().st_size
    again = open_chroma(tmp_path / "index", "test", DIMENSION)
    assert (again.generation, again.ids()) == (0, [])
    again.close()
    assert (tmp_path / "index" / "chroma.sqlite3").stat().st_size < before
