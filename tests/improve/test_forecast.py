"""What a budget is said to buy depends on what episodes take, and not on how long it takes until they run."""

from __future__ import annotations

from dataclasses import replace

import pytest

from benchmarks.doubles import small_suite
from benchmarks.optimize_search import LIMITS, opened_session
from evolve.core.errors import BudgetExhausted
from evolve.core.ledger import Budget, Ledger, LedgerPart
from evolve.improve.optimization import forecast_search
from evolve.improve.optimizer.engine import Candidate
from evolve.improve.screening import SessionTrials
from evolve.improve.session import SEARCHING, LoopPlan, split_budget


class Clock:
    """Seconds that pass only when told."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


class SlowToStart:
    """Workers whose processes take their time until the first episode runs; each episode then takes a second."""

    def __init__(self, workers, clock, start: float) -> None:
        self._workers, self._clock, self._start = workers, clock, start
        self.at_once, self.announce = workers.at_once, workers.announce

    def run(self, jobs, told):
        self._clock.now += self._start + len(jobs)
        self._start = 0.0
        return self._workers.run(jobs, told)


def forecast(start: float, seconds: float):
    clock = Clock()
    plan = LoopPlan(rounds=1, seed=1, limits=LIMITS)
    with opened_session(small_suite(), Budget(candidates=10**9), plan) as session:
        workers = SlowToStart(session.workers, clock, start)
        timed = replace(session, workers=workers, ledger=Ledger(Budget(seconds=seconds), clock=clock))
        part = LedgerPart(timed.ledger, SEARCHING, name="searching", clock=clock)
        part.go_on()
        parts = replace(split_budget(timed), search=replace(timed, ledger=part))
        first = Candidate(workflow=timed.workflow, operator="start")
        return forecast_search(parts, SessionTrials(parts, first, "unlearned"), first)


@pytest.mark.slow
def test_what_starts_up_once_is_no_part_of_what_an_episode_takes() -> None:
    quick, slow = forecast(0.0, 4_000.0), forecast(300.0, 4_000.0)
    assert quick.episode_share == slow.episode_share == pytest.approx(1 / 4_000.0, rel=0.01)
    assert quick.tests == slow.tests >= 3


def test_a_budget_that_episodes_alone_would_use_up_is_still_refused() -> None:
    with pytest.raises(BudgetExhausted, match="too small to decide"):
        forecast(0.0, 40.0)
