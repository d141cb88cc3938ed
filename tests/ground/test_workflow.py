from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolve.errors import WorkspaceError
from evolve.prompts import PromptLayers, load_prompt
from evolve.workflow import KNOB_BOUNDS, MANDATORY, STAGES, Workflow, parse_workflow

optional = sorted(set(STAGES) - MANDATORY)


@st.composite
def workflows(draw: st.DrawFn) -> Workflow:
    """Anything the optimiser's typed mutations may reach."""
    left_out = draw(st.sets(st.sampled_from(optional)))
    stages = tuple(stage for stage in STAGES if stage not in left_out)
    act = stages.index("act")
    routes = {}
    for stage in draw(st.sets(st.sampled_from(["observe", "judge"]))):
        following = stages.index(stage) + 1
        # From judge any later stage may follow; from observe only judge keeps every stage reached.
        targets = stages[following:] if stage == "judge" and draw(st.booleans()) else stages[following : following + 1]
        routes[stage] = {"again": draw(st.sampled_from(stages[: act + 1])), "stop": targets[0]}
    whole = {
        name: st.integers(int(low), int(high)) for name, (low, high) in KNOB_BOUNDS.items() if isinstance(low, int)
    }
    real = {name: st.floats(low, high) for name, (low, high) in KNOB_BOUNDS.items() if isinstance(low, float)}
    knobs = draw(st.fixed_dictionaries({**whole, **real}))
    return Workflow(stages=stages, routes=routes).with_knobs(**knobs)


def test_the_seed_is_the_default() -> None:
    assert parse_workflow(load_prompt("workflow.toml", PromptLayers())) == Workflow()


def test_the_default_walks_all_stages_and_turns_back_after_the_verdict() -> None:
    edges = {(edge.source, edge.condition): edge.target for edge in Workflow().edges}
    assert edges.pop(("judge", "again")) == "act"
    walked = ["recall"]
    for source, following in itertools.pairwise(STAGES):
        assert edges.pop((source, "stop" if source == "judge" else "always")) == following
        walked.append(following)
    assert walked == list(STAGES)
    assert not edges


@given(workflows())
def test_what_is_rendered_is_parsed_again(workflow: Workflow) -> None:
    again = parse_workflow(workflow.render())
    assert again == workflow
    assert again.digest == workflow.digest


@given(workflows())
def test_every_way_back_is_an_again_route(workflow: Workflow) -> None:
    """So bounding the action cycles bounds the episode."""
    position = {stage: number for number, stage in enumerate(workflow.stages)}
    assert all(position[edge.target] > position[edge.source] for edge in workflow.edges if edge.condition != "again")
    assert workflow.edges[-1].target == "commit"
    assert not [edge for edge in workflow.edges if edge.source == "commit"]


def test_layout_does_not_change_the_digest_and_content_does() -> None:
    text = Workflow().render()
    shuffled = "# a comment\n[knobs]\nwithhold=0.10\nseconds=20\n[routes]\njudge={stop='reflect',again='act'}\n"
    stages = text.splitlines()[0]
    assert parse_workflow(stages + "\n" + shuffled).digest == Workflow().digest
    assert Workflow().with_knobs(steps=7).digest != Workflow().digest


GOOD = 'stages = ["recall", "plan", "act", "observe", "judge", "reflect", "distill", "commit"]\n'


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
        (GOOD + "[routes.plan]\nagain = 'act'\nstop = 'act'", "routes.plan: only judge, observe"),
        (GOOD + "[routes]\njudge = 3", "routes.judge"),
        (GOOD + "[knobs]\nsteps = 0", "knobs.steps: 0 is not between"),
        (GOOD + "[knobs]\nsteps = 2.5", "knobs.steps: expected a whole number"),
        (GOOD + "[knobs]\nsteps = true", "knobs.steps: expected a whole number"),
        (GOOD + "[knobs]\nseconds = inf", "knobs.seconds"),
        (GOOD + "[knobs]\nseconds = nan", "knobs.seconds"),
        (GOOD + "[knobs]\nspeed = 1", "knobs.speed: unknown"),
        ("stages = [", "not valid TOML"),
    ],
)
def test_workflows_that_would_not_work_are_refused(text: str, message: str) -> None:
    with pytest.raises(WorkspaceError, match=message) as caught:
        parse_workflow(text, file="w.toml")
    assert str(caught.value).startswith("w.toml: ")
