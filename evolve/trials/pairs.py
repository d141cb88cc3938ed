"""Pairs of episodes inside a run: each within the run's budget and on its record, so nothing is paid twice.

What is compared (a variant with its parent, an arm with itself without one item, learned with unlearned) is the
caller's. Pairs go through the gate's runner: both arms get the same tasks and seeds in turns.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from evolve.core.episodes import EpisodeRecord, Limits
from evolve.tasks import Task
from evolve.tasks.model import SplitName
from evolve.trials.bench import ARMS_KEPT
from evolve.trials.gate import Comparison, EpisodeOverBudget, Job, PairedRunner, SequentialTest
from evolve.trials.jobs import Attempt, EpisodeJob
from evolve.trials.learned_state import LearnedState
from evolve.trials.paid_run import BudgetedRun

if TYPE_CHECKING:
    pass

from evolve.trials.comparisons import Change

PAIRS_AT_ONCE = 4


def run_pairs(
    episodes: PairedEpisodes, tasks: Sequence[Task], whole: LearnedState, change: Change, *, names: tuple[str, str]
) -> Comparison:
    """The same tasks with everything and with a change, in turns; the pairs' variant is what has everything.

    Args:
        episodes: Runs them; its arms are replaced by these two.
        names: Of both arms, by which their episodes are found again.

    Raises:
        ValueError: The change is not of the arm alone, so both arms would not get the same tasks and limits.
    """
    if not change.is_of_arm:
        raise ValueError("a pair has one task and one limit for both arms")
    arms = {names[0]: whole, names[1]: change.apply_to(whole)}
    runner = replace(episodes, arms=arms.__getitem__).make_runner()
    return runner.compare(tasks, parent=names[1], variant=names[0])


@dataclass(frozen=True, kw_only=True)
class ArmTrials:
    """Runs one half of pairs, where the other half is on record or runs before. Nothing is committed yet.

    Attributes:
        seed: By default the run's.
        most: What an episode may spend; by default what any of the run's may.
    """

    run: BudgetedRun
    split: str
    seed: int | None = None
    most: Callable[[Task], Limits] | None = None

    def attempt_tasks(self, tasks: Sequence[Task], whole: LearnedState, change: Change, *, name: str) -> list[Attempt]:
        """The tasks under an arm with a change, in order; fewer where the budget ended.

        Args:
            name: Of the arm with the change, by which its episodes are found again.
        """
        if not tasks:
            return []
        run, arm = self.run, change.apply_to(whole)
        run.workers.announce(name, arm)
        jobs = [
            EpisodeJob(
                task=change.changed_task(task),
                arm=name,
                variant=name,
                split=self.split,
                seed=run.plan.seed if self.seed is None else self.seed,
                # What the arm cannot spend need not be set aside, so a small rest pays for more episodes.
                limits=arm.limits(
                    change.limits(run.plan.limits if self.most is None else self.most(task)), task.environment
                ),
                begun=change.begun,
            )
            for task in tasks
        ]
        return run.run_jobs(jobs)


@dataclass(kw_only=True)
class PairedEpisodes:
    """Runs and commits the episodes of comparisons on a split where nothing is learned; the gate's runner's ``run``.

    Attributes:
        arms: The arm behind a name, where it is not the variant of that digest.
        seed: Of every episode and of the order of the tasks; by default the run's.
        may_go_on: Asked before every few pairs; False ends the comparison as the budget would.
        keep: Told of the attempts in place of committing them; then they wait, set aside, until the caller commits.
    """

    run: BudgetedRun
    split: str
    arms: Callable[[str], LearnedState] | None = None
    seed: int | None = None
    may_go_on: Callable[[], bool] = lambda: True
    keep: Callable[[Sequence[Attempt]], None] | None = None
    _announced: list[str] = field(default_factory=list)
    _arms: dict[str, LearnedState] = field(default_factory=dict)

    def __call__(self, jobs: Sequence[Job[Task]]) -> list[EpisodeRecord]:
        """The records in the jobs' order; an episode of this run that is on record already is not run again.

        Raises:
            Unaffordable: The budget refused one of them; what had run is kept.
        """
        if not self.may_go_on():
            raise EpisodeOverBudget
        for name in dict.fromkeys(job.variant for job in jobs):
            self._announce(name)
        return run_held_out(self.run, [self._episode(job) for job in jobs], keep=self.keep)

    def make_runner(self, test: SequentialTest | None = None, *, batch: int = PAIRS_AT_ONCE) -> PairedRunner[Task]:
        """The gate's runner over these episodes; without a test it makes an estimate over all tasks."""
        seed = self.run.plan.seed if self.seed is None else self.seed
        return PairedRunner(run=self, test=test, batch=batch, seed=seed)

    def _announce(self, name: str) -> None:
        if name in self._announced:
            return
        run = self.run
        arm = run.stores.state(name, run.workflow) if self.arms is None else self.arms(name)
        run.workers.announce(name, arm)
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
            limits=self._arms[job.variant].limits(self.run.plan.limits, job.task.environment),
        )


def held_out_tasks(run: BudgetedRun, split: SplitName) -> list[Task]:
    """The tasks of a sealed split that count, without groups that something was learned from in a person's own runs."""
    tasks = run.suite.evidence(split)
    known = run.stores.spent_groups(tasks)
    return [task for task in tasks if task.group not in known]


def run_held_out(
    run: BudgetedRun, jobs: Sequence[EpisodeJob], *, keep: Callable[[Sequence[Attempt]], None] | None = None
) -> list[EpisodeRecord]:
    """Runs and commits episodes on which nothing is learned, all or none.

    Args:
        keep: As in :class:`PairedEpisodes`.

    Raises:
        Unaffordable: The budget refused one of them; what had run is kept.
    """
    attempts = run.run_jobs(jobs)
    if keep is not None:
        keep(attempts)
    else:
        run.commit_all(attempts)
    if len(attempts) < len(jobs):
        raise EpisodeOverBudget
    return [attempt.record for attempt in attempts]
