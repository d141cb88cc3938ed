"""Other values and other pieces of texts that separate the rows as a condition of an answer does."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from evolve.policies.search.enumerator import near_values
from evolve.policies.search.problem import SearchProblem
from evolve.policies.search.programs.terms import Apply, Constant, Term, is_open, replace_subterm, subterm_paths
from evolve.policies.search.programs.types import BOOL, FLOAT, INT
from evolve.policies.search.solvers.base import RowColumn
from evolve.policies.search.solvers.bins import LESS, bounds_of, comparison_term
from evolve.policies.search.solvers.linear import count_digits
from evolve.policies.search.solvers.substrings import PRICE, PieceTest, lists_of, mined_tests, supported_tests

DIGIT = 2
"""Price of each further digit of a bound: where rows leave a gap, people mean the round number in it (Jansen & Pollmann
2001, On round numbers)."""


@dataclass(frozen=True, kw_only=True)
class ThresholdCut:
    """A comparison with a number in an answer.

    Attributes:
        path: Where it stands.
        value: What is compared.
        bound: With what number.
        needed: Per row, what it has to say; None where the answer is right either way.
    """

    path: tuple[int, ...]
    value: Term
    bound: float
    needed: tuple[bool | None, ...]

    def cut_column(self, column: RowColumn) -> tuple[Term, float] | None:
        """A comparison of other values with the roundest bound that says what is needed, and the bound."""
        true, false = (
            [value for value, said in zip(column.values, self.needed, strict=True) if said is wanted]
            for wanted in (True, False)
        )
        if not true or not false:
            return None
        if max(true) < min(false):
            gap, first = (max(true), min(false)), True
        elif max(false) < min(true):
            gap, first = (max(false), min(true)), False
        else:
            return None
        found = bounds_of([gap], column.type)
        if found is None:
            return None
        (bound,), above = found
        # ``x < bound`` where what equals the bound belongs above it, else ``bound < x``.
        return comparison_term(column, bound, above, negated=first != above), bound


def bounds_of_term(term: Term) -> dict[tuple[int, ...], tuple[int, ...]]:
    """Where the term compares with a number: the path of the number, and that of the comparison."""
    return {
        (*path, place): path
        for path, part in subterm_paths(term)
        if isinstance(part, Apply) and part.operation in LESS.values()
        for place, side in enumerate(part.args)
        if isinstance(side, Constant) and side.type in (INT, FLOAT)
    }


def roughness_penalty(one: Term, other: Constant) -> int:
    """How much dearer a number is than another as a bound."""
    return DIGIT * (count_digits(one.value) - count_digits(other.value)) if isinstance(one, Constant) else 0


def cuts_of(term: Term, outputs: Sequence[Any], values: Callable[[Term], Sequence[Any]]) -> Iterator[ThresholdCut]:
    """The comparisons of an answer, apart from those in lambdas.

    Args:
        outputs: What is right on each row.
        values: What a term gives on each row.
    """
    parts = dict(subterm_paths(term))
    for number, path in bounds_of_term(term).items():
        comparing, bound = parts[path], parts[number]
        assert isinstance(comparing, Apply) and isinstance(bound, Constant)
        if is_open(comparing):
            continue
        other = comparing.args[1 - number[-1]]
        needed = _needed_at(term, path, outputs, values)
        yield ThresholdCut(path=path, value=other, bound=bound.value, needed=needed)


def _needed_at(
    term: Term, path: tuple[int, ...], outputs: Sequence[Any], values: Callable[[Term], Sequence[Any]]
) -> tuple[bool | None, ...]:
    """What a condition of an answer has to say of each row; None where the answer is right or wrong either way.

    Args:
        outputs, values: As for :func:`cuts_of`.
    """
    right = [
        [
            near_values(a, b)
            for a, b in zip(values(replace_subterm(term, path, Constant(said, BOOL))), outputs, strict=True)
        ]
        for said in (True, False)
    ]
    return tuple(None if yes == no else yes for yes, no in zip(*right, strict=True))


_OPERATIONS = {"has_text", "starts_with", "ends_with", "contains"}


@dataclass
class AlternativePieces:
    """What else fits the rows of an answer with conditions on pieces of texts.

    Attributes:
        values: What a term gives on each row.
        prices: Of each such condition of the answer, as a search prices it.
        places: Where such conditions stand.
    """

    term: Term
    problem: SearchProblem
    values: Callable[[Term], Sequence[Any]]
    prices: dict[Term, int] = field(default_factory=dict)
    places: Mapping[tuple[int, ...], Term] = field(default_factory=dict)
    _tests: Sequence[PieceTest] = ()

    def __post_init__(self) -> None:
        conditions = {
            part for _, part in subterm_paths(self.term) if isinstance(part, Apply) and part.operation in _OPERATIONS
        }
        if not all(map(is_open, conditions)):
            self._tests = mined_tests(self.problem)
            self.prices = {test.term: PRICE + test.price for test in self._tests if test.term in conditions}
            self.places = {path: part for path, part in subterm_paths(self.term) if part in self.prices}

    def other_answers(self) -> Iterator[tuple[Term, int]]:
        """The answer with other pieces in a condition, each with how much dearer it is."""
        for path, part in self.places.items():
            needed = _needed_at(self.term, path, self.problem.outputs, self.values)
            for test in self._tests:
                if all(asked in (None, says) for asked, says in zip(needed, test.values, strict=True)):
                    yield replace_subterm(self.term, path, test.term), PRICE + test.price - self.prices[part]

    def other_lists(self) -> Iterator[tuple[Term, int]]:
        """Lists in which another output is the last, or the pieces of all outputs are others."""
        decided = _conditions(self.term)
        if decided and decided <= self.prices.keys():
            own = sum(self.prices[one] for one in decided)
            for other in lists_of(self.problem, supported_tests(self._tests)):
                yield other.to_term(self.problem.output_type), other.price - own


def _conditions(term: Term) -> set[Term]:
    """The conditions of a chain of choices between constants; none where it is another term."""
    if isinstance(term, Constant):
        return set()
    if isinstance(term, Apply) and term.operation == "choose":
        return {term.args[0]}.union(*map(_conditions, term.args[1:]))
    return {term}
