"""What a search may spend and what it cost: candidates, CPU seconds and work units, without the garbage collector.

CPU seconds are what a person pays, but they differ from run to run, so nothing can be decided by them. Work units are
counted, so they are the same on every machine. What each kind of work weighs was fitted to the CPU seconds of searches
on the shipped suites; ``python -m benchmarks.learning`` tells how far CPU seconds are from what they say.

A search keeps hundreds of thousands of small tuples and makes no cycles, so whatever it drops
is freed at once. The collector, which goes through all that is kept again and again, finds
nothing and takes a third of the time.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from evolve.core.cancellation import Cancellation
from evolve.core.episodes import Cost

VALUE = 1
"""Work units of an operation on one row, about a tenth of a microsecond; the others are multiples of it."""
CANDIDATE = 16
"""Of a candidate, besides its values."""
KEPT = 70
"""Of a candidate that is kept to build others from."""
RULE = 40
"""Of looking for what a rule can be applied to at one price."""
LEVEL = 2_800
"""Of a price: covers, conditionals and solvers look at what there is."""
BODIES = 3_800
"""Of preparing to build the bodies of one function type."""
SETUP = 16_000
"""Of a search before its first candidate, and of the text of its answer."""
PLANNING = 20_000
"""Of pricing the vocabulary for a task by what was learned."""


class OutOfBudget(Exception):
    """Raised inside a search when its candidates or seconds are used up."""


@dataclass
class SearchMeter:
    """Counts candidates and watches the clock of one search.

    Attributes:
        limit: Candidates that may be computed.
        deadline: Process CPU time, in seconds, at which the search must stop, or None.
        ends: Time by ``time.monotonic`` at which it must stop, or None: on a busy machine that comes first.
        memory: Entries that may be kept.
        cancellation: Ends the search when a person asks to stop.
        ended: What ended it: ``candidates``, ``clock``, ``memory``, or ``price`` where nothing dearer is looked at.
        rows: Examples on which every candidate is computed.
        work: Work units so far.
    """

    limit: int
    deadline: float | None = None
    ends: float | None = None
    memory: int = 1_500_000
    used: int = 0
    kept: int = 0
    cancellation: Cancellation | None = None
    ended: str = ""
    rows: int = 1
    work: int = 0

    @property
    def remaining(self) -> int:
        """Candidates that may still be computed."""
        return max(0, self.limit - self.used)

    def count(self, candidates: int, kept: int = 0, values: int | None = None) -> None:
        """Counts work that was done.

        Args:
            candidates: How many were computed.
            kept: How many of them are kept.
            values: How often an operation was applied, where that is not once per candidate and row.
        """
        self.used += candidates
        self.kept += kept
        applied = self.rows * candidates if values is None else values
        self.work += VALUE * applied + CANDIDATE * candidates + KEPT * kept

    def spend(self, candidates: int, values: int | None = None) -> None:
        """As :meth:`count`, and checks the budget."""
        self.count(candidates, values=values)
        self.check()

    def add(self, other: SearchMeter) -> None:
        """Counts what a search with a meter of its own did; nothing of it is kept."""
        self.used += other.used
        self.work += other.work

    def check(self) -> None:
        """Raises :class:`OutOfBudget` when the search must stop, ``Cancelled`` when a person stops it."""
        self.ended = self._spent()
        if self.ended:
            raise OutOfBudget
        if self.cancellation is not None:
            self.cancellation.check()

    def _spent(self) -> str:
        if self.used >= self.limit:
            return "candidates"
        if self.kept > self.memory:
            return "memory"
        is_late = self.deadline is not None and time.process_time() > self.deadline
        return "clock" if is_late or is_over(self.ends) else ""


def is_over(ends: float | None) -> bool:
    """Whether that time, by ``time.monotonic``, has come."""
    return ends is not None and time.monotonic() >= ends


def meter_for(candidates: int, seconds: float | None) -> SearchMeter:
    """A budget of candidates and process CPU seconds from now."""
    deadline = None if seconds is None else time.process_time() + seconds
    return SearchMeter(limit=candidates, deadline=deadline)


@dataclass
class Stopwatch:
    """Tells what was spent since it was made.

    Attributes:
        meter: Counts candidates and work; what it had counted before is no part of the cost.
        began: CPU time of the process, in seconds, from which on it is spent.
    """

    meter: SearchMeter
    began: float = field(default_factory=time.process_time)

    def __post_init__(self) -> None:
        self._candidates, self._work = self.meter.used, self.meter.work

    def cost(self, charge: int = 0) -> Cost:
        """The cost so far.

        Args:
            charge: Work units besides those that the meter counted.
        """
        return Cost(
            candidates=self.meter.used - self._candidates,
            seconds=time.process_time() - self.began,
            work=self.meter.work - self._work + charge,
        )


@contextmanager
def without_collector() -> Iterator[None]:
    """Suspends the collector for a block, or for calls of a function it decorates.

    It works for the whole process: cycles that other threads drop meanwhile are freed after the block. A
    collector that was off before stays off. However blocks in several threads overlap, it is on again
    after the last one; at worst one of them runs with it on, and is slower.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
