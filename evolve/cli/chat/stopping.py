"""Ctrl-C while something goes on: the first ends the action, the second does not wait for that."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from evolve.workspace import Cancellation


@contextmanager
def stoppable() -> Iterator[Cancellation]:
    """The first Ctrl-C inside raises the flag that is given; every further one is a KeyboardInterrupt."""
    cancellation = Cancellation()

    def stop(number: int, frame: FrameType | None) -> None:
        if cancellation.requested:
            raise KeyboardInterrupt
        cancellation.cancel()

    before = signal.getsignal(signal.SIGINT)
    signal.signal(signal.SIGINT, stop)
    try:
        yield cancellation
    finally:
        signal.signal(signal.SIGINT, before)
