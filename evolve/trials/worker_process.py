"""A worker process: its quiet beginning, its own faults, and workers of a package held to their jobs."""

from __future__ import annotations

import contextlib
import io
import signal
import sys
import traceback
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection
from types import TracebackType
from typing import Any

from evolve.agent import episode_id
from evolve.core.errors import SetupProblem
from evolve.core.extensions import extension_error
from evolve.trials.jobs import Attempt, EpisodeJob, Told, Workers, WorkerSetup, ignore_attempt
from evolve.trials.learned_state import LearnedState
from evolve.trials.learner import Learner


@dataclass(frozen=True)
class WorkerFault:
    """An error that is not of our tree, as text: it may not be picklable."""

    summary: str
    traceback: str


class FaultTold(contextlib.AbstractContextManager["FaultTold"]):
    """Tells the parent of a fault before it ends this process; only the parent speaks to the person."""

    def __init__(self, pipe: Connection) -> None:
        self._pipe = pipe

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if isinstance(error, Exception):
            text = "".join(traceback.format_exception(error))
            sys.stderr = io.StringIO()  # where the standard library would print it once more
            with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                self._pipe.send(WorkerFault(f"{type(error).__name__}: {error}", text))


def worker_error(fault: WorkerFault) -> ChildProcessError:
    """The error for the parent to raise; the worker's traceback goes with it as a note."""
    error = ChildProcessError(f"a worker ended with {fault.summary}")
    error.add_note(f"In the worker:\n{fault.traceback}")
    return error


@contextlib.contextmanager
def hold_interrupts() -> Iterator[None]:
    """Keeps Ctrl-C waiting: a new process begins with it held, so it cannot be cut off before it ignores it."""
    resource_tracker.ensure_running()  # it would release the signal once it has begun
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextlib.contextmanager
def hide_caller(learner: Learner) -> Iterator[None]:
    """Keeps a new process from running the caller's script again, which a script need not be prepared for.

    A learner that is defined in that script needs it, and then it stays visible.
    """
    main = sys.modules["__main__"]
    if type(learner).__module__ == "__main__":
        yield
        return
    file, spec = getattr(main, "__file__", None), getattr(main, "__spec__", None)
    main.__spec__ = None
    if file is not None:
        del main.__file__
    try:
        yield
    finally:
        main.__spec__ = spec
        if file is not None:
            main.__file__ = file


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

    def _refused(self) -> SetupProblem:
        return extension_error("workers", self.name, "gave something else than an attempt at each job, in their order")
