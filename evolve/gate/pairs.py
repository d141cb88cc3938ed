"""Runs paired episodes, arms interleaved, until the sequential test decides."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Generic

from evolve.episodes import Cost, EpisodeRecord
from evolve.gate.eprocess import SequentialTest, Tally, TestState
from evolve.gate.jobs import Job, RunJobs, T
from evolve.gate.order import Standing
from evolve.gate.outcome import Outcome, one_per_group, paired_outcome
from evolve.gate.telemetry import believed


@dataclass(frozen=True, kw_only=True)
class Pair:
    """One finished pair and what the test said after it."""

    task: str
    group: str
    outcome: Outcome
    parent: EpisodeRecord
    variant: EpisodeRecord
    state: TestState
    standing: Standing


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """A finished comparison.

    Attributes:
        pairs: The pairs the verdict rests on, in order.
        cost: Everything that was spent, pairs fetched ahead and then not needed included.
    """

    state: TestState
    pairs: tuple[Pair, ...]
    cost: Cost


@dataclass(kw_only=True)
class PairedRunner(Generic[T]):
    """Compares a variant with its parent on one task per group.

    Tasks come in an order fixed by ``seed``; the test looks after every pair in that
    order, so the verdict does not depend on ``batch``. Every task counts: one that was skipped, or whose
    record does not show what it claims, is a failure. What the test accepts must not be worse as a whole by
    success, then cost, then time.

    Attributes:
        run: Runs episodes; must answer in the order of its jobs.
        batch: Pairs that may run at once. A larger batch keeps more workers busy and
            wastes at most ``batch - 1`` pairs when the test stops.
        spent: What the episodes cost so far.
    """

    run: RunJobs[T]
    test: SequentialTest = field(default_factory=SequentialTest)
    batch: int = 1
    seed: int = 0
    spent: Cost = field(default_factory=Cost)

    def compare(self, tasks: Sequence[T], *, parent: str, variant: str) -> Comparison:
        """Runs pairs until a verdict, until none can be reached any more, or until the tasks end.

        Raises:
            ValueError: parent and variant are the same, or ``batch`` is below 1.
        """
        pairs = tuple(self.pairs(tasks, parent=parent, variant=variant))
        state = pairs[-1].state if pairs else self.test.judge(Tally())
        return Comparison(state=state, pairs=pairs, cost=self.spent)

    def pairs(self, tasks: Sequence[T], *, parent: str, variant: str) -> Iterator[Pair]:
        """Yields pairs one at a time, the last one with the verdict.

        Raises:
            ValueError: parent and variant are the same, or ``batch`` is below 1.
        """
        if parent == variant:
            raise ValueError("a variant cannot be compared with itself")
        if self.batch < 1:
            raise ValueError("batch must be at least 1")
        order = shuffled_groups(tasks, self.seed)
        tally, standing = Tally(), Standing()
        for start in range(0, len(order), self.batch):
            chunk = order[start : start + self.batch]
            for offset, (task, before, after) in enumerate(self._run_chunk(chunk, start, parent, variant)):
                outcome = paired_outcome(before, after)
                tally = tally.plus(outcome)
                if outcome not in ("void", "withheld"):
                    standing = standing.plus(before, after)
                state = self._judged(tally, standing, len(order) - start - offset - 1)
                yield Pair(
                    task=task.id,
                    group=task.group,
                    outcome=outcome,
                    parent=before,
                    variant=after,
                    state=state,
                    standing=standing,
                )
                if state.stop:
                    return

    def _judged(self, tally: Tally, standing: Standing, left: int) -> TestState:
        state = self.test.judge(tally, left=left)
        if state.verdict != "accept":
            return state
        objection = standing.objection
        if not objection and (standing.holds_success or not left):
            return state
        # Waiting for more pairs costs the test nothing of its level.
        reason = f"{state.reason}; " + (f"but {objection}" if objection else "whether it solves as many is open")
        if left:
            return replace(state, verdict="undecided", reason=reason, further=None, stop=False)
        return replace(state, verdict="reject", reason=reason, stop=True)

    def _run_chunk(
        self, chunk: Sequence[T], start: int, parent: str, variant: str
    ) -> list[tuple[T, EpisodeRecord, EpisodeRecord]]:
        jobs: list[Job[T]] = []
        for offset, task in enumerate(chunk):
            two = (
                Job(task=task, arm="parent", variant=parent, seed=self.seed),
                Job(task=task, arm="variant", variant=variant, seed=self.seed),
            )
            # The arm that goes first alternates, so drift of the machine favours neither.
            jobs.extend(two if (start + offset) % 2 == 0 else two[::-1])
        records = believed(self.run(jobs), jobs)
        by_job = {(job.task.id, job.arm): record for job, record in zip(jobs, records, strict=True)}
        self.spent = sum((record.cost for record in records), self.spent)
        return [(task, by_job[task.id, "parent"], by_job[task.id, "variant"]) for task in chunk]


def shuffled_groups(tasks: Sequence[T], seed: int) -> list[T]:
    """One task per group in an order that depends on ``seed`` and the groups' names only.

    Without the shuffle a suite sorted by difficulty would be judged on its easy end.
    """

    def place(task: T) -> bytes:
        return hashlib.sha256(f"{seed}:{task.group}".encode()).digest()

    return sorted(one_per_group(tasks), key=place)
