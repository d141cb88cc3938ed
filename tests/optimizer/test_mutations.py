from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evolve.optimizer import Mutation, crossover, mutate, operators
from evolve.optimizer.mutations import knob_operators, mixed
from evolve.workflow import (
    KINDS,
    MANDATORY,
    Workflow,
    conditions_of,
    kind_of,
    parse_workflow,
    visit_bounds,
)

SKILLS = ["skill:tidy-code@0123456789ab", "skill:doubt-it@ba9876543210"]


def evolved(seed: int, mutations: int) -> list[Workflow]:
    """A population that grows by mutations and, now and then, by crossover."""
    random = Random(seed)
    known = operators(skills=SKILLS)
    found = [Workflow()]
    while len(found) <= mutations:
        made = mutate(random.choice(found[-30:]), random, known)
        assert isinstance(made, Mutation)
        found.append(made.workflow)
        if len(found) % 7 == 0:
            found.append(crossover(random.choice(found), random.choice(found), random))
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
        assert all(walked[stage] == 1 for stage in workflow.stages if kind_of(stage).effect == "the record")  # type: ignore[union-attr]


def test_every_mutation_passes_the_check_and_ends_within_its_bound() -> None:
    random = Random(5)
    population = evolved(1, 150)
    for workflow in population:
        check(workflow, random)
    assert len({workflow.digest for workflow in population}) > 110


@pytest.mark.slow
def test_ten_thousand_mutations_pass_the_check_and_a_sample_compiles() -> None:
    from evolve.agent.graph import compile_graph

    random = Random(6)
    population = evolved(2, 10_000)
    for workflow in population:
        check(workflow, random)
    plain = [one for one in population if not set(SKILLS) & set(one.stages)]
    for workflow in random.sample(plain, 60):
        drawn = compile_graph(workflow).get_graph()
        assert set(drawn.nodes) == {*workflow.stages, "__start__", "__end__"}


def test_mutations_reach_every_stage_condition_and_operator() -> None:
    random, known = Random(3), operators(skills=SKILLS)
    seen: set[str] = set()
    workflow = Workflow()
    stages: set[str] = set()
    routed: set[str] = set()
    for _ in range(350):
        made = mutate(workflow, random, known)
        assert made is not None
        workflow = made.workflow
        seen.add(made.operator)
        stages |= set(workflow.stages)
        routed |= set(workflow.routes)
    assert seen == {one.name for one in known}
    assert stages == {*SKILLS, *(kind.name for kind in KINDS if kind.name != "ask")}
    assert routed == {stage for stage in stages if conditions_of(stage)}


@given(st.integers(0, 10_000))
@settings(max_examples=6)
def test_the_same_seed_gives_the_same_mutation(seed: int) -> None:
    start = evolved(seed % 5, 20)[-1]
    assert mutate(start, Random(seed)) == mutate(start, Random(seed))
    for operator in operators(skills=SKILLS):
        assert operator.apply(start, Random(seed)) == operator.apply(start, Random(seed))


def test_a_child_has_only_what_its_parents_have() -> None:
    random = Random(9)
    population = evolved(4, 60)
    for _ in range(100):
        a, b = random.choice(population), random.choice(population)
        child = crossover(a, b, random)
        assert set(child.stages) <= {*a.stages, *b.stages}
        assert set(child.stages) >= set(a.stages) & set(b.stages)
        for name, value in child.numbers().items():
            assert value in (getattr(a.knobs, name), getattr(b.knobs, name))


def test_one_operator_per_knob_turns_that_knob_alone() -> None:
    random, start = Random(2), Workflow()
    for operator in knob_operators():
        made = operator.apply(start, random)
        name = operator.name.removeprefix("turn-")
        if name not in start.numbers():
            assert made is None
            continue
        assert made is not None
        assert {one for one, value in made.numbers().items() if value != start.numbers()[one]} == {name}


def test_a_mixture_takes_just_the_parts_asked_for() -> None:
    random = Random(11)
    population = evolved(6, 60)
    for _ in range(100):
        a, b = random.choice(population), random.choice(population)
        assert mixed(a, b, lambda part: False) == a
        numbers = [f"knob:{name}" for name in a.numbers() if a.numbers()[name] != b.numbers().get(name)]
        if numbers:
            one = random.choice(numbers)
            made = mixed(a, b, one.__eq__)
            name = one.removeprefix("knob:")
            assert made == a.with_knobs(**{name: getattr(b.knobs, name)})
