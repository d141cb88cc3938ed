"""Changes of parts of a workflow: every result passes the check, and nothing changes but what was asked for."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evolve.agent.workflow import (
    KINDS,
    MANDATORY,
    Workflow,
    conditions_of,
    parse_workflow,
    stage_kind,
    visit_bounds,
)
from evolve.improve.optimizer import crossover, parts_of, resample_part
from evolve.improve.optimizer.workflow_parts import parts_between

START = Workflow()
SKILLS = ["skill:tidy-code@0123456789ab", "skill:doubt-it@ba9876543210"]
PARTS = [f"stage:{name}" for name in SKILLS]


def evolved(seed: int, changes: int) -> list[Workflow]:
    """Workflows that were made from one another, and now and then from two."""
    random, found = Random(seed), [START]
    while len(found) <= changes:
        parent = random.choice(found[-30:])
        made = resample_part(parent, random.choice([*parts_of(parent), *PARTS]), random)
        if made is not None:
            found.append(made)
        if len(found) % 7 == 0:
            both = crossover(random.choice(found), random.choice(found), lambda part: random.random() < 0.5)
            found += [both] if both is not None else []
    return found


def longest_walk(workflow: Workflow, random: Random) -> dict[str, int]:
    """Visits per stage of one episode that turns back wherever its steps allow it, and else decides by chance."""
    visits = dict.fromkeys(workflow.stages, 0)
    here, actions = workflow.start, 0
    position = {stage: number for number, stage in enumerate(workflow.stages)}
    while True:
        visits[here] += 1
        actions += here == "act"
        ways = {edge.condition: edge.target for edge in workflow.edges if edge.source == here}
        if not ways:
            return visits
        allowed = [one for one in ways.values() if position[one] > position[here] or actions < workflow.knobs.steps]
        back = [one for one in allowed if position[one] <= position[here]]
        here = random.choice(back or allowed)


def check(workflow: Workflow, random: Random) -> None:
    assert set(workflow.stages) >= MANDATORY
    assert workflow.stages[-1] == "commit"
    assert len(set(workflow.stages)) == len(workflow.stages)
    assert parse_workflow(workflow.render()) == workflow
    bounds = visit_bounds(workflow)
    if workflow.knobs.steps <= 20:
        walked = longest_walk(workflow, random)
        assert all(walked[stage] <= bounds[stage] for stage in workflow.stages)
        assert all(walked[stage] == 1 for stage in workflow.stages if stage_kind(stage).effect == "the record")  # type: ignore[union-attr]


def test_every_change_passes_the_check_and_ends_within_its_bound() -> None:
    random, found = Random(5), evolved(1, 150)
    for workflow in found:
        check(workflow, random)
    assert len({workflow.digest for workflow in found}) > 110


@pytest.mark.slow
def test_ten_thousand_changes_pass_the_check_and_a_sample_compiles() -> None:
    from evolve.agent.graph import compile_graph

    random, found = Random(6), evolved(2, 10_000)
    for workflow in found:
        check(workflow, random)
    plain = [one for one in found if not set(SKILLS) & set(one.stages)]
    for workflow in random.sample(plain, 60):
        drawn = compile_graph(workflow).get_graph()
        assert set(drawn.nodes) == {*workflow.stages, "__start__", "__end__"}


@pytest.mark.slow
def test_changes_reach_every_stage_and_condition() -> None:
    found = evolved(3, 500)
    stages = {stage for workflow in found for stage in workflow.stages}
    assert stages == {*SKILLS, *(kind.name for kind in KINDS if kind.name != "ask")}
    assert {stage for workflow in found for stage in workflow.routes} == {one for one in stages if conditions_of(one)}


@pytest.mark.slow
@given(st.integers(0, 10_000))
@settings(max_examples=12)
def test_one_part_changes_alone_and_the_same_seed_changes_it_the_same_way(seed: int) -> None:
    start = evolved(seed % 5, 20)[-1]
    for part in (*parts_of(start), *PARTS):
        made = resample_part(start, part, Random(seed))
        assert made == resample_part(start, part, Random(seed))
        if made is not None and not part.startswith("stage:"):
            assert parts_between(start, made) == (part,)
        elif made is not None:
            # Routes that led to a stage that goes have to lead elsewhere.
            assert [one for one in parts_between(start, made) if not one.startswith("route:")] == [part]


def test_a_stage_that_a_way_led_past_can_be_put_back() -> None:
    without = resample_part(resample_part(START, "stage:reflect", Random(1)), "stage:distill", Random(1))
    assert without.routes["judge"]["stop"] == "commit"
    assert "reflect" in resample_part(without, "stage:reflect", Random(1)).stages


def test_only_knobs_are_parts_where_nothing_else_may_change() -> None:
    assert set(parts_of(START, only="knobs")) == {
        f"knob:{name}" for name in START.effective_knobs() if name != "plan_first"
    }


def test_a_mixture_takes_just_the_parts_asked_for() -> None:
    random, found = Random(11), evolved(6, 60)
    for _ in range(100):
        a, b = random.choice(found), random.choice(found)
        assert crossover(a, b, lambda part: False) == a
        numbers = [
            f"knob:{name}" for name in a.effective_knobs() if a.effective_knobs()[name] != b.effective_knobs().get(name)
        ]
        if numbers:
            one = random.choice(numbers)
            name = one.removeprefix("knob:")
            assert crossover(a, b, one.__eq__) == a.with_knobs(**{name: getattr(b.knobs, name)})


def test_parts_are_named_and_a_stage_takes_its_own_routes_and_numbers_along() -> None:
    assert parts_between(START, START) == ()
    assert parts_between(START, START.with_knobs(steps=9, seconds=1.0)) == ("knob:steps", "knob:seconds")
    voted = Workflow(
        stages=("recall", "plan", "act", "vote", "observe", "judge", "reflect", "distill", "commit"),
        routes={**START.routes, "vote": {"doubtful": "act", "agree": "observe"}},
    )
    assert parts_between(START, voted) == parts_between(voted, START) == ("stage:vote",)
    back = Workflow(routes={"judge": {"again": "plan", "stop": "reflect"}})
    assert parts_between(START, back) == ("route:judge",)
