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

from evolve.memory.index import IndexContent, IndexOptions, MemoryIndex, StoredIndex, VectorIndex, open_index
from tests.architecture.source import ROOT
from tests.reliability.workspaces import garble

DIMENSION = 8
COUNT = 300
"""More than are written without a child."""


def rows(count: int = COUNT, seed: int = 0) -> IndexContent:
    vectors = np.random.default_rng(seed).normal(size=(count, DIMENSION))
    tags = [{"family": ("lists", "dates")[number % 2]} for number in range(count)]
    return IndexContent(ids=[f"e{number:04d}" for number in range(count)], vectors=vectors, tags=tags, generation=count)


def exact(content: IndexContent) -> MemoryIndex:
    index = MemoryIndex(DIMENSION)
    index.replace_rows(content)
    return index


def same_answers(index: VectorIndex, content: IndexContent) -> bool:
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
    index = open_index(folder, "test", DIMENSION, store="chroma")
    index.replace_rows(rows(), progress=counts.append)
    assert index.generation == COUNT and same_answers(index, rows())
    index.close()
    assert counts == sorted(counts) and [path.name for path in folder.parent.iterdir()] == ["index"]
    return folder


@pytest.mark.slow
def test_an_index_that_a_child_built_is_opened_without_another(built: Path) -> None:
    index = open_index(built, "test", DIMENSION, IndexOptions(command=("false",)), store="chroma")
    assert index.set_aside is None and same_answers(index, rows())
    index.close()


@pytest.mark.slow
def test_a_child_runs_no_module_of_the_current_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here, flag = tmp_path / "clone", tmp_path / "ran"
    for name in ("chromadb", "numpy", "evolve"):
        (here / name).mkdir(parents=True)
        (here / name / "__init__.py").write_text(f"open({str(flag)!r}, 'w')\n")
    monkeypatch.chdir(here)
    index = open_index(tmp_path / "index", "test", DIMENSION, store="chroma")
    index.replace_rows(rows())
    assert same_answers(index, rows()) and not flag.exists()
    index.close()


REFILL = (
    "import sys; from pathlib import Path; from evolve.memory.index import open_index\n"
    "from tests.reliability import test_index\n"
    "open_index(Path(sys.argv[1]), 'test', test_index.DIMENSION, store='chroma').refill(test_index.rows(seed=1))\n"
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

    index = open_index(folder, "test", DIMENSION, store="chroma")
    index.replace_rows(rows(seed=1))
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
    index = open_index(folder, "test", DIMENSION, store="chroma")
    assert (index.generation, index.ids()) == (0, [])
    index.replace_rows(rows())
    assert same_answers(index, rows())
    index.close()
    index = open_index(folder, "test", DIMENSION, store="chroma")
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
    care = IndexOptions(warn=warnings.append, deadline=0.3, seconds_a_row=0, command=command)
    index = open_index(tmp_path / "index", "test", DIMENSION, care, crossover=100)
    index.replace_rows(rows())
    assert same_answers(index, rows())
    index.replace_rows(rows(400))
    assert same_answers(index, rows(400))
    index.close()
    assert log.read_text() == "xx"
    assert len(warnings) == 1 and "could not be built" in warnings[0]
    again = open_index(tmp_path / "index", "test", DIMENSION)
    assert again.generation == 400 and same_answers(again, rows(400))


@pytest.mark.slow
def test_a_small_index_needs_no_child(tmp_path: Path) -> None:
    index = open_index(tmp_path / "index", "test", DIMENSION, IndexOptions(command=("false",)), store="chroma")
    for seed in range(3):
        index.replace_rows(rows(50, seed))
        assert same_answers(index, rows(50, seed))
    index.close()


@pytest.mark.slow
def test_an_index_of_mostly_replaced_rows_begins_anew(tmp_path: Path) -> None:
    index = open_index(tmp_path / "index", "test", DIMENSION, store="chroma")
    for number in range(9):
        index.upsert(rows(250).ids, rows(250, number).vectors)
        index.set_generation(number)
    index.close()
    before = (tmp_path / "index" / "chroma.sqlite3").stat().st_size
    again = open_index(tmp_path / "index", "test", DIMENSION, store="chroma")
    assert (again.generation, again.ids()) == (0, [])
    again.close()
    assert (tmp_path / "index" / "chroma.sqlite3").stat().st_size < before


CROSSOVER = 260
GROW = (
    "import sys; from pathlib import Path; from evolve.memory.index import open_index\n"
    "from tests.reliability.test_index import *\n"
    "grown(open_index(Path(sys.argv[1]), 'test', DIMENSION, crossover=CROSSOVER), COUNT).close()\n"
)


def grown(index: StoredIndex, count: int) -> StoredIndex:
    """Adds what is missing up to a count, as the owner of an index does."""
    content, held = rows(COUNT), len(index.ids())
    index.upsert(content.ids[held:count], content.vectors[held:count], content.tags[held:count])
    index.set_generation(count)
    return index


def part(count: int) -> IndexContent:
    content = rows(COUNT)
    return IndexContent(
        ids=content.ids[:count], vectors=content.vectors[:count], tags=content.tags[:count], generation=count
    )


@pytest.mark.slow
def test_an_index_that_grows_past_the_crossover_moves_to_chroma_once(tmp_path: Path) -> None:
    folder = tmp_path / "index"
    small = grown(open_index(folder, "test", DIMENSION, crossover=CROSSOVER), CROSSOVER)
    small.close()
    assert not (folder / "chroma.sqlite3").exists()

    large = grown(open_index(folder, "test", DIMENSION, crossover=CROSSOVER), COUNT)
    assert large.generation == COUNT and same_answers(large, rows())
    large.close()
    assert (folder / "chroma.sqlite3").exists() and [path.name for path in tmp_path.iterdir()] == ["index"]

    again = open_index(folder, "test", DIMENSION, IndexOptions(command=("false",)), crossover=CROSSOVER)
    assert again.generation == COUNT and same_answers(again, rows())
    again.close()


@pytest.mark.slow
@pytest.mark.parametrize("place", ["index.built:1", "index.dropped:1"])
def test_a_kill_while_an_index_moves_leaves_a_whole_one_or_none(tmp_path: Path, place: str) -> None:
    folder = tmp_path / "index"
    grown(open_index(folder, "test", DIMENSION, crossover=CROSSOVER), CROSSOVER).close()
    env = {**os.environ, "PYTHONPATH": str(ROOT), "EVOLVE_FAULT": f"{place}:kill"}
    killed = subprocess.run([sys.executable, "-c", GROW, str(folder)], env=env, capture_output=True, check=False)
    assert killed.returncode == -signal.SIGKILL

    index = open_index(folder, "test", DIMENSION, crossover=CROSSOVER)
    assert (index.generation, index.ids()) in ((0, []), (CROSSOVER, rows().ids[:CROSSOVER]))
    grown(index, COUNT)
    assert index.generation == COUNT and same_answers(index, rows())
    index.close()
    assert [path.name for path in tmp_path.iterdir()] == ["index"]


@pytest.mark.slow
def test_a_small_index_of_chroma_from_before_gives_way_to_an_exact_one(tmp_path: Path) -> None:
    folder = tmp_path / "index"
    old = open_index(folder, "test", DIMENSION, store="chroma")
    old.upsert(rows(50).ids, rows(50).vectors)
    old.set_generation(50)
    old.close()
    code = (
        "import sys; from pathlib import Path; from evolve.memory.index import open_index\n"
        "index = open_index(Path(sys.argv[1]), 'test', 8); assert (index.generation, index.ids()) == (0, [])\n"
        "index.close(); print('chromadb' in sys.modules)\n"
    )
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", code, str(folder)], env=env, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "False" and not (folder / "chroma.sqlite3").exists()


@pytest.mark.slow
def test_a_large_index_of_chroma_from_before_goes_on(built: Path, tmp_path: Path) -> None:
    folder = tmp_path / "index"
    shutil.copytree(built, folder)
    for _ in range(2):
        index = open_index(folder, "test", DIMENSION, IndexOptions(command=("false",)), crossover=COUNT)
        assert index.generation == COUNT and same_answers(index, rows())
        index.close()
    exact_one = open_index(folder, "test", DIMENSION, store="exact")
    assert (exact_one.generation, exact_one.ids()) == (0, [])
    exact_one.close()
