"""Stages between an action and its judgement, with the embedded policy."""

from __future__ import annotations

from dataclasses import replace

import pytest

from evolve.agent.workflow import Workflow
from evolve.core.episodes import StageNote
from evolve.policies.search import SearchPolicy
from tests.agent.deliberating import FIRM, LOOSE, SPLIT, notes, search_agent, with_stages


def run(task, workflow, *, split="own", **around):
    return search_agent(workflow, **around).run_episode(task, variant="v", split=split)


@pytest.mark.slow
def test_parts_are_found_where_the_whole_is_not() -> None:
    plain = run(SPLIT, with_stages(candidates=5_000))
    apart = run(SPLIT, with_stages(before=["decompose"], candidates=5_000, share=0.5))
    assert plain.status == "budget"
    assert apart.solved
    assert "put together from parts" in apart.steps[0].action.text
    assert apart.cost.candidates <= 5_300


@pytest.mark.slow
@pytest.mark.parametrize("candidates", [1, 2, 30])
def test_no_stage_spends_more_than_the_episode_may(candidates: int) -> None:
    for stages in ([], ["search"], ["best_of_n", "search"], ["search", "vote", "critique"]):
        workflow = with_stages(*stages, before=["decompose"], candidates=candidates, share=0.6, steps=3)
        for task in (SPLIT, LOOSE, FIRM):
            assert run(task, workflow).cost.candidates <= candidates + 25  # what is computed before it is counted


def test_nothing_is_looked_up_for_a_search() -> None:
    def recall(view, features, k):
        raise AssertionError("it was asked for")

    record = run(FIRM, with_stages(), recall=recall)
    assert record.solved and record.recalled == () and record.consumed == ()


class Misled(SearchPolicy):
    """A policy whose learned prices keep it from what the task needs."""

    def plan(self, view, recalled):
        plan = super().plan(view, recalled)
        plan.private["prices"].update(dict.fromkeys((one.name for one in self.vocabulary.operations), 40))
        return plan


@pytest.mark.slow
def test_another_search_finds_what_wrong_prices_hide() -> None:
    misled = Misled(settings=replace(SearchPolicy().settings, flat=True))
    plain = run(FIRM, with_stages(candidates=2_000), policy=misled, split="train")
    again = run(FIRM, with_stages("search", candidates=8_000, share=0.5), policy=misled, split="train")
    assert not plain.steps[-1].action.code
    assert again.solved
    assert len({step.action.code for step in again.steps}) == len(again.steps)
    assert notes(again, "search")[0].text.startswith("a program with all operations priced alike")


def test_the_best_of_several_has_a_value_on_most_inputs_near_the_examples() -> None:
    plain, best = run(LOOSE, with_stages()), run(LOOSE, with_stages("best_of_n", rivals=6))
    (note,) = notes(best, "best_of_n")
    kept = {one.code for one in best.steps[0].action.rivals}
    assert len(kept) >= 2
    assert not note.text.startswith("number 1 ")
    assert plain.steps[0].action.code in kept
    given: dict[str, object] = {}
    exec(best.steps[0].action.code, given)
    assert given["solve"]([]) is not None  # the plain answer has no value there


@pytest.mark.slow
def test_a_vote_tells_examples_that_leave_much_open_from_those_that_do_not() -> None:
    loose = run(LOOSE, with_stages("vote", rivals=6, quorum=0.9))
    firm = run(FIRM, with_stages("vote", rivals=2, quorum=0.6))
    assert notes(loose, "vote")[0].doubtful
    assert not notes(firm, "vote")[0].doubtful
    assert firm.solved


@pytest.mark.parametrize("place", ["before the trial", "after the trial"])
def test_a_critique_names_an_input_on_which_a_rival_differs(place: str) -> None:
    stages = {"stages": ["critique"]} if place == "before the trial" else {"after": ["critique"]}
    record = run(LOOSE, with_stages(*stages.get("stages", ()), after=stages.get("after", ())), split="gate")
    (note,) = notes(record, "critique")
    assert note.doubtful
    assert "a rival gives" in note.text


def test_a_doubt_leads_back_and_the_next_action_is_the_rival() -> None:
    routes = {"critique": {"doubtful": "act", "agree": "observe"}}
    record = run(LOOSE, with_stages("critique", routes=routes, steps=3), split="train")
    first, second = record.steps[:2]
    assert first.observation is None and first.judgement is None
    assert second.action.spare
    assert second.action.code in {one.code for one in first.action.rivals}
    assert first.action.code != second.action.code
    assert all(step.judgement is None for step in record.steps[:-1] if notes_of(step) and step.observation is None)


def notes_of(step):
    return step.action.notes


def test_a_doubted_answer_is_handed_in_where_nothing_better_is_found() -> None:
    """A doubt is no refutation."""
    routes = {"critique": {"doubtful": "act", "agree": "judge"}}
    workflow = with_stages(after=["critique"], routes=routes, steps=12, candidates=3_000, rivals=1)
    record = run(LOOSE, workflow)
    assert any(step.judgement is not None for step in record.steps)
    assert len(record.steps) <= 12


def test_a_stage_that_serves_another_policy_says_so_and_does_nothing() -> None:
    plain, idle = run(FIRM, with_stages()), run(FIRM, with_stages("revise"))
    assert notes(idle, "revise") == [StageNote(stage="revise", text="revise does nothing for the policy search")]
    assert idle.answer == plain.answer
    assert idle.cost.candidates == plain.cost.candidates


def test_the_default_workflow_does_what_it_did() -> None:
    """Figures of the default search; another order of its programs would change them."""
    default = search_agent(Workflow()).run_episode(FIRM, variant="v", split="train")
    assert (default.cost.candidates, len(default.steps), default.status) == (47, 1, "solved")
    (made,) = [step.action for step in default.steps[:1]]
    assert set(made.private) == {"tree", "price", "candidates"} and made.allowed is not None
    assert not (made.rivals or made.notes or made.drawn)


def test_rivals_are_paid_for_within_the_limits() -> None:
    record = run(LOOSE, with_stages("best_of_n", "vote", "critique", candidates=1_500, rivals=8))
    assert record.cost.candidates <= 1_600
