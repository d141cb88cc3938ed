"""Two searches for one answer that take turns: with learned prices, and with static ones.

Learned prices are often far better and sometimes far worse. Whoever runs both by turns takes at most a fixed multiple
of what the better one would have taken alone (dovetailing, as in the universal search of Levin 1973).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from evolve.policies.search.meter import SearchMeter
from evolve.policies.search.programs.terms import Term
from evolve.policies.search.searcher import Searcher, Solution, Vocabulary

SHARE = 8
"""Candidates with learned prices for each one with static prices. A task that static prices alone solve in n candidates
is solved in little more than nine times as many."""
TURN = 100
"""Candidates of one turn with static prices. Before the first one, most tasks are solved, and then the second search
costs nothing."""


_REST = 1 << 60
"""Candidates of a turn without an end."""


class _Going:
    """A search that was begun, and whether it is over."""

    def __init__(self, searcher: Searcher) -> None:
        self.searcher, self.programs, self.over = searcher, searcher.paced(), False


@dataclass
class Turns:
    """Has what an episode needs of a :class:`Searcher`.

    Attributes:
        learned: The search with learned prices, which goes first.
        make: Makes the one with static prices, with the same meter, once its turn has come.
        pause_at: As of a searcher, for both.
    """

    learned: Searcher
    make: Callable[[], Searcher]
    pause_at: int | None = None
    _static: Searcher | None = field(default=None, init=False)
    _dearest: int | None = field(default=None, init=False)

    @property
    def meter(self) -> SearchMeter:
        """Counts the candidates of both searches."""
        return self.learned.meter

    @property
    def vocabulary(self) -> Vocabulary:
        """Operations and literals of both searches."""
        return self.learned.vocabulary

    @property
    def dearest(self) -> int | None:
        """Price at which both end."""
        return self._dearest

    @dearest.setter
    def dearest(self, price: int | None) -> None:
        self._dearest = price
        for searcher in self._both():
            searcher.dearest = price

    def paced(self) -> Iterator[Solution | None]:
        """As :meth:`Searcher.paced`; a program that both find comes twice."""
        before, learned = self.meter.used, _Going(self.learned)
        yield from self._turn(learned, SHARE * TURN)
        if learned.over and not self.meter.remaining:
            return
        self._static = self.make()
        self._static.dearest = self._dearest
        static = _Going(self._static)
        # A turn may be longer than it should, by values that are worked out at once. What it took too much is owed.
        owed = (self.meter.used - before) // SHARE
        while not (learned.over or static.over):
            before = self.meter.used
            yield from self._turn(static, owed)
            owed -= self.meter.used - before
            before = self.meter.used
            yield from self._turn(learned, SHARE * (TURN - owed))
            owed += (self.meter.used - before) // SHARE
        for one in (learned, static):
            yield from self._turn(one, _REST)

    def _turn(self, going: _Going, candidates: int) -> Iterator[Solution | None]:
        end = self.meter.used + candidates
        self._let(going, end)
        for solution in going.programs:
            if solution is not None or (self.pause_at is not None and self.meter.used >= self.pause_at):
                yield solution
            if solution is None and self.meter.used >= end:
                return
            self._let(going, end)
        going.over = True

    def _let(self, going: _Going, end: int) -> None:
        # Anew after each program, since whoever asks may have changed where to pause.
        going.searcher.pause_at = end if self.pause_at is None else min(end, self.pause_at)

    def nearest(self) -> Term | None:
        """As :meth:`Searcher.nearest`."""
        return self.learned.nearest()

    def awaiting(self) -> list[Solution]:
        """As :meth:`Searcher.awaiting`, of both searches."""
        found = [solution for searcher in self._both() for solution in searcher.awaiting()]
        return sorted(found, key=lambda one: one.cost)

    def all_but_one(self) -> list[Solution]:
        """As :meth:`Searcher.all_but_one`."""
        return self.learned.all_but_one()

    def _both(self) -> list[Searcher]:
        return [self.learned] if self._static is None else [self.learned, self._static]
