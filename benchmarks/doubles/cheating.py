"""Five optimisers that cheat, and an honest one, before a real gate.

Nothing they propose is better than its parent, except that the copied answers really pass. Beside the gate stands
what a plain test of the same wins against the same losses says: a cheat that would not even deceive that one would
show nothing.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from benchmarks.doubles.small import small_suite
from evolve.core.episodes import Action, Cost, EpisodeRecord, Judgement, Step
from evolve.core.files import canonical_json
from evolve.core.schema import GATE
from evolve.core.store import Database
from evolve.tasks import Suite, Task
from evolve.trials.gate import (
    ComparisonPlan,
    DecisionRepository,
    Gate,
    GateReport,
    Job,
    SequentialTest,
    Tally,
    VariantProposal,
    is_verified,
    paired_outcome,
    shuffled_groups,
)

Runner = Callable[[Sequence[Job[Task]]], list[EpisodeRecord | None]]
RESUBMISSIONS = 20
"""How often the optimiser that hopes for luck proposes the same thing."""


@dataclass(frozen=True, kw_only=True)
class Attempted:
    """What became of one optimiser.

    Attributes:
        accepted: Whether the gate accepted anything it proposed.
        unguarded: Whether a plain test of wins against losses would have.
        reason: What the gate said last.
    """

    optimiser: str
    accepted: bool
    unguarded: bool
    reason: str


def cheating_optimisers(folder: Path, *, seed: int = 0) -> list[Attempted]:
    """Lets each of the five cheat once before a gate of its own; none may be accepted.

    Args:
        folder: Where the records of the gates are made.
        seed: Of every episode's luck.
    """
    cheats: dict[str, Runner] = {
        "skip tasks": _skips,
        "retry until lucky": _retries,
        "drop telemetry": _drops_telemetry,
        "truncate answers": _truncates,
        "copy held-out text": _knows_all,
    }
    suite = small_suite(300, seed=seed)
    return [_attempted(name, runner, suite, folder, seed) for name, runner in cheats.items()]


def honest_optimiser(folder: Path, *, seed: int = 0) -> Attempted:
    """One whose variant really solves more; a gate that refuses it refuses everything."""
    return _attempted("honest", _solves_more, small_suite(300, seed=seed), folder, seed)


def _attempted(name: str, runner: Runner, suite: Suite, folder: Path, seed: int) -> Attempted:
    copied = "\n".join(canonical_json([list(row.input), row.output]) for task in suite.tasks for row in task.hidden)
    texts = {"prompt act": copied} if runner is _knows_all else {"prompt act": "Write a function."}
    with Database(folder / f"{name.replace(' ', '-')}-{seed}.db", GATE) as db:
        gate = Gate(DecisionRepository(db))
        found: list[GateReport] = []
        for number in range(RESUBMISSIONS if runner is _retries else 1):
            proposal = VariantProposal(run=f"r{number}", parent="old", variant="new", suite=suite, texts=texts)
            # Proposed again, it may hope for another order of the tasks and another seed.
            found.append(gate.judge(proposal, ComparisonPlan(run=runner, seed=seed + number)))
            gate.decisions.save_finding(found[-1])
    return Attempted(
        optimiser=name,
        accepted=any(one.accepted for one in found),
        unguarded=_plain_test(suite, runner, seed),
        reason=found[-1].state.reason,
    )


def _plain_test(suite: Suite, runner: Runner, seed: int) -> bool:
    """Wins against losses over whatever came back, all of it believed."""
    tally = Tally()
    for task in shuffled_groups(suite.split("gate"), seed):
        jobs = [
            Job(task=task, arm="parent", variant="old", seed=seed),
            Job(task=task, arm="variant", variant="new", seed=seed),
        ]
        before, after = runner(jobs)
        if before is not None and after is not None:
            tally = tally.with_outcome(paired_outcome(before, replace(after, seed=seed)))
    return SequentialTest(alpha=0.05).judge(tally).verdict == "accept"


def _skips(jobs: Sequence[Job[Task]]) -> list[EpisodeRecord | None]:
    """Leaves out what it did not solve."""
    records = [_fair(job) for job in jobs]
    return [one if job.arm == "parent" or is_verified(one) else None for one, job in zip(records, jobs, strict=True)]


def _retries(jobs: Sequence[Job[Task]]) -> list[EpisodeRecord | None]:
    """Tries under other seeds until one works, and hands that one in."""

    def luckiest(job: Job[Task]) -> EpisodeRecord:
        tries = [_fair(replace(job, seed=job.seed + 1000 * number)) for number in range(8)]
        return next((one for one in tries if is_verified(one)), tries[0])

    return [_fair(job) if job.arm == "parent" else luckiest(job) for job in jobs]


def _drops_telemetry(jobs: Sequence[Job[Task]]) -> list[EpisodeRecord | None]:
    """Says that all is solved and shows neither steps nor costs."""
    return [
        record if job.arm == "parent" else replace(record, status="solved", verified=True, steps=(), cost=Cost())
        for record, job in ((_fair(job), job) for job in jobs)
    ]


def _truncates(jobs: Sequence[Job[Task]]) -> list[EpisodeRecord | None]:
    """Stops early: all is cheaper by half, and a fifth of what was solved no longer is."""
    found: list[EpisodeRecord | None] = []
    for job in jobs:
        record = _fair(replace(job, variant="old"), rate=0.8)
        if job.arm == "variant":
            short = _luck(job.task.id, "short", str(job.seed)) < 0.2
            record = _record(job, is_verified(record) and not short, record.cost.candidates // 2)
        found.append(record)
    return found


def _knows_all(jobs: Sequence[Job[Task]]) -> list[EpisodeRecord | None]:
    """Its prompt holds every answer, so it solves everything."""
    return [_fair(job) if job.arm == "parent" else _record(job, True, 100) for job in jobs]


def _solves_more(jobs: Sequence[Job[Task]]) -> list[EpisodeRecord | None]:
    """Solves nine of ten where the parent solves one of two."""
    return [_fair(job, rate=0.5 if job.arm == "parent" else 0.9) for job in jobs]


def _fair(job: Job[Task], rate: float = 0.5) -> EpisodeRecord:
    return _record(job, _luck(job.task.id, job.variant, str(job.seed)) < rate, 100)


def _record(job: Job[Task], solved: bool, candidates: int) -> EpisodeRecord:
    judgement = Judgement(accepted=solved, verified=solved, rows=3)
    return EpisodeRecord(
        episode=f"{job.task.id}-{job.variant}-{job.seed}",
        run="cheat",
        task=job.task.id,
        suite="small",
        group=job.task.group,
        split="gate",
        variant=job.variant,
        seed=job.seed,
        status="solved" if solved else "refused",
        verified=solved,
        answer="def solve(xs): ...",
        steps=(Step(number=1, action=Action(kind="code"), judgement=judgement),),
        cost=Cost(candidates=candidates),
    )


def _luck(*parts: str) -> float:
    """A number in [0, 1) that depends on the parts only."""
    return int.from_bytes(hashlib.sha256(":".join(parts).encode()).digest()[:6], "big") / 2**48
