"""The wall clock is for people: when it jumps, order, deadlines and budgets stay as they are."""

from __future__ import annotations

import itertools
import time

import pytest

import evolve
from benchmarks.doubles import small_suite
from evolve.core.ledger import Budget, Ledger
from evolve.core.paths import WorkspacePaths
from evolve.core.schema import MIGRATIONS
from evolve.core.store import Database
from evolve.runtime.sandbox import open_sandbox
from evolve.runtime.sandbox.protocol import Program, SandboxLimits
from evolve.testing import FixedLearner, TrustingSandbox
from evolve.workspace.opening import cache_folder

DAY = 86_400.0
CLOCKS = {
    "a day forward each time": lambda start: itertools.count(start, DAY),
    "a day back each time": lambda start: itertools.count(start, -DAY),
    "frozen": lambda start: itertools.repeat(start),
    "before 1970": lambda start: itertools.count(-DAY, -1.0),
}


@pytest.fixture
def set_clock(monkeypatch):
    def set_to(name):
        times = CLOCKS[name](time.time())
        monkeypatch.setattr("time.time", lambda: next(times))

    return set_to


EVERY_CLOCK = pytest.mark.parametrize("clock", CLOCKS)
BACK_AND_OTHERS = pytest.mark.parametrize(
    "clock", [pytest.param(name, marks=() if "back" in name else pytest.mark.slow) for name in CLOCKS]
)


def filled(folder):
    with evolve.open(folder, policy=FixedLearner(distils=True)) as workspace:
        workspace._sandbox = TrustingSandbox()
        for number in range(3):
            workspace.memory.note(f"note {number}", author="somebody")
        for task in small_suite(3).tasks:
            workspace.run(task)
        said = [note.text for note in workspace.memory.notes()]
        runs = [run.id for run in workspace.stores.runs.list_runs()]
        claims = [claim.id for claim in workspace.memory.list()]
        found = [(one.id, one.score) for one in workspace.memory.recall("give the last", 5)]
    with Database(WorkspacePaths(folder).db, MIGRATIONS, read_only=True) as db:
        evidence = [row["id"] for row in db.rows("memory_evidence", order="seq")]
    return said, runs, claims, found, evidence


@BACK_AND_OTHERS
def test_order_and_recall_do_not_depend_on_the_clock(tmp_path, set_clock, clock):
    wanted = filled(tmp_path / "steady")
    assert wanted[0] == ["note 0", "note 1", "note 2"] and len(wanted[1]) == 3
    set_clock(clock)
    assert filled(tmp_path / "other") == wanted


@EVERY_CLOCK
def test_a_budget_of_time_does_not_depend_on_the_clock(set_clock, clock):
    set_clock(clock)
    ledger = Ledger(Budget(seconds=30.0))
    for _ in range(3):
        time.time()
        assert ledger.exhausted_bound == "" and 0.0 <= ledger.spent.seconds < 30.0


@BACK_AND_OTHERS
def test_deadlines_of_the_sandbox_do_not_depend_on_the_clock(set_clock, clock):
    set_clock(clock)
    sandbox = open_sandbox("auto", cache_dir=cache_folder())
    started = time.monotonic()
    try:
        endless = Program(source="def solve(x):\n    while True:\n        pass\n", entry="solve")
        quick = Program(source="def solve(x):\n    return x\n", entry="solve")
        limits = SandboxLimits(wall_s=0.3)
        assert sandbox.run_programs([endless], [[1]], limits).programs[0].timed_out
        assert sandbox.run_programs([quick], [[1]], limits).programs[0].outputs[0].value == 1
    finally:
        sandbox.close()
    assert time.monotonic() - started < 30
