"""A suite that can draw tasks: what a loop accepts is confirmed on problems that nobody has seen."""

from __future__ import annotations

from dataclasses import replace

import pytest

from benchmarks.doubles import small_suite
from evolve.trials.gate.error_budget import DRAWN


@pytest.mark.slow
def test_a_loop_confirms_on_drawn_problems_and_keeps_nothing_else_of_them(open_ws, monkeypatch) -> None:
    suite = replace(small_suite(120), draw=lambda count, seed: small_suite(count, seed=seed).tasks)
    monkeypatch.setattr("evolve.workspace.loops.improving.load_suite", lambda name: suite)
    with open_ws() as ws:
        report = ws.improve("drawing", rounds=1)
        (decision,) = ws.stores.decisions.list_verdicts()
        assert report.rounds[0].promoted and decision.confirmation.source == DRAWN
        assert "confirmed on" in report.rounds[0].reason
        known = {task.group for task in suite.tasks}
        drawn = [one for one in ws.stores.runs.episodes() if one.group not in known]
        assert {one.split for one in drawn} == {"gate"} and len({one.variant for one in drawn}) == 2
        assert len(drawn) >= 2 * decision.confirmation.tally.pairs > 0
        assert {task.group for task in ws.stores.decisions.regression_tasks()} <= known
        assert not {one.group for one in drawn} & ws.stores.learned_groups()
