from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolve.core.errors import RecordDamaged, WorkspaceError
from evolve.core.files import digest
from evolve.core.store import ObjectStore


@pytest.fixture
def store(tmp_path: Path) -> ObjectStore:
    return ObjectStore(tmp_path / "objects")


@given(st.binary(max_size=200))
def test_what_is_put_is_got_by_its_digest(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    store = ObjectStore(tmp_path_factory.mktemp("objects"))
    name = store.put_object(data)
    assert name == digest(data)
    assert store.put_object(data) == name
    assert store.get(name) == data
    assert store.digests() == [name]


def test_json_is_stored_in_one_form(store: ObjectStore) -> None:
    name = store.put_json({"b": [1], "a": "é"})
    assert store.put_json({"a": "é", "b": (1,)}) == name
    assert store.get_json(name) == {"a": "é", "b": [1]}


def test_a_damaged_object_is_moved_aside_and_named(store: ObjectStore) -> None:
    name = store.put_object(b"guide")
    for number in (1, 2):
        (store.folder / name).write_bytes(b"guidf")
        with pytest.raises(RecordDamaged, match=f"{name}.*moved to {name}.damaged-{number}"):
            store.get(name)
        assert (store.folder / f"{name}.damaged-{number}").read_bytes() == b"guidf"
        assert name not in store
        assert store.put_object(b"guide") == name
    assert store.get(name) == b"guide"
    assert store.digests() == [name]


def test_putting_again_mends_a_damaged_object(store: ObjectStore) -> None:
    name = store.put_object(b"guide")
    (store.folder / name).write_bytes(b"")
    store.put_object(b"guide")
    assert store.get(name) == b"guide"


def test_a_missing_object_is_named(store: ObjectStore) -> None:
    name = digest(b"never stored")
    assert name not in store
    with pytest.raises(RecordDamaged, match=f"{name} is missing"):
        store.get(name)


@pytest.mark.parametrize("name", ["", "../lock", "a" * 63, "A" * 64, "a" * 64 + "\n"])
def test_only_digests_name_objects(store: ObjectStore, name: str) -> None:
    with pytest.raises(RecordDamaged, match="not an object's digest"):
        store.get(name)


def test_deleting_twice_is_no_error(store: ObjectStore) -> None:
    name = store.put_object(b"x")
    store.delete(name)
    store.delete(name)
    assert store.digests() == []


def test_an_empty_store_has_no_objects(store: ObjectStore) -> None:
    assert store.digests() == []


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "objects").write_text("a file")
    with pytest.raises(WorkspaceError, match="objects"):
        ObjectStore(tmp_path / "objects").put_object(b"x")
