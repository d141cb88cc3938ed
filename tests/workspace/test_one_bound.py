"""A budget is one bound for all that a call, or a command, does: search, doubts, judging and learning."""

from __future__ import annotations

import time

import pytest

import evolve
from evolve.core.episodes import Limits, Row
from evolve.core.errors import BudgetExhausted
from evolve.core.ledger import Budget, Ledger, process_seconds
from evolve.tasks import Task
from evolve.testing import TrustingSandbox
from evolve.workspace.learners import SearchLearner

NAMES = ("Ada Lovelace", "Alan Turing", "Grace Hopper", "Edsger Dijkstra", "Barbara Liskov", "Tony Hoare", "Jo Backus")
SHORT = [Row(input=(name,), output=f"{name[0]}. {name.split()[1].upper()}") for name in NAMES]
NOISE = [Row(input=(n,), output=out) for n, out in enumerate((731, 15, 9981, 2, 77123, 403, 12, 5), 1)]


def task(rows: list[Row]) -> Task:
    name = f"own-{rows[0].input[0]}"
    return Task(id=name, family="own", instruction="", examples=tuple(rows[:4]), verify=tuple(rows[4:]))


@pytest.fixture
def opened(tmp_path):
    with evolve.open(tmp_path / "ws") as workspace:
        workspace._sandbox = TrustingSandbox()
        yield workspace


class Clock:
    """Seconds that pass only when told."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.mark.parametrize("bound", [700, 1_500, 7_919, 20_000, 60_000])
@pytest.mark.parametrize("rows", [SHORT, NOISE])
def test_search_doubts_judging_and_learning_keep_to_one_bound(opened, bound, rows):
    ledger = Ledger(Budget(candidates=bound))
    result = opened.run(task(rows), budget=ledger)
    # A search that ends finishes what it is putting together.
    assert result.cost.candidates + result.shadow.candidates <= 1.15 * bound
    assert ledger.spent.candidates == result.cost.candidates + result.shadow.candidates


def test_without_room_for_other_functions_nothing_is_called_verified(opened):
    small = opened.run(task(SHORT), budget="3k-candidates")
    assert small.solved and not small.verified and small.reason
    assert opened.run(task(SHORT[::-1])).verified


def test_what_is_judged_is_settled_before_the_run_and_not_by_what_it_left(opened):
    bounded = opened.run(task(SHORT), budget="5M-candidates")
    assert opened.stores.decisions.own_pair(bounded.episode_id) is None and bounded.skills


def test_calls_with_one_ledger_share_its_bound_and_begin_nothing_beyond_it(opened):
    ledger = Ledger(Budget(candidates=3_000))
    first = opened.run(task(NOISE), budget=ledger)
    with pytest.raises(BudgetExhausted):
        opened.run(task(SHORT), budget=ledger)
    assert first.status == "budget" and first.budget_ended and len(opened.runs.list()) == 1


def test_time_that_is_over_before_a_run_begins_nothing(opened):
    clock = Clock()
    ledger = Ledger(Budget(seconds=5), clock=clock)
    clock.now = 5.0
    with pytest.raises(BudgetExhausted):
        opened.run(task(SHORT), budget=ledger)
    assert opened.runs.list() == []


def test_what_there_is_no_time_to_learn_from_is_learned_from_later(opened):
    clock = Clock()
    ledger = Ledger(Budget(seconds=50), clock=clock)
    with opened.delivering():
        result = opened.run(task(SHORT), budget=ledger)
    clock.now = 50.0
    assert opened.learn(budget=ledger) == ()
    (taught,) = opened.learn()
    assert taught.episode == result.episode_id and taught.skills


def test_a_search_ends_with_the_time_of_the_command_whatever_the_processor_did():
    policy = SearchLearner().until(time.monotonic()).policy(None, (), attended=True)
    view = task(NOISE).view()
    action = policy.act(view, policy.plan(view, ()), (), Limits(candidates=10_000_000, seconds=600.0))
    assert action.kind == "finish" and action.ended is not None


def test_a_process_is_older_than_the_work_it_did():
    assert process_seconds() >= time.process_time() - 0.1
