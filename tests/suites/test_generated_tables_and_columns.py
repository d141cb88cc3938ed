"""The everyday and tables suites: what every generated task promises."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from random import Random
from types import ModuleType

import pytest

from benchmarks.suites import everyday, tables
from benchmarks.suites.everyday_build import EXAMPLES, HIDDEN, Member, attempt, members
from evolve.core.episodes import Json
from evolve.tasks import Suite, Task, equal, load_suite, parse_signature, render_jsonl
from evolve.tasks.signature import has_type

ROOT = Path(__file__).resolve().parents[2]
GENERATORS = pytest.mark.parametrize("module", [everyday, tables], ids=["everyday", "tables"])
FEWEST_FAMILIES = {"everyday": 70, "tables": 40}


@pytest.fixture(scope="module")
def made() -> Callable[[ModuleType], list[Task]]:
    """The default suite of a module, made once."""
    suites: dict[str, list[Task]] = {}

    def tasks(module: ModuleType) -> list[Task]:
        if module.NAME not in suites:
            suites[module.NAME] = module.generate(320, 0)
        return suites[module.NAME]

    return tasks


Made = Callable[[ModuleType], list[Task]]


@GENERATORS
@pytest.mark.slow
def test_the_same_seed_gives_the_same_tasks_and_another_seed_others(module: ModuleType) -> None:
    first = module.generate(40, 1)
    assert module.generate(40, 1) == first
    assert {task.id for task in module.generate(40, 2)} != {task.id for task in first}


@pytest.mark.slow
def test_tasks_do_not_depend_on_the_process() -> None:
    program = (
        "from evolve.tasks import Suite\nfrom benchmarks.suites import everyday, tables\n"
        "print(Suite(name='s', tasks=tuple(everyday.generate(25, 3) + tables.generate(25, 3))).digest)"
    )
    digests = set()
    for hash_seed in ("1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": str(ROOT)}
        done = subprocess.run(
            [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True
        )
        digests.add(done.stdout)
    assert len(digests) == 1


@pytest.mark.slow
@GENERATORS
def test_tasks_are_different_problems(module: ModuleType, made: Made) -> None:
    tasks = made(module)
    assert len(tasks) == 320
    assert len({task.id for task in tasks}) == 320
    assert len({task.group for task in tasks}) >= 310
    assert len({task.family for task in tasks}) >= FEWEST_FAMILIES[module.NAME] * 0.9
    assert len(module.families()) >= FEWEST_FAMILIES[module.NAME]


@pytest.mark.slow
@GENERATORS
def test_gate_and_test_have_enough_groups(module: ModuleType, made: Made) -> None:
    suite = Suite(name=module.NAME, tasks=tuple(made(module)))
    for split in ("gate", "test"):
        assert len({task.group for task in suite.split(split)}) >= 60


@pytest.mark.slow
@GENERATORS
def test_a_member_keeps_its_group_for_every_seed_and_size(module: ModuleType, made: Made) -> None:
    groups = {task.id: task.group for task in made(module)}
    others = {task.id: task.group for task in module.generate(120, 7)}
    shared = groups.keys() & others.keys()
    assert len(shared) >= 10
    assert {name: groups[name] for name in shared} == {name: others[name] for name in shared}


@pytest.mark.slow
@GENERATORS
def test_every_member_becomes_a_task_before_groups_repeat(module: ModuleType) -> None:
    every = members(module.NAME, module.families())
    count = len(every)
    tasks = module.generate(count + 30, 5)
    assert len(tasks) == count + 30
    assert len({task.id for task in tasks}) == len(tasks)
    assert {task.id for task in tasks[:count]} == {member.id for member in every}
    assert len({task.group for task in tasks[:count]}) == len({task.group for task in tasks}) == count


@GENERATORS
def test_a_negative_number_of_tasks_is_refused(module: ModuleType) -> None:
    assert module.generate(0, 0) == []
    with pytest.raises(ValueError, match="negative"):
        module.generate(-1, 0)


@GENERATORS
def test_rows_are_distinct_json_of_the_signature(module: ModuleType, made: Made) -> None:
    for task in made(module):
        rows = (*task.examples, *task.hidden)
        assert (len(task.examples), len(task.hidden)) == (EXAMPLES, HIDDEN)
        assert len({json.dumps(row.input) for row in rows}) == len(rows), task.id
        signature = parse_signature(task.signature)
        for row in rows:
            assert json.loads(json.dumps([list(row.input), row.output])) == [list(row.input), row.output], task.id
            for value, parameter in zip(row.input, signature.parameters, strict=True):
                assert has_type(value, parameter.type), (task.id, value)
            assert has_type(row.output, signature.result), (task.id, row.output)


@GENERATORS
def test_examples_show_more_than_a_constant_or_a_copy(module: ModuleType, made: Made) -> None:
    for task in made(module):
        assert len({json.dumps(row.output) for row in task.examples}) >= 2, task.id
        assert any(list(row.input) != [row.output] for row in task.examples), task.id


@pytest.mark.slow
@GENERATORS
def test_labels_asked_for_have_been_shown(module: ModuleType, made: Made) -> None:
    by_id = {member.id: member for member in members(module.NAME, module.families())}
    labels = 0
    for task in made(module):
        member, rng = by_id[task.id], Random(task.id)
        outputs = {json.dumps(member.variant.program(*member.draw(rng))) for _ in range(100)}
        if len(outputs) <= 4:
            labels += 1
            shown = {json.dumps(row.output) for row in task.examples}
            assert len(shown) >= 2, task.id
            assert {json.dumps(row.output) for row in task.hidden} <= shown, task.id
    assert labels >= 3


@pytest.mark.slow
@GENERATORS
def test_tasks_can_be_verified_and_judged_on_further_rows(module: ModuleType, made: Made) -> None:
    for task in made(module):
        assert task.verifiable
        assert len(task.unseen_rows()) >= 3
        assert task.instruction


@GENERATORS
def test_difficulty_is_graded(module: ModuleType, made: Made) -> None:
    levels = [task.meta["difficulty"] for task in made(module)]
    assert set(levels) == {1, 2, 3, 4, 5}
    easy, hard = sum(level == 1 for level in levels), sum(level >= 4 for level in levels)
    assert 0.1 <= easy / len(levels) <= 0.3
    assert 0.2 <= hard / len(levels) <= 0.4


@pytest.mark.slow
@GENERATORS
def test_tasks_survive_a_file(module: ModuleType, made: Made, tmp_path: Path) -> None:
    file = tmp_path / "suite.jsonl"
    file.write_text(render_jsonl(made(module)), encoding="utf-8")
    assert list(load_suite(file).tasks) == made(module)


def _own_rows(member: Member) -> list[tuple[tuple[Json, ...], Json]]:
    rng = Random(f"rows of {member.id}")
    inputs = [member.draw(rng) for _ in range(30)]
    return [(args, member.variant.program(*args)) for args in inputs]


@pytest.mark.slow
@GENERATORS
def test_no_function_occurs_under_two_names(module: ModuleType) -> None:
    """A function that two families share would straddle the splits under two groups."""
    every = members(module.NAME, module.families())
    rows = {member.id: _own_rows(member) for member in every}

    def gives(member: Member, wanted: list[tuple[tuple[Json, ...], Json]]) -> bool:
        return all(equal(attempt(member.variant.program, args), output) for args, output in wanted)

    twins = [
        (one.id, other.id)
        for at, one in enumerate(every)
        for other in every[at + 1 :]
        if gives(other, rows[one.id]) and gives(one, rows[other.id])
    ]
    assert twins == []


def test_programs_leave_their_arguments_alone() -> None:
    for member in members(tables.NAME, tables.families()):
        args = member.draw(Random(member.id))
        before = json.dumps(args)
        member.variant.program(*args)
        assert json.dumps(args) == before, member.id


@pytest.mark.slow
def test_generators_know_no_policy_and_no_operation() -> None:
    files = sorted((ROOT / "benchmarks/suites").glob("*.py"))
    assert len(files) > 10
    for file in files:
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            names += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            assert not any(name.startswith(("evolve.policies.search.programs", "evolve.policies")) for name in names), (
                file.name
            )
