"""The gate's self-test passes with the gate as it is, and says so when loops accepted too often or showed nothing."""

from __future__ import annotations

import pytest

from benchmarks.gate_selftest import NullReport, null_loops
from evolve.testing import TrustingSandbox
from evolve.trials.gate import clopper_pearson


@pytest.mark.slow
def test_loops_that_change_nothing_show_whether_the_gate_keeps_its_promise() -> None:
    said: list[str] = []
    kept = null_loops(6, TrustingSandbox(), told=said.append)
    assert kept.kept and kept.accepted == 0
    assert kept.decisive > 5
    assert said[-1] == "6 of 6 loops, 0 with a false accept"


@pytest.mark.parametrize(("accepted", "decisive"), [(3, 60.0), (6, 60.0), (0, 0.0)])
def test_too_many_false_accepts_or_loops_that_could_show_nothing_are_no_promise_kept(accepted, decisive) -> None:
    rate = clopper_pearson(accepted, 6)
    report = NullReport(loops=6, proposals=10, groups=64, accepted=accepted, rate=rate, decisive=decisive)
    assert not report.kept
    assert NullReport(loops=6, proposals=10, groups=64, accepted=0, rate=clopper_pearson(0, 6), decisive=60.0).kept


@pytest.mark.parametrize(("loops", "accepted", "shown"), [(71, 0, 0), (72, 0, 1), (80, 1, 0), (200, 1, 1)])
def test_the_promise_is_called_shown_only_where_the_upper_bound_says_so(loops, accepted, shown) -> None:
    rate = clopper_pearson(accepted, loops)
    report = NullReport(loops=loops, proposals=10, groups=64, accepted=accepted, rate=rate, decisive=40.0)
    assert report.kept and report.shown == shown
