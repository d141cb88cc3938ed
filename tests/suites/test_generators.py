"""The generated suites: distinct hidden programs, telling rows, the same for the same seed."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from benchmarks.suites import SIZES, draw_suite
from benchmarks.suites.__main__ import main, packed, shipped_file
from benchmarks.suites.frame import degenerate
from evolve.core.episodes import Row
from evolve.tasks import Suite, load_suite, render_jsonl
from evolve.tasks.reading.assemble import assemble_task
from evolve.tasks.reading.jsonl import parse_json

pytestmark = pytest.mark.slow
"""Making the suites takes seconds each."""

OWN = ("composed", "lists", "strings")
FEWEST_GROUPS = {"composed": 300, "lists": 380, "strings": 300}
FEWEST_FAMILIES = {"composed": 6, "lists": 40, "strings": 40}


@pytest.fixture(scope="module")
def generated() -> dict[str, Suite]:
    return {name: draw_suite(name) for name in OWN}


@pytest.mark.parametrize("name", OWN)
def test_a_suite_has_enough_groups_for_its_splits(generated: dict[str, Suite], name: str) -> None:
    suite = generated[name]
    assert len({task.id for task in suite.tasks}) == len(suite.tasks)
    assert len(set(suite.splits)) >= FEWEST_GROUPS[name]
    counts = Counter(suite.splits.values())
    assert counts["gate"] >= 60
    assert counts["test"] >= 60
    assert len({task.family for task in suite.tasks}) >= FEWEST_FAMILIES[name]


@pytest.mark.parametrize("name", OWN)
def test_every_task_is_verifiable_and_its_rows_are_distinct(generated: dict[str, Suite], name: str) -> None:
    for task in generated[name].tasks:
        assert len(task.examples) == 5
        assert len(task.hidden) == 8
        assert len(task.verify_rows()) == 4
        assert len(task.unseen_rows()) == 4
        assert not degenerate(task.examples + task.hidden) or len({repr(row.output) for row in task.hidden}) > 1
        assert len({repr(row.output) for row in task.examples}) > 1
        assert 1 <= task.meta["difficulty"] <= 5


@pytest.mark.parametrize("name", OWN)
def test_generated_tasks_survive_their_own_file_format(generated: dict[str, Suite], name: str) -> None:
    tasks = generated[name].tasks
    raws = parse_json(render_jsonl(tasks), file="suite.jsonl", name="", lines=True)
    assert tuple(assemble_task(raw) for raw in raws) == tasks


@pytest.mark.parametrize("name", OWN)
def test_the_seed_decides_everything(name: str) -> None:
    first = draw_suite(name, n=40, seed=3)
    assert first.digest == draw_suite(name, n=40, seed=3).digest
    assert first.digest != draw_suite(name, n=40, seed=4).digest
    assert len(first.tasks) == 40


def test_later_composed_tasks_combine_concepts_that_came_alone_before(generated: dict[str, Suite]) -> None:
    known: set[str] = set()
    stages = []
    for task in generated["composed"].tasks:
        stages.append(task.meta["stage"])
        concepts = task.meta["concepts"]
        assert len(concepts) == task.meta["stage"]
        if task.meta["stage"] == 1:
            known.update(concepts)
        assert set(concepts) <= known
    assert stages == sorted(stages)
    assert 12 <= len(known) <= 16
    assert set(stages) == {1, 2, 3}


def test_one_output_or_an_argument_handed_back_is_degenerate() -> None:
    assert degenerate([Row(input=([value],), output=0) for value in range(9)])
    assert degenerate([Row(input=(value,), output=value) for value in range(9)])
    assert not degenerate([Row(input=(value,), output=value + 1) for value in range(9)])


@pytest.mark.parametrize("name", SIZES)
def test_what_ships_is_what_its_generator_gives(name: str) -> None:
    drawn = draw_suite(name)
    assert repr(load_suite(name)) == repr(drawn)
    assert shipped_file(name).read_bytes() == packed(drawn.tasks), "renew with: python -m benchmarks.suites write"


def test_fresh_tasks_are_written_as_a_task_file(tmp_path: Path) -> None:
    main(["draw", "lists", "--n", "12", "--seed", "5", "--out", str(tmp_path / "fresh.jsonl")])
    assert load_suite(tmp_path / "fresh.jsonl").tasks == draw_suite("lists", n=12, seed=5).tasks


def test_only_what_is_of_the_same_kind_is_drawn_to_confirm_what_was_learned(monkeypatch):
    """Tasks of ``composed`` with another seed are made of other hidden steps, which nobody could have learned."""
    monkeypatch.setattr("evolve.tasks.suites.find", lambda group, name: draw_suite)  # as where one is installed
    assert load_suite("composed").draw is None
    assert all(load_suite(name).draw is not None for name in OWN if name != "composed")
