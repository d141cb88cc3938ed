"""The index on disk is made anew whenever its files cannot be trusted, and searching never stops for it."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from evolve.vectors import Care, MemoryIndex, Rows, StoredIndex, open_index
from tests.architecture.source import ROOT
from tests.reliability.workspaces import garble

DIMENSION = 8
COUNT = 300
"""More than are written without a child."""


def rows(count: int = COUNT, seed: int = 0) -> Rows:
    vectors = np.random.default_rng(seed).normal(size=(count, DIMENSION))
    tags = [{"family": ("lists", "dates")[number % 2]} for number in range(count)]
    return Rows(ids=[f"e{number:04d}" for number in range(count)], vectors=vectors, tags=tags, generation=count)


def exact(content: Rows) -> MemoryIndex:
    index = MemoryIndex(DIMENSION)
    index.refill(content)
    return index


def same_answers(index: StoredIndex, content: Rows) -> bool:
    oracle = exact(content)
    return index.ids() == oracle.ids() and all(
        [hit.id for hit in index.query(probe, 10, where)] == [hit.id for hit in oracle.query(probe, 10, where)]
        for probe in np.random.default_rng(1).normal(size=(20, DIMENSION))
        for where in (None, {"family": "dates"})
    )


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("built") / "index"
    counts: list[int] = []
    index = open_index(folder, "test", DIMENSION)
    index.refill(rows(), progress=counts.append)
    assert index.generation == COUNT and same_answers(index, rows())
    index.close()
    assert counts == sorted(counts) and [path.name for path in folder.parent.iterdir()] == ["index"]
    return folder


@pytest.mark.slow
def test_an_index_that_a_child_built_is_opened_without_another(built: Path) -> None:
    index = open_index(built, "test", DIMENSION, Care(command=("false",)))
    assert index.set_aside is None and same_answers(index, rows())
    index.close()


REFILL = (
    "import sys; from pathlib import Path; from evolve.vectors import open_index\n"
    "from tests.reliability import test_index\n"
    "open_index(Path(sys.argv[1]), 'test', test_index.DIMENSION).refill(test_index.rows(seed=1))\n"
)


@pytest.mark.slow
def test_a_kill_before_a_built_index_takes_its_place_leaves_one_that_is_filled_again(
    built: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "index"
    shutil.copytree(built, folder)
    env = {**os.environ, "PYTHONPATH": str(ROOT), "EVOLVE_FAULT": "index.built:1:kill"}
    killed = subprocess.run([sys.executable, "-c", REFILL, str(folder)], env=env, capture_output=True, check=False)
    assert killed.returncode == -signal.SIGKILL

    index = open_index(folder, "test", DIMENSION)
    index.refill(rows(seed=1))
    assert same_answers(index, rows(seed=1))
    index.close()
    assert [path.name for path in tmp_path.iterdir()] == ["index"]


@pytest.mark.slow
@pytest.mark.parametrize("harm", ["missing", "truncated", "garbage", "flip", "version"])
def test_whatever_happened_to_the_files_it_is_filled_again_and_answers_as_before(
    built: Path, tmp_path: Path, harm: str
) -> None:
    folder = tmp_path / "index"
    shutil.copytree(built, folder)
    hurt(folder, harm)
    index = open_index(folder, "test", DIMENSION)
    assert (index.generation, index.ids()) == (0, [])
    index.refill(rows())
    assert same_answers(index, rows())
    index.close()
    index = open_index(folder, "test", DIMENSION)
    assert index.generation == COUNT and same_answers(index, rows())
    index.close()


def hurt(folder: Path, harm: str) -> None:
    database, segment = folder / "chroma.sqlite3", next(folder.rglob("data_level0.bin"))
    if harm == "missing":
        shutil.rmtree(folder)
    elif harm == "truncated":
        segment.write_bytes(segment.read_bytes()[:1000])
    elif harm == "garbage":
        database.write_bytes(b"no database" * 500)
    elif harm == "flip":
        garble(segment, 5000, 1)
    else:
        promise = json.loads((folder / "manifest.json").read_text())
        (folder / "manifest.json").write_text(json.dumps({**promise, "version": "0.1"}))


@pytest.mark.parametrize("program", ["import os; os.abort()", "import sys; sys.exit(0)", "import time; time.sleep(60)"])
def test_a_child_that_dies_lies_or_hangs_is_tried_twice_and_then_done_without(tmp_path: Path, program: str) -> None:
    log, warnings = tmp_path / "starts", []  # type: ignore[var-annotated]
    command = (sys.executable, "-S", "-c", f"open({str(log)!r}, 'a').write('x'); {program}")
    care = Care(warn=warnings.append, deadline=0.3, seconds_a_row=0, command=command)
    index = open_index(tmp_path / "index", "test", DIMENSION, care)
    index.refill(rows())
    assert same_answers(index, rows())
    index.refill(rows(400))
    assert same_answers(index, rows(400))
    index.close()
    assert log.read_text() == "xx"
    assert len(warnings) == 1 and "could not be built" in warnings[0]
    assert not (tmp_path / "index").exists()


def test_a_small_index_needs_no_child(tmp_path: Path) -> None:
    index = open_index(tmp_path / "index", "test", DIMENSION, Care(command=("false",)))
    for seed in range(3):
        index.refill(rows(50, seed))
        assert same_answers(index, rows(50, seed))
    index.close()


@pytest.mark.slow
def test_an_index_of_mostly_replaced_rows_begins_anew(tmp_path: Path) -> None:
    index = open_index(tmp_path / "index", "test", DIMENSION)
    for number in range(9):
        index.upsert(rows(250).ids, rows(250, number).vectors)
        index.mark(number)
    index.close()
    before = (tmp_path / "index" / "chroma.sqlite3").stat().st_size
    again = open_index(tmp_path / "index", "test", DIMENSION)
    assert (again.generation, again.ids()) == (0, [])
    again.close()
    assert (tmp_path / "index" / "chroma.sqlite3").stat().st_size < before
