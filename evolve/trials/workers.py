"""Runs episodes side by side in local processes.

Workers only read: they return records, and the parent alone commits. A worker that dies is replaced and
its job is tried once more; a second death makes the episode a fault.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import signal
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import TYPE_CHECKING, Any

from evolve.core.errors import EvolveError
from evolve.core.extensions import BUILT_IN, extension_error, find
from evolve.core.failpoints import hit_failpoint
from evolve.core.files import machine_problem
from evolve.trials.bench import ARMS_KEPT, AgentBench
from evolve.trials.jobs import Attempt, EpisodeJob, Told, Workers, WorkerSetup, ignore_attempt, unstarted_record
from evolve.trials.learned_state import LearnedState
from evolve.trials.lifeline import Lifeline, run_tied_to_parent
from evolve.trials.worker_process import (
    AddedWorkers,
    FaultTold,
    WorkerFault,
    hide_caller,
    hold_interrupts,
    worker_error,
)

if TYPE_CHECKING:
    from evolve.trials.external_agent import ExternalAgent

_PATIENCE_S = 30.0
"""How much longer than its own limits a job may take before its worker is given up."""


class LocalWorkers:
    """Runs jobs in this process, one after the other.

    Args:
        bench: What runs one.
    """

    at_once = 1

    def __init__(
        self, setup: WorkerSetup, bench: Callable[[WorkerSetup], AgentBench | ExternalAgent] = AgentBench
    ) -> None:
        self._bench = bench(setup)

    def announce(self, key: str, arm: LearnedState) -> None:
        """Makes an arm known under a key."""
        self._bench.announce(key, arm)

    def run(self, jobs: Sequence[EpisodeJob], told: Told = ignore_attempt) -> list[Attempt]:
        """Runs all jobs."""
        attempts = []
        for job in jobs:
            attempts.append(self._bench.run(job))
            told(attempts[-1])
        return attempts

    def close(self) -> None:
        """Frees the sandbox."""
        self._bench.close()


@dataclass(kw_only=True)
class _Worker:
    """A process and what it holds.

    Attributes:
        arms: The arms it was sent and still has, the oldest first, each as it was announced for the n-th time.
    """

    process: BaseProcess
    pipe: Connection
    lifeline: Lifeline
    arms: dict[str, int]
    index: int | None = None

    def sent(self, key: str, number: int) -> None:
        """Notes an arm as the process does: it goes last, and the oldest goes."""
        self.arms.pop(key, None)
        self.arms[key] = number
        while len(self.arms) > ARMS_KEPT:
            del self.arms[next(iter(self.arms))]


class ProcessWorkers:
    """Runs jobs in ``count`` processes that live until :meth:`close`."""

    def __init__(self, setup: WorkerSetup, count: int) -> None:
        self._setup = setup
        self._arms: dict[str, tuple[int, LearnedState]] = {}
        self._announced = 0
        self.at_once = count
        self._workers = [self._start() for _ in range(count)]

    def announce(self, key: str, arm: LearnedState) -> None:
        """Makes an arm known under a key; it is sent to a worker with the first job that needs it."""
        self._announced += 1
        self._arms.pop(key, None)
        self._arms[key] = (self._announced, arm.seen_by(self._setup.learner))
        while len(self._arms) > ARMS_KEPT:
            del self._arms[next(iter(self._arms))]

    def run(self, jobs: Sequence[EpisodeJob], told: Told = ignore_attempt) -> list[Attempt]:
        """Runs all jobs; attempts come in the jobs' order whatever order they finished in."""
        waiting = deque(range(len(jobs)))
        tries = [0] * len(jobs)
        done: dict[int, Attempt] = {}
        while len(done) < len(jobs):
            for place, worker in enumerate(self._workers):
                if worker.index is None and waiting:
                    index = waiting.popleft()
                    tries[index] += 1
                    self._workers[place] = self._assign(worker, index, jobs[index])
            for place, index, attempt in self._collect(_deadline(jobs)):
                if attempt is not None:
                    done[index] = attempt
                    told(attempt)
                    continue
                self._workers[place] = self._start()
                if tries[index] < 2:
                    waiting.appendleft(index)
                else:
                    done[index] = _lost(jobs[index], self._setup)
        return [done[index] for index in range(len(jobs))]

    def close(self) -> None:
        """Ends every process at once."""
        _end(*self._workers)
        self._workers = []

    def _start(self) -> _Worker:
        context = multiprocessing.get_context("spawn")
        ours, theirs = context.Pipe()
        # What it would still find out after our end could reach nobody, and the next owner of the workspace needs the
        # processor.
        lifeline = Lifeline(*context.Pipe(duplex=False))
        process = context.Process(target=run_tied_to_parent, args=(lifeline, _serve, theirs, self._setup), daemon=False)
        with hide_caller(self._setup.learner), hold_interrupts():
            process.start()
        theirs.close()
        return _Worker(process=process, pipe=ours, lifeline=lifeline, arms={})

    def _assign(self, worker: _Worker, index: int, job: EpisodeJob) -> _Worker:
        # That a worker died while it had nothing to do shows only when something is sent to it.
        for _ in range(2):
            try:
                number, arm = self._arms[job.arm]
                if worker.arms.get(job.arm) != number:
                    worker.pipe.send((job.arm, arm))
                    worker.sent(job.arm, number)
                worker.pipe.send(job)
            except (BrokenPipeError, ConnectionResetError):
                _end(worker)
                worker = self._start()
                continue
            worker.index = index
            return worker
        raise ChildProcessError("a worker process cannot be started")

    def _collect(self, patience: float) -> Iterator[tuple[int, int, Attempt | None]]:
        """Waits for at least one busy worker; gives (place, job, record), record None for a lost worker."""
        busy = {worker.pipe: place for place, worker in enumerate(self._workers) if worker.index is not None}
        ready = wait(list(busy), timeout=patience)
        late = list(busy) if not ready else []
        for pipe in [*ready, *late]:
            place = busy[pipe]  # type: ignore[index]
            worker = self._workers[place]
            index = worker.index
            assert index is not None
            worker.index = None
            answer: Any = None
            if not late:
                with contextlib.suppress(EOFError, ConnectionResetError):
                    answer = worker.pipe.recv()
            if isinstance(answer, EvolveError):
                raise answer
            if isinstance(answer, WorkerFault):
                raise worker_error(answer)
            if answer is None:
                _end(worker)
                # An exception ends a process of multiprocessing with 1 and would meet the next worker too. What killed
                # it from outside leaves another code, and then the job is tried again.
                if worker.process.exitcode == 1:
                    raise ChildProcessError("a worker could not begin; its error is shown above")
            yield place, index, answer


def open_workers(setup: WorkerSetup, count: int, on: str = "local") -> Workers:
    """So many workers, on this machine or on what a package has.

    Args:
        on: A name of the seam ``workers``.
    """
    workers = find("workers", on, Callable)(setup, count)
    if not isinstance(workers, Workers):
        raise extension_error("workers", on, f"opens {type(workers).__name__}")
    return workers if on in BUILT_IN["workers"] else AddedWorkers(name=on, workers=workers, setup=setup)


def local_workers(setup: WorkerSetup, count: int) -> Workers:
    """Workers in this process for one, in processes of their own for more."""
    return LocalWorkers(setup) if count <= 1 else ProcessWorkers(setup, count)


def _serve(pipe: Connection, setup: WorkerSetup) -> None:
    """A worker's whole life. Ctrl-C is the parent's business."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # The parent holds interrupts while it starts a process, and the mask is inherited.
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    with FaultTold(pipe):
        hit_failpoint("worker.start")
        _answer_jobs(pipe, setup)


def _answer_jobs(pipe: Connection, setup: WorkerSetup) -> None:
    bench: AgentBench | None = None
    while True:
        try:
            message = pipe.recv()
        except (EOFError, ConnectionResetError):
            break
        try:
            bench = bench or AgentBench(setup)
            if isinstance(message, tuple):
                bench.announce(*message)
                continue
            hit_failpoint("worker.job")
            answer: Attempt | EvolveError = bench.run(message)
            hit_failpoint("worker.result")
        except EvolveError as error:  # raised again by the parent; anything else is a fault and ends the worker
            answer = error
        except OSError as error:
            problem = machine_problem(error)
            if problem is None:
                raise
            answer = problem
        try:
            pipe.send(answer)
        except (BrokenPipeError, ConnectionResetError):
            break
    if bench is not None:
        bench.close()


def _end(*workers: _Worker) -> None:
    """Ends all of them within some three seconds, however many there are."""
    for worker in workers:
        worker.pipe.close()  # an idle worker ends by itself, and ends its sandbox
    _join(workers, 0.5)
    for worker in workers:
        worker.process.terminate()
    _join(workers, 2.0)
    for worker in workers:
        worker.process.kill()
        worker.process.join()
        worker.lifeline.end_process()


def _join(workers: Sequence[_Worker], seconds: float) -> None:
    deadline = time.monotonic() + seconds
    for worker in workers:
        worker.process.join(timeout=max(0.0, deadline - time.monotonic()))


def _deadline(jobs: Sequence[EpisodeJob]) -> float:
    return max((job.limits.seconds or 600.0) for job in jobs) * 4 + _PATIENCE_S


def _lost(job: EpisodeJob, setup: WorkerSetup) -> Attempt:
    return Attempt(record=unstarted_record(job, setup, "fault", "two worker processes died on this episode"))
