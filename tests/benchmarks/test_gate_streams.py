"""Null learners gain nothing on their pool, go through the product's own verdicts, and can be accepted by them."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks import gate_streams
from benchmarks.gate_streams import LOOP, OWN, arm_of, null_loop, null_proof
from benchmarks.null_arms import NullArm, NullPool, Sides, counted, distinct_tasks, without_gain
from evolve.core.episodes import Action, Claim, Cost, EpisodeRecord, Evidence, Judgement, Scope, Step
from evolve.improve.prequential import block_sizes
from evolve.tasks import Task


def episode(task: Task | str, candidates: int) -> EpisodeRecord:
    name, group = (task, task) if isinstance(task, str) else (task.id, task.group)
    judgement = Judgement(accepted=True, verified=True, rows=3)
    return EpisodeRecord(
        episode=f"{name} {candidates}",
        run="pool",
        task=name,
        suite="",
        group=group,
        split="gate",
        variant="",
        seed=0,
        status="solved",
        verified=True,
        answer="",
        steps=(Step(number=1, action=Action(kind="code"), judgement=judgement),),
        cost=Cost(candidates=candidates),
    )


def pool_of(tasks: Sequence[Task], **costs: int) -> NullPool:
    """Arms by name with what they cost on every task, where the search without a guide costs 100."""
    arms = {
        name: NullArm(
            name=name, raw=(0, 0), sides={task.id: (episode(task, 100), episode(task, cost)) for task in tasks}
        )
        for name, cost in costs.items()
    }
    practised = {task.id: replace(episode(task, 100), claims=(claim(task),)) for task in tasks}
    return NullPool(tasks=tuple(tasks), arms=arms, practised=practised)


def claim(task: Task) -> Claim:
    """Some claim: without any a guide does not act."""
    row = Evidence(task=task.id, group=task.group, kind="intervention", direction=1, features=(1.0,))
    scope = Scope(environment="programs", family="str -> str")
    return Claim(
        cause="operation:split", relation="contributes", effect="solved", scope=scope, evidence=(row,), text=""
    )


@given(
    st.lists(st.tuples(st.sampled_from([10, 100, 110]), st.sampled_from([10, 100, 110])), max_size=30), st.integers()
)
def test_whatever_an_arm_was_it_gains_nothing_and_loses_at_most_one_pair(
    costs: list[tuple[int, int]], seed: int
) -> None:
    pairs: dict[str, Sides] = {
        f"t{place}": (episode(f"t{place}", old), episode(f"t{place}", new)) for place, (old, new) in enumerate(costs)
    }
    made = without_gain(pairs, random.Random(seed))
    wins, losses, ties = counted(made.values())
    assert wins - losses == -((wins + losses) % 2)
    assert ties == counted(pairs.values())[2]
    assert all(made[task] in (pair, pair[::-1]) for task, pair in pairs.items())


@pytest.mark.slow
@pytest.mark.parametrize("size", [20, 30])
def test_a_stream_meets_another_arm_whenever_its_experience_has_doubled(size: int) -> None:
    pool = pool_of(distinct_tasks()[:40], better=10, worse=1000)
    first, second, third = block_sizes(size)
    for number in range(4):
        row = null_loop(pool, size, number)
        arms = [arm_of(tuple(pool.arms), number, practised) for practised in (first, first + second)]
        # What lost the whole second block cannot win enough any more, and is not asked in the third.
        left = third if arms[0] == "better" else 0
        assert row["wins"] == second * (arms[0] == "better") + left * (arms[1] == "better")
        assert row["wins"] + row["losses"] == row["pairs"] == second + left


@pytest.mark.slow
def test_either_verdict_accepts_what_wins_and_nothing_else() -> None:
    tasks = distinct_tasks()[:40]
    for verdict in (null_loop, null_proof):
        assert verdict(pool_of(tasks, better=10), 20, 0)["accepted"]
        assert not verdict(pool_of(tasks, same=100), 20, 0)["accepted"]
        assert not verdict(pool_of(tasks, worse=1000), 20, 0)["accepted"]


@pytest.mark.slow
def test_a_learner_that_breaks_off_where_it_would_lose_is_accepted_by_neither_verdict() -> None:
    pool = pool_of(distinct_tasks()[:60], half=10)
    half = pool.arms["half"]
    lost = {
        task: (before, replace(after, status="fault", verified=False))
        for place, (task, (before, after)) in enumerate(half.sides.items())
        if place % 2
    }
    broken = replace(pool, arms={"half": replace(half, sides={**half.sides, **lost})})
    for verdict in (null_loop, null_proof):
        row = verdict(broken, 60, 0)
        assert not row["accepted"] and row["wins"] > 20 and not row["losses"], "it has lost no pair that it finished"


@pytest.mark.slow
@pytest.mark.parametrize(("every", "accepted"), [(60, True), (5, False)])
def test_few_tasks_that_are_lost_refuse_no_learner_that_wins_the_rest_and_many_do(every: int, accepted: bool) -> None:
    pool = pool_of(distinct_tasks()[:60], better=10)
    sides = {
        task: (before, replace(after, status="unsolved", verified=False) if place % every == 0 else after)
        for place, (task, (before, after)) in enumerate(pool.arms["better"].sides.items())
    }
    given_up = replace(pool, arms={"better": replace(pool.arms["better"], sides=sides)})
    rows = [null_loop(given_up, 60, number) for number in range(3)]
    assert any(row["losses"] for row in rows) and all(row["accepted"] == accepted for row in rows)
    assert accepted or all(row["wins"] >= 30 for row in rows), "the evidence alone would have been enough"


@pytest.mark.slow
@pytest.mark.parametrize("suite", ["everyday", "composed"])
def test_the_problems_of_the_pool_have_nothing_in_common_so_that_all_of_a_stream_count(suite: str) -> None:
    assert null_proof(pool_of(distinct_tasks(suite), same=100), 60, 0)["pairs"] == 60


def test_figures_are_those_of_the_streams_of_one_size_and_verdict() -> None:
    rows = [
        {"measure": "null", "verdict": verdict, "tasks": size, "accepted": verdict == OWN and size == 20}
        for verdict in (LOOP, OWN)
        for size in gate_streams.SIZES
    ]
    assert gate_streams.accepted_share(rows, "null", 20, OWN).value == 1.0
    assert gate_streams.accepted_share(rows, "null", 30, OWN).value == 0.0
    met = {one.name: one.met for one in gate_streams.targets_of(rows)}
    assert not met["null streams accepted, own tasks, 20 tasks"] and met["null streams accepted, small suite, 20 tasks"]
    assert not met["streams accepted, the product's learner, 20 tasks"], "what was not run is not met"
