"""Solving whole suites with the unlearned policy: what it found, and which operations that took."""

from __future__ import annotations

import copy
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache, partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from evolve.core.episodes import Limits, Plan
from evolve.core.errors import ModelMistake
from evolve.policies.search import SearchPolicy
from evolve.policies.search.programs.terms import from_json, operations_in
from evolve.tasks import BUILTIN, Task, equal, load_suite

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
WORKERS = 2


@dataclass(frozen=True, kw_only=True)
class Solution:
    """A task with the operations of its verified answer; none where it was not solved.

    Attributes:
        family: The suite's name and the task's family.
    """

    task: str
    family: tuple[str, str]
    operations: frozenset[str]
    solved: bool


def shipped() -> list[tuple[str, Task]]:
    """Every task that ships, with the name of its suite."""
    suites = [(suite.name, load_suite(suite.name)) for suite in BUILTIN]
    return [(name, task) for name, suite in [*suites, ("examples", load_suite(EXAMPLES))] for task in suite.tasks]


def solve(named: tuple[str, Task], *, budgets: Mapping[str, int]) -> Solution:
    """The first answer of the unlearned policy within its suite's candidates, where the verification rows hold."""
    suite, task = named
    operations = _answer(task, budgets[suite])
    found = frozenset(operations or ())
    return Solution(task=task.id, family=(suite, task.family), operations=found, solved=operations is not None)


def solve_all(tasks: Sequence[tuple[str, Task]], budgets: Mapping[str, int]) -> list[Solution]:
    """Solutions of all tasks, in order."""
    with ProcessPoolExecutor(WORKERS, mp_context=get_context("spawn")) as workers:
        return list(workers.map(partial(solve, budgets=budgets), tasks, chunksize=8))


def uses(solutions: Iterable[Solution]) -> dict[str, set[tuple[tuple[str, str], str]]]:
    """Per operation, the families and tasks whose answers it serves."""
    found: dict[str, set[tuple[tuple[str, str], str]]] = defaultdict(set)
    for solution in solutions:
        for operation in solution.operations:
            found[operation].add((solution.family, solution.task))
    return found


@cache
def _policy() -> SearchPolicy:
    return SearchPolicy()


def _answer(task: Task, budget: int) -> list[str] | None:
    """The operations of a verified answer, or None."""
    view = task.view()
    try:
        action = _policy().act(view, Plan(goal="", private={"prices": {}}), [], Limits(candidates=budget, seconds=None))
    except ModelMistake:
        return None
    if action.kind != "code":
        return None
    names: dict[str, Any] = {}
    exec(action.code, names)  # code of our own operations only
    function = names[view.entry]
    try:
        right = all(equal(function(*copy.deepcopy(list(row.input))), row.output) for row in task.verify_rows())
    except Exception:  # an answer that fails in any way is no solution
        return None
    return list(operations_in(from_json(action.private["tree"]))) if right else None
