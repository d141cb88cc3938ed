"""Variants are content, and exactly one of them is active at any time."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evolve.core.errors import RecordDamaged, UsageError
from evolve.core.schema import OPTIMIZER
from evolve.core.store import Database, ObjectStore
from evolve.trials import ALL_INSIGHTS, UNLEARNED, Variant, VariantRepository

names = st.text("0123456789abcdef", min_size=1, max_size=4)
variants = st.builds(
    Variant,
    guide=names,
    skills=st.lists(names, max_size=4).map(tuple),
    insights=st.sampled_from(["", ALL_INSIGHTS]),
    prompts=st.dictionaries(names, names, max_size=3).map(lambda found: tuple(found.items())),
    workflow=names,
)


@pytest.fixture
def database(tmp_path: Path):
    with Database(tmp_path / "memory.db", OPTIMIZER) as db:
        yield db


@pytest.fixture
def objects(tmp_path: Path) -> ObjectStore:
    return ObjectStore(tmp_path / "objects")


@pytest.fixture
def archive(database: Database, objects: ObjectStore) -> VariantRepository:
    return VariantRepository(database, objects, clock=lambda: 1.0)


def guided(objects: ObjectStore, number: int, parent: str = UNLEARNED) -> Variant:
    return Variant(guide=objects.put_json({"weights": [number]}), insights=ALL_INSIGHTS, parent=parent)


@settings(max_examples=80, deadline=None)
@given(variants)
def test_json_keeps_a_variant_and_its_digest(variant: Variant) -> None:
    again = Variant.from_json(variant.to_json())
    assert again == variant
    assert again.digest == variant.digest


@pytest.mark.slow
@settings(max_examples=80, deadline=None)
@given(variants, st.randoms())
def test_the_order_of_skills_does_not_change_the_digest(variant: Variant, rng) -> None:
    shuffled = list(variant.skills) * 2
    rng.shuffle(shuffled)
    assert dataclasses.replace(variant, skills=tuple(shuffled)).digest == variant.digest


def test_every_field_changes_the_digest() -> None:
    base = Variant()
    changed = [
        Variant(guide="a"),
        Variant(skills=("a",)),
        Variant(insights=ALL_INSIGHTS),
        Variant(prompts=(("plan", "a"),)),
        Variant(workflow="a"),
        Variant(parent="a"),
    ]
    assert len({base.digest, *(one.digest for one in changed)}) == 7


def test_nothing_is_active_at_first(archive: VariantRepository) -> None:
    assert archive.active() is None
    assert archive.active_digest == UNLEARNED
    with pytest.raises(UsageError):
        archive.rollback()


def test_promotion_switches_and_rollback_goes_further_back_each_time(
    archive: VariantRepository, objects: ObjectStore
) -> None:
    first = archive.add(guided(objects, 1))
    second = archive.add(guided(objects, 2, parent=first))
    for name in (first, second, first):
        archive.promote(name, grounds="gate decision")
    assert archive.active_digest == first
    assert [archive.rollback().variant for _ in range(3)] == [second, first, UNLEARNED]
    assert archive.active() is None
    with pytest.raises(UsageError):
        archive.rollback()
    assert len(archive.list_promotions()) == 6


def test_promoting_the_active_variant_changes_nothing(archive: VariantRepository, objects: ObjectStore) -> None:
    first = archive.add(guided(objects, 1))
    archive.promote(first, grounds="1")
    archive.promote(first, grounds="2")
    assert [one.grounds for one in archive.list_promotions()] == ["1"]
    assert archive.active() == guided(objects, 1)


def test_a_promotion_inside_a_failed_transaction_did_not_happen(
    archive: VariantRepository, database: Database, objects: ObjectStore
) -> None:
    first = archive.add(guided(objects, 1))
    with pytest.raises(RuntimeError), database.transaction():
        archive.promote(first, grounds="1")
        raise RuntimeError("power cut")
    assert archive.active_digest == UNLEARNED


def test_an_unknown_variant_or_missing_body_is_refused(archive: VariantRepository, objects: ObjectStore) -> None:
    with pytest.raises(UsageError):
        archive.promote("0" * 64, grounds="1")
    with pytest.raises(ValueError, match="not in the store"):
        archive.add(Variant(guide="0" * 64))
    with pytest.raises(ValueError, match="parent"):
        archive.add(guided(objects, 1, parent="0" * 64))
    assert archive.entries() == []


def test_what_lost_a_body_is_not_made_active_by_promotion_or_rollback(
    archive: VariantRepository, objects: ObjectStore
) -> None:
    whole, torn = archive.add(guided(objects, 1)), archive.add(guided(objects, 2))
    archive.promote(torn, grounds="1")
    archive.promote(whole, grounds="2")
    (objects.folder / guided(objects, 2).guide).unlink()
    for switch in (archive.rollback, lambda: archive.promote(torn, grounds="3")):
        with pytest.raises(RecordDamaged, match="needs the object"):
            switch()
    assert archive.active_digest == whole


def test_lineage_leads_back_to_the_first(archive: VariantRepository, objects: ObjectStore) -> None:
    first = archive.add(guided(objects, 1))
    second = archive.add(guided(objects, 2, parent=first))
    third = archive.add(guided(objects, 3, parent=second))
    assert archive.lineage(third) == [third, second, first]
    assert archive.lineage(UNLEARNED) == []


def test_it_comes_back_after_reopening(tmp_path: Path, objects: ObjectStore) -> None:
    with Database(tmp_path / "r.db", OPTIMIZER) as db:
        archive = VariantRepository(db, objects)
        name = archive.add(guided(objects, 1), origin="run 1")
        archive.promote(name, grounds="decision 1")
    with Database(tmp_path / "r.db", OPTIMIZER) as db:
        assert VariantRepository(db, objects).active() == guided(objects, 1)
