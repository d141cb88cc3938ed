"""Top-down help for operations that take a function.

For ``map``, ``filter`` and their kin the wanted output says at once whether a list can be
the argument at all: a filter leaves items out, a map keeps the length. Where it can, every
function the search has is tried on that list directly, ahead of the price that the whole
expression would have. (The deductions are those of lambda-squared, Feser et al. 2015.)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from evolve.policies.search.bank import Entry
from evolve.policies.search.enumerator import Enumerator
from evolve.policies.search.grammar import Rule
from evolve.policies.search.properties import is_subsequence
from evolve.programs.operation import EVALUATION_ERRORS

AHEAD = 5
"""How much dearer than the search's present cost a function may be."""
MAX_ARGUMENTS = 12
"""Lists tried per operation."""

Fit = Callable[[Any, Any], bool]
"""``fit(argument, output)``: whether the operation could give the output at all."""


def _at_most(x: Any, y: Any) -> bool:
    return isinstance(y, int) and 0 <= y <= len(x)


FITS: Mapping[str, Fit] = {
    "map": lambda x, y: len(x) == len(y),
    "map_with_index": lambda x, y: len(x) == len(y),
    "filter": lambda x, y: is_subsequence(y, x),
    "filter_by_index": lambda x, y: is_subsequence(y, x),
    "sort_by": lambda x, y: Counter(x) == Counter(y),
    "sort_down_by": lambda x, y: Counter(x) == Counter(y),
    "take_while": lambda x, y: tuple(x[: len(y)]) == y,
    "drop_while": lambda x, y: len(y) <= len(x) and tuple(x[len(x) - len(y) :]) == y,
    "largest_by": lambda x, y: y in x,
    "smallest_by": lambda x, y: y in x,
    "find_first": lambda x, y: y in x,
    "count_if": _at_most,
}


@dataclass
class Deductions:
    """Pairs of an operation and a list for which only the function is missing."""

    enumerator: Enumerator
    open: list[tuple[Rule, Entry, int]] = field(default_factory=list)
    done: dict[tuple[str, int], int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        goal = self.enumerator.problem.output_type
        self._rules = [
            r for r in self.enumerator.grammar.rules if r.name in FITS and r.result == goal and len(r.params) == 2
        ]
        self._outputs = self.enumerator.problem.outputs

    def look(self) -> None:
        """Notes lists of the search's newest level that could be arguments."""
        cost = self.enumerator.cost
        for rule in self._rules:
            mine = sum(r is rule for r, _, _ in self.open)
            for entry in self.enumerator.bank.level(rule.params[1], cost)[: MAX_ARGUMENTS * 4]:
                if mine < MAX_ARGUMENTS and self._fits(rule, entry[0]):
                    self.open.append((rule, entry, cost))
                    mine += 1

    def _fits(self, rule: Rule, lists: Sequence[Any]) -> bool:
        fit = FITS[rule.name]
        pairs = list(zip(lists, self._outputs, strict=True))
        try:
            if not all(fit(x, y) for x, y in pairs):
                return False
        except EVALUATION_ERRORS:
            return False
        return rule.name != "map" or _is_functional(pairs)

    def solutions(self) -> Iterator[tuple[int, Entry]]:
        """Complete expressions with their prices, for every function not yet tried."""
        functions = self.enumerator.lambdas
        if functions is None:
            return
        for number, (rule, entry, cost) in enumerate(self.open):
            own = self.enumerator.costs[rule.name]
            upto = max(1, self.enumerator.cost - own - cost + AHEAD)
            start = self.done.get((rule.name, number), 0) + 1
            bodies = functions.bodies(rule.params[0])
            for price in range(start, upto + 1):
                yield from self._try(rule, entry, bodies.level(price), own + cost + price)
            self.done[(rule.name, number)] = max(upto, start - 1)

    def _try(self, rule: Rule, entry: Entry, level: Sequence[Entry], price: int) -> Iterator[tuple[int, Entry]]:
        function, wanted = rule.function, self._outputs
        first, lists = wanted[0], entry[0]
        for body in level:
            try:
                if function(body[0][0], lists[0]) != first:
                    continue
                values = tuple(map(function, body[0], lists))
            except EVALUATION_ERRORS:
                continue
            if values == wanted:
                yield price, (values, rule, (body, entry))
        self.enumerator.meter.spend(len(level))


def _is_functional(pairs: Sequence[tuple[Any, Any]]) -> bool:
    """Whether equal items always go to equal results."""
    table: dict[Any, Any] = {}
    return all(table.setdefault(a, b) == b for x, y in pairs for a, b in zip(x, y, strict=True))
