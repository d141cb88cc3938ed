"""The gate's self-test passes with the gate as it is, and fails with one that accepts too easily."""

from __future__ import annotations

import pytest

from evolve.gate import ErrorBudget
from evolve.testing import TrustingSandbox
from evolve.workspace.selftest import null_loops


@pytest.mark.slow
def test_loops_that_change_nothing_show_whether_the_gate_keeps_its_promise() -> None:
    said: list[str] = []
    kept = null_loops(6, TrustingSandbox(), told=said.append)
    assert kept.kept and kept.accepted == 0
    assert kept.decisive > 10
    assert said[-1] == "6 of 6 loops, 0 with a false accept"
    broken = null_loops(6, TrustingSandbox(), told=said.append, budget=ErrorBudget(alpha=5.0))
    assert not broken.kept, broken
