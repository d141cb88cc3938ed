"""One run of a loop and its spending: every episode is reserved in the budget before it runs and settled after."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

from evolve.activity import doing
from evolve.agent import episode_id
from evolve.episodes import Cost, EpisodeRecord, Limits
from evolve.events import Event, EventSink, NoEvents
from evolve.failpoints import hit
from evolve.files import canonical_json, digest
from evolve.improve.jobs import Attempt, EpisodeJob, Workers
from evolve.improve.pace import Pace
from evolve.improve.uncommitted import SetAside
from evolve.ledger import Budget, Ledger, Spent
from evolve.record.journal import Journal
from evolve.record.learner import Learner
from evolve.record.stores import Stores
from evolve.sandbox import Sandbox
from evolve.tasks import Suite, Task
from evolve.workflow import Workflow

BATCH = 16
"""Episodes of practice that run on the same learned state; fixed, so that results do not depend on the machine."""


PASSES = 5
"""Most passes over tasks on which nothing can be proved, where nobody says how many."""

_PAUSE_S = 0.2
"""Seconds between looks at whether a pause is over."""

_NO_TIME = "what is left of the time budget covers no further episode"


@dataclass(frozen=True, kw_only=True)
class LoopPlan:
    """What was asked for.

    Attributes:
        limits: What one episode may spend.
        unjudged: Why nothing is judged, in one clause, so that the rounds are passes of practice alone; else "".
        passes: Passes of practice at most, where nothing is judged.
    """

    rounds: int = 2
    seed: int = 0
    limits: Limits = field(default_factory=Limits)
    unjudged: str = ""
    passes: int = PASSES


@dataclass(frozen=True, kw_only=True)
class Session:
    """One run of the loop.

    Attributes:
        request: What was asked for, as the list of runs shows it.
        sandbox: Opens the parent's own sandbox, for the few checks it makes itself.
        events: All that happens, for a person who watches and for the log of the run.
        watching: The person's part of it; what the gate's tasks say goes there alone.
        before: What was spent under earlier budgets, each of which had ended the run.
        part: How many budgets it has had, this one included.
        pace: What episodes took so far.
        paused: Whether a person wants it to wait; asked between episodes.
    """

    stores: Stores
    learner: Learner
    workers: Workers
    sandbox: Callable[[], Sandbox]
    suite: Suite
    run: str
    request: Mapping[str, Any]
    plan: LoopPlan
    ledger: Ledger
    events: EventSink
    workflow: Workflow
    watching: EventSink = field(default_factory=NoEvents)
    before: Spent = field(default_factory=Spent)
    part: int = 1
    pace: Pace = field(default_factory=Pace)
    paused: Callable[[], bool] = lambda: False

    @property
    def journal(self) -> Journal:
        """The finished steps of this run."""
        return Journal(self.stores.db, self.run)

    @property
    def aside(self) -> SetAside:
        """Attempts of this run that are over and not committed yet."""
        return SetAside(self.stores.db, self.run)

    def commit(self, attempt: Attempt, *, task: Task | None = None) -> None:
        """Commits the episode of an attempt; joins the caller's transaction.

        Args:
            task: The task, where memory is to learn from the episode.
        """
        instruction, source = ("", "") if task is None else (task.instruction, task.source)
        with self.stores.db.transaction():
            self.stores.commit(attempt.record, instruction=instruction, source=source)
            self.aside.drop([attempt])

    def judging_nothing(self, why: str, *, passes: int) -> Session:
        """The session that only practises from here on; the run keeps to that when it is taken up again."""
        request = {**self.request, "unjudged": why, "passes": passes}
        self.stores.runs.note(self.run, request)
        return replace(self, request=request, plan=replace(self.plan, unjudged=why, rounds=passes))

    def tell(self, kind: str, **data: Any) -> None:
        """Tells the listeners what happened."""
        self.events.emit(Event(kind=kind, data=data))

    def show(self, kind: str, **data: Any) -> None:
        """Tells a person who watches, and leaves nothing in the log of the run that a proposer could read."""
        self.watching.emit(Event(kind=kind, data=data))

    def attempt(self, jobs: Sequence[EpisodeJob]) -> list[Attempt]:
        """Runs jobs in order until the budget refuses one; what was committed before is not run again.

        An episode that the budget ended did not fail at its task: what it cost is kept, and it counts as interrupted.

        Returns:
            Attempts of the jobs that came to their own end, in order; fewer than jobs when the budget ended.
        """
        results: list[Attempt] = []
        begun = 0
        while begun < len(jobs):
            self._wait_while_paused()
            attempts, count = self._attempt_some(jobs[begun:])
            if not count:
                break
            results += attempts
            begun += count
        return results

    def _wait_while_paused(self) -> None:
        """Waits for as long as a person wants that. A budget of time does not run meanwhile."""
        if not self.paused():
            return
        self.tell("paused", text="paused: evolve status --resume goes on, evolve status --stop ends it")
        began = time.monotonic()
        while self.paused():
            time.sleep(_PAUSE_S)
        self.ledger.waited(time.monotonic() - began)
        self.tell("resumed", text="resumed")

    def _attempt_some(self, jobs: Sequence[EpisodeJob]) -> tuple[list[Attempt], int]:
        """Runs as many of the first jobs as can be reserved at once; what they did not need is free again after.

        Returns:
            Their attempts without those that were cut off, and how many jobs that was.
        """
        known: dict[int, Attempt] = {}
        paid: list[EpisodeJob] = []
        for place, job in enumerate(jobs):
            attempt = self._recorded(job)
            if attempt is not None:
                known[place] = attempt
                continue
            # What model calls cost is known only afterwards: no more jobs than run at once take a share of what is
            # left, and the next ones share what these did not use.
            if _asks_model(job) and len(paid) == self.workers.at_once:
                break
            affordable = self._reserved(job, min(self.workers.at_once, len(jobs) - place) - len(paid))
            if affordable is None:
                break
            paid.append(affordable)
        count = len(known) + len(paid)
        cut: dict[str, str] = {}
        began = self.ledger.run_seconds
        over: list[Attempt] = []

        def told(attempt: Attempt) -> None:
            over.append(attempt)
            self._keep_attempt(cut, attempt)

        with doing("tasks", total=len(paid), count=lambda: len(over)):
            fresh = self.workers.run(paid, told)
        costs = [attempt.record.cost for attempt in fresh]
        self.pace.note(costs, self.ledger.run_seconds - began, self.workers.at_once)
        self._settle(paid, fresh)
        if cut and not self.ledger.exhausted:
            self.ledger.end(next(iter(cut.values())))
        ordered = iter(fresh)
        attempts = [known[place] if place in known else next(ordered) for place in range(count)]
        return [attempt for attempt in attempts if attempt.record.episode not in cut], count

    def _recorded(self, job: EpisodeJob) -> Attempt | None:
        name = episode_id(self.run, job.task, job.variant, job.seed)
        if not self.stores.runs.has(name):
            return self.aside.find(name)
        return Attempt(record=self.stores.runs.episode(name))

    def _keep_attempt(self, cut: dict[str, str], attempt: Attempt) -> None:
        """Keeps an attempt; one that the budget cut off is added to ``cut`` with what ended it."""
        with self.stores.db.transaction():
            reason = _why_cut_off(attempt)
            if reason:
                cut[attempt.record.episode] = reason
                self._keep_cost(attempt.record)
            else:
                self.aside.keep(attempt)
            self._note_time()
        hit("attempt.kept")

    def _keep_cost(self, record: EpisodeRecord) -> None:
        """Keeps an episode that was cut off under an id of its own: with more to spend the job is begun anew."""
        if record.cost.calls or record.cost.candidates:
            spent = self.ledger.spent
            name = digest(canonical_json([record.episode, spent.calls, spent.candidates]))[: len(record.episode)]
            cut = replace(record, episode=name, status="interrupted", claims=(), drafts=(), consumed=())
            self.stores.commit(cut, instruction="")

    def _reserved(self, job: EpisodeJob, among: int) -> EpisodeJob | None:
        if _asks_model(job):
            # What a call costs is known only afterwards, so an episode sets its whole share of what is left aside.
            share = self.ledger.share(among)
            if not all(part is None or part for part in (share.money, share.calls, share.seconds)):
                return None
            job = replace(job, limits=replace(job.limits, money=share.money, calls=share.calls, seconds=share.seconds))
        # One that cannot end in time is not begun.
        if not self.ledger.reserve(replace(_worst_cost(job), seconds=self.pace.latest)):
            return None
        # The last ones wait for their turn until it is too late for them to end in time.
        ends = self.ends
        return replace(job, ends=None if ends is None else ends - self.pace.latest)

    def _settle(self, jobs: Sequence[EpisodeJob], attempts: Sequence[Attempt]) -> None:
        for job, attempt in zip(jobs, attempts, strict=True):
            self.ledger.settle(_worst_cost(job), attempt.record.cost)
        self._note_time()

    def _note_time(self) -> None:
        self.stores.runs.note(self.run, {**self.request, "seconds": round(self.ledger.run_seconds, 2)})

    @property
    def ends(self) -> float | None:
        """When the run's time is over, by ``time.monotonic``; None without a bound.

        Work that is given out now may wait for its turn, so it is told the end and not how much is left.
        """
        left = self.ledger.left.seconds
        return None if left is None else time.monotonic() + left

    def end_reason(self) -> str:
        """Which bound of the budget leaves no room for another episode, or ""."""
        if self.ledger.exhausted:
            return self.ledger.exhausted
        seconds = self.ledger.left.seconds
        if seconds is not None and seconds < self.pace.latest:
            return _NO_TIME
        for kind in ("candidates", "tokens"):
            left, wanted = getattr(self.ledger.left, kind), getattr(self.plan.limits, kind)
            if left is not None and wanted is not None and left < wanted:
                bound = getattr(self.ledger.budget, kind)
                return f"what is left of the budget of {bound:,} {kind} covers no further episode"
        return ""

    def share_spent(self) -> float:
        """How much of this budget is gone, in [0, 1], by the kind that is furthest; 0 without a budget."""
        spent = self.ledger.spent
        # A later budget is counted from where the one before it ended.
        kinds = {item.name: getattr(spent, item.name) - getattr(self.before, item.name) for item in fields(Budget)}
        return min(1.0, self.share_of(kinds))

    def share_of(self, amounts: Mapping[str, float]) -> float:
        """What amounts by kind are of this budget, by the kind that it bounds most tightly; 0 without a budget."""
        shares = []
        for item in fields(Budget):
            bound, before = getattr(self.ledger.budget, item.name), getattr(self.before, item.name)
            if bound:
                shares.append(amounts[item.name] / max(bound - before, 1e-9))
        return max(shares, default=0.0)

    def may_practise(self, number: int) -> bool:
        """Whether practice of round ``number`` is still within its part of the budget.

        A round's practice weighs three parts, its judgement two, the final test two. Tests of insights may take half
        a part of the judgement's.
        """
        return self._has_room(number, 3)

    def may_intervene(self, number: int) -> bool:
        """Whether tests of insights in round ``number`` are still within their part of the budget."""
        return self._has_room(number, 3.5)

    def _has_room(self, number: int, parts: float) -> bool:
        """Whether a round has spent less than so many parts since it began, whatever the gate took before it.

        What judgements left is not practised with: how much that is tells of the gate's tasks. The first round that is
        worked on under a budget has the parts of the earlier ones too. Where nothing is judged there are no parts.
        """
        if self.ledger.budget.unlimited or self.plan.unjudged:
            return not self.ledger.exhausted
        names = [f"round:{earlier}:{self.part}" for earlier in range(1, number + 1)]
        if self.journal.done(names[-1]) is None:
            is_first = all(self.journal.done(name) is None for name in names)
            begun = 0.0 if is_first else self.share_spent()
            self.journal.finish(names[-1], {"begun": begun, "more": 5 * (number - 1) if is_first else 0})
        kept = self.journal.done(names[-1]) or {}
        room = (kept["more"] + parts) / (5 * self.plan.rounds + 2)
        return not self.ledger.exhausted and self.share_spent() < kept["begun"] + room

    def may_judge(self, number: int) -> bool:
        """Whether judging the variant of round ``number`` is still within its part of the budget."""
        return not self.ledger.exhausted and self.share_spent() < 5 * number / (5 * self.plan.rounds + 2)


def _asks_model(job: EpisodeJob) -> bool:
    return job.limits.tokens is not None


def _why_cut_off(attempt: Attempt) -> str:
    """What ended an episode, where that was the budget of the run and not the limits of a single one; else ""."""
    record, limits = attempt.record, attempt.limits
    if record.status == "interrupted":
        return _NO_TIME
    if record.status != "budget" or limits is None or not record.steps:
        return ""
    refused = record.steps[-1].action.ended
    if refused is not None:
        # A call that the limits of the episode would have allowed was refused by the budget of the run.
        own = limits.tokens is None or record.cost.tokens + refused.tokens <= limits.tokens
        return record.note if own else ""
    return _NO_TIME if attempt.shortened and record.cost.candidates < (limits.candidates or 0) else ""


def _worst_cost(job: EpisodeJob) -> Cost:
    limits = job.limits
    return Cost(
        candidates=limits.candidates or 0,
        tokens=limits.tokens or 0,
        money=limits.money or 0.0,
        calls=limits.calls or 0,
    )
