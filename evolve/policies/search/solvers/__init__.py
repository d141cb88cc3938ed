"""Solvers: constants and whole programs that are worked out from the rows instead of enumerated.

A search that takes its numbers from a list finds none that is not on it. Two rows give the line
through them, the rows on both sides of a bound give the bound; the other rows confirm it. What
comes out is an ordinary term of the same operations, with constants of its own.

- ``round_values``: the roundest number of a range.
- ``found``: what solvers work with and what they give.
- ``bands``: labels by ranges of an ordered value.
- ``targets``, ``fitting``, ``lines``: the numbers of the outputs and the plainest line to them.
- ``places``: parts of texts by what stands around them, and by a number of characters.
- ``shifts``: quarters and years that begin in another month.
- ``orders``: comparisons of two inputs, by their numbers or as they are.
- ``kinds``: what each of few values stands for.
- ``piece_tests``, ``piece_lists``: outputs by what a text holds, begins or ends with.
- ``weights``: sums of weighted digits and what is left of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from evolve.policies.search.enumerator import Enumerator
from evolve.policies.search.programs.operation import Operation
from evolve.policies.search.programs.terms import Term
from evolve.policies.search.solvers.arithmetic import Arithmetic
from evolve.policies.search.solvers.base import SolvedTerm
from evolve.policies.search.solvers.bins import MonthShifts, ValueBins
from evolve.policies.search.solvers.categories import Categories
from evolve.policies.search.solvers.check_digits import CheckDigitWeights
from evolve.policies.search.solvers.orders import Orders
from evolve.policies.search.solvers.slices import SlicePlaces
from evolve.policies.search.solvers.substrings import PieceLists

__all__ = ["SolvedTerm", "Solvers"]


class Solver(Protocol):
    """Works something out each time the search has finished a level."""

    def solutions(self) -> Iterator[SolvedTerm]: ...


@dataclass
class Solvers:
    """Every solver over one search."""

    enumerator: Enumerator
    operations: Mapping[str, Operation]
    each: tuple[Solver, ...] = field(init=False)

    def __post_init__(self) -> None:
        self.bands = ValueBins(self.enumerator)
        self.orders = Orders(self.enumerator, self.operations)
        self.kinds = Categories(self.enumerator, self.operations)
        self.pieces = PieceLists(self.enumerator, self.operations)
        self.each = (
            self.bands,
            Arithmetic(self.enumerator, self.operations),
            SlicePlaces(self.enumerator, self.operations),
            MonthShifts(self.enumerator),
            CheckDigitWeights(self.enumerator, self.operations),
            self.orders,
            self.kinds,
            self.pieces,
        )

    def solutions(self) -> Iterator[SolvedTerm]:
        """What the values of the newest level allow to work out."""
        for solver in self.each:
            yield from solver.solutions()
        self.enumerator.meter.check()

    def bound_tests(self) -> Iterator[tuple[tuple[bool, ...], int, Term]]:
        """Comparisons, also with bounds, that the newest level's values allow: ``(values, price, term)``."""
        yield from self.bands.bound_tests()
        yield from self.orders.tests()
        yield from self.kinds.tests()
        yield from self.pieces.tests()
