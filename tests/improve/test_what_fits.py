"""A loop within a small budget: what is paid for is kept or judged, and the bound holds for all of it."""

from __future__ import annotations

import time
from dataclasses import dataclass

import pytest

from benchmarks.doubles import slow_learner, small_suite
from evolve.core.episodes import Cost
from evolve.core.errors import BudgetExhausted
from evolve.core.ledger import Budget
from evolve.testing import FixedLearner
from evolve.trials.pace import EpisodePace
from evolve.workspace.learners import SearchLearner, _FitClock


@dataclass(frozen=True)
class Dreaming(FixedLearner):
    """Fits that try so many candidates for each task, and can be hurried."""

    dreams: int = 100

    def until(self, ends):
        return self

    def fit_candidates(self, views):
        return self.dreams * len(views)


def dreaming(dreams: int) -> Dreaming:
    given = slow_learner()
    return Dreaming(**{name: getattr(given, name) for name in given.__dataclass_fields__}, dreams=dreams)


@pytest.mark.parametrize("bound", [500, 2_000, 9_973, pytest.param(40_000, marks=pytest.mark.slow)])
def test_a_loop_keeps_to_its_bound_with_its_guides(open_ws, suite_file, bound):
    with open_ws(learner=dreaming(20)) as workspace:
        report = workspace.improve(suite_file, rounds=2, budget=Budget(candidates=bound))
        episodes = [one for one in workspace.stores.runs.episodes() if one.split == "train"]
        booked = sum((one.cost for one in workspace.stores.runs.episodes()), Cost()).candidates
    assert booked <= report.spent.candidates <= bound
    assert episodes and report.rounds[0].episodes == len({one.task for one in episodes if one.seed % 1000 == 1})


def test_a_guide_that_costs_more_than_is_left_is_not_begun_and_practice_goes_on(open_ws, suite_file):
    with open_ws(learner=dreaming(10**6)) as workspace:
        report = workspace.improve(suite_file, rounds=1, budget="40k-candidates")
        assert workspace.stores.variants.active_digest == "unlearned"
    (row,) = report.rounds
    assert row.episodes == row.planned and (row.verdict, row.pairs) == ("", 0) and row.reason


def test_a_later_budget_goes_on_with_the_room_of_the_first_and_counts_what_guides_took(open_ws, suite_file):
    with open_ws(learner=dreaming(20)) as workspace:
        first = workspace.improve(suite_file, rounds=1, budget="2k-candidates")
        run = workspace.stores.runs.run(first.run)
        second = workspace.improve(suite_file, rounds=1, budget="60k-candidates")
        assert workspace.stores.runs.run(second.run).body.get("each") == run.body["each"] == 500
    assert second.run == first.run and second.spent.candidates >= first.spent.candidates


def test_less_than_a_task_takes_is_refused_before_anything_is_spent(open_ws, suite_file):
    with open_ws(learner=dreaming(1)) as workspace:
        with pytest.raises(BudgetExhausted):
            workspace.improve(suite_file, rounds=1, budget="400-candidates")
        assert workspace.stores.runs.episodes() == []


def test_the_pace_foretells_from_what_episodes_took():
    pace = EpisodePace()
    assert pace.expected_spending(10, fits=1).seconds == 0
    pace.record_episodes([Cost(candidates=30), Cost(candidates=10)], 4.0, at_once=2)
    pace.fitting = 7.0
    ahead = pace.expected_spending(6, fits=1)
    assert (ahead.candidates, ahead.seconds, pace.latest) == (120, 19.0, 4.0)


def test_a_fit_that_is_seen_to_take_too_long_ends_at_once_and_a_slow_one_in_time_goes_on():
    now = time.monotonic()
    slow = _FitClock(ends=now + 60.0, began=now - 30.0)
    with pytest.raises(BudgetExhausted):
        slow(0.1)
    _FitClock(ends=now + 60.0, began=now - 30.0)(0.5)
    _FitClock(ends=None, began=now - 1e6)(0.01)


def test_the_search_says_what_its_fit_may_try():
    views = [task.view() for task in small_suite(3).tasks]
    assert SearchLearner().fit_candidates(views) == 1_500 * len(views)
