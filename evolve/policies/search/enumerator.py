"""Bottom-up enumeration of typed programs in order of cost, pruned by observational equivalence.

The method is that of Transit (Udupa et al. 2013) and Probe (Barke et al. 2020): every
expression is built from cheaper ones, and of all expressions with the same values on the
examples only the first, cheapest, is kept. For first-order programs no solution is lost
by that, because a larger program that uses a dropped expression has an equally good twin.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import isclose
from operator import eq
from typing import Any

from evolve.policies.search.bank import ArgumentSource, EntriesOfType, Entry, EntryBank, arguments, is_constant
from evolve.policies.search.grammar import Grammar, Rule
from evolve.policies.search.lambdas import LambdaBanks
from evolve.policies.search.leaves import TermLeaf
from evolve.policies.search.meter import LEVEL, RULE, SearchMeter
from evolve.policies.search.problem import SearchProblem
from evolve.policies.search.programs.operation import EVALUATION_ERRORS
from evolve.policies.search.programs.types import FLOAT, Type, inner_types


@dataclass
class _Turn:
    """A rule with what a search needs at hand to apply it again and again.

    Attributes:
        rule: What is applied.
        price: Cost of the rule itself.
        result: Where results go.
        reaches_goal: Whether results are of the goal type.
        sources: Where arguments come from; set when the rule is first affordable.
    """

    rule: Rule
    price: int
    result: EntriesOfType
    reaches_goal: bool
    sources: list[ArgumentSource] = field(default_factory=list)


@dataclass
class Enumerator:
    """One cost-ordered enumeration over one problem.

    Attributes:
        problem: Examples and types.
        grammar: Monomorphic rules.
        costs: Price per rule name, at least 1.
        leaves: Inputs, literals and mined constants.
        meter: Budget shared with whatever else searches for the same answer.
        pause_at: Candidates of the meter from which on :meth:`next_cost_entries` also yields where it has nothing new.
    """

    problem: SearchProblem
    grammar: Grammar
    costs: Mapping[str, int]
    leaves: Sequence[TermLeaf]
    meter: SearchMeter
    lambdas: LambdaBanks | None = None
    bank: EntryBank = field(default_factory=EntryBank)
    cost: int = 0
    pause_at: int | None = None

    def __post_init__(self) -> None:
        self._goal = self.problem.output_type
        self._wanted = tuple(self.problem.outputs)
        self._starts: dict[int, list[TermLeaf]] = {}
        for leaf in self.leaves:
            if leaf.type in self.grammar.types:
                self._starts.setdefault(leaf.cost, []).append(leaf)
        self._size = len(self.problem.inputs)
        by_price = sorted(self.grammar.rules, key=lambda r: (not r.first, self.costs[r.name]))
        goal, shelves = self.bank.entries_of(self._goal), [self.bank.entries_of(rule.result) for rule in by_price]
        turns = zip(by_price, shelves, strict=True)
        self._turns = [_Turn(rule, self.costs[rule.name], shelf, shelf is goal) for rule, shelf in turns]

    def _values_of(self, leaf: TermLeaf) -> tuple[Any, ...]:
        """The values of a leaf on all examples."""
        index = getattr(leaf.term, "index", None)
        if index is not None:
            return tuple(row[index] for row in self.problem.inputs)
        return (leaf.term.value,) * self._size  # type: ignore[union-attr]

    def next_cost_entries(self) -> Iterator[Sequence[Entry]]:
        """Builds everything of the next cost, yielding new entries of the goal type as they come.

        Entries whose values equal the goal are yielded again for every further program found.

        Raises:
            OutOfBudget: The meter ran out; what was built so far stays in the bank.
        """
        self.cost += 1
        self.meter.work += LEVEL
        for leaf in self._starts.get(self.cost, ()):
            entry = (self._values_of(leaf), leaf, ())
            if self.bank.entries_of(leaf.type).add(self.cost, entry) and leaf.type == self._goal:
                yield (entry,)
            self.meter.spend(1)
        for turn in self._turns:
            left = self.cost - turn.price
            if left >= len(turn.rule.params):
                yield from self._apply(turn, left)

    def _source(self, type_: Type) -> ArgumentSource:
        if type_.name == "fn" and self.lambdas is not None:
            return self.lambdas.bodies_of(type_)
        return self.bank.entries_of(type_)

    def _apply(self, turn: _Turn, left: int) -> Iterator[Sequence[Entry]]:
        params = turn.rule.params
        turn.sources = turn.sources or list(map(self._source, params))
        halved = turn.rule.operation.commutative and len(params) == 2
        seen_at_half = 0
        self.meter.work += RULE
        literal_costs = getattr(turn.sources[-1], "literal_costs", ())
        for chosen, level, rest in arguments(turn.sources, left):
            # The operation gives the same either way round, so the argument that is not the last is never the dearer
            # one.
            if halved and 2 * rest < left:
                continue
            if halved and 2 * rest == left:
                # Where both cost the same, each pair comes once: this entry with itself and those behind it.
                level = level[seen_at_half:]
                seen_at_half += 1
            # Asked by cost first, because most levels hold no literal.
            if rest in literal_costs and all(map(is_constant, chosen)):
                # An operation on literals alone is a literal at a higher price.
                level = [entry for entry in level if not is_constant(entry)]
            fresh = self._sweep(turn, chosen, level)
            if fresh and turn.reaches_goal:
                yield fresh
            elif self.should_pause():
                yield ()
            self.meter.check()

    def should_pause(self) -> bool:
        """Whether the candidates at which to pause are reached."""
        return self.pause_at is not None and self.meter.used >= self.pause_at

    def _sweep(self, turn: _Turn, chosen: tuple[Entry, ...], level: Sequence[Entry]) -> Sequence[Entry]:
        """Applies a rule to every choice of its last argument; the inner loop of the search."""
        rule, seen = turn.rule, turn.result.seen
        function, fixed = rule.function, [entry[0] for entry in chosen]
        goal = self._wanted if turn.reaches_goal else None
        fresh: list[Entry] = []
        if len(level) > self.meter.remaining:
            # Cut here once, so that the inner loop need not look at the budget.
            level = level[: self.meter.remaining]
        known = len(seen)
        for entry in level:
            try:
                values = tuple(map(function, *fixed, entry[0]))
            except EVALUATION_ERRORS:
                continue
            # Added without a look first: hashing the values is what costs, and once is enough.
            seen.add(values)
            if len(seen) > known:
                known += 1
                fresh.append((values, rule, (*chosen, entry)))
            elif values == goal:
                fresh.append((values, rule, (*chosen, entry)))
        if fresh:
            turn.result.open(self.cost).extend(fresh)
        self.meter.count(len(level), len(fresh), len(level) * self._size * rule.operation.applications)
        return fresh


def output_matcher(goal: Type, outputs: Sequence[Any]) -> Callable[[tuple[Any, ...]], bool]:
    """Whether values are the wanted outputs; floats up to a relative 1e-9."""
    wanted, same = tuple(outputs), output_equality(goal)
    return wanted.__eq__ if same is eq else lambda values: all(map(same, values, wanted))


def output_equality(goal: Type) -> Callable[[Any, Any], bool]:
    """What tells whether one value is the wanted one: :func:`near_values`, or ``==`` for types without floats."""
    return near_values if FLOAT in set(inner_types(goal)) else eq


def near_values(a: Any, b: Any) -> bool:
    """Equality of search values with floats up to a relative 1e-9."""
    if isinstance(a, float) and isinstance(b, float):
        return isclose(a, b, rel_tol=1e-9, abs_tol=1e-12)
    if isinstance(a, tuple) and isinstance(b, tuple):
        return len(a) == len(b) and all(map(near_values, a, b))
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(near_values(v, b[k]) for k, v in a.items())
    return bool(a == b)
