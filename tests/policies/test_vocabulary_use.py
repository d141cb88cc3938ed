"""Every operation earns its place: found solutions of the shipped suites and examples use it."""

from __future__ import annotations

import re

import pytest

from evolve.programs.operations import vocabulary
from tests.policies.solving import EXAMPLES, Solution, shipped, solve_all, uses

BUDGETS = {**dict.fromkeys(("everyday", "examples", "lists", "strings", "tables"), 40_000), "composed": 10_000}
"""Candidates per task; composed tasks wait for what is learned from earlier ones, so little is spent on them."""
FEWEST_OPERATIONS, FEWEST_TASKS, FEWEST_FAMILIES = 120, 3, 2
OUTRUN = {"add_years", "in_units", "integer_ratio", "parse_mixed_amount", "prepend", "split_on_match"}
"""Operations in whose place a solver, or a plainer program, is found for some of their tasks since constants are worked
out from the rows. Skills that were admitted before are made of them, so they stay; each still serves a task."""

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def solutions() -> list[Solution]:
    """Every shipped task, with the answer that the unlearned policy finds."""
    return solve_all(shipped(), BUDGETS)


def test_every_operation_serves_three_tasks_of_two_families(solutions: list[Solution]) -> None:
    operations = [operation.name for operation in vocabulary()]
    assert len(operations) >= FEWEST_OPERATIONS
    found = uses(solutions)
    counts = {name: (len(found[name]), len({family for family, _ in found[name]})) for name in operations}
    rare = {name: n for name, n in counts.items() if n[0] < FEWEST_TASKS or n[1] < FEWEST_FAMILIES}
    assert set(rare) == OUTRUN
    assert all(tasks >= 1 for tasks, _ in rare.values())


def test_the_readme_of_the_examples_names_those_that_are_not_solved(solutions: list[Solution]) -> None:
    missed = {s.task for s in solutions if s.family[0] == "examples" and not s.solved}
    text = (EXAMPLES / "README.md").read_text("utf-8")
    listed = re.findall(r"^- ([a-z0-9-]+)$", text.split("## Not solved", 1)[1], flags=re.MULTILINE)
    assert sorted(missed) == sorted(listed)
