"""What a loop hands to its workers and gets back: plain values, so that they travel between processes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

from evolve.agent import EpisodePrefix, episode_id
from evolve.core.episodes import EpisodeRecord, Limits, Status
from evolve.core.redaction import Scanner
from evolve.runtime.sandbox import Sandbox
from evolve.tasks import Task
from evolve.trials.learned_state import LearnedState
from evolve.trials.learner import Learner
from evolve.trials.skill_drafts import SkillProposal


@dataclass(frozen=True, kw_only=True)
class EpisodeJob:
    """One episode to run.

    Attributes:
        arm: Key of an arm that was announced with :meth:`Workers.announce`.
        variant: Name under which the episode is recorded.
        begun: What the policy says before it is asked anything, from the record of another episode; or None.
        ends: When the run's time is over, in seconds of ``time.monotonic``, which all processes of a machine share;
            None without a bound.
    """

    task: Task
    arm: str
    variant: str
    split: str
    seed: int
    limits: Limits
    begun: EpisodePrefix | None = None
    ends: float | None = None


@dataclass(frozen=True, kw_only=True)
class Attempt:
    """A finished job.

    Attributes:
        skills: Every draft of the episode that can be a skill, judged against the arm's skills.
        limits: What the episode might spend; None where it never began.
        shortened: The run had less time left than an episode may take.
    """

    record: EpisodeRecord
    skills: tuple[SkillProposal, ...] = ()
    limits: Limits | None = None
    shortened: bool = False


@dataclass(frozen=True, kw_only=True)
class WorkerSetup:
    """What every worker needs; picklable.

    Attributes:
        sandbox: Opens the sandbox; called once per process.
        scanner: Knows the secrets that nothing observed may bring into a record.
    """

    learner: Learner
    sandbox: Callable[[], Sandbox]
    run: str
    suite: str
    scanner: Scanner = field(default_factory=Scanner, repr=False)


def unstarted_record(job: EpisodeJob, setup: WorkerSetup, status: Status, note: str) -> EpisodeRecord:
    """The record of a job that no step was taken of."""
    return EpisodeRecord(
        episode=episode_id(setup.run, job.task, job.variant, job.seed),
        run=setup.run,
        task=job.task.id,
        suite=setup.suite,
        group=job.task.group,
        split=job.split,
        variant=job.variant,
        seed=job.seed,
        status=status,
        note=note,
    )


Told = Callable[[Attempt], None]
"""Hears of every attempt as soon as it is over, in no certain order."""


def ignore_attempt(attempt: Attempt) -> None:
    """For callers that wait for the end."""


@runtime_checkable
class Workers(Protocol):
    """Runs jobs and gives attempts in the jobs' order."""

    @property
    def at_once(self) -> int:
        """How many jobs run side by side."""
        ...

    def announce(self, key: str, arm: LearnedState) -> None:
        """Makes an arm known under a key, in place of the one that was; the last four are kept."""
        ...

    def run(self, jobs: Sequence[EpisodeJob], told: Told = ignore_attempt) -> list[Attempt]:
        """Runs all jobs; calls ``told`` in the thread of the caller. A job whose worker dies is a fault."""
        ...

    def close(self) -> None:
        """Ends every process."""
        ...
