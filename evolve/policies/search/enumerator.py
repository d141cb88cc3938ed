"""Bottom-up enumeration of typed programs in order of cost, pruned by observational equivalence.

The method is that of Transit (Udupa et al. 2013) and Probe (Barke et al. 2020): every
expression is built from cheaper ones, and of all expressions with the same values on the
examples only the first, cheapest, is kept. For first-order programs no solution is lost
by that, because a larger program that uses a dropped expression has an equally good twin.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import isclose
from typing import Any

from evolve.policies.search.bank import Bank, Entry, arguments, is_constant
from evolve.policies.search.grammar import Grammar, Rule, active_types
from evolve.policies.search.lambdas import LambdaBanks
from evolve.policies.search.leaves import Leaf
from evolve.policies.search.problem import Problem
from evolve.programs.operation import EVALUATION_ERRORS
from evolve.programs.types import FLOAT, Type, subtypes


class OutOfBudget(Exception):
    """Raised inside a search when its candidates or seconds are used up."""


@dataclass
class Meter:
    """Counts candidates and watches the clock of one search.

    Attributes:
        limit: Candidates that may be computed.
        deadline: Process CPU time, in seconds, at which the search must stop, or None.
        memory: Entries that may be kept.
    """

    limit: int
    deadline: float | None = None
    memory: int = 1_500_000
    used: int = 0
    kept: int = 0

    @property
    def left(self) -> int:
        """Candidates that may still be computed."""
        return max(0, self.limit - self.used)

    def count(self, candidates: int, kept: int = 0) -> None:
        """Counts work that was done."""
        self.used += candidates
        self.kept += kept

    def spend(self, candidates: int) -> None:
        """Counts work and checks the budget."""
        self.count(candidates)
        self.check()

    def check(self) -> None:
        """Raises :class:`OutOfBudget` when the search must stop."""
        if self.used >= self.limit or self.kept > self.memory:
            raise OutOfBudget
        if self.deadline is not None and time.process_time() > self.deadline:
            raise OutOfBudget


@dataclass
class Enumerator:
    """One cost-ordered enumeration over one problem.

    Attributes:
        problem: Examples and types.
        grammar: Monomorphic rules.
        costs: Price per rule name, at least 1.
        leaves: Inputs, literals and mined constants.
        meter: Budget shared with whatever else searches for the same answer.
    """

    problem: Problem
    grammar: Grammar
    costs: Mapping[str, int]
    leaves: Sequence[Leaf]
    meter: Meter
    lambdas: LambdaBanks | None = None
    bank: Bank = field(default_factory=Bank)
    cost: int = 0

    def __post_init__(self) -> None:
        active, _ = active_types(self.problem)
        size = len(self.problem.inputs)
        self._goal = self.problem.output_type
        self._wanted = tuple(self.problem.outputs)
        self._starts: dict[int, list[Leaf]] = {}
        needed = {p for rule in self.grammar.rules for p in rule.params} | {self._goal}
        for leaf in self.leaves:
            if leaf.type in needed or leaf.type in active:
                self._starts.setdefault(leaf.cost, []).append(leaf)
        self._size = size
        self._by_price = sorted(self.grammar.rules, key=lambda r: self.costs[r.name])

    def values_of(self, leaf: Leaf) -> tuple[Any, ...]:
        """The values of a leaf on all examples."""
        index = getattr(leaf.term, "index", None)
        if index is not None:
            return tuple(row[index] for row in self.problem.inputs)
        return (leaf.term.value,) * self._size  # type: ignore[union-attr]

    def advance(self) -> Iterator[Sequence[Entry]]:
        """Builds everything of the next cost, yielding new entries of the goal type as they come.

        Entries whose values equal the goal are yielded again for every further program found.

        Raises:
            OutOfBudget: The meter ran out; what was built so far stays in the bank.
        """
        self.cost += 1
        for leaf in self._starts.get(self.cost, ()):
            entry = (self.values_of(leaf), leaf, ())
            if self.bank.add(leaf.type, self.cost, entry) and leaf.type == self._goal:
                yield (entry,)
            self.meter.spend(1)
        for rule in self._by_price:
            left = self.cost - self.costs[rule.name]
            if left >= len(rule.params):
                yield from self._apply(rule, left)

    def _level(self, type_: Type, cost: int) -> list[Entry]:
        if type_.name == "fn":
            return self.lambdas.level(type_, cost) if self.lambdas is not None else []
        return self.bank.level(type_, cost)

    def _apply(self, rule: Rule, left: int) -> Iterator[Sequence[Entry]]:
        halved = rule.operation.commutative and len(rule.params) == 2
        seen_at_half = 0
        for chosen, level, rest in arguments(rule.params, left, self._level):
            if halved and 2 * rest < left:
                continue
            if halved and 2 * rest == left:
                level = level[seen_at_half:]
                seen_at_half += 1
            fresh = self._sweep(rule, chosen, level)
            if fresh and rule.result == self._goal:
                yield fresh
            self.meter.check()

    def _sweep(self, rule: Rule, chosen: tuple[Entry, ...], level: Sequence[Entry]) -> Sequence[Entry]:
        """Applies a rule to every choice of its last argument; the inner loop of the search."""
        function, fixed = rule.function, [entry[0] for entry in chosen]
        seen = self.bank.known(rule.result)
        goal = self._wanted if rule.result == self._goal else None
        fresh: list[Entry] = []
        if all(map(is_constant, chosen)):
            level = [entry for entry in level if not is_constant(entry)]
        level = level[: self.meter.left]
        for entry in level:
            try:
                values = tuple(map(function, *fixed, entry[0]))
            except EVALUATION_ERRORS:
                continue
            if values in seen:
                if values == goal:
                    fresh.append((values, rule, (*chosen, entry)))
                continue
            seen.add(values)
            fresh.append((values, rule, (*chosen, entry)))
        self.bank.open(rule.result, self.cost).extend(fresh)
        self.meter.count(len(level), len(fresh))
        return fresh


def matcher(goal: Type, outputs: Sequence[Any]) -> Callable[[tuple[Any, ...]], bool]:
    """Whether values are the wanted outputs; floats up to a relative 1e-9."""
    wanted = tuple(outputs)
    if FLOAT not in set(subtypes(goal)):
        return wanted.__eq__
    return lambda values: all(map(near, values, wanted))


def near(a: Any, b: Any) -> bool:
    """Equality of search values with floats up to a relative 1e-9."""
    if isinstance(a, float) and isinstance(b, float):
        return isclose(a, b, rel_tol=1e-9, abs_tol=1e-12)
    if isinstance(a, tuple) and isinstance(b, tuple):
        return len(a) == len(b) and all(map(near, a, b))
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(near(v, b[k]) for k, v in a.items())
    return bool(a == b)
