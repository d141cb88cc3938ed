"""Ends what is going on, from another thread or from a signal handler, without ending the process."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from evolve.core.errors import Cancelled


class Cancellation:
    """A flag that stays up once it is raised, and whoever must be told at that moment.

    Work that can be looked into polls :attr:`requested`; work that waits for something outside, such as a socket,
    registers how to end it with :meth:`call_on_cancel`. One value serves one run.
    """

    def __init__(self) -> None:
        self._raised = threading.Event()
        self._winding_down = False
        # Reentrant: a signal handler may raise the flag while its own thread is in here.
        self._guard = threading.RLock()
        self._calls: list[Callable[[], None]] = []

    @property
    def requested(self) -> bool:
        """Whether the person asked to stop."""
        return self._raised.is_set()

    @property
    def ending(self) -> bool:
        """Whether nothing more is to be begun: what is under way may end by itself, or is stopped as well."""
        return self._winding_down or self.requested

    def wind_down(self) -> None:
        """Asks to begin nothing more; what is under way is not stopped. For work that is kept piece by piece."""
        self._winding_down = True

    def cancel(self) -> None:
        """Asks to stop; asking twice is no error. Safe from any thread and from a signal handler."""
        self._raised.set()
        with self._guard:
            calls = list(self._calls)
        for call in calls:
            call()

    def wait(self, seconds: float) -> None:
        """Waits that long, or raises :class:`~evolve.core.errors.Cancelled` as soon as the person asks to stop."""
        self._raised.wait(seconds)
        self.check()

    def check(self) -> None:
        """Raises :class:`~evolve.core.errors.Cancelled` once the person asked to stop."""
        if self.requested:
            raise Cancelled("the person stopped it")

    def check_before(self) -> None:
        """Raises :class:`~evolve.core.errors.Cancelled` where nothing more is to be begun."""
        if self.ending:
            raise Cancelled("the person stopped it")

    @contextmanager
    def call_on_cancel(self, end: Callable[[], None]) -> Iterator[None]:
        """Has ``end`` called when the flag goes up inside the block, at once where it is up already.

        Args:
            end: Must return soon; it is called in the thread that cancels, once or twice.
        """
        # Registered before it is asked: a flag that goes up in between is seen by the one, the other, or both.
        with self._guard:
            self._calls.append(end)
        try:
            if self.requested:
                end()
            yield
        finally:
            with self._guard:
                self._calls.remove(end)
