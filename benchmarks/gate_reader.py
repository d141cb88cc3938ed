"""Whole loops of a proposer that reads what it is told, through the real gate and the seam where engines sit.

Three tellings: the one bit that engines get; the outcome of every single task besides, on a suite where nothing
confirms what is accepted; and the same where a third of the groups is kept back. Beside them stands what the gate makes
of a variant that is as much better as what is learned in the demo.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.doubles.reading import DemoTrials, GateTrials, Reader, gate_suite, routed
from evolve.core.schema import GATE
from evolve.core.store import Database
from evolve.trials.gate import DecisionRepository, Gate, divide_groups

SIZES = (32, 120)
"""Gate tasks of a suite."""
PROPOSALS = 50
BIT, OUTCOMES, CONFIRMED = "one bit", "every outcome", "every outcome, confirmed on others"


def reader_loop(told: str, size: int, loop: int) -> dict[str, Any]:
    """One loop that ends with the first acceptance, which is false: nothing is better than anything else."""
    suite = gate_suite(size, seed=loop, confirmed=told != OUTCOMES)
    with tempfile.TemporaryDirectory() as folder, Database(Path(folder) / "memory.db", GATE) as db:
        gate = Gate(DecisionRepository(db))
        trials = GateTrials(gate=gate, suite=suite, seed=loop, tallies=told != BIT)
        reader = Reader(tasks=[task.id for task in suite.tasks], proposals=PROPOSALS, seed=loop)
        reader.search(trials, trials.incumbent)
        found = trials.findings
        return {
            "measure": "reader",
            "told": told,
            "tasks": size,
            "loop": loop,
            "proposals": len(found),
            "false": sum(one.accepted for one in found),
            "unconfirmed": sum(
                finding.confirmation is not None and not finding.accepted for finding in trials.findings
            ),
            "pairs": sum(len(one.pairs) for one in found),
        }


def demo_gain(size: int, before: int, run: int) -> dict[str, Any]:
    """What the gate makes of the demo's gain after so many other proposals on the same tasks."""
    suite = gate_suite(size, seed=run)
    with tempfile.TemporaryDirectory() as folder, Database(Path(folder) / "memory.db", GATE) as db:
        gate = Gate(DecisionRepository(db))
        groups = divide_groups({task.group for task in suite.tasks}, begun=None, served={}).judged
        for number in range(before):
            names = {"run": "before", "parent": "old", "variant": f"v{number}", "suite": suite.digest}
            gate.decisions.open({}, **names, groups=groups)
        trials = DemoTrials(gate=gate, suite=suite, seed=run)
        told = trials.judge(routed({"gain": run}), trials.incumbent)
        (finding,) = trials.findings
        return {
            "measure": "gain",
            "tasks": size,
            "before": before,
            "run": run,
            "accepted": told.accepted,
            "level": finding.state.alpha,
            "pairs": len(finding.pairs),
        }


def reader_rows(loops: int, control: int, runs: int) -> Iterator[dict[str, Any]]:
    """All rows.

    Args:
        loops: Of the proposer that is told one bit, per size.
        control: Of each that is told more.
        runs: Of the demo's gain, per size and place.
    """
    for size in SIZES:
        for told, count in ((BIT, loops), (OUTCOMES, control), (CONFIRMED, control)):
            # A small suite keeps nothing back.
            if told != CONFIRMED or size > min(SIZES):
                yield from (reader_loop(told, size, loop) for loop in range(count))
        for before in (0, 9):
            yield from (demo_gain(size, before, run) for run in range(runs))
