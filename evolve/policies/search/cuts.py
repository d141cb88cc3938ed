"""Other values along which a bound separates the rows as a condition of an answer does.

Of the many properties that a row has, several may lie on either side of some bound just as the one that was found: the
number of words of a text beside that of its characters. Which one is meant the rows then leave open.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from evolve.policies.search.enumerator import near
from evolve.policies.search.solvers.bands import LESS, bounds_of, comparison
from evolve.policies.search.solvers.found import Column
from evolve.policies.search.solvers.round_values import digits
from evolve.programs.terms import Apply, Constant, Term, is_open, paths, replace
from evolve.programs.types import BOOL, FLOAT, INT

DIGIT = 2
"""Price of each further digit of a bound: where rows leave a gap, people mean the round number in it (Jansen & Pollmann
2001, On round numbers)."""


@dataclass(frozen=True, kw_only=True)
class Cut:
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

    def along(self, column: Column) -> tuple[Term, float] | None:
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
        return comparison(column, bound, above, negated=first != above), bound


def bounds_in(term: Term) -> dict[tuple[int, ...], tuple[int, ...]]:
    """Where the term compares with a number: the path of the number, and that of the comparison."""
    return {
        (*path, place): path
        for path, part in paths(term)
        if isinstance(part, Apply) and part.operation in LESS.values()
        for place, side in enumerate(part.args)
        if isinstance(side, Constant) and side.type in (INT, FLOAT)
    }


def rougher(one: Term, other: Constant) -> int:
    """How much dearer a number is than another as a bound."""
    return DIGIT * (digits(one.value) - digits(other.value)) if isinstance(one, Constant) else 0


def cuts_of(term: Term, outputs: Sequence[Any], values: Callable[[Term], Sequence[Any]]) -> Iterator[Cut]:
    """The comparisons of an answer, apart from those in lambdas.

    Args:
        outputs: What is right on each row.
        values: What a term gives on each row.
    """
    parts = dict(paths(term))
    for number, path in bounds_in(term).items():
        comparing, bound = parts[path], parts[number]
        assert isinstance(comparing, Apply) and isinstance(bound, Constant)
        if is_open(comparing):
            continue
        other = comparing.args[1 - number[-1]]
        needed = needed_at(term, path, outputs, values)
        yield Cut(path=path, value=other, bound=bound.value, needed=needed)


def needed_at(
    term: Term, path: tuple[int, ...], outputs: Sequence[Any], values: Callable[[Term], Sequence[Any]]
) -> tuple[bool | None, ...]:
    """What a condition of an answer has to say of each row; None where the answer is right or wrong either way.

    Args:
        outputs, values: As for :func:`cuts_of`.
    """
    right = [
        [near(a, b) for a, b in zip(values(replace(term, path, Constant(said, BOOL))), outputs, strict=True)]
        for said in (True, False)
    ]
    return tuple(None if yes == no else yes for yes, no in zip(*right, strict=True))
