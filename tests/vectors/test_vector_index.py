"""Every index must behave alike: the exact one in memory is the measure."""

from __future__ import annotations

import pickle
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from evolve.core.errors import WorkspaceError
from evolve.memory.index import IndexContent, MemoryIndex, VectorIndex, open_index, open_store
from tests.offering import offering

DIMENSION = 8
Open = Callable[[], VectorIndex]


STORES = ("auto", "exact", "chroma", "lists")
"""The rule, the built-in stores, and one of another package."""


@pytest.fixture
def offered(tmp_path: Path) -> Iterator[None]:
    with offering(tmp_path, "vectors", "lists", "tests.vectors.lists:ListIndex"):
        yield


@pytest.fixture(params=STORES)
def reopen(request: pytest.FixtureRequest, offered: None, tmp_path: Path) -> Open:
    """Opens one and the same index on disk."""
    return lambda: open_store(request.param, tmp_path / "index", "test", DIMENSION)


@pytest.fixture(params=["memory", *STORES])
def index(request: pytest.FixtureRequest, offered: None, tmp_path: Path) -> Iterator[VectorIndex]:
    store = request.param
    path = tmp_path / "index"
    opened = MemoryIndex(DIMENSION) if store == "memory" else open_store(store, path, "test", DIMENSION)
    yield opened
    opened.close()


def some_vectors(count: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(count, DIMENSION))


def names(count: int) -> list[str]:
    return [f"e{number:04d}" for number in range(count)]


def test_a_new_index_is_empty_at_generation_zero(index: VectorIndex) -> None:
    assert (index.ids(), index.generation, index.dimension) == ([], 0, DIMENSION)
    assert index.query(np.ones(DIMENSION), 3) == []


def test_the_nearest_come_first_by_cosine_whatever_their_length(index: VectorIndex) -> None:
    vectors = np.eye(DIMENSION)[:3] * [[1.0], [100.0], [0.001]]
    index.upsert(["a", "b", "c"], vectors)
    hits = index.query(np.array([0.1, 3, 1, 0, 0, 0, 0, 0]), 2)
    assert [hit.id for hit in hits] == ["b", "c"]
    assert hits[0].distance == pytest.approx(1 - 3 / np.sqrt(10.01), abs=1e-4)
    assert index.query(-vectors[0], 3)[-1].distance == pytest.approx(2.0, abs=1e-4)


def test_it_agrees_with_an_exact_scan(index: VectorIndex) -> None:
    vectors = some_vectors(300)
    index.upsert(names(300), vectors)
    exact = MemoryIndex(DIMENSION)
    exact.upsert(names(300), vectors)
    for probe in some_vectors(20, seed=1):
        found, wanted = index.query(probe, 10), exact.query(probe, 10)
        assert [hit.id for hit in found] == [hit.id for hit in wanted]
        assert [hit.distance for hit in found] == pytest.approx([hit.distance for hit in wanted], abs=1e-4)


def test_equal_distances_are_ordered_by_id(index: VectorIndex) -> None:
    index.upsert(["d", "b", "c", "a"], np.ones((4, DIMENSION)))
    assert [hit.id for hit in index.query(np.ones(DIMENSION), 3)] == ["a", "b", "c"]


def test_asking_for_more_than_there_is_gives_what_there_is(index: VectorIndex) -> None:
    index.upsert(names(5), some_vectors(5))
    assert len(index.query(np.ones(DIMENSION), 50)) == 5
    assert index.query(np.ones(DIMENSION), 0) == []


def test_upsert_replaces_vector_and_tags(index: VectorIndex) -> None:
    index.upsert(["a", "b"], np.eye(DIMENSION)[:2], [{"kind": "x", "old": 1}, {"kind": "y"}])
    index.upsert(["a"], np.eye(DIMENSION)[2:3], [{"kind": "z"}])
    assert index.ids() == ["a", "b"]
    assert index.query(np.eye(DIMENSION)[2], 1)[0].id == "a"
    assert index.query(np.ones(DIMENSION), 5, {"kind": "x"}) == []
    assert index.query(np.ones(DIMENSION), 5, {"old": 1}) == []
    assert [hit.id for hit in index.query(np.ones(DIMENSION), 5, {"kind": "z"})] == ["a"]


def test_filters_are_conjunctions_of_equals_and_in(index: VectorIndex) -> None:
    tags = [{"family": "lists", "round": 1}, {"family": "lists", "round": 2}, {"family": "dates", "round": 1}, {}]
    index.upsert(["a", "b", "c", "d"], some_vectors(4), tags)

    def matching(where: dict[str, object]) -> list[str]:
        return sorted(hit.id for hit in index.query(np.ones(DIMENSION), 9, where))  # type: ignore[arg-type]

    assert matching({"family": "lists"}) == ["a", "b"]
    assert matching({"family": ["lists", "dates"]}) == ["a", "b", "c"]
    assert matching({"family": "lists", "round": 1}) == ["a"]
    assert matching({"family": ["lists", "dates"], "round": [1, 7]}) == ["a", "c"]
    assert matching({"family": []}) == []
    assert matching({"nobody": "has this"}) == []


def test_delete_forgets_and_ignores_unknown_ids(index: VectorIndex) -> None:
    index.upsert(names(6), some_vectors(6))
    index.delete(["e0001", "e0004", "never there"])
    assert index.ids() == ["e0000", "e0002", "e0003", "e0005"]
    found = {hit.id for hit in index.query(np.ones(DIMENSION), 10)}
    assert found == {"e0000", "e0002", "e0003", "e0005"}
    index.upsert(["e0001"], np.ones((1, DIMENSION)))
    assert index.query(np.ones(DIMENSION), 1)[0].id == "e0001"


def test_clear_empties_and_forgets_the_generation(index: VectorIndex) -> None:
    index.upsert(names(3), some_vectors(3))
    index.set_generation(7)
    assert index.generation == 7
    index.clear()
    assert (index.ids(), index.generation) == ([], 0)
    index.upsert(["a"], np.ones((1, DIMENSION)))
    assert index.query(np.ones(DIMENSION), 1)[0].id == "a"


def test_generations_may_be_large(index: VectorIndex) -> None:
    index.set_generation(3 * 2**40 + 1)
    assert index.generation == 3 * 2**40 + 1


@pytest.mark.parametrize(
    ("ids", "vectors"),
    [
        (["a"], np.zeros((1, DIMENSION))),
        (["a"], np.full((1, DIMENSION), np.nan)),
        (["a"], np.ones((1, DIMENSION + 1))),
        (["a", "a"], np.ones((2, DIMENSION))),
        (["a", "b"], np.ones((1, DIMENSION))),
        ([""], np.ones((1, DIMENSION))),
    ],
)
def test_what_has_no_direction_or_shape_is_refused_and_changes_nothing(
    index: VectorIndex, ids: list[str], vectors: np.ndarray
) -> None:
    index.upsert(["kept"], np.ones((1, DIMENSION)))
    with pytest.raises(ValueError):
        index.upsert(ids, vectors)
    assert index.ids() == ["kept"]


def test_a_query_without_direction_is_refused(index: VectorIndex) -> None:
    with pytest.raises(ValueError):
        index.query(np.zeros(DIMENSION), 1)


def test_closing_twice_is_no_error(index: VectorIndex) -> None:
    index.close()
    assert index.close() is None  # type: ignore[func-returns-value]


def test_what_is_on_disk_comes_back_with_its_generation(reopen: Open) -> None:
    first = reopen()
    first.upsert(names(50), some_vectors(50), [{"family": "lists", "late": number > 40} for number in range(50)])
    first.set_generation(50)
    before = first.query(np.ones(DIMENSION), 5, {"late": True})
    first.close()
    second = reopen()
    assert (second.generation, second.ids()) == (50, names(50))
    assert second.query(np.ones(DIMENSION), 5, {"family": "lists", "late": True}) == before
    second.delete(["e0003"])
    second.upsert(["e0004"], np.ones((1, DIMENSION)))
    second.close()
    third = reopen()
    assert third.generation == 50 and "e0003" not in third.ids()
    assert third.query(np.ones(DIMENSION), 1)[0].id == "e0004"
    third.close()


def test_a_refill_replaces_everything_at_once(reopen: Open) -> None:
    index = reopen()
    index.upsert(["old"], np.ones((1, DIMENSION)))
    rows = IndexContent(
        ids=names(20), vectors=some_vectors(20), tags=[{"even": n % 2 == 0} for n in range(20)], generation=9
    )
    index.replace_rows(rows)
    assert (index.generation, index.ids()) == (9, names(20))
    with pytest.raises(ValueError):
        index.replace_rows(replace(rows, vectors=np.zeros((20, DIMENSION))))
    index.close()


@pytest.mark.parametrize("store", ["auto", "exact", "chroma"])
def test_a_changed_dimension_starts_anew(tmp_path: Path, store: str) -> None:
    first = open_index(tmp_path, "test", DIMENSION, store=store)
    first.upsert(["a"], np.ones((1, DIMENSION)))
    first.set_generation(1)
    first.close()
    second = open_index(tmp_path, "test", 3, store=store)
    assert (second.generation, second.ids()) == (0, [])
    second.upsert(["a"], np.ones((1, 3)))
    second.close()


@pytest.mark.slow
@pytest.mark.parametrize("pattern", ["*.bin", "chroma.sqlite3", "manifest.json"])
def test_damaged_files_are_set_aside_and_the_index_begins_anew(tmp_path: Path, pattern: str) -> None:
    folder = tmp_path / "index"
    opened = open_index(folder, "test", DIMENSION, store="chroma")
    opened.upsert(names(1200), some_vectors(1200))
    opened.set_generation(1200)
    opened.close()
    damaged = list(folder.rglob(pattern))
    assert damaged
    for path in damaged:
        path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    again = open_index(folder, "test", DIMENSION, store="chroma")
    assert (again.generation, again.ids()) == (0, [])
    assert again.set_aside == tmp_path / "index.damaged-1"
    assert sorted(again.set_aside.rglob("*.bin"))
    again.upsert(["a"], np.ones((1, DIMENSION)))
    assert again.query(np.ones(DIMENSION), 1)[0].id == "a"
    again.close()


@pytest.mark.slow
@pytest.mark.parametrize("store", ["exact", "chroma"])
def test_an_index_whose_process_was_killed_begins_anew(tmp_path: Path, store: str) -> None:
    code = (
        "import os, sys, numpy as np; from evolve.memory.index import open_index;"
        "i = open_index(sys.argv[1], 'test', 8, store=sys.argv[2]); i.upsert(['a'], np.ones((1, 8))); i.mark(1);"
        "os._exit(9)"
    )
    assert subprocess.run([sys.executable, "-c", code, str(tmp_path / "index"), store]).returncode == 9
    opened = open_index(tmp_path / "index", "test", DIMENSION, store=store)
    assert (opened.generation, opened.ids(), opened.set_aside) == (0, [], None)
    opened.upsert(["b"], np.ones((1, DIMENSION)))
    opened.set_generation(2)
    opened.close()
    again = open_index(tmp_path / "index", "test", DIMENSION, store=store)
    assert (again.generation, again.ids()) == (2, ["b"])
    again.close()


@pytest.mark.parametrize("keep", [0, 5, 9, 40, -1])
@pytest.mark.parametrize("added", [b"", b"x"])
def test_an_exact_index_that_is_not_as_it_was_written_is_set_aside(tmp_path: Path, keep: int, added: bytes) -> None:
    folder = tmp_path / "index"
    opened = open_index(folder, "test", DIMENSION)
    opened.upsert(names(30), some_vectors(30))
    opened.set_generation(30)
    opened.close()
    (file,) = folder.iterdir()
    damaged = file.read_bytes()[:keep] + added
    file.write_bytes(damaged)
    again = open_index(folder, "test", DIMENSION)
    assert (again.generation, again.ids()) == (0, [])
    assert again.set_aside == tmp_path / "index.damaged-1"
    assert (again.set_aside / file.name).read_bytes() == damaged
    again.upsert(["a"], np.ones((1, DIMENSION)))
    again.set_generation(1)
    again.close()
    third = open_index(folder, "test", DIMENSION)
    assert (third.generation, third.ids(), third.set_aside) == (1, ["a"], None)


def test_a_store_that_nobody_offers_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(WorkspaceError, match="no vector store 'moon'"):
        open_store("moon", tmp_path / "index", "test", DIMENSION)


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(WorkspaceError, match="file"):
        open_index(tmp_path / "file" / "index", "test", DIMENSION)


def test_the_exact_index_travels_between_processes() -> None:
    index = MemoryIndex(DIMENSION)
    index.upsert(names(9), some_vectors(9), [{"round": number} for number in range(9)])
    index.set_generation(9)
    copy = pickle.loads(pickle.dumps(index))
    assert copy.query(np.ones(DIMENSION), 4) == index.query(np.ones(DIMENSION), 4)
    assert copy.generation == 9


@pytest.mark.slow
def test_importing_the_package_loads_neither_chroma_nor_numpy() -> None:
    code = "import sys, evolve.memory.index; print([m for m in ('chromadb', 'numpy') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
