"""One live line below everything else a command prints, or a line now and then where there is no terminal."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass

from evolve.cli.render import layout


@dataclass(frozen=True, kw_only=True)
class RedrawInterval:
    """When something is shown, in seconds.

    Attributes:
        after: A live line appears once something has taken this long.
        every: How often it is drawn.
        lines: Without a terminal, after how much silence a line is printed.
        then: And after that, how often.
    """

    after: float = 2.0
    every: float = 1.0
    lines: tuple[float, ...] = (10.0, 30.0, 60.0)
    then: float = 60.0

    def next_delay(self, told: int) -> float:
        """After how much silence the next line comes, when so many were printed in it."""
        over = told - len(self.lines) + 1
        return self.lines[told] if over <= 0 else self.lines[-1] + over * self.then


PACE = RedrawInterval()


class LiveLine:
    """Shows what goes on, from a thread of its own, until it is closed.

    Args:
        describe: What goes on now, if it has gone on for at least so many seconds, since this time at the earliest;
            else "".
        live: It is redrawn in place; else lines are printed.
    """

    def __init__(self, describe: Callable[[float, float], str], pace: RedrawInterval = PACE, *, live: bool) -> None:
        self._describe, self.live = describe, live
        # Reentrant: what is printed inside of a block that holds it takes it once more.
        self._pace, self._guard, self._closed = pace, threading.RLock(), threading.Event()
        self._drawn, self._pauses = False, 0
        self._began = self._printed_at = time.monotonic()
        self._told = 0
        self._thread = threading.Thread(target=self._run, name="evolve-live-line", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Takes the line away and ends the thread."""
        self._closed.set()
        with self._guard:
            self._pauses += 1
            self._clear()
        self._thread.join()

    @contextmanager
    def hide(self) -> Iterator[None]:
        """Takes the line away for as long as something else is printed; silence begins anew."""
        with self._guard:
            self._clear()
            self._printed_at, self._told = time.monotonic(), 0
            yield

    @contextmanager
    def suspend(self) -> Iterator[None]:
        """Shows nothing, because a person is asked, or another part of the screen shows it."""
        with self._guard:
            self._clear()
            self._pauses += 1
        try:
            yield
        finally:
            with self._guard:
                self._pauses -= 1
                # The time that a person took is none of the work's.
                self._began = self._printed_at = time.monotonic()
                self._told = 0

    def refresh(self) -> None:
        """Shows what there is to be shown now."""
        with self._guard:
            if not self._pauses:
                self._draw() if self.live else self._tell()

    def _run(self) -> None:
        while not self._closed.wait(self._pace.every):
            self.refresh()

    def _draw(self) -> None:
        text = self._describe(self._pace.after, self._began)
        if text:
            width = (layout.terminal_width(sys.stderr) or 80) - 1
            self._drawn = _write(f"\r\x1b[2K{layout.shorten_line(text, width)}")
        else:
            self._clear()

    def _tell(self) -> None:
        if time.monotonic() - self._printed_at >= self._pace.next_delay(self._told):
            text = self._describe(0.0, self._began)
            self._told += 1
            if text:
                _write(f"now: {text}\n")

    def _clear(self) -> None:
        if self._drawn:
            self._drawn = False
            _write("\r\x1b[2K")


def _write(text: str) -> bool:
    encoding = sys.stderr.encoding or "utf-8"
    try:
        sys.stderr.write(text.encode(encoding, "backslashreplace").decode(encoding))
        sys.stderr.flush()
    except OSError:  # a full disk, or a terminal that has gone: the work goes on untold
        return False
    return True


_SHOWN: ContextVar[LiveLine | None] = ContextVar("shown", default=None)


@contextmanager
def show_live_line(describe: Callable[[float, float], str], pace: RedrawInterval = PACE) -> Iterator[LiveLine]:
    """Has what goes on in the block shown on stderr; see :class:`LiveLine`."""
    line = LiveLine(describe, pace, live=sys.stderr.isatty() and os.environ.get("TERM", "") not in ("", "dumb"))
    token = _SHOWN.set(line)
    try:
        yield line
    finally:
        _SHOWN.reset(token)
        line.close()


def wrap_line() -> None:
    """Has lines printed from now on, on a terminal too."""
    line = _SHOWN.get()
    if line is not None:
        line.live = False


def hide_live_line() -> AbstractContextManager[None]:
    """While something else is printed: see :meth:`LiveLine.hide`."""
    line = _SHOWN.get()
    return nullcontext() if line is None else line.hide()


def suspend_live_line() -> AbstractContextManager[None]:
    """While a person is asked: see :meth:`LiveLine.suspend`."""
    line = _SHOWN.get()
    return nullcontext() if line is None else line.suspend()
