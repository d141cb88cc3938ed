"""Paired comparisons inside a run: every one of them through the gate's runner, with the run's budget and record.

What is compared (a variant with its parent, a variant with itself without one item, learned with unlearned) is the
caller's; that both arms get the same tasks and seeds in turns, and that nothing is paid twice, is settled here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from evolve.episodes import EpisodeRecord
from evolve.gate import Job, PairedRunner, SequentialTest, Unaffordable
from evolve.improve.agents import ARMS_KEPT
from evolve.improve.jobs import Attempt, EpisodeJob
from evolve.improve.session import Session
from evolve.record.arms import Arm
from evolve.tasks import Task
from evolve.tasks.model import SplitName

PAIRS_AT_ONCE = 4


@dataclass(kw_only=True)
class PairedEpisodes:
    """Runs and commits the episodes of comparisons on a split where nothing is learned; the runner's ``run``.

    Attributes:
        arms: The arm behind a name, where it is not the variant of that digest.
        seed: Of every episode and of the order of the tasks; by default the run's.
        may_go_on: Asked before every few pairs; False ends the comparison as the budget would.
        keep: Told of the attempts in place of committing them; then they wait, set aside, until the caller commits.
    """

    session: Session
    split: str
    arms: Callable[[str], Arm] | None = None
    seed: int | None = None
    may_go_on: Callable[[], bool] = lambda: True
    keep: Callable[[Sequence[Attempt]], None] | None = None
    _announced: list[str] = field(default_factory=list)
    _arms: dict[str, Arm] = field(default_factory=dict)

    def __call__(self, jobs: Sequence[Job[Task]]) -> list[EpisodeRecord]:
        """The records in the jobs' order; an episode of this run that is on record already is not run again.

        Raises:
            Unaffordable: The budget refused one of them; what had run is kept.
        """
        if not self.may_go_on():
            raise Unaffordable
        for name in dict.fromkeys(job.variant for job in jobs):
            self._announce(name)
        return run_held_out(self.session, [self._episode(job) for job in jobs], keep=self.keep)

    def runner(self, test: SequentialTest | None = None, *, batch: int = PAIRS_AT_ONCE) -> PairedRunner[Task]:
        """The gate's runner over these episodes; without a test it makes an estimate over all tasks."""
        seed = self.session.plan.seed if self.seed is None else self.seed
        return PairedRunner(run=self, test=test, batch=batch, seed=seed)

    def _announce(self, name: str) -> None:
        if name in self._announced:
            return
        session = self.session
        arm = session.stores.arm(name, session.workflow) if self.arms is None else self.arms(name)
        session.workers.announce(name, arm)
        self._arms[name] = arm
        # Workers hold only so many arms, and the oldest goes.
        self._announced = [*self._announced, name][-ARMS_KEPT:]

    def _episode(self, job: Job[Task]) -> EpisodeJob:
        return EpisodeJob(
            task=job.task,
            arm=job.variant,
            variant=job.variant,
            split=self.split,
            seed=job.seed,
            # What the arm cannot spend need not be set aside, so more pairs are paid for out of a small rest.
            limits=self._arms[job.variant].limits(self.session.plan.limits, job.task.environment),
        )


def held_out_tasks(session: Session, split: SplitName) -> list[Task]:
    """The tasks of a sealed split that count, without groups that something was learned from in a person's own runs."""
    tasks = session.suite.evidence(split)
    known = session.stores.known_of(tasks)
    return [task for task in tasks if task.group not in known]


def run_held_out(
    session: Session, jobs: Sequence[EpisodeJob], *, keep: Callable[[Sequence[Attempt]], None] | None = None
) -> list[EpisodeRecord]:
    """Runs and commits episodes on which nothing is learned, all or none.

    Args:
        keep: As in :class:`PairedEpisodes`.

    Raises:
        Unaffordable: The budget refused one of them; what had run is kept.
    """
    attempts = session.attempt(jobs)
    if keep is not None:
        keep(attempts)
    else:
        with session.stores.db.transaction():
            for attempt in attempts:
                session.commit(attempt)
    if len(attempts) < len(jobs):
        raise Unaffordable
    return [attempt.record for attempt in attempts]
