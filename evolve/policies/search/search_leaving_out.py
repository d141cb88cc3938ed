"""Whether an answer rests on one row alone: the search again, each time with all rows but one.

A function that was chosen because of the row that refused another one has that row for itself. It is well founded only
where the other rows would have led to it too (the jackknife of Quenouille 1949, over examples).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from evolve.core.episodes import Json, Row
from evolve.policies.search.enumerator import near_values
from evolve.policies.search.problem import SearchProblem, problem_from_rows
from evolve.policies.search.programs.evaluation import compile_term, value_or
from evolve.policies.search.programs.terms import Term
from evolve.policies.search.programs.types import as_type
from evolve.policies.search.searcher import Searcher, Vocabulary

LEAST_CANDIDATES = 400_000
"""Candidates that all searches together may compute, however soon the answer was found."""
_MARGIN = 1.5
"""One search may compute so many times the candidates that the answer took."""

MakeSearcher = Callable[[SearchProblem, int], Searcher]
"""A search over a problem, within so many candidates."""


@dataclass
class LeavingOut:
    """The searches behind one answer, each with all rows but one.

    Attributes:
        rows: All rows of the task.
        inputs: Further inputs on which two functions are compared, such as the other rows of a table.
        took: Candidates that the answer took to be found.
        most: Candidates that all searches together may compute at most, or None.
        used: Candidates that were computed here.
        work: Work units of them.
        reached: Whether every search came to a program.
    """

    term: Term
    rows: Sequence[Row]
    vocabulary: Vocabulary
    make: MakeSearcher
    took: int
    most: int | None = None
    inputs: Sequence[Sequence[Json]] = ()
    used: int = 0
    work: int = 0
    reached: bool = True
    _problem: SearchProblem = field(init=False)

    def __post_init__(self) -> None:
        self._problem = problem_from_rows(self.rows, "rows")
        self._left = max(LEAST_CANDIDATES, 2 * self.took)
        if self.most is not None:
            self._left = min(self._left, self.most)

    def decisive(self, places: Sequence[int]) -> int | None:
        """The first of these rows without which another function is found; None where there is none."""
        for place in places:
            # The first program that fits all other rows
            rest = self._problem.subset([n for n in range(len(self.rows)) if n != place])
            searcher = self.make(rest, min(self._left, int(self.took * _MARGIN) + 2_000))
            found = next(searcher.programs(), None)
            self.used += searcher.meter.used
            self.work += searcher.meter.work
            self._left = max(0, self._left - searcher.meter.used)
            other = None if found is None else found.term
            if other is None:
                self.reached = False
                return None
            if other != self.term and not self._alike(other):
                return place
        return None

    def _alike(self, other: Term) -> bool:
        return same_values(self.term, other, (*self._problem.inputs, *self._further()), self.vocabulary)

    def _further(self) -> list[tuple[Any, ...]]:
        types = self._problem.input_types
        fitting = [row for row in self.inputs if len(row) == len(types)]
        try:
            return [tuple(as_type(value, kind) for value, kind in zip(row, types, strict=True)) for row in fitting]
        except (KeyError, TypeError, ValueError):
            return []


def same_values(term: Term, other: Term, inputs: Sequence[tuple[Any, ...]], vocabulary: Vocabulary) -> bool:
    """Whether two programs give the same on these inputs, or both no value."""
    own, others = (compile_term(one, vocabulary.by_name) for one in (term, other))
    return all(near_values(value_or(own, row, None), value_or(others, row, None)) for row in inputs)
