"""Clues of whole numbers: what the examples say of one number where lists or numbers come in.

A number may be a bound, a place, a count, a step or an item; each predicate looks for one of these roles.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

from evolve.policies.search.features.texts import UNIT, literals_with_price
from evolve.policies.search.leaves import NUMBERS, numeric_relations
from evolve.policies.search.problem import SearchProblem
from evolve.policies.search.programs.operation import holds

MINED = "mined:int"
"""The name under which numbers mined from the examples are priced."""

Items = tuple[Any, ...]


@dataclass(frozen=True)
class ValueExamples:
    """Examples whose first argument, a list or a number, goes to a single value."""

    inputs: tuple[Any, ...]
    outputs: tuple[Any, ...]

    @cached_property
    def pairs(self) -> list[tuple[Any, Any]]:
        return list(zip(self.inputs, self.outputs, strict=True))


@dataclass(frozen=True)
class ListExamples(ValueExamples):
    """Examples whose first list argument goes to a list."""

    @cached_property
    def is_numeric(self) -> bool:
        """Whether all items are numbers, and some output has one."""
        return any(self.outputs) and all(_is_number(v) for side in (*self.inputs, *self.outputs) for v in side)

    @cached_property
    def images(self) -> set[tuple[Any, Any]]:
        """Items with what stands in their place; nothing where lengths differ."""
        if not self.is_numeric or any(len(x) != len(y) for x, y in self.pairs):
            return set()
        return {ab for x, y in self.pairs for ab in zip(x, y, strict=True)}

    @cached_property
    def partition(self) -> tuple[set[Any], set[Any]] | None:
        """Kept and dropped numbers, where no number is both."""
        if not self.is_numeric:
            return None
        kept = {v for x, y in self.pairs for v in set(x) & set(y)}
        dropped = {v for x, y in self.pairs for v in set(x) - set(y)}
        return (kept, dropped) if kept and dropped and not kept & dropped else None

    @cached_property
    def shrinks_by(self) -> set[int]:
        return {len(x) - len(y) for x, y in self.pairs}

    @cached_property
    def input_items(self) -> set[Any]:
        """The items of all inputs."""
        return set().union(*self.inputs)

    @cached_property
    def output_items(self) -> set[Any]:
        """The items of all outputs."""
        return set().union(*self.outputs)

    @cached_property
    def in_all(self) -> set[Any]:
        """What is an item of every output."""
        return set(self.outputs[0]).intersection(*self.outputs)

    @cached_property
    def output_edges(self) -> tuple[set[Items], set[Items]]:
        """How outputs begin and how they end, each with its first or last item alone."""
        return {y[:1] for y in self.outputs}, {y[-1:] for y in self.outputs}

    @cached_property
    def shortest_input(self) -> int:
        """The length of the shortest input."""
        return min(map(len, self.inputs))

    @cached_property
    def output_extremes(self) -> set[Any]:
        """The least and the largest item of all outputs."""
        items = [v for y in self.outputs for v in y]
        return {min(items), max(items)} if self.is_numeric else set()


Predicate = Callable[[int, Any], bool]
Table = tuple[tuple[str, Predicate], ...]


def _separates(n: int, one: set[Any], other: set[Any]) -> bool:
    return bool(max(one) <= n <= min(other) or max(other) <= n <= min(one))


def _divides_one_side(n: int, sides: tuple[set[Any], set[Any]]) -> bool:
    kept, dropped = ([v % n == 0 for v in side] for side in sides)
    return all(kept) != all(dropped)


def _item_at(place: int, pairs: Sequence[tuple[Items, Items]], of_output: int) -> bool:
    """Whether the items at a place of the inputs are the first or last ones of the outputs, where both exist."""
    seen = [(x[place], y[of_output]) for x, y in pairs if -len(x) <= place < len(x) and y]
    return bool(seen) and all(a == b for a, b in seen)


def _list_roles() -> Table:
    return (
        ("the length changes by it", lambda n, s: n > 0 and s.shrinks_by in ({n}, {-n})),
        ("outputs have at most so many items", lambda n, s: n > 0 and _caps(n, s.pairs)),
        ("outputs begin at this place", lambda n, s: _item_at(n, s.pairs, 0)),
        ("outputs end before this place", lambda n, s: n > 0 and _item_at(n - 1, s.pairs, -1)),
        ("new in every output", lambda n, s: n in s.in_all and n not in s.input_items),
        ("in every output", lambda n, s: n in s.in_all),
        ("begins every output", lambda n, s: s.output_edges[0] == {(n,)}),
        ("ends every output", lambda n, s: s.output_edges[1] == {(n,)}),
        ("removed", lambda n, s: n in s.input_items and n not in s.output_items),
        ("added to every item", lambda n, s: bool(s.images) and {abs(b - a) for a, b in s.images} == {abs(n)}),
        ("multiplies every item", lambda n, s: n not in (0, 1) and _multiplies(n, s.images)),
        ("separates kept from dropped", lambda n, s: bool(s.partition) and _separates(n, *s.partition)),
        ("divides kept or dropped", lambda n, s: n > 1 and bool(s.partition) and _divides_one_side(n, s.partition)),
        ("divides all items", lambda n, s: n > 1 and s.is_numeric and all(v % n == 0 for v in s.output_items)),
        ("bounds the outputs", lambda n, s: n in s.output_extremes),
        ("a place in every input", lambda n, s: 0 < n < s.shortest_input),
        ("in some input", lambda n, s: n in s.input_items),
    )  # fmt: skip


def _value_roles() -> Table:
    return (
        ("the item at this place", lambda n, s: _item_at(n, [(x, (y,)) for x, y in s.pairs], 0)),
        ("the item before this place", lambda n, s: n > 0 and _item_at(n - 1, [(x, (y,)) for x, y in s.pairs], 0)),
        ("its count", lambda n, s: all(y == x.count(n) for x, y in s.pairs)),
        ("divides the outputs", lambda n, s: n > 1 and all(y % n == 0 for y in s.outputs)),
        ("exceeds the outputs", lambda n, s: n > 1 and all(0 <= y < n for y in s.outputs)),
        ("counts what exceeds it", lambda n, s: _counts_beyond(n, s.pairs, 1)),
        ("counts what is below it", lambda n, s: _counts_beyond(n, s.pairs, -1)),
        ("an output", lambda n, s: n in s.outputs),
        ("a place in every input", lambda n, s: n > 0 and all(len(x) > n for x in s.inputs)),
        ("in some input", lambda n, s: any(n in x for x in s.inputs)),
    )  # fmt: skip


def _multiplies(n: int, images: set[tuple[Any, Any]]) -> bool:
    return bool(images) and all(b == a * n for a, b in images)


def _caps(n: int, pairs: Sequence[tuple[Items, Items]]) -> bool:
    # A number that no input exceeds caps nothing.
    return all(len(y) == min(n, len(x)) for x, y in pairs) and any(len(x) > n for x, _ in pairs)


def _counts_beyond(n: int, pairs: Sequence[tuple[Items, int]], side: int) -> bool:
    """Whether outputs count the items above the number (below it for a negative side), with it or without."""
    return any(all(y == sum(side * (v - n) >= least for v in x) for x, y in pairs) for least in (0, 1))


def _number_roles() -> Table:
    return (
        ("added", lambda n, s: n != 0 and all(abs(y - x) == abs(n) for x, y in s.pairs)),
        ("multiplies", lambda n, s: n not in (0, 1) and all(y == x * n for x, y in s.pairs)),
        ("divides", lambda n, s: n > 1 and all(x // n == y for x, y in s.pairs)),
        ("leaves the rest", lambda n, s: n > 1 and all(x % n == y for x, y in s.pairs)),
        ("divides the outputs", lambda n, s: n > 1 and all(y % n == 0 for y in s.outputs)),
        ("exceeds the outputs", lambda n, s: n > 1 and all(0 <= y < n for y in s.outputs)),
        ("an output", lambda n, s: n in s.outputs),
        ("outputs leave one rest", lambda n, s: n > 1 and len({y % n for y in s.outputs}) == 1),
    )


@lru_cache(maxsize=1)
def _priced_numbers() -> tuple[tuple[str, int], ...]:
    """``(priced name, value)`` of every built-in whole number."""
    return tuple((name, value) for name, kind, value in literals_with_price() if kind in ("int", UNIT))


def clues_of_numbers(problem: SearchProblem) -> Iterator[tuple[str, str]]:
    """``(name, clue)`` for every clue of a whole number that holds."""
    kind, table, sides = _roles(problem)
    for name, value in _priced_numbers() if table else ():
        for role, test in table:
            if holds(test, value, sides):
                yield name, f"{kind}: {role}"
    for role in _mined_clues(problem):
        yield MINED, f"mined number: {role}"


def _roles(problem: SearchProblem) -> tuple[str, Table, Any]:
    """Which roles a number can play between these inputs and outputs."""
    lists = [next((v for v in row if isinstance(v, tuple)), None) for row in problem.inputs]
    if all(x is not None for x in lists):
        if all(isinstance(y, tuple) for y in problem.outputs):
            return "number in lists", _list_roles(), ListExamples(tuple(lists), problem.outputs)
        return "number beside lists", _value_roles(), ValueExamples(tuple(lists), problem.outputs)
    first = tuple(row[0] for row in problem.inputs if row)
    if len(first) == len(problem.inputs) and all(map(_is_number, (*first, *problem.outputs))):
        return "number beside numbers", _number_roles(), ValueExamples(first, problem.outputs)
    return "", (), None


def _mined_clues(problem: SearchProblem) -> Iterator[str]:
    """What speaks for a number that only the examples suggest."""
    relations = numeric_relations(problem)
    if relations:
        yield "the examples determine one"
    if len(relations) == 1:
        yield "they determine a single one"
    if any(n not in NUMBERS for n in relations):
        yield "they determine an uncommon one"
    news = [_whole_numbers(y) - _whole_numbers(x) for x, y in zip(problem.inputs, problem.outputs, strict=True)]
    shared = set.intersection(*news) if news else set()
    if shared:
        yield "new in every output"
    if any(n not in NUMBERS for n in shared):
        yield "an uncommon one is new in every output"


def _whole_numbers(value: Any) -> set[int]:
    if isinstance(value, tuple):
        return set().union(*map(_whole_numbers, value))
    if isinstance(value, dict):
        return set().union(*map(_whole_numbers, value.values()))
    return {value} if isinstance(value, int) and not isinstance(value, bool) else set()


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
