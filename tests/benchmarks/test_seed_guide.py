"""What is said of a guide that a new workspace would begin with."""

from __future__ import annotations

import pytest

from benchmarks.seed_guide import ARMS, Seeded, told
from evolve.policies.search import Guide


def row(task: str, arm: int, solved: bool, cost: int) -> dict[str, object]:
    return {"suite": "s", "task": task, "arm": ARMS[arm], "solved": solved, "cost": cost, "cpu_s": cost / 100}


def test_costs_are_told_over_all_tasks_and_over_those_that_both_solve() -> None:
    rows = [row("a", 0, True, 100), row("a", 1, True, 50), row("b", 0, True, 100), row("b", 1, False, 400)]
    rows += [row("c", 0, False, 200), row("c", 1, True, 150)]
    said = told([*rows, {**rows[0], "suite": "other", "cost": 9_999}], "s")
    assert (said["tasks"], said[f"solved, {ARMS[0]}"], said[f"solved, {ARMS[1]}"]) == (3, 2, 2)
    assert said["candidates"] == said["CPU"] == pytest.approx(1.5) and said["candidates, both"] == 0.5


def test_the_seed_acts_only_where_nothing_was_learned() -> None:
    seed, own = (Guide(names=(name,), weights=((0.0,),), rows=1) for name in ("seed", "own"))
    learner = Seeded(guide=seed.to_json())
    assert learner.policy(None, ()).guide == seed
    assert learner.policy(own.to_json(), ()).guide == own
