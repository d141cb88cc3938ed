"""Two searches for one answer that take turns: with learned prices, and with static ones.

Learned prices are often far better and sometimes far worse. Whoever runs both by turns takes at most a fixed multiple
of what the better one would have taken alone (dovetailing, as in the universal search of Levin 1973).
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, field

from evolve.policies.search.enumerator import SearchMeter
from evolve.policies.search.searcher import Searcher, Solution, Vocabulary
from evolve.programs.terms import Term

SHARE = 4
"""Candidates with learned prices for each one with static prices. A task that static prices alone solve in n candidates
is solved in little more than five times as many."""
TURN = 200
"""Candidates of one turn with static prices. Before the first one, most tasks are solved, and then the second search
costs nothing."""


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
        going = [(self.learned, self.learned.paced(), SHARE * TURN)]
        while going:
            for searcher, programs, share in tuple(going):
                if not (yield from self._turn(searcher, programs, share)):
                    going = [one for one in going if one[0] is not searcher]
            if self._static is None and self.meter.left:
                self._static = self.make()
                self._static.dearest = self._dearest
                going.append((self._static, self._static.paced(), TURN))

    def _turn(
        self, searcher: Searcher, programs: Iterator[Solution | None], share: int
    ) -> Generator[Solution | None, None, bool]:
        """Programs of one turn; says whether the search can go on."""
        end = self.meter.used + share
        searcher.pause_at = end if self.pause_at is None else min(end, self.pause_at)
        for solution in programs:
            if solution is not None or self._pauses():
                yield solution
            if solution is None and self.meter.used >= end:
                return True
            # It may be another one since a program was given.
            searcher.pause_at = end if self.pause_at is None else min(end, self.pause_at)
        return False

    def _pauses(self) -> bool:
        return self.pause_at is not None and self.meter.used >= self.pause_at

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
