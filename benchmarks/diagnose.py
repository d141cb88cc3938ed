"""Does a diagnosis name what broke a run, where one thing was planted that did?

Runs fail through the real system for one planted reason, of eleven kinds; see :mod:`benchmarks.diagnose_cases`. Asked
is which place the planted item has among the suspects, by the record alone and after the run was had again without
them, and whether the step is right. Beside it: chance, which takes suspects in any order, and the last step, which
blames what was done last and, where that consumed items, one of these. Of faults of the surroundings it counts that
they are named as such and that nothing else is blamed.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any

from benchmarks.diagnose_cases import HELD_OUT, MAKERS, Planted
from benchmarks.figures import grouped_bootstrap
from benchmarks.record import Outcome, Target, against, common_options, progress, publish
from evolve.trials.diagnosis import Suspect
from evolve.trials.gate import ConfidenceInterval
from evolve.workspace import Diagnosis, Workspace

FAULTS = ("endpoint", "denied")
"""Kinds where the surroundings fail."""


def measured(kind: str, seed: int) -> Iterator[dict[str, Any]]:
    """A row for the run of one kind that a seed gives."""
    with tempfile.TemporaryDirectory() as folder:
        for ws, planted in MAKERS[kind](Path(folder), Random(f"{kind} {seed}")):
            read, tried = (ws.runs.diagnose(planted.run, replay=replay) for replay in (False, True))
            yield {
                "kind": kind,
                "held_out": kind in HELD_OUT,
                "seed": seed,
                **(_fault(read) if kind in FAULTS else _row(ws, planted, read, tried)),
            }


def _fault(read: Diagnosis) -> dict[str, Any]:
    return {"named": read.state == "fault" and not read.suspects}


def _row(ws: Workspace, planted: Planted, read: Diagnosis, tried: Diagnosis) -> dict[str, Any]:
    causes = [_is(one, planted) or one.id == planted.through for one in tried.causes]
    return {
        "step": planted.step,
        "steps": planted.steps,
        "said": read.step,
        "suspects": len(read.suspects),
        "rank": _rank(read.suspects, planted),
        "rank_tried": _rank(tried.suspects, planted),
        "last": _by_last_step(ws, planted),
        "cause": "none" if not causes else "right" if all(causes) else "wrong",
        "replays": tried.replays,
    }


def _is(one: Suspect, planted: Planted) -> bool:
    return one.kind == planted.kind and planted.id in one.id


def _rank(suspects: Sequence[Suspect], planted: Planted) -> int:
    """The place of what was planted, from 1; 0 where it is not among them."""
    return next((place for place, one in enumerate(suspects, 1) if _is(one, planted)), 0)


def _by_last_step(ws: Workspace, planted: Planted) -> float:
    """The chance that it is named by who blames the last step that did something, or one of what that consumed."""
    record = ws.runs.show(planted.run).episodes[0]
    last = next((step for step in reversed(record.steps) if step.action.code), None)
    if last is None:
        return 0.0
    if last.action.consumed:
        return float(planted.id in last.action.consumed) / len(last.action.consumed)
    return float(planted.kind == "action" and planted.id == f"step {last.number}")


def share(rows: Sequence[Mapping[str, Any]], hit: str, most: int = 1) -> ConfidenceInterval:
    """Share of the rows in which the planted item is among the first; of baselines, what is expected of them."""
    columns = [(_hit(row, hit, most), 1.0) for row in rows]
    names = [f"{row['kind']} {row['seed']}" for row in rows]
    return grouped_bootstrap(names, columns, lambda sums: sums[:, 0] / sums[:, 1])


def _hit(row: Mapping[str, Any], hit: str, most: int) -> float:
    if hit == "chance":
        return min(1.0, most / row["suspects"]) if row["suspects"] else 0.0
    if hit == "last":
        return float(row["last"])
    if hit == "step":
        return float(row["said"] == row["step"])
    if hit == "last is the step":
        return float(row["step"] == row["steps"])
    if hit == "cause":
        return float(row["cause"] == "right")
    return float(0 < row[hit] <= most)


def _gain(rows: Sequence[Mapping[str, Any]], better: str, worse: str) -> ConfidenceInterval:
    columns = [(_hit(row, better, 1) - _hit(row, worse, 1), 1.0) for row in rows]
    names = [f"{row['kind']} {row['seed']}" for row in rows]
    return grouped_bootstrap(names, columns, lambda sums: sums[:, 0] / sums[:, 1])


def targets_of(rows: Sequence[Mapping[str, Any]]) -> list[Target]:
    """Each figure against what it should be."""
    planted = [row for row in rows if row["kind"] not in FAULTS]
    kept = [row for row in planted if row["held_out"]]
    faults = [row for row in rows if row["kind"] in FAULTS]
    wrong = sum(row["cause"] == "wrong" for row in planted)
    named = sum(row["named"] for row in faults)
    return [
        against("named first by the record, held-out kinds", share(kept, "rank"), "low >=", 0.5),
        against("named first by the record - by the last step", _gain(planted, "rank", "last"), "low >", 0.0),
        against("named first by the record - by chance", _gain(planted, "rank", "chance"), "low >", 0.0),
        against("called a cause, and it is, held-out kinds", share(kept, "cause"), "low >=", 0.5),
        Target(name="causes that are none", op="==", target=0, value=wrong, n=len(planted)),
        Target(name="faults named as such", op="==", target=len(faults), value=named, n=len(faults)),
    ]


def table(rows: Sequence[Mapping[str, Any]]) -> Iterator[tuple[Any, ...]]:
    """A line for each kind, the head first."""
    yield (
        "planted", "runs", "first", "among 3", "first, tried", "a cause", "step",
        "chance first", "chance 3", "last step first", "last is the step",
    )  # fmt: skip
    groups = {kind: [row for row in rows if row["kind"] == kind] for kind in MAKERS if kind not in FAULTS}
    planted = [row for mine in groups.values() for row in mine]
    groups["all"] = planted
    groups["all held out"] = [row for row in planted if row["held_out"]]
    for name, mine in groups.items():
        if mine:
            asked = (
                ("rank", 1), ("rank", 3), ("rank_tried", 1), ("cause", 1), ("step", 1),
                ("chance", 1), ("chance", 3), ("last", 1), ("last is the step", 1),
            )  # fmt: skip
            figures = [sum(_hit(row, hit, most) for row in mine) / len(mine) for hit, most in asked]
            mark = " *" if name in HELD_OUT else ""
            yield (f"{name}{mark}", len(mine), *(f"{figure:.2f}" for figure in figures))
    for kind in FAULTS:
        mine = [row for row in rows if row["kind"] == kind]
        if mine:
            yield (kind, len(mine), f"{sum(row['named'] for row in mine)} named as faults", *[""] * 8)


def main(argv: Sequence[str] | None = None) -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.diagnose", description=(__doc__ or "").split("\n")[0])
    common_options(parser, seeds=20)
    options = parser.parse_args(argv)
    rows: list[dict[str, Any]] = []
    for kind in MAKERS:
        progress(kind)
        for seed in range(1 if options.quick else options.seeds):
            rows += measured(kind, seed)
    outcome = Outcome(
        benchmark="diagnose",
        seeds=options.seeds,
        quick=options.quick,
        rows=rows,
        targets=targets_of(rows),
        settings={"held_out": list(HELD_OUT)},
    )
    lines = [" | ".join(map(str, line)) for line in table(rows)]
    lines += [f"{one.name}: {one.value} {'met' if one.met else 'not met'}" for one in outcome.targets]
    publish(outcome, options, "\n".join(lines))


if __name__ == "__main__":
    main()
