"""Instantiates a vocabulary's operations at a problem's types: the finite set of rules that a search uses.

Polymorphic operations are instantiated over the *active* types only: those that occur in
the examples and the few that connect them. Activity keeps a search over lists of integers
from wandering through strings and dates.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any

from evolve.policies.search.problem import SearchProblem
from evolve.policies.search.programs.operation import Operation
from evolve.policies.search.programs.types import (
    BOOL,
    DATE,
    DATETIME,
    FLOAT,
    INT,
    STR,
    Type,
    dict_of,
    inner_types,
    list_of,
    substitute,
    variables,
)

COLUMN = "column"
ORDINARY = {"int", "float", "bool", "str", "date", "datetime", "list", "dict", "row", "fn"}
"""Types whose values a search can build; of all others there are only literals."""


Signature = tuple[tuple[Type, ...], Type]
"""Parameters and result."""


@dataclass(frozen=True)
class Rule:
    """One operation at one instance of its types.

    Attributes:
        priced: The name it is priced under.
        first: Whether it comes before others of its price. What takes a text to a text, such as a change of case,
            does: of programs at one price with the same values the first is kept, so it is applied to the part that
            was cut out, not before the cut.
    """

    operation: Operation
    params: tuple[Type, ...]
    result: Type
    function: Callable[..., Any]
    name: str
    priced: str
    first: bool

    @staticmethod
    def from_operation(operation: Operation, params: tuple[Type, ...], result: Type) -> Rule:
        """The rule of an operation at these types."""
        first = params == (STR,) and result == STR
        return Rule(operation, params, result, operation.function, operation.name, price_name(operation.name), first)


@dataclass(frozen=True, kw_only=True)
class Grammar:
    """The rules of one search, first-order and for lambda bodies.

    Attributes:
        rules: In a fixed order.
        functions: The function types that some rule takes.
        types: Types of values that a search may hold.
        inside: For a function type the types and rules of its bodies, worked out once for all problems of these types.
    """

    rules: tuple[Rule, ...]
    functions: tuple[Type, ...]
    types: frozenset[Type]
    inside: dict[Type, tuple[frozenset[Type], tuple[Rule, ...]]] = field(
        default_factory=dict, compare=False, repr=False
    )


def _active_types(problem: SearchProblem) -> tuple[frozenset[Type], frozenset[Type]]:
    """Types whose values a search may hold, and those that may be elements of lists."""
    seen = {t for kind in (*problem.input_types, problem.output_type) for t in inner_types(kind)}
    scalars = {t for t in seen if not t.args} | {INT, BOOL}
    # What data workers keep in texts: numbers and dates, which operations read out of them.
    if STR in scalars:
        scalars |= {FLOAT, DATE, DATETIME}
    elements = {t for t in seen if t.name != "fn"} | (scalars & ({STR} | seen))
    lists = {list_of(t) for t in elements if t != BOOL and _depth(t) < 2}
    dicts = {t for t in seen if t.name == "dict"}
    if any(t.name in {"dict", "row"} for t in seen):
        keys = {STR} | (scalars & {INT})
        dicts |= {dict_of(k, v) for k in keys for v in scalars & {STR, INT, FLOAT}}
    return frozenset(scalars | lists | dicts | seen), frozenset(elements)


def _depth(type_: Type) -> int:
    return 1 + _depth(type_.args[0]) if type_.name == "list" else int(type_.name in {"row", "dict"})


def build_grammar(vocabulary: Sequence[Operation], problem: SearchProblem, *, scalar_only: bool = False) -> Grammar:
    """The rules for a problem, only those that can take part in an answer.

    Args:
        vocabulary: Operations, learned ones included, in a fixed order.
        problem: Gives the types.
        scalar_only: Keep what a lambda body may use.
    """
    active, elements = _active_types(problem)
    # Sorted, as below: sets are ordered by hashes of texts, which differ from process to process, and the order of
    # rules is the order of candidates.
    instances = _Instances(active, sorted(elements | (active & {BOOL, INT, STR, FLOAT}), key=str))
    usable = [o for o in vocabulary if not scalar_only or _fits_a_body(o)]
    rules = [Rule.from_operation(o, params, result) for o in usable for params, result in instances.of(o)]
    start = {*problem.input_types, INT, BOOL, FLOAT, STR}
    useful = _useful(_reachable(rules, start), problem.output_type)
    functions = sorted({p for r in useful for p in r.params if p.name == "fn"}, key=str)
    types = active.union((problem.output_type,), *(rule.params for rule in useful))
    return Grammar(rules=tuple(useful), functions=tuple(functions), types=types)


def _fits_a_body(operation: Operation) -> bool:
    if any(p.name == "fn" for p in operation.params):
        return False
    return operation.scalar or bool(variables(operation.result)) or _has_list(operation)


def _has_list(operation: Operation) -> bool:
    return any(p.name in {"list", "dict", "row"} for p in operation.params) and operation.cost <= 5


@dataclass(frozen=True)
class _Instances:
    """The instances of signatures, each worked out once, because many operations share one.

    Attributes:
        active: Types that may occur.
        choices: What a type variable may stand for.
    """

    active: frozenset[Type]
    choices: Sequence[Type]
    done: dict[tuple[Signature, Sequence[Type]], list[Signature]] = field(default_factory=dict)

    def of(self, operation: Operation) -> list[Signature]:
        """The monomorphic parameters and results of an operation."""
        signature, choices = (operation.params, operation.result), operation.over or self.choices
        instances = self.done.get((signature, operation.over))
        if instances is None:
            instances = self.done[signature, operation.over] = list(self._instances(*signature, choices))
        return instances

    def _instances(self, params: tuple[Type, ...], result: Type, choices: Sequence[Type]) -> Iterator[Signature]:
        names = sorted({v for p in (*params, result) for v in variables(p)})
        for chosen in product(choices, repeat=len(names)):
            bound = dict(zip(names, chosen, strict=True))
            types = [substitute(p, bound) for p in (*params, result)]
            if all(map(self._allowed, types)):
                yield tuple(types[:-1]), types[-1]

    def _allowed(self, type_: Type) -> bool:
        if type_.name == "fn":
            return all(map(self._allowed, type_.args))
        return type_ in self.active or type_.name not in ORDINARY


def _reachable(rules: Iterable[Rule], start: set[Type]) -> list[Rule]:
    """Rules whose parameters can be built; function parameters and literals always can."""
    known, waiting = set(start), list(rules)
    reachable: list[Rule] = []
    while True:
        ready = [r for r in waiting if all(p in known or p.name == "fn" or p.name not in ORDINARY for p in r.params)]
        if not ready:
            order = {id(r): i for i, r in enumerate(reachable)}
            return sorted(reachable, key=lambda r: order[id(r)])
        reachable += ready
        known |= {r.result for r in ready}
        done = {id(r) for r in ready}
        waiting = [r for r in waiting if id(r) not in done]


def _useful(rules: Sequence[Rule], goal: Type) -> list[Rule]:
    """Rules whose result can flow into the goal; comparisons stay for conditionals."""
    wanted, changed = {goal, BOOL}, True
    while changed:
        before = len(wanted)
        for rule in rules:
            if rule.result in wanted:
                wanted.update(rule.params)
                wanted.update(t for p in rule.params if p.name == "fn" for t in p.args)
        changed = len(wanted) > before
    return [r for r in rules if r.result in wanted]


def costs_of(rules: Sequence[Rule], prices: Mapping[str, int]) -> dict[str, int]:
    """The price of every operation in the rules; static costs where ``prices`` is silent."""
    return {r.name: prices.get(r.priced, r.operation.cost) for r in rules}


def price_name(operation: str) -> str:
    """The name an operation is priced under: columns share one, because their names belong to one table."""
    return COLUMN if operation.startswith(f"{COLUMN}:") else operation
