"""Work units: the same wherever and however often a search runs, and more of them where more was done."""

from __future__ import annotations

from dataclasses import replace

import pytest

from evolve.core.episodes import Cost, Judgement, Limits, Plan, Step, TaskView
from evolve.policies.search import SearchPolicy
from evolve.policies.search.meter import PLANNING, SETUP, SearchMeter
from evolve.policies.search.problem import problem_of
from evolve.policies.search.searcher import Searcher
from tests.policies.samples import TEXTS, unsolvable, view_of

LIMITS = Limits(candidates=2_000, seconds=None)
VIEW = view_of(lambda x: x.split()[0].upper(), *TEXTS[:4])


def spent(view: TaskView = VIEW, prices: dict[str, int] | None = None) -> Cost:
    return SearchPolicy().act(view, Plan(goal="", private={"prices": prices or {}}), (), LIMITS).cost


def searched(view: TaskView, candidates: int) -> SearchMeter:
    meter = SearchMeter(limit=candidates)
    for _ in Searcher(problem_of(view), SearchPolicy().vocabulary, {}, meter).programs():
        pass
    return meter


def test_the_same_search_does_the_same_work_each_time() -> None:
    assert spent().work == spent().work > SETUP


@pytest.mark.slow
def test_work_grows_with_candidates_and_with_rows() -> None:
    view = unsolvable()
    few, many = (searched(view, candidates) for candidates in (500, 2_000))
    assert few.work < many.work
    half = replace(view, examples=view.examples[:3])
    assert searched(half, 500).work < few.work


@pytest.mark.slow
def test_planning_by_what_was_learned_is_charged_once_and_to_it_alone() -> None:
    static = {operation.name: operation.cost for operation in SearchPolicy().vocabulary.operations}
    unplanned, planned = spent(), spent(prices=static)
    assert planned.candidates == unplanned.candidates  # the same prices find the same
    assert planned.work == unplanned.work + PLANNING


def test_an_answer_after_a_refusal_is_charged_what_came_since() -> None:
    policy, plan = SearchPolicy(), Plan(goal="", private={"prices": {}})
    view = replace(VIEW, examples=VIEW.examples[:1])
    first = policy.act(view, plan, (), LIMITS)
    step = Step(number=1, action=first, judgement=Judgement(accepted=False, verified=False, rows=3))
    second = policy.act(view, plan, (step,), LIMITS)
    again = SearchPolicy().act(view, plan, (step,), LIMITS)  # rebuilt, as after a crash
    assert second.cost.work == again.cost.work
    assert second.cost.work < SETUP + first.cost.work + 100 * max(1, second.cost.candidates)
