"""Deduces from the wanted outputs which functions an operation such as ``map`` can take.

For ``map``, ``filter``, ``scan`` and their kin the wanted output says at once whether values can be
the other arguments at all: a filter leaves items out, a map keeps the length, a scan begins like its
list. Where they can, every function the search has is tried on them directly, ahead of the price that
the whole expression would have. (The deductions are those of lambda-squared, Feser et al. 2015.)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from evolve.policies.search.bank import Entry
from evolve.policies.search.enumerator import Enumerator
from evolve.policies.search.grammar import Rule
from evolve.policies.search.programs.operation import EVALUATION_ERRORS
from evolve.policies.search.properties import is_subsequence

AHEAD = 5
"""How much dearer than the search's present cost a program with a function may be when it is offered."""
# Folds less far than scans: their bodies cost every search for a number some thousand candidates.
FURTHER_AHEAD: Mapping[str, int] = {"fold": 6, "fold_from": 6, "scan": 8, "zip_with": 8}
"""How far it is looked for where functions of two arguments are large even though ordinary."""
MAX_ARGUMENTS = 12
"""Choices of the other arguments tried per operation."""
FEWER_ARGUMENTS: Mapping[str, int] = {"fold": 3, "fold_from": 3, "zip_with": 6}
"""The same for operations of whose arguments the output says little."""

Fit = Callable[..., bool]
"""``fit(*arguments, output)``: whether the operation could give the output at all."""


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
    "fold": lambda x, y: len(x) > 0,
    "fold_from": lambda start, x, y: True,
    "scan": lambda x, y: len(x) == len(y) and x[:1] == y[:1],
    "zip_with": lambda a, b, y: min(len(a), len(b)) == len(y),
}


def _map_calls(x: Any, y: Any) -> Iterable[tuple[Any, Any]]:
    return zip(x, y, strict=True)


def _scan_calls(x: Any, y: Any) -> Iterable[tuple[Any, Any]]:
    return zip(zip(y, x[1:], strict=False), y[1:], strict=True)


def _zip_calls(a: Any, b: Any, y: Any) -> Iterable[tuple[Any, Any]]:
    return zip(zip(a, b, strict=False), y, strict=True)


CALLS: Mapping[str, Callable[..., Iterable[tuple[Any, Any]]]] = {
    "map": _map_calls,
    "scan": _scan_calls,
    "zip_with": _zip_calls,
}
"""What the function must give for what, where the output says it: pairs of arguments and result."""


@dataclass
class _Opening:
    """An operation and values for all its arguments but the function.

    Attributes:
        rule: The operation.
        arguments: The other arguments, in order.
        cost: Their prices together.
        tried: Price of the dearest functions tried.
    """

    rule: Rule
    arguments: tuple[Entry, ...]
    cost: int
    tried: int = 0


@dataclass
class Deductions:
    """Expressions of which only the function is missing."""

    enumerator: Enumerator
    open: list[list[_Opening]] = field(init=False)

    def __post_init__(self) -> None:
        goal = self.enumerator.problem.output_type
        self._rules = [r for r in self.enumerator.grammar.rules if r.name in FITS and r.result == goal]
        self.open = [[] for _ in self._rules]
        self._outputs = self.enumerator.problem.outputs

    def collect(self) -> None:
        """Notes values of the search's newest level that could be arguments."""
        for rule, openings in zip(self._rules, self.open, strict=True):
            for arguments, cost in self._choices(rule):
                if len(openings) == FEWER_ARGUMENTS.get(rule.name, MAX_ARGUMENTS):
                    break
                if self._fits(rule, [a[0] for a in arguments]):
                    openings.append(_Opening(rule, arguments, cost))

    def _choices(self, rule: Rule) -> Iterator[tuple[tuple[Entry, ...], int]]:
        """Arguments of which the dearest is new, with their prices together."""
        bank, newest = self.enumerator.bank, self.enumerator.cost
        if len(rule.params) == 2:
            for entry in bank.entries_at(rule.params[1], newest)[: MAX_ARGUMENTS * 4]:
                yield (entry,), newest
            return
        first, second = rule.params[1:]
        for other in range(1, newest + 1):
            for a, b in _pairs(
                bank.entries_at(first, other), bank.entries_at(second, newest), first == second and other == newest
            ):
                yield (a, b), other + newest
            if first != second and other < newest:
                for a, b in _pairs(bank.entries_at(first, newest), bank.entries_at(second, other), False):
                    yield (a, b), other + newest

    def _fits(self, rule: Rule, arguments: Sequence[Sequence[Any]]) -> bool:
        fit, calls = FITS[rule.name], CALLS.get(rule.name)
        try:
            if not all(map(fit, *arguments, self._outputs)):
                return False
        except EVALUATION_ERRORS:
            return False
        rows = zip(*arguments, self._outputs, strict=True)
        # Within each example: a body may use the inputs, which differ between examples.
        return calls is None or all(_is_functional(calls(*row)) for row in rows)

    def solutions(self) -> Iterator[tuple[int, Entry]]:
        """Complete expressions with their prices, for every function not yet tried."""
        functions = self.enumerator.lambdas
        if functions is None:
            return
        for opening in (opening for openings in self.open for opening in openings):
            fixed = self.enumerator.costs[opening.rule.name] + opening.cost
            kind = opening.rule.params[0]
            ahead = FURTHER_AHEAD.get(opening.rule.name, AHEAD)
            bodies = functions.bodies_of(kind)
            for price in range(opening.tried + 1, max(1, self.enumerator.cost - fixed + ahead) + 1):
                opening.tried = price
                yield from self._try(opening, bodies.entries_at(price), fixed + price)

    def _try(self, opening: _Opening, level: Sequence[Entry], price: int) -> Iterator[tuple[int, Entry]]:
        rule, wanted = opening.rule, self._outputs
        function, columns = rule.function, [a[0] for a in opening.arguments]
        first, start = wanted[0], [column[0] for column in columns]
        for body in level:
            try:
                # On the first example alone, because most functions fail there.
                if function(body[0][0], *start) != first:
                    continue
                values = tuple(map(function, body[0], *columns))
            except EVALUATION_ERRORS:
                continue
            if values == wanted:
                yield price, (values, rule, (body, *opening.arguments))
        self.enumerator.meter.spend(len(level), len(level))


def _pairs(first: Sequence[Entry], second: Sequence[Entry], same: bool) -> Iterator[tuple[Entry, Entry]]:
    """Pairs of entries; of one level with itself every two entries once, as functions take them in either order."""
    for i, a in enumerate(first[:MAX_ARGUMENTS]):
        for b in second[i + 1 if same else 0 : MAX_ARGUMENTS]:
            yield a, b


def _is_functional(calls: Iterable[tuple[Any, Any]]) -> bool:
    """Whether equal arguments always go to equal results."""
    table: dict[Any, Any] = {}
    return all(table.setdefault(arguments, result) == result for arguments, result in calls)
