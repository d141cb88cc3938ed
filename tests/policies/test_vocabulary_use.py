"""Every operation earns its place: found solutions of the shipped suites and examples use it."""

from __future__ import annotations

import re

import pytest

from tests.policies.solving import EXAMPLES, Solution, shipped, solve_all
from tests.policies.witnesses import BUDGETS, counted, is_rare, witnesses

FEWEST_OPERATIONS = 120
OUTRUN = {"add_years", "in_units", "integer_ratio", "parse_mixed_amount", "prepend", "split_on_match"}
"""Operations in whose place a solver, or a plainer program, is found for some of their tasks since constants are worked
out from the rows. Skills that were admitted before are made of them, so they stay; each still serves a task."""

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def solutions() -> list[Solution]:
    """The tasks that are kept as witnesses and all examples, with the answers that the unlearned policy finds."""
    kept = set(witnesses())
    return solve_all(
        [(suite, task) for suite, task in shipped() if suite == "examples" or f"{suite}/{task.id}" in kept], BUDGETS
    )


def test_every_operation_serves_three_tasks_of_two_families(solutions: list[Solution]) -> None:
    """Where this fails after a change of the search: ``python -m tests.policies.witnesses`` looks at every task."""
    counts = counted(solutions)
    assert len(counts) >= FEWEST_OPERATIONS
    assert {name for name, count in counts.items() if is_rare(count)} <= OUTRUN
    assert all(tasks >= 1 for tasks, _ in counts.values())


def test_the_readme_of_the_examples_names_those_that_are_not_solved(solutions: list[Solution]) -> None:
    missed = {s.task for s in solutions if s.family[0] == "examples" and not s.solved}
    text = (EXAMPLES / "README.md").read_text("utf-8")
    listed = re.findall(r"^- ([a-z0-9-]+)$", text.split("## Not solved", 1)[1], flags=re.MULTILINE)
    assert sorted(missed) == sorted(listed)
