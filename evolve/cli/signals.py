"""Ctrl-C and SIGTERM: each ends a command by one sentence that says how to go on, or in a session the action."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING

from evolve.core.errors import Interrupted

if TYPE_CHECKING:
    from evolve.workspace import Cancellation


class CtrlCInterrupt(KeyboardInterrupt):
    """SIGINT. Once a plain KeyboardInterrupt has crossed an ``exec``, as in the making of a dataclass, Python ends
    itself by the signal in the end, whatever the exit code."""


class Terminated(KeyboardInterrupt):
    """SIGTERM; travels like Ctrl-C, so that everything is closed on the way."""


@contextmanager
def signals_as_interrupted() -> Iterator[None]:
    """Turns Ctrl-C and SIGTERM into :class:`Interrupted` once everything inside has been closed."""
    try:
        yield
    except Terminated as stop:
        on_ctrl_c(signal.SIG_DFL)
        # 143 is 128 and the number of SIGTERM, as a shell reports it.
        text = "terminated; everything finished so far is saved"
        raise Interrupted(text, hint=_way_on(stop), exit_code=143) from stop
    except KeyboardInterrupt as stop:
        on_ctrl_c(signal.SIG_DFL)  # everything is closed: a second one ends the process at once
        raise Interrupted("interrupted; everything finished so far is saved", hint=_way_on(stop)) from stop


def _way_on(stop: KeyboardInterrupt) -> str:
    """How to go on after a signal, where that is another command than the same one."""
    return "; ".join(getattr(stop, "__notes__", ()))


def on_ctrl_c(action: signal.Handlers | Callable[[int, FrameType | None], None]) -> None:
    """What Ctrl-C does from now on."""
    if signal.getsignal(signal.SIGINT) != signal.SIG_IGN:  # ignored by whoever started us, as ``nohup`` does
        signal.signal(signal.SIGINT, action)


def raise_ctrl_c(number: int, frame: FrameType | None) -> None:
    """Handles SIGINT."""
    _end_at_once_next_time()
    raise CtrlCInterrupt


def on_term(number: int, frame: FrameType | None) -> None:
    """Handles SIGTERM."""
    _end_at_once_next_time()
    raise Terminated


def _end_at_once_next_time() -> None:
    """A second signal waits for nothing; what was saved bears it."""
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    on_ctrl_c(signal.SIG_DFL)


@contextmanager
def handle_interrupts() -> Iterator[Cancellation]:
    """The first Ctrl-C inside raises the flag that is given; every further one is a KeyboardInterrupt."""
    from evolve.workspace import Cancellation

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
