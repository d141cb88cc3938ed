"""The episodes that the gate asks others to run, and what it needs to know of their tasks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, Literal, Protocol, TypeVar

from evolve.core.episodes import EpisodeRecord

Arm = Literal["parent", "variant"]


class GateTask(Protocol):
    """What the gate needs to know of a task."""

    @property
    def id(self) -> str: ...

    @property
    def group(self) -> str: ...


class EpisodeOverBudget(Exception):
    """Raised by whoever runs episodes when the budget refuses one; ends a comparison, never leaves the gate."""


T = TypeVar("T", bound=GateTask)
T_co = TypeVar("T_co", bound=GateTask, covariant=True)


@dataclass(frozen=True, kw_only=True)
class Job(Generic[T_co]):
    """One episode to run for the gate."""

    task: T_co
    arm: Arm
    variant: str
    """Digest of the variant to run, or ``unlearned``; the name of the arm where it is no variant."""
    seed: int


RunJobs = Callable[[Sequence[Job[T]]], Sequence[EpisodeRecord | None]]
"""Runs jobs, in parallel if it likes, and returns their records in the same order, None for one that did not run."""


def run_serially(run: Callable[[T, str, int], EpisodeRecord]) -> RunJobs[T]:
    """Makes a :data:`RunJobs` of ``run(task, variant, seed)``, without parallelism."""

    def run_jobs(jobs: Sequence[Job[T]]) -> list[EpisodeRecord]:
        return [run(job.task, job.variant, job.seed) for job in jobs]

    return run_jobs
