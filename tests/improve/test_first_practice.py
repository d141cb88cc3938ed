"""A beginning that took much of a budget's time keeps no loop from practising."""

from __future__ import annotations

from benchmarks.doubles import small_suite
from evolve.core.episodes import Cost
from evolve.core.ledger import Budget, Ledger
from evolve.improve.schedule import may_practise
from evolve.improve.session import LoopPlan, Session


def test_the_first_episodes_are_begun_in_whatever_time_is_left(open_ws):
    now = [0.0]
    with open_ws() as workspace:
        run = workspace.stores.runs.begin("improve", "small", {}, started="now").id
        session = Session(
            stores=workspace.stores,
            learner=None,
            workers=None,
            sandbox=None,
            suite=small_suite(40),
            run=run,
            request={},
            plan=LoopPlan(),
            ledger=Ledger(Budget(seconds=100.0), clock=lambda: now[0]),
            events=None,
            workflow=workspace.workflow,
        )
        now[0] = 60.0
        assert may_practise(session, 1)
        session.pace.record_episodes([Cost()], 1.0, 1)
        assert not may_practise(session, 1)
        session.pace.episodes, now[0] = 0, 100.0
        assert not may_practise(session, 1)
