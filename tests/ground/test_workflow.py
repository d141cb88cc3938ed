from __future__ import annotations

import itertools
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evolve.agent.workflow import (
    KINDS,
    KNOB_BOUNDS,
    MAIN_STAGES,
    MANDATORY,
    PLACES,
    Knobs,
    Workflow,
    conditions_of,
    inapplicable_stages,
    mermaid,
    parse_workflow,
    svg,
    used_knobs,
    visit_bounds,
    workflow_differences,
)
from evolve.agent.workflow.reference import knob_reference, stage_reference
from evolve.core.errors import WorkspaceError
from evolve.core.prompts import PromptLayers, load_prompt

optional = sorted(kind.name for kind in KINDS if not kind.mandatory)
SKILL = "skill:tidy-code@0123456789ab"


@st.composite
def workflows(draw: st.DrawFn) -> Workflow:
    """Any stages in any order that the places allow, with routes that the rules allow."""
    chosen = {*MANDATORY, *draw(st.sets(st.sampled_from([*optional, SKILL])))}
    places = {kind.name: draw(st.sampled_from(kind.places)) for kind in KINDS} | {SKILL: "deliberate"}
    shuffled = draw(st.permutations(sorted(chosen)))
    stages = tuple(sorted(shuffled, key=lambda stage: PLACES.index(places[stage])))
    routes = {}
    act = stages.index("act")
    for stage in draw(st.sets(st.sampled_from([one for one in stages if conditions_of(one)]))):
        back, on = conditions_of(stage)
        following = stages[stages.index(stage) + 1]
        ways = [*stages[: act + 1], *([following] if back == "doubtful" else [])]
        routes[stage] = {back: draw(st.sampled_from(ways)), on: following}
    whole = {name: st.integers(int(low), int(high)) for name, (low, high) in KNOB_BOUNDS.items() if type(low) is int}
    real = {name: st.floats(low, high) for name, (low, high) in KNOB_BOUNDS.items() if type(low) is float}
    used = used_knobs(stages)
    knobs = draw(st.fixed_dictionaries({name: kind for name, kind in {**whole, **real}.items() if name in used}))
    return Workflow(stages=stages, routes=routes, knobs=Knobs(**knobs))


def test_the_seed_is_the_default() -> None:
    assert parse_workflow(load_prompt("workflow.toml", PromptLayers())) == Workflow()


def test_the_default_walks_all_stages_and_turns_back_after_the_verdict() -> None:
    edges = {(edge.source, edge.condition): edge.target for edge in Workflow().edges}
    assert edges.pop(("judge", "again")) == "act"
    walked = ["recall"]
    for source, following in itertools.pairwise(MAIN_STAGES):
        assert edges.pop((source, "stop" if source == "judge" else "always")) == following
        walked.append(following)
    assert walked == list(MAIN_STAGES)
    assert not edges


@pytest.mark.slow
@given(workflows())
def test_what_is_rendered_is_parsed_again(workflow: Workflow) -> None:
    again = parse_workflow(workflow.render())
    assert again == workflow
    assert again.digest == workflow.digest


@pytest.mark.slow
@given(workflows())
def test_every_way_back_leads_to_a_new_action_and_none_passes_a_mandatory_stage(workflow: Workflow) -> None:
    """So bounding the actions bounds the episode, and nothing is handed in that was not tried."""
    position = {stage: number for number, stage in enumerate(workflow.stages)}
    for edge in workflow.edges:
        here, there = position[edge.source], position[edge.target]
        if there <= here:
            assert edge.condition in ("again", "doubtful")
            assert there <= position["act"] <= here
        assert not MANDATORY & set(workflow.stages[here + 1 : there])
    assert workflow.edges[-1].target == "commit"
    assert not [edge for edge in workflow.edges if edge.source == "commit"]


def test_layout_does_not_change_the_digest_and_content_does() -> None:
    text = Workflow().render()
    shuffled = "# a comment\n[knobs]\nwithhold=0.10\nseconds=20\n[routes]\njudge={stop='reflect',again='act'}\n"
    stages = text.splitlines()[0]
    assert parse_workflow(stages + "\n" + shuffled).digest == Workflow().digest
    assert Workflow().with_knobs(steps=7).digest != Workflow().digest


@pytest.mark.slow
@given(workflows(), workflows())
@settings(max_examples=30)
def test_two_workflows_differ_exactly_where_their_digests_do(a: Workflow, b: Workflow) -> None:
    assert (workflow_differences(a, b) == ()) == (a.digest == b.digest)
    assert workflow_differences(a, a) == ()
    added = {one.item for one in workflow_differences(a, b) if one.kind == "added"}
    assert added == set(b.stages) - set(a.stages)


@pytest.mark.slow
@given(workflows())
@settings(max_examples=20)
def test_a_picture_has_a_way_for_every_edge(workflow: Workflow) -> None:
    root = ElementTree.fromstring(svg(workflow, title="<a & b>"))
    ways = [node for node in root.iter() if "way" in node.get("class", "").split()]
    assert len(ways) == len(workflow.edges)
    boxes = [(float(node.get("y", 0)), node) for node in root.iter() if "box" in node.get("class", "").split()]
    assert len(boxes) == len(workflow.stages)
    assert len({y for y, _ in boxes}) == len(boxes)
    assert mermaid(workflow).count("-->") == len(workflow.edges)


def test_a_picture_tells_skills_with_long_names_apart() -> None:
    stages = (
        "plan",
        "act",
        *(f"skill:{'very-' * 20}long@{digit * 12}" for digit in "12"),
        "observe",
        "judge",
        "commit",
    )
    root = ElementTree.fromstring(svg(Workflow(stages=stages, routes={})))
    texts = ["".join(node.itertext()) for node in root.iter() if "says" in node.get("class", "")]
    assert all(len(text) <= 60 for text in texts)
    assert [sum(f"@{digit * 12}" in text for text in texts) for digit in "12"] == [1, 1]
    names = ["".join(node.itertext()) for node in root.iter() if node.get("class") == "name"]
    assert all(len(name) <= 22 for name in names)


def test_the_bound_counts_the_passes_that_the_knob_steps_allows() -> None:
    bounds = visit_bounds(Workflow().with_knobs(steps=4))
    assert bounds == {
        "recall": 1,
        "plan": 1,
        "act": 4,
        "observe": 4,
        "judge": 4,
        "reflect": 1,
        "distill": 1,
        "commit": 1,
    }
    straight = Workflow(routes={})
    assert set(visit_bounds(straight).values()) == {1}


def test_a_knob_that_no_stage_uses_cannot_be_set_and_is_not_in_the_digest() -> None:
    assert "rivals" not in Workflow().as_json()["knobs"]
    with pytest.raises(WorkspaceError, match="rivals: none of the stages uses it"):
        Workflow().with_knobs(rivals=5)
    voting = Workflow(stages=("plan", "act", "vote", "observe", "judge", "commit"), routes={})
    assert voting.with_knobs(rivals=5).digest != voting.digest


def test_a_knob_that_people_set_by_hand_can_be_set_in_any_workflow() -> None:
    found = parse_workflow(Workflow().render() + "plan_first = 1\n")
    assert found.knobs.plan_first == 1 and found.digest != Workflow().digest
    assert parse_workflow(found.render()) == found


def test_the_reference_tells_of_every_stage_and_knob_what_the_check_holds_it_to() -> None:
    stages, knobs = stage_reference(kind.name for kind in KINDS), knob_reference(KNOB_BOUNDS)
    assert len(stages.splitlines()) == len(KINDS) and len(knobs.splitlines()) == len(KNOB_BOUNDS)
    for kind, line in zip(KINDS, stages.splitlines(), strict=True):
        assert line.startswith(f"- {kind.name} (") and line.endswith(kind.does)
        assert all(word in line for word in (*kind.conditions, *kind.knobs))
        assert ("always there" in line) == kind.mandatory
    assert "- critique (between act and observe or between observe and judge;" in stages
    for name, (low, high) in KNOB_BOUNDS.items():
        assert f"- {name} (" in knobs and f"{low} to {high}; {getattr(Knobs, name)} if left out" in knobs


def test_a_stage_says_for_whom_it_does_nothing() -> None:
    workflow = Workflow(stages=("plan", "act", "vote", "revise", "observe", "judge", "commit"), routes={})
    assert inapplicable_stages(workflow, policy="language:gpt", environment="programs", one_file=True) == {}
    assert set(inapplicable_stages(workflow, policy="search", environment="programs", one_file=True)) == {"revise"}
    assert set(inapplicable_stages(workflow, policy="language", environment="files", one_file=False)) == {
        "vote",
        "revise",
    }
    assert inapplicable_stages(Workflow(), policy="anything", environment="files", one_file=False) == {}


GOOD = 'stages = ["recall", "plan", "act", "observe", "judge", "reflect", "distill", "commit"]\n'
DOUBTING = 'stages = ["plan", "act", "vote", "observe", "judge", "commit"]\n'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "stages: expected a list"),
        ("stages = [1]", "stages: expected a list"),
        ("stages = ['plan', 'act', 'observe', 'judge', 'reflect']", "'commit' is missing"),
        ("stages = ['plan', 'act', 'observe', 'judge', 'dream', 'commit']", "unknown stage 'dream'"),
        ("stages = ['plan', 'act', 'observe', 'judge', 'commit', 'reflect']", "order"),
        ("stages = ['plan', 'act', 'act', 'observe', 'judge', 'commit']", "order"),
        (GOOD + "speed = 1", "unknown key 'speed'"),
        (GOOD + "[routes.judge]\nagain = 'act'", "routes.judge: needs exactly"),
        (GOOD + "[routes.judge]\nagain = 'act'\nstop = 'nowhere'", "routes.judge.stop: 'nowhere'"),
        (GOOD + "[routes.judge]\nagain = 'act'\nstop = 'act'", "routes.judge.stop: must lead forward"),
        (GOOD + "[routes.judge]\nagain = 'commit'\nstop = 'commit'", "routes.judge.again"),
        (GOOD + "[routes.judge]\nagain = 'judge'\nstop = 'commit'", "routes.judge.again"),
        (GOOD + "[routes.judge]\nagain = 'act'\nstop = 'distill'", "'reflect' is never reached"),
        ("stages = ['plan', 'skill:Bad Name@1', 'act', 'observe', 'judge', 'commit']", "written skill:NAME@DIGEST"),
        ("stages = ['plan', 'vote', 'act', 'observe', 'judge', 'commit']", "order"),
        (DOUBTING + "[routes.vote]\nagain = 'act'\nstop = 'observe'", "exactly the keys 'doubtful' and 'agree'"),
        (DOUBTING + "[routes.vote]\ndoubtful = 'act'\nagree = 'judge'", "must not lead past 'observe'"),
        (GOOD + "[routes.vote]\ndoubtful = 'act'\nagree = 'observe'", "'vote' is not one of the stages"),
        (GOOD + "[routes.plan]\nagain = 'act'\nstop = 'act'", "routes.plan: only critique, judge, observe, vote"),
        (GOOD + "[routes]\njudge = 3", "routes.judge"),
        (GOOD + "[knobs]\nsteps = 0", "knobs.steps: 0 is not between"),
        (GOOD + "[knobs]\nsteps = 2.5", "knobs.steps: expected a whole number"),
        (GOOD + "[knobs]\nsteps = true", "knobs.steps: expected a whole number"),
        (GOOD + "[knobs]\nseconds = inf", "knobs.seconds"),
        (GOOD + "[knobs]\nseconds = nan", "knobs.seconds"),
        (GOOD + "[knobs]\nspeed = 1", "knobs.speed: unknown"),
        ("stages = [", "not valid TOML"),
        pytest.param("stages = " + "[" * 20_000, "nested too deeply", id="nested"),
    ],
)
def test_workflows_that_would_not_work_are_refused(text: str, message: str) -> None:
    with pytest.raises(WorkspaceError, match=message) as caught:
        parse_workflow(text, file="w.toml")
    assert str(caught.value).startswith("w.toml: ")
