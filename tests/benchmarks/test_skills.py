"""The benchmark of skills end to end, on a few tasks: what each arm may use, and what a share of practice is."""

from __future__ import annotations

import pytest

from benchmarks.judging import HostJudge
from benchmarks.learner import Course
from benchmarks.record import Outcome
from benchmarks.skills import ARMS, Plan, every_solution, run, table, targets_of
from benchmarks.suites import suite_of


@pytest.fixture(scope="module")
def rows():
    return run(Plan(budget=400, seeds=1, suites=("everyday",), tasks=16, shares=(0.5, 1.0)), HostJudge())


def test_every_arm_tries_the_same_held_out_tasks_after_each_share(rows) -> None:
    tasks = {
        (arm, share): {row["task"] for row in rows if (row["arm"], row["practised"]) == (arm, share)}
        for arm in ARMS
        for share in (0.5, 1.0)
    }
    assert len({frozenset(one) for one in tasks.values()}) == 1 and len(tasks["none", 1.0]) > 3
    assert {row["skills"] for row in rows if row["arm"] == "none"} == {0}


def test_every_solution_that_fits_its_examples_is_kept() -> None:
    tasks = suite_of("everyday", n=12).tasks
    kept = every_solution(Course(suite="everyday", tasks=tasks, budget=2_000, seed=0), HostJudge())
    assert kept and len({skill.entry for skill in kept}) == len(kept)
    assert {skill.source for skill in kept} <= {task.id for task in tasks}


def test_the_targets_hold_admitted_to_both_other_arms(rows) -> None:
    targets = targets_of(rows, ["everyday"])
    assert [target.name.rpartition(" - ")[2] for target in targets] == ["none", "kept", "none"]
    outcome = Outcome(benchmark="skills", seeds=1, quick=True, rows=rows, targets=targets, settings={})
    assert table(outcome).count("everyday") == 2 * len(ARMS) + 2
