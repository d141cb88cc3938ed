"""What takes a while: said by the code that does it, read by whoever shows it.

Code deep below a command says ``with doing("check", "pytest -q"):`` and knows nothing of terminals. A face opens
:func:`watch_activities` around a command and looks, from another thread, at what goes on. Where nobody watches,
saying so costs
next to nothing. What is said here is for the moment; it is no event and goes on no record.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar


class Activity:
    """One thing that goes on.

    Attributes:
        kind: What is done, such as ``check`` or ``model``; the face has the words for it.
        subject: What it is done with or waits for: a command, a model.
        since: When it began, by ``time.monotonic()``.
        total: Of how much; 0 where that is not known.
        count: Asked how far it is, from the thread that looks.
    """

    def __init__(self, kind: str, subject: str = "", total: int = 0, count: Callable[[], int] | None = None) -> None:
        self.kind, self.subject, self.total = kind, subject, total
        self.since, self._done = time.monotonic(), 0
        self.count = count or (lambda: self._done)

    def update(self, kind: str, subject: str, *, anew: bool = True) -> None:
        """Says what it has come to.

        Args:
            kind: "" while that cannot be said.
            anew: That begins now, where it is not more of the same.
        """
        self.kind, self.subject = kind, subject
        if anew:
            self.since = time.monotonic()

    def advance(self, done: int) -> None:
        """Says how far it is."""
        self._done = done


class Activities:
    """What goes on in a command now. One thread at a time works, and any other may look."""

    def __init__(self) -> None:
        self._now: list[Activity] = []

    def current(self) -> tuple[Activity, ...]:
        """What goes on, the outermost first."""
        return tuple(self._now)

    def begin(self, activity: Activity) -> Callable[[], None]:
        """Adds what begins; gives what is called when it has ended."""
        self._now.append(activity)
        return lambda: self._now.remove(activity)


_WATCHED: ContextVar[Activities | None] = ContextVar("watched", default=None)


@contextmanager
def watch_activities() -> Iterator[Activities]:
    """What goes on inside the block; within another one it goes to this one alone."""
    activities = Activities()
    token = _WATCHED.set(activities)
    try:
        yield activities
    finally:
        _WATCHED.reset(token)


@contextmanager
def report_activity(
    kind: str, subject: str = "", *, total: int = 0, count: Callable[[], int] | None = None
) -> Iterator[Activity]:
    """Says that this goes on until the block ends, for whoever watches; see :class:`Activity`."""
    activity, activities = Activity(kind, subject, total, count), _WATCHED.get()
    if activities is None:
        yield activity
        return
    end = activities.begin(activity)
    try:
        yield activity
    finally:
        end()
