"""Ends a process that we started as soon as its parent has ended, however it ended.

Loads nothing, because it has to take effect before anything else does: a process may need seconds to load what it
works with, and nobody may be there any more to work for.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable
from multiprocessing.connection import Connection, wait
from typing import Any


class Lifeline:
    """The parent's end of a pipe, which the kernel closes when the parent ends.

    Pickled for a new process, it is tied to that process, once it is unpickled there: hand it over as the first
    argument of :func:`run_tied_to_parent`. The parent keeps it for as long as the process may live.
    """

    def __init__(self, reading: Connection, writing: Connection) -> None:
        self._reading, self._writing = reading, writing

    def end_process(self) -> None:
        """Ends the process, if it is still there; safe to repeat."""
        self._reading.close()
        self._writing.close()

    # Unpickling its arguments is the first thing that a new process does, seconds before our code is loaded there.
    def __reduce__(self) -> tuple[Callable[[Connection], None], tuple[Connection]]:
        return _end_when_it_ends, (self._reading,)


def run_tied_to_parent(_: Lifeline | None, work: Callable[..., None], *arguments: Any) -> None:
    """What a process is started with: work that ends with the parent."""
    work(*arguments)


def _end_when_it_ends(parent: Connection) -> None:
    def watch() -> None:
        wait([parent])
        os.kill(os.getpid(), signal.SIGKILL)  # leaving by an exception would end this thread alone

    threading.Thread(target=watch, name="evolve-lifeline", daemon=True).start()
