"""What solvers work with and what they give."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evolve.policies.search.bank import Entry, is_constant, term_of
from evolve.policies.search.enumerator import Enumerator
from evolve.policies.search.programs.terms import Apply, Constant, Term
from evolve.policies.search.programs.types import FLOAT, INT, Type
from evolve.policies.search.solvers.linear import count_digits

FIRST = 8
"""Price of the first programs that may be worked out: those that an operation says plainly go before them."""
MOST_SOURCES = 40
"""Values of one type and price that are looked at."""


@dataclass(frozen=True)
class SolvedTerm:
    """A term that was worked out from the rows.

    Attributes:
        term: It gives every output, or a piece of every output.
        cost: Its price.
        turn: Price at which it may be taken, after whatever the search has found by then.
        values: Its values, for a piece of the outputs; None for a whole program.
    """

    term: Term
    cost: int
    turn: int
    values: tuple[Any, ...] | None = None


@dataclass(frozen=True)
class RowColumn:
    """Something known of every row.

    Attributes:
        values: One per row.
        term: How it is computed.
        type: Its type.
        cost: Its price.
    """

    values: tuple[Any, ...]
    term: Term
    type: Type
    cost: int


def newest_values(enumerator: Enumerator, *kinds: Type) -> Iterator[RowColumn]:
    """The values of the search's newest level, literals and what is the same in every row left out."""
    for kind in kinds:
        for entry in enumerator.bank.entries_at(kind, enumerator.cost)[:MOST_SOURCES]:
            if not is_constant(entry) and len(set(entry[0])) > 1:
                yield _column_of(entry, kind, enumerator.cost)


def _column_of(entry: Entry, kind: Type, cost: int) -> RowColumn:
    """An entry of the search as a column."""
    return RowColumn(entry[0], term_of(entry), kind, cost)


def number_constant(value: float, kind: Type) -> Constant:
    """A number as a constant of one of the two kinds of numbers."""
    return Constant(int(value), INT) if kind == INT else Constant(float(value), FLOAT)


def price_of(term: Term, costs: Mapping[str, int]) -> int:
    """The price of a term: what the search takes for its operations, and a digit's worth per digit of a number."""
    if isinstance(term, Apply):
        return costs.get(term.operation, 5) + sum(price_of(arg, costs) for arg in term.args)
    if isinstance(term, Constant):
        is_number = term.type in (INT, FLOAT)
        return (
            2 + count_digits(term.value)
            if is_number
            else 5
            if isinstance(term.value, str) and len(term.value) > 1
            else 2
        )
    return 1


def apply(operation: str, *args: Term) -> Term:
    """An operation on arguments."""
    return Apply(operation, args)


def count_distinct(values: Sequence[Any]) -> int:
    """How many different values there are."""
    return len(set(values))
