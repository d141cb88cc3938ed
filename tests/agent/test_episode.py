"""What an episode does from recall to commit."""

from __future__ import annotations

import copy
import math
from dataclasses import dataclass, replace
from importlib import import_module
from types import SimpleNamespace

import pytest

from evolve.agent.graph import as_node
from evolve.agent.state import AgentUpdate
from evolve.agent.workflow import Workflow
from evolve.core.episodes import Action, Cost, Limits, Recalled
from evolve.core.errors import ModelMistake
from evolve.testing import FixedPolicy, TrustingSandbox
from tests.agent.conftest import make_task


def test_a_solved_task_is_committed_with_its_claim(make_agent, collector, task):
    record = make_agent().run_episode(task, variant="unlearned", split="train")
    assert (record.status, record.verified) == ("solved", True)
    assert "sum(xs)" in record.answer
    assert record.claims[0].cause == "program:total"
    assert collector.records == [record]


def test_stages_run_in_the_order_of_the_workflow(make_agent, collector, task):
    make_agent().run_episode(task, variant="unlearned", split="train")
    assert [event.kind for event in collector.events] == list(Workflow().stages)


def test_a_refused_answer_is_tried_again_in_practice_and_own_runs_but_not_where_it_measures(make_agent):
    # "first" fits the visible rows of these tasks, but only "total" fits the hidden ones.
    task = replace(make_task(), examples=(replace(make_task().examples[1]),))
    for split, submissions, status in [("train", 3, "solved"), ("gate", 1, "refused"), ("own", 2, "solved")]:
        record = make_agent().run_episode(task, variant="unlearned", split=split)
        judged = [step for step in record.steps if step.judgement is not None]
        assert (len(judged), record.status) == (submissions, status)


def test_fewer_than_three_unseen_rows_leave_the_answer_unverified(make_agent):
    record = make_agent().run_episode(make_task(hidden=2), variant="unlearned", split="own")
    assert (record.status, record.verified) == ("solved", False)
    assert "1 more row could verify it" in record.note
    assert record.claims == () and record.drafts == ()


@pytest.mark.parametrize("split", ["gate", "test"])
def test_nothing_is_learned_from_held_out_tasks(make_agent, task, split):
    record = make_agent().run_episode(task, variant="unlearned", split=split)
    assert record.solved
    assert record.claims == () and record.drafts == ()


def test_a_sandbox_fault_ends_the_episode_and_is_no_evidence(make_agent, task):
    agent = make_agent(sandbox=TrustingSandbox(fault="no space in the jail"))
    record = agent.run_episode(task, variant="unlearned", split="train")
    assert record.status == "fault"
    assert "no space in the jail" in record.note
    assert record.claims == ()


def test_limits_bound_the_search(make_agent, task):
    record = make_agent().run_episode(task, variant="unlearned", split="own", limits=Limits(candidates=20))
    assert record.status == "budget"
    assert record.cost.candidates == 20


def test_no_answer_is_unsolved_with_the_reason(make_agent):
    record = make_agent().run_episode(make_task("product", math.prod), variant="unlearned", split="own")
    assert (record.status, record.answer) == ("unsolved", "")
    assert record.note == "no program is left"


def test_recalled_insights_change_the_cost_and_are_logged_as_consumed(make_agent, task):
    item = Recalled(id="i1", kind="insight", text="totals", score=1.0, cause="program:total")
    plain = make_agent().run_episode(task, variant="unlearned", split="own")
    helped = make_agent(recall=lambda view, features, k: (item,)).run_episode(task, variant="v", split="gate")
    assert helped.cost.candidates < plain.cost.candidates
    assert helped.recalled == ("i1",) and helped.consumed == ("i1",)


@pytest.mark.slow
def test_a_share_of_recalled_items_is_withheld_on_train_only(make_agent, task):
    items = tuple(Recalled(id=f"i{n}", kind="insight", text="", score=1.0) for n in range(8))
    agent = make_agent(recall=lambda view, features, k: items, workflow=Workflow().with_knobs(withhold=0.5))
    seeds = range(12)
    counts = [len(agent.run_episode(task, variant="v", split="train", seed=seed).recalled) for seed in seeds]
    assert 0 < sum(counts) < 8 * len(seeds)
    assert all(len(agent.run_episode(task, variant="v", split="gate", seed=s).recalled) == 8 for s in seeds)


def test_the_same_attempt_gives_the_same_record(make_agent, task):
    assert make_agent().run_episode(task, variant="v", split="own", seed=3) == make_agent().run_episode(
        task, variant="v", split="own", seed=3
    )


@dataclass(frozen=True)
class Clumsy(FixedPolicy):
    """Makes a mistake in its first action."""

    def act(self, view, plan, steps, limits):
        if not steps:
            raise ModelMistake("the answer was cut off")
        return super().act(view, plan, steps, limits)


def test_a_mistake_of_the_policy_is_shown_back_to_it(make_agent, task):
    record = make_agent(policy=Clumsy()).run_episode(task, variant="v", split="own")
    assert record.steps[0].observation.error == "the answer was cut off"
    assert record.solved


@dataclass(frozen=True)
class Looping(FixedPolicy):
    """Always gives an answer that fails the examples."""

    def act(self, view, plan, steps, limits):
        return Action(kind="code", code="def solve(xs):\n    return None\n", cost=Cost(candidates=1))


def test_an_answer_that_never_fits_ends_after_the_steps_of_the_workflow(make_agent, task):
    record = make_agent(policy=Looping(), workflow=Workflow().with_knobs(steps=4)).run_episode(
        task, variant="v", split="train"
    )
    assert (record.status, len(record.steps)) == ("unsolved", 4)
    assert all(step.judgement is None for step in record.steps)


def test_stages_neither_change_their_state_nor_return_unknown_keys(make_agent, task, monkeypatch):
    def guarded(module):
        original = getattr(module, module.__name__.rpartition(".")[2])

        def stage(state, context):
            before = copy.deepcopy(state)
            update = original(state, context)
            assert state == before, f"{module.__name__} changed its state in place"
            assert set(update) <= set(AgentUpdate.__annotations__)
            return update

        return stage

    for name in Workflow().stages:
        module = import_module(f"evolve.agent.stages.{name}")
        monkeypatch.setattr(module, name, guarded(module))
    assert make_agent().run_episode(task, variant="v", split="train").solved


def test_an_unknown_key_of_a_stage_is_an_error_and_not_dropped():
    node = as_node("plan", lambda state, context: {"plna": "x"})

    class Running:
        context = SimpleNamespace(check=lambda: None, idle={})

    with pytest.raises(KeyError, match="plna"):
        node({}, Running())


def test_huge_numbers_and_odd_text_survive_checkpoints(make_agent, tmp_path):
    def function(xs):
        return sum(xs) * 10**30

    odd = replace(make_task("big", function), instruction="\ud800 odd")
    policy = FixedPolicy(programs={"big": "def solve(xs):\n    return sum(xs) * 10**30\n"})
    record = make_agent(policy=policy, checkpoints=tmp_path).run_episode(odd, variant="v", split="own")
    assert record.solved
    assert record.steps[0].observation.outputs[0] == 3 * 10**30
