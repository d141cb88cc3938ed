"""What a worker process needs around its work: a quiet beginning, and a way to tell of its own faults."""

from __future__ import annotations

import contextlib
import io
import signal
import sys
import traceback
from collections.abc import Iterator
from dataclasses import dataclass
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection
from types import TracebackType

from evolve.trials.trials_learner import Learner


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
def interrupts_held() -> Iterator[None]:
    """Keeps Ctrl-C waiting: a new process begins with it held, so it cannot be cut off before it ignores it."""
    resource_tracker.ensure_running()  # it would release the signal once it has begun
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextlib.contextmanager
def caller_hidden(learner: Learner) -> Iterator[None]:
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
