"""Everything a search has built so far, by type and price.

An entry is ``(values, origin, parts)``: the values on all examples, the rule or leaf that
made it, and the entries it was made of. Terms are built only for entries that matter.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any, Protocol

from evolve.policies.search.grammar import Rule
from evolve.policies.search.leaves import TermLeaf
from evolve.policies.search.programs.terms import Apply, Constant, Term
from evolve.policies.search.programs.types import Type

# A plain tuple and no class: a search makes hundreds of thousands, and each candidate costs microseconds.
Entry = tuple[tuple[Any, ...], Any, tuple[Any, ...]]
"""``(values, origin, parts)``; ``origin`` is a :class:`Leaf`, a :class:`Rule` or a finished term."""


def term_of(entry: Entry) -> Term:
    """The expression an entry stands for."""
    origin = entry[1]
    if isinstance(origin, TermLeaf):
        return origin.term
    if isinstance(origin, Rule):
        return Apply(origin.name, tuple(map(term_of, entry[2])))
    return origin  # type: ignore[no-any-return]


def is_constant(entry: Entry) -> bool:
    """Whether an entry is a literal; operations on literals alone are never worth a candidate."""
    return isinstance(entry[1], TermLeaf) and isinstance(entry[1].term, Constant)


@dataclass
class EntriesOfType:
    """The entries of one type by cost, one per distinct tuple of values (observational equivalence).

    Attributes:
        levels: Entries per cost.
        seen: The values already present.
        literal_costs: Costs at which there are literals.
    """

    levels: list[list[Entry]] = field(default_factory=list)
    seen: set[tuple[Any, ...]] = field(default_factory=set)
    literal_costs: set[int] = field(default_factory=set)

    def entries_at(self, cost: int) -> list[Entry]:
        """The entries at exactly one cost."""
        return self.levels[cost] if cost < len(self.levels) else []

    def open(self, cost: int) -> list[Entry]:
        """The list to append new entries of a cost to."""
        while len(self.levels) <= cost:
            self.levels.append([])
        return self.levels[cost]

    def add(self, cost: int, entry: Entry) -> bool:
        """Adds an entry unless its values are already there; says whether it did."""
        # By values alone: of all programs that are the same on the examples only the first, cheapest one is kept.
        if entry[0] in self.seen:
            return False
        self.seen.add(entry[0])
        self.open(cost).append(entry)
        if is_constant(entry):
            self.literal_costs.add(cost)
        return True


@dataclass
class EntryBank:
    """A shelf per type.

    Whoever looks at a type often keeps its shelf, because hashing types is slow beside the rest.
    """

    shelves: dict[Type, EntriesOfType] = field(default_factory=dict)

    def entries_of(self, type_: Type) -> EntriesOfType:
        """The shelf of a type, always the same one."""
        shelf = self.shelves.get(type_)
        if shelf is None:
            shelf = self.shelves[type_] = EntriesOfType()
        return shelf

    def entries_at(self, type_: Type, cost: int) -> list[Entry]:
        """The entries of a type at exactly one cost."""
        return self.entries_of(type_).entries_at(cost)

    def entries(self, type_: Type) -> Iterator[tuple[int, Entry]]:
        """All entries of a type with their cost, cheapest first."""
        for cost, level in enumerate(self.entries_of(type_).levels):
            for entry in level:
                yield cost, entry


class ArgumentSource(Protocol):
    """Where the arguments of one parameter come from: a shelf, or functions that are made when asked for."""

    def entries_at(self, cost: int) -> list[Entry]: ...


def arguments(sources: Sequence[ArgumentSource], budget: int) -> Iterator[tuple[tuple[Entry, ...], list[Entry], int]]:
    """All ways to spend ``budget`` on arguments, one per source.

    Yields the chosen entries of all parameters but the last, the entries the last one may be,
    and their cost. A split of the budget with an empty level is never entered.
    """
    if len(sources) == 2:  # written out, because most operations take two values
        first, second = sources
        for cost in range(1, budget):
            entries = first.entries_at(cost)
            if entries and (level := second.entries_at(budget - cost)):
                for entry in entries:
                    yield (entry,), level, budget - cost
        return
    for levels, last in _splits(sources, budget):
        for chosen in product(*levels[:-1]):
            yield chosen, levels[-1], last


def _splits(sources: Sequence[ArgumentSource], budget: int) -> Iterator[tuple[tuple[list[Entry], ...], int]]:
    first, others = sources[0], sources[1:]
    if not others:
        entries = first.entries_at(budget)
        if entries:
            yield (entries,), budget
        return
    for cost in range(1, budget - len(others) + 1):
        entries = first.entries_at(cost)
        if entries:
            for rest, last in _splits(others, budget - cost):
                yield (entries, *rest), last
