"""Runs the same tasks under two arms in turns until a sequential test decides, and totals the pairs.

Whatever compares two arms runs here, so that every figure rests on the same rules: the same tasks and seeds for
both, in turns; one task per group; a fixed list of tasks, of which none may be left out; records that are believed
only for what they show.

The sequential test counts pairs, and in a pair a cheaper answer weighs as much as a solved task. So a variant
that gives up a fifth of the tasks and is cheaper on the rest would win, and soon, before many of its losses are
seen. Here the arms are compared as wholes. What the test accepts must not be worse by this order, and the test goes
on until it is shown, or every task was tried, that success does not suffer.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Generic, Protocol

from evolve.core.episodes import Cost, EpisodeRecord
from evolve.trials.gate.eprocess import SequentialTest, Tally, TestState
from evolve.trials.gate.integrity import trusted_records
from evolve.trials.gate.intervals import PairedRow
from evolve.trials.gate.jobs import EpisodeOverBudget, Job, RunJobs, T, T_co
from evolve.trials.gate.outcome import CHEAPER, Outcome, comparable_costs, is_verified, one_per_group, paired_outcome

SHOWN = 5.0
"""The e-value from which success is held to be kept: wrong at most once in five."""
MARGIN = 0.1
"""Share of tasks that a variant may give up, on balance, without being called worse: chance alone moves as much."""

_BETS = (1.0, 0.5, 0.25)
"""Shares of the wealth that are staked. Even all of it is never lost at once, since a loss takes 1 - MARGIN of it."""


@dataclass(frozen=True, kw_only=True)
class PairTotals:
    """Both arms over the pairs so far.

    Attributes:
        gained: Tasks that only the variant solved.
        lost: Tasks that only the parent solved.
        both: Tasks that both solved.
        neither: Tasks that neither solved.
        log_cost: Sum over these of the natural logarithm of variant cost divided by parent cost.
        log_time: The same of CPU seconds.
    """

    gained: int = 0
    lost: int = 0
    both: int = 0
    neither: int = 0
    log_cost: float = 0.0
    log_time: float = 0.0

    def with_pair(self, parent: EpisodeRecord, variant: EpisodeRecord) -> PairTotals:
        """The standing after one more pair that says something."""
        before, after = is_verified(parent), is_verified(variant)
        log_cost = log_time = 0.0
        if before and after:
            old, new = comparable_costs((parent.cost, variant.cost))
            log_cost = math.log(max(new, 1.0) / max(old, 1.0))
            log_time = math.log(max(variant.cost.seconds, 1e-3) / max(parent.cost.seconds, 1e-3))
        return PairTotals(
            gained=self.gained + (after and not before),
            lost=self.lost + (before and not after),
            both=self.both + (before and after),
            neither=self.neither + (not before and not after),
            log_cost=self.log_cost + log_cost,
            log_time=self.log_time + log_time,
        )

    @property
    def cost_ratio(self) -> float | None:
        """Geometric mean over tasks that both solved of the variant's cost divided by the parent's."""
        return math.exp(self.log_cost / self.both) if self.both else None

    @property
    def holds_success(self) -> bool:
        """Whether it is shown that the variant gives up less than :data:`MARGIN` of the tasks, on balance.

        A betting e-process as in :mod:`evolve.trials.gate.eprocess`, against the mean of +1 for a task gained, -1 for
        one lost and 0 for any other being -:data:`MARGIN` or less; three bets share the wealth.
        """
        same = self.both + self.neither
        wealth = 0.0
        for bet in _BETS:
            log = self.gained * math.log1p(bet * (1 + MARGIN)) + same * math.log1p(bet * MARGIN)
            wealth += math.exp(min(700.0, log + self.lost * math.log1p(-bet * (1 - MARGIN))))
        return wealth / len(_BETS) >= SHOWN

    @property
    def objection(self) -> str:
        """Why the variant is worse as a whole, in one sentence, or "".

        Success is worse if the variant solved fewer tasks and it is not shown that this is within the margin.
        Where the variant solves no more it must be cheaper, in the mean of the ratios, which no single expensive
        task decides. Time counts only between equals and with a margin of a fifth: it depends on the machine.
        """
        fewer = self.lost - self.gained
        if fewer > 0 and not self.holds_success:
            return f"it solves {fewer} of {self.gained + self.lost + self.both + self.neither} tasks fewer"
        if fewer < 0 or not self.both:
            return ""
        if self.log_cost:
            return f"it solves no more and costs {self.cost_ratio:.2f} times as much" if self.log_cost > 0 else ""
        slower = self.log_time / self.both > -math.log(CHEAPER)
        return "it solves no more, costs the same and takes longer" if slower else ""


@dataclass(frozen=True, kw_only=True)
class Pair:
    """One finished pair and what the test said after it; without a test, how many are left to run."""

    task: str
    group: str
    outcome: Outcome
    parent: EpisodeRecord
    variant: EpisodeRecord
    state: TestState
    standing: PairTotals

    @property
    def estimate_row(self) -> PairedRow | None:
        """The pair as estimates take it; None where it is void.

        A task on which the variant alone ended in a fault counts as not solved by it: an arm cannot better its
        figure by failing where it would lose.
        """
        if self.outcome == "void":
            return None
        before, after = comparable_costs((self.parent.cost, self.variant.cost))
        return PairedRow(
            task=self.task,
            group=self.group,
            parent_solved=is_verified(self.parent),
            variant_solved=is_verified(self.variant),
            parent_cost=before,
            variant_cost=after,
        )


@dataclass(frozen=True, kw_only=True)
class ArmComparison(Generic[T_co]):
    """Two arms that are to be compared, and on which tasks."""

    parent: str
    variant: str
    tasks: Sequence[T_co]


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """A finished comparison.

    Attributes:
        pairs: The pairs the verdict or the estimate rests on, in order.
        cost: Everything that was spent, pairs fetched ahead and then not needed included.
        planned: Groups that were to be tried.
        ended: Whether the budget ended it before the test or the tasks did.
    """

    state: TestState
    pairs: tuple[Pair, ...]
    cost: Cost
    planned: int = 0
    ended: bool = False


class PairTest(Protocol):
    """What decides from counts of paired outcomes."""

    def judge(self, tally: Tally, *, left: int | None = None) -> TestState:
        """What the counts say while so many pairs are left to run."""
        ...


@dataclass(kw_only=True)
class PairedRunner(Generic[T]):
    """Compares a variant with its parent on one task per group.

    Tasks come in an order fixed by ``seed``; the test looks after every pair in that
    order, so the verdict does not depend on ``batch``. Every task counts: one that was skipped, or whose
    record does not show what it claims, is a failure. What the test accepts must not be worse as a whole by
    success, then cost, then time.

    Attributes:
        run: Runs episodes; must answer in the order of its jobs.
        test: Looks after every pair and stops when it is decided. None where a figure is wanted and no verdict: then
            every task is tried, because stopping by what one sees would bend the figure.
        batch: Pairs that may run at once. A larger batch keeps more workers busy and
            wastes at most ``batch - 1`` pairs when the test stops.
        spent: What the episodes cost so far.
    """

    run: RunJobs[T]
    test: PairTest | None = field(default_factory=SequentialTest)
    batch: int = 1
    seed: int = 0
    spent: Cost = field(default_factory=Cost)

    def compare(
        self,
        tasks: Sequence[T],
        *,
        parent: str,
        variant: str,
        on_pair: Callable[[Pair], None] = lambda pair: None,
    ) -> Comparison:
        """Runs pairs until a verdict, until none can be reached any more, or until tasks or budget end.

        Args:
            on_pair: Hears of every pair.

        Raises:
            ValueError: parent and variant are the same, or ``batch`` is below 1.
        """
        contest = ArmComparison(parent=parent, variant=variant, tasks=tasks)
        (comparison,) = self.compare_each([contest], on_pair=lambda at, pair: on_pair(pair))
        return comparison

    def compare_each(
        self, contests: Sequence[ArmComparison[T]], *, on_pair: Callable[[int, Pair], None] = lambda at, pair: None
    ) -> list[Comparison]:
        """Several comparisons, a batch of each in turn, so that a budget that ends leaves all about as far.

        Args:
            on_pair: Hears of every pair, and of the place of its contest.

        Returns:
            One comparison per contest; their ``cost`` is what all of them cost together.

        Raises:
            ValueError: An arm is to be compared with itself, or ``batch`` is below 1.
        """
        finished: list[list[Pair]] = [[] for _ in contests]
        running = {
            at: self.run_pairs(contest.tasks, parent=contest.parent, variant=contest.variant)
            for at, contest in enumerate(contests)
        }
        ended = False
        try:
            while running:
                for at in list(running):
                    before = len(finished[at])
                    for pair in islice(running[at], max(1, self.batch)):
                        finished[at].append(pair)
                        on_pair(at, pair)
                    if len(finished[at]) == before:
                        del running[at]
        except EpisodeOverBudget:  # what was compared by then says what it says
            ended = True
        return [self._concluded(contest, pairs, ended) for contest, pairs in zip(contests, finished, strict=True)]

    def _concluded(self, contest: ArmComparison[T], pairs: Sequence[Pair], ended: bool) -> Comparison:
        planned = len({task.group for task in contest.tasks})
        nothing = TestState.with_tally(Tally(), left=planned) if self.test is None else self.test.judge(Tally())
        state = pairs[-1].state if pairs else nothing
        ended = ended and not state.stop
        return Comparison(state=state, pairs=tuple(pairs), cost=self.spent, planned=planned, ended=ended)

    def run_pairs(self, tasks: Sequence[T], *, parent: str, variant: str) -> Iterator[Pair]:
        """Yields pairs one at a time, the last one with the verdict.

        Raises:
            Unaffordable: The budget refused an episode.
            ValueError: parent and variant are the same, or ``batch`` is below 1.
        """
        if parent == variant:
            raise ValueError("a variant cannot be compared with itself")
        if self.batch < 1:
            raise ValueError("batch must be at least 1")
        order = shuffled_groups(tasks, self.seed)
        tally, standing = Tally(), PairTotals()
        for start in range(0, len(order), self.batch):
            chunk = order[start : start + self.batch]
            for offset, (task, before, after) in enumerate(self._run_chunk(chunk, start, parent, variant)):
                outcome = paired_outcome(before, after)
                tally = tally.with_outcome(outcome)
                if outcome not in ("void", "withheld"):
                    standing = standing.with_pair(before, after)
                state = test_state(self.test, tally, standing, left=len(order) - start - offset - 1)
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
        records = trusted_records(self.run(jobs), jobs)
        by_job = {(job.task.id, job.arm): record for job, record in zip(jobs, records, strict=True)}
        self.spent = sum((record.cost for record in records), self.spent)
        return [(task, by_job[task.id, "parent"], by_job[task.id, "variant"]) for task in chunk]


def test_state(test: PairTest | None, tally: Tally, standing: PairTotals, *, left: int) -> TestState:
    """What the test says, which accepts nothing that is worse as a whole; without a test the counts alone.

    Args:
        left: Pairs that could still be run.
    """
    if test is None:
        return TestState.with_tally(tally, left=left)
    state = test.judge(tally, left=left)
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


def shuffled_groups(tasks: Sequence[T], seed: int) -> list[T]:
    """One task per group in an order that depends on ``seed`` and the groups' names only.

    Without the shuffle a suite sorted by difficulty would be judged on its easy end.
    """

    def place(task: T) -> bytes:
        return hashlib.sha256(f"{seed}:{task.group}".encode()).digest()

    return sorted(one_per_group(tasks), key=place)
