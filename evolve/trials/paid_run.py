"""Episodes of one run that somebody pays for: reserved in the budget before they run, settled after, and kept once.

What a finished episode cost is never paid twice: it is set aside as soon as it is over and read back by whoever goes
on, until its batch is committed.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from evolve.agent import Journal, episode_id
from evolve.agent.workflow import Workflow
from evolve.core.episodes import Cost, EpisodeRecord, Limits
from evolve.core.episodes.codec import from_data, to_json
from evolve.core.events import Event, EventSink
from evolve.core.failpoints import hit_failpoint
from evolve.core.files import canonical_json, digest
from evolve.core.ledger import Ledger
from evolve.core.progress import report_activity
from evolve.tasks import Suite, Task
from evolve.trials.jobs import Attempt, EpisodeJob, Workers
from evolve.trials.learner import Learner
from evolve.trials.pace import EpisodePace
from evolve.trials.repositories import Repositories

_PAUSE_S = 0.2
"""Seconds between looks at whether a pause is over."""
NO_TIME = "what is left of the time budget covers no further episode"


@dataclass(frozen=True, kw_only=True)
class TrialPlan:
    """What every episode of a run has in common.

    Attributes:
        limits: What one episode may spend.
    """

    seed: int = 0
    limits: Limits = field(default_factory=Limits)


@dataclass(frozen=True, kw_only=True)
class BudgetedRun:
    """A run that has episodes and a budget for them.

    Attributes:
        request: What was asked for, as the list of runs shows it.
        events: All that happens, for a person who watches and for the log of the run.
        pace: What episodes took so far.
        paused: Whether a person wants it to wait; asked between episodes.
    """

    stores: Repositories
    learner: Learner
    workers: Workers
    suite: Suite
    run: str
    request: Mapping[str, Any]
    plan: TrialPlan
    ledger: Ledger
    events: EventSink
    workflow: Workflow
    pace: EpisodePace = field(default_factory=EpisodePace)
    paused: Callable[[], bool] = lambda: False

    @property
    def step_log(self) -> Journal:
        """The finished steps of this run."""
        return self.stores.runs.journal(self.run)

    def commit(self, attempt: Attempt, *, task: Task | None = None) -> None:
        """Commits the episode of an attempt; joins the caller's transaction.

        Args:
            task: The task, where memory is to learn from the episode.
        """
        instruction, source = ("", "") if task is None else (task.instruction, task.source)
        with self.stores.db.transaction():
            self.stores.commit(attempt.record, instruction=instruction, source=source)
            self.stores.runs.drop_pending(attempt.record)

    def commit_all(self, attempts: Sequence[Attempt]) -> None:
        """Commits episodes from which nothing is learned, in one transaction."""
        with self.stores.db.transaction():
            for attempt in attempts:
                self.commit(attempt)

    def emit_event(self, kind: str, **data: Any) -> None:
        """Tells the listeners what happened."""
        self.events.emit(Event(kind=kind, data=data))

    def run_jobs(self, jobs: Sequence[EpisodeJob]) -> list[Attempt]:
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
        self.emit_event("paused", text="paused: evolve status --resume goes on, evolve status --stop ends it")
        began = time.monotonic()
        while self.paused():
            time.sleep(_PAUSE_S)
        self.ledger.exclude_wait(time.monotonic() - began)
        self.emit_event("resumed", text="resumed")

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

        with report_activity("tasks", total=len(paid), count=lambda: len(over)):
            fresh = self.workers.run(paid, told)
        costs = [attempt.record.cost for attempt in fresh]
        self.pace.record_episodes(costs, self.ledger.run_seconds - began, self.workers.at_once)
        self._settle(paid, fresh)
        if cut and not self.ledger.exhausted_bound:
            self.ledger.end(next(iter(cut.values())))
        ordered = iter(fresh)
        attempts = [known[place] if place in known else next(ordered) for place in range(count)]
        return [attempt for attempt in attempts if attempt.record.episode not in cut], count

    def _recorded(self, job: EpisodeJob) -> Attempt | None:
        name = episode_id(self.run, job.task, job.variant, job.seed)
        if not self.stores.runs.has_episode(name):
            waiting = self.stores.runs.pending(self.run, name)
            return None if waiting is None else from_data(Attempt, waiting)
        return Attempt(record=self.stores.runs.episode(name))

    def _keep_attempt(self, cut: dict[str, str], attempt: Attempt) -> None:
        """Keeps an attempt; one that the budget cut off is added to ``cut`` with what ended it."""
        with self.stores.db.transaction():
            reason = _why_cut_off(attempt)
            if reason:
                cut[attempt.record.episode] = reason
                self._keep_cost(attempt.record)
            elif attempt.record.status != "fault":  # it may go better next time
                self.stores.runs.add_pending(attempt.record, to_json(attempt))
            self._note_time()
        hit_failpoint("attempt.kept")

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
            share = self.ledger.share_of_remaining(among)
            if not all(part is None or part for part in (share.money, share.calls, share.seconds)):
                return None
            job = replace(job, limits=replace(job.limits, money=share.money, calls=share.calls, seconds=share.seconds))
        # One that cannot end in time is not begun.
        if not self.ledger.reserve(replace(_worst_cost(job), seconds=self.pace.latest)):
            return None
        # The last ones wait for their turn until it is too late for them to end in time.
        ends = self.deadline
        return replace(job, ends=None if ends is None else ends - self.pace.latest)

    def _settle(self, jobs: Sequence[EpisodeJob], attempts: Sequence[Attempt]) -> None:
        for job, attempt in zip(jobs, attempts, strict=True):
            self.ledger.settle(_worst_cost(job), attempt.record.cost)
        self._note_time()

    def _note_time(self) -> None:
        self.stores.runs.replace_body(self.run, {**self.request, "seconds": round(self.ledger.run_seconds, 2)})

    @property
    def deadline(self) -> float | None:
        """When the run's time is over, by ``time.monotonic``; None without a bound.

        Work that is given out now may wait for its turn, so it is told the end and not how much is left.
        """
        left = self.ledger.remaining.seconds
        return None if left is None else time.monotonic() + left


def _asks_model(job: EpisodeJob) -> bool:
    return job.limits.tokens is not None


def _why_cut_off(attempt: Attempt) -> str:
    """What ended an episode, where that was the budget of the run and not the limits of a single one; else ""."""
    record, limits = attempt.record, attempt.limits
    if record.status == "interrupted":
        return NO_TIME
    if record.status != "budget" or limits is None or not record.steps:
        return ""
    refused = record.steps[-1].action.ended
    if refused is not None:
        # A call that the limits of the episode would have allowed was refused by the budget of the run.
        own = limits.tokens is None or record.cost.tokens + refused.tokens <= limits.tokens
        return record.note if own else ""
    return NO_TIME if attempt.shortened and record.cost.candidates < (limits.candidates or 0) else ""


def _worst_cost(job: EpisodeJob) -> Cost:
    limits = job.limits
    return Cost(
        candidates=limits.candidates or 0,
        tokens=limits.tokens or 0,
        money=limits.money or 0.0,
        calls=limits.calls or 0,
    )
