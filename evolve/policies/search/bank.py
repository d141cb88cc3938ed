"""Everything a search has built so far, by type and price.

An entry is ``(values, origin, parts)``: the values on all examples, the rule or leaf that
made it, and the entries it was made of. Terms are built only for entries that matter.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any

from evolve.policies.search.grammar import Rule
from evolve.policies.search.leaves import Leaf
from evolve.programs.terms import Apply, Constant, Term
from evolve.programs.types import Type

Entry = tuple[tuple[Any, ...], Any, tuple[Any, ...]]
"""``(values, origin, parts)``; ``origin`` is a :class:`Leaf`, a :class:`Rule` or a finished term."""


def term_of(entry: Entry) -> Term:
    """The expression an entry stands for."""
    origin = entry[1]
    if isinstance(origin, Leaf):
        return origin.term
    if isinstance(origin, Rule):
        return Apply(origin.name, tuple(map(term_of, entry[2])))
    return origin  # type: ignore[no-any-return]


def is_constant(entry: Entry) -> bool:
    """Whether an entry is a literal; operations on literals alone are never worth a candidate."""
    return isinstance(entry[1], Leaf) and isinstance(entry[1].term, Constant)


@dataclass
class Bank:
    """Entries by type and cost, one per distinct tuple of values (observational equivalence)."""

    levels: dict[Type, list[list[Entry]]] = field(default_factory=dict)
    seen: dict[Type, set[tuple[Any, ...]]] = field(default_factory=dict)

    def level(self, type_: Type, cost: int) -> list[Entry]:
        """The entries of a type at exactly one cost."""
        levels = self.levels.get(type_)
        return levels[cost] if levels is not None and cost < len(levels) else []

    def open(self, type_: Type, cost: int) -> list[Entry]:
        """The list to append new entries of a type and cost to."""
        levels = self.levels.setdefault(type_, [])
        while len(levels) <= cost:
            levels.append([])
        return levels[cost]

    def known(self, type_: Type) -> set[tuple[Any, ...]]:
        """The values already present for a type."""
        return self.seen.setdefault(type_, set())

    def add(self, type_: Type, cost: int, entry: Entry) -> bool:
        """Adds an entry unless its values are already there; says whether it did."""
        known = self.known(type_)
        if entry[0] in known:
            return False
        known.add(entry[0])
        self.open(type_, cost).append(entry)
        return True

    def entries(self, type_: Type) -> Iterator[tuple[int, Entry]]:
        """All entries of a type with their cost, cheapest first."""
        for cost, level in enumerate(self.levels.get(type_, [])):
            for entry in level:
                yield cost, entry


def arguments(
    params: Sequence[Type], budget: int, level: Callable[[Type, int], list[Entry]]
) -> Iterator[tuple[tuple[Entry, ...], list[Entry], int]]:
    """All ways to spend ``budget`` on arguments.

    Yields the chosen entries of all parameters but the last, the entries the last one may be,
    and their cost. A split of the budget with an empty level is never entered.
    """
    for levels, last in _splits(params, budget, level):
        for chosen in product(*levels[:-1]):
            yield chosen, levels[-1], last


def _splits(
    params: Sequence[Type], budget: int, level: Callable[[Type, int], list[Entry]]
) -> Iterator[tuple[tuple[list[Entry], ...], int]]:
    if len(params) == 1:
        entries = level(params[0], budget)
        if entries:
            yield (entries,), budget
        return
    for cost in range(1, budget - len(params) + 2):
        entries = level(params[0], cost)
        if entries:
            for rest, last in _splits(params[1:], budget - cost, level):
                yield (entries, *rest), last
