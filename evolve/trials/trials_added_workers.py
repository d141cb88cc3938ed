"""Workers of a package, held to their jobs: what they give is of the jobs that they were given, each once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from evolve.agent import episode_id
from evolve.core.errors import EnvironmentProblem
from evolve.core.extensions import refused
from evolve.trials.jobs import Attempt, EpisodeJob, Told, Workers, WorkerSetup, ignore_attempt
from evolve.trials.learned_state import LearnedState


@dataclass(frozen=True, kw_only=True)
class AddedWorkers:
    """Hands jobs on, and refuses attempts at other jobs before any of them is kept.

    Attributes:
        name: At the seam ``workers``.
    """

    name: str
    workers: Workers
    setup: WorkerSetup

    @property
    def at_once(self) -> int:
        """How many jobs run side by side."""
        return self.workers.at_once

    def announce(self, key: str, arm: LearnedState) -> None:
        """Makes an arm known under a key."""
        self.workers.announce(key, arm)

    def run(self, jobs: Sequence[EpisodeJob], told: Told = ignore_attempt) -> list[Attempt]:
        """Runs all jobs; an attempt that was not told of is told of at the end.

        Raises:
            EnvironmentProblem: The package gave something else than an attempt at each job, in their order.
        """
        asked = {episode_id(self.setup.run, job.task, job.variant, job.seed): job for job in jobs}
        heard: dict[str, Attempt] = {}

        def hear(attempt: Any) -> None:
            job = asked.get(attempt.record.episode) if isinstance(attempt, Attempt) else None
            if job is None or attempt.record.episode in heard or not self._is_of(job, attempt):
                raise self._refused()
            heard[attempt.record.episode] = attempt
            told(attempt)

        given: Any = self.workers.run(jobs, hear)
        if not (isinstance(given, Sequence) and all(isinstance(one, Attempt) for one in given)):
            raise self._refused()
        if [one.record.episode for one in given] != list(asked):
            raise self._refused()
        for attempt in given:
            if attempt.record.episode not in heard:
                hear(attempt)
        return [heard[episode] for episode in asked]

    def close(self) -> None:
        """Ends what the package began."""
        self.workers.close()

    def _is_of(self, job: EpisodeJob, attempt: Attempt) -> bool:
        """Whether the record is of the job, and solved only if a judgement says so."""
        record, setup, task = attempt.record, self.setup, job.task
        own = (record.run, record.suite, record.split, record.task, record.group, record.variant, record.seed)
        if own != (setup.run, setup.suite, job.split, task.id, task.group, job.variant, job.seed):
            return False
        judged = [step.judgement for step in record.steps if step.judgement is not None]
        if record.verified and not (record.solved and any(one.verified for one in judged)):
            return False
        return not record.solved or any(one.accepted for one in judged)

    def _refused(self) -> EnvironmentProblem:
        return refused("workers", self.name, "gave something else than an attempt at each job, in their order")
