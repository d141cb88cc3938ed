"""Other pieces of texts that separate the rows as a condition of an answer does.

Any mark that the rows of one side happen to hold, and the others do not, would have done as well. Which one is meant
the rows then leave open, and so they do which output stands for texts that hold none of the pieces.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from evolve.policies.search.cuts import needed_at
from evolve.policies.search.problem import Problem
from evolve.policies.search.solvers.piece_lists import PRICE, lists_of, supported
from evolve.policies.search.solvers.piece_tests import PieceTest, mined_tests
from evolve.programs.terms import Apply, Constant, Term, is_open, paths, replace

_OPERATIONS = {"has_text", "starts_with", "ends_with", "contains"}


@dataclass
class OtherPieces:
    """What else fits the rows of an answer with conditions on pieces of texts.

    Attributes:
        values: What a term gives on each row.
        prices: Of each such condition of the answer, as a search prices it.
        places: Where such conditions stand.
    """

    term: Term
    problem: Problem
    values: Callable[[Term], Sequence[Any]]
    prices: dict[Term, int] = field(default_factory=dict)
    places: Mapping[tuple[int, ...], Term] = field(default_factory=dict)
    _tests: Sequence[PieceTest] = ()

    def __post_init__(self) -> None:
        conditions = {part for _, part in paths(self.term) if isinstance(part, Apply) and part.operation in _OPERATIONS}
        if not all(map(is_open, conditions)):
            self._tests = mined_tests(self.problem)
            self.prices = {test.term: PRICE + test.price for test in self._tests if test.term in conditions}
            self.places = {path: part for path, part in paths(self.term) if part in self.prices}

    def answers(self) -> Iterator[tuple[Term, int]]:
        """The answer with other pieces in a condition, each with how much dearer it is."""
        for path, part in self.places.items():
            needed = needed_at(self.term, path, self.problem.outputs, self.values)
            for test in self._tests:
                if all(asked in (None, says) for asked, says in zip(needed, test.values, strict=True)):
                    yield replace(self.term, path, test.term), PRICE + test.price - self.prices[part]

    def lists(self) -> Iterator[tuple[Term, int]]:
        """Lists in which another output is the last, or the pieces of all outputs are others."""
        decided = _conditions(self.term)
        if decided and decided <= self.prices.keys():
            own = sum(self.prices[one] for one in decided)
            for other in lists_of(self.problem, supported(self._tests)):
                yield other.term(self.problem.output_type), other.price - own


def _conditions(term: Term) -> set[Term]:
    """The conditions of a chain of choices between constants; none where it is another term."""
    if isinstance(term, Constant):
        return set()
    if isinstance(term, Apply) and term.operation == "choose":
        return {term.args[0]}.union(*map(_conditions, term.args[1:]))
    return {term}
