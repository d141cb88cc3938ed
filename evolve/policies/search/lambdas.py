"""Enumerates the bodies of lambdas and compiles them to closures: the function-valued entries of a search.

A body is enumerated on *probes*: elements of the task's own lists plus a few ordinary
values. Bodies that agree on all probes count as equal. A body may use cheap scalar
expressions over the task's inputs (a threshold, a length, a first element) as captured
values; the closure of an example then holds that example's value.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from evolve.policies.search.bank import ArgumentSource, EntriesOfType, Entry, EntryBank, arguments, term_of
from evolve.policies.search.grammar import Grammar, Rule
from evolve.policies.search.leaves import TermLeaf
from evolve.policies.search.meter import BODIES
from evolve.policies.search.problem import SearchProblem
from evolve.policies.search.programs.evaluation import compile_term
from evolve.policies.search.programs.operation import EVALUATION_ERRORS, Operation, template_names
from evolve.policies.search.programs.terms import Apply, Bound, Constant, Input, Lambda, Term, is_open, walk
from evolve.policies.search.programs.types import BOOL, FLOAT, INT, STR, Type

MAX_BODY_COST = 16
"""Price of the dearest bodies."""
MAX_BODIES = 3_000
"""Candidates for bodies of one function type."""
PROBES_PER_EXAMPLE = 6
"""Items of one example on which bodies are told apart."""
ORDINARY_INTS = (0, 1, 2, 3, 5, 10, 17, 64, -4)
ORDINARY_FLOATS = (0.0, 1.0, 2.5, -3.25, 100.0)
ORDINARY_TEXTS = ("", "a", "Word", "x y", "42")
"""Values beside the task's own, on which bodies differ that agree on those."""

Compiled = Callable[..., Callable[..., Any]]


@dataclass
class BodyCompiler:
    """Compiles lambda terms to Python closures, once per term."""

    operations: Mapping[str, Operation]
    done: dict[Term, Compiled] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._names = template_names()

    def compile_body(self, term: Lambda) -> Compiled:
        """From the values of the captured expressions, in order, to the function of ``term``."""
        factory = self.done.get(term)
        if factory is None:
            captures = _captures_of(term.body)
            names = {capture: f"c{i}" for i, capture in enumerate(captures)}
            space = self._names.copy()
            body = self._source(term.body, names, space)
            params = ", ".join(f"x{i}" for i in range(len(term.params)))
            outer = ", ".join(names.values())
            compiled: Compiled = eval(compile(f"lambda {outer}: lambda {params}: {body}", "<lambda>", "eval"), space)
            factory = self.done[term] = compiled
        return factory

    def _source(self, term: Term, names: Mapping[Term, str], space: dict[str, Any]) -> str:
        if term in names:
            return names[term]
        match term:
            case Bound(index):
                return f"x{index}"
            case Constant(value, _):
                return _literal(value, space)
            case Apply(name, args):
                operation = self.operations[name]
                parts = [self._source(a, names, space) for a in args]
                simple = {INT, BOOL}
                if operation.result in simple and set(operation.params) <= simple and not operation.support:
                    return "(" + re.sub(r"\ba(\d)\b", lambda m: parts[int(m[1])], operation.template) + ")"
                # Numbered, because a column's name comes from the task and need not be an identifier.
                function = f"f{len(space)}"
                space[function] = operation.function
                return f"{function}({', '.join(parts)})"
        raise ValueError(f"cannot stand in a lambda body: {term}")


def _literal(value: Any, space: dict[str, Any]) -> str:
    if isinstance(value, (bool, int, str)):
        return repr(value)
    name = f"k{len(space)}"
    space[name] = value
    return name


def _captures_of(body: Term) -> list[Term]:
    """The largest sub-terms that use the task's inputs and no lambda parameter."""
    if not _uses_input(body):
        return []
    if not is_open(body):
        return [body]
    captures: list[Term] = []
    if isinstance(body, Apply):
        for arg in body.args:
            captures += [c for c in _captures_of(arg) if c not in captures]
    return captures


def _uses_all(body: Term, count: int) -> bool:
    """Whether a body uses each of its ``count`` parameters; where it does not, a function of fewer does as well."""
    return is_open(body) if count == 1 else len({t.index for t in walk(body) if isinstance(t, Bound)}) == count


def _uses_input(term: Term) -> bool:
    if isinstance(term, Apply):
        return any(map(_uses_input, term.args))
    return isinstance(term, Input)


@dataclass
class BodySetting:
    """What the bodies of one search share; it knows no bodies, so that nothing here is a reference cycle."""

    problem: SearchProblem
    grammar: Grammar
    costs: Mapping[str, int]
    literals: Sequence[TermLeaf]
    compiler: BodyCompiler
    outer: EntryBank
    spend: Callable[[int, int], None]
    captured: dict[Term, tuple[Any, ...]] = field(default_factory=dict)
    probes: dict[tuple[Type, ...], list[tuple[int, tuple[Any, ...]]]] = field(default_factory=dict)

    def probes_of(self, params: tuple[Type, ...]) -> list[tuple[int, tuple[Any, ...]]]:
        """Rows ``(example, arguments)`` on which bodies with these parameters are told apart, worked out once."""
        if params not in self.probes:
            self.probes[params] = _probes(self.problem, params)
        return self.probes[params]

    def values_of(self, capture: Term) -> tuple[Any, ...]:
        """The values of a captured expression on all examples, worked out once."""
        values = self.captured.get(capture)
        if values is None:
            meaning = compile_term(capture, self.compiler.operations)
            values = self.captured[capture] = tuple(_value(meaning, (row,)) for row in self.problem.inputs)
        return values


def _inside_of(grammar: Grammar, function: Type) -> tuple[frozenset[Type], tuple[Rule, ...]]:
    """The types that may occur in bodies of a function type, and the rules that they are built with, in order."""
    found = grammar.inside.get(function)
    if found is None:
        special = {p for rule in grammar.rules for p in rule.params if p.name not in {"fn", "list", "dict", "row"}}
        params, result = set(function.args[:-1]), function.args[-1]
        lists = {p for p in params if p.args} | {result}
        inner = {t for p in lists for t in p.args}
        usable = (special & (params | {result, INT, BOOL} | _closed_sets(special))) | lists | inner
        rules = (rule for rule in grammar.rules if rule.result in usable and usable.issuperset(rule.params))
        found = grammar.inside[function] = frozenset(usable), tuple(rules)
    return found


@dataclass
class LambdaBanks:
    """The bodies for each function type, grown level by level as the outer search asks."""

    setting: BodySetting
    banks: dict[Type, _Bodies] = field(default_factory=dict)

    def bodies_of(self, type_: Type) -> ArgumentSource:
        """The functions of a type, made as they are asked for."""
        bodies = self.banks.get(type_)
        if bodies is None:
            bodies = self.banks[type_] = _Bodies(self.setting, type_, self.setting.probes_of(type_.args[:-1]))
        return bodies


@dataclass
class _Bodies:
    """Bodies of one function type over rows ``(example, probe)``."""

    setting: BodySetting
    type: Type
    probes: list[tuple[int, tuple[Any, ...]]]
    bank: EntryBank = field(default_factory=EntryBank)
    functions: list[list[Entry]] = field(default_factory=lambda: [[]])
    cost: int = 0
    count: int = 0
    captured: int = 0

    def __post_init__(self) -> None:
        self.params, self.result = self.type.args[:-1], self.type.args[-1]
        self.setting.spend(0, BODIES)
        costs, shelf = self.setting.costs, self.bank.entries_of
        usable, rules = _inside_of(self.setting.grammar, self.type)
        # Shelves are looked up once: hashing types is slow beside the rest of a step.
        self.turns = [(rule, costs[rule.name], list(map(shelf, rule.params)), shelf(rule.result)) for rule in rules]
        self.starts: dict[int, list[tuple[TermLeaf, Constant]]] = {}
        for leaf in self.setting.literals:
            if leaf.type in usable and isinstance(leaf.term, Constant):
                self.starts.setdefault(leaf.cost, []).append((leaf, leaf.term))

    def entries_at(self, cost: int) -> list[Entry]:
        """Function entries of exactly one cost; grows up to it as needed."""
        if cost > MAX_BODY_COST:
            return []
        while self.cost < cost and self.count < MAX_BODIES:
            self.grow()
        return self.functions[cost] if cost < len(self.functions) else []

    def grow(self) -> None:
        """Builds the bodies of the next cost."""
        self.cost += 1
        # The list itself, to which everything below adds.
        fresh = self.bank.entries_of(self.result).open(self.cost)
        if self.cost == 1:
            for i, kind in enumerate(self.params):
                values = tuple(args[i] for _, args in self.probes)
                self.bank.entries_of(kind).add(1, (values, Bound(i), ()))
        for leaf, constant in self.starts.get(self.cost, ()):
            self.bank.entries_of(leaf.type).add(self.cost, ((constant.value,) * len(self.probes), leaf, ()))
        for kind in (INT, STR, FLOAT):
            if kind in self.params or kind == self.result:
                self._capture(kind)
        for rule, price, sources, result in self.turns:
            left = self.cost - price
            if left >= len(sources) and self.count < MAX_BODIES:
                self._apply(rule, left, sources, result)
        level: list[Entry] = []
        for entry in fresh:
            body = term_of(entry)
            if _uses_all(body, len(self.params)):
                term = Lambda(self.params, body)
                level.append((self._closures(term), term, ()))
        self.functions.append(level)

    def _capture(self, kind: Type) -> None:
        """Scalar expressions of the outer search as captured values, one unit dearer than outside."""
        for values, origin, parts in self.setting.outer.entries_at(kind, self.cost - 1)[:12]:
            term = term_of((values, origin, parts))
            # Lambdas never nest, and literals are leaves of bodies already.
            if any(isinstance(t, Lambda) for t in walk(term)) or isinstance(term, Constant):
                continue
            # Its value is one per example, and rows are probes of examples.
            spread = tuple(values[example] for example, _ in self.probes)
            self.bank.entries_of(kind).add(self.cost, (spread, term, ()))

    def _apply(self, rule: Rule, left: int, sources: Sequence[EntriesOfType], result: EntriesOfType) -> None:
        function, seen, fresh = rule.function, result.seen, result.open(self.cost)
        known = len(seen)
        for chosen, level, _ in arguments(sources, left):
            fixed = [entry[0] for entry in chosen]
            for entry in level:
                values = _total(function, *fixed, entry[0])
                seen.add(values)
                if len(seen) > known:
                    known += 1
                    fresh.append((values, rule, (*chosen, entry)))
            self.count += len(level)
            self.setting.spend(len(level), len(level) * len(self.probes))

    def _closures(self, term: Lambda) -> tuple[Callable[..., Any], ...]:
        make, captures = self.setting.compiler.compile_body(term), _captures_of(term.body)
        if not captures:
            return (make(),) * len(self.setting.problem.inputs)
        columns = map(self.setting.values_of, captures)
        return tuple(_undefined if UNDEFINED in row else make(*row) for row in zip(*columns, strict=True))


def _undefined(*_: Any) -> Any:
    """The closure of an example on which a captured expression has no value."""
    raise ValueError("undefined here")


@dataclass(frozen=True, eq=False)
class Undefined:
    """Stands for the value of a body where it has none; bodies may be partial."""


UNDEFINED = Undefined()


class PartialValues(tuple[Any, ...]):
    """Values of a body that has none on some probes; the type spares looking through them for gaps."""


def _total(function: Callable[..., Any], *columns: tuple[Any, ...]) -> tuple[Any, ...]:
    """The values of a call on every probe, ``UNDEFINED`` where it has none."""
    if PartialValues in map(type, columns):
        return PartialValues(_value(function, args) for args in zip(*columns, strict=True))
    values: list[Any] = []
    results, gaps = map(function, *columns), False
    for _ in columns[0]:
        try:
            values.extend(results)
            break
        except EVALUATION_ERRORS:
            values.append(UNDEFINED)  # What came before is kept, and ``results`` goes on behind the failure.
            gaps = True
    return PartialValues(values) if gaps else tuple(values)


def _value(function: Callable[..., Any], args: tuple[Any, ...]) -> Any:
    if UNDEFINED in args:
        return UNDEFINED
    try:
        return function(*args)
    except EVALUATION_ERRORS:
        return UNDEFINED


def _closed_sets(types: set[Type]) -> set[Type]:
    """Types of closed sets of literals (patterns, delimiters, formats)."""
    known = {"int", "float", "bool", "str", "date", "datetime"}
    return {t for t in types if t.name not in known and not t.args}


def _probes(problem: SearchProblem, params: Sequence[Type]) -> list[tuple[int, tuple[Any, ...]]]:
    """Rows ``(example, arguments)`` on which bodies are told apart."""
    rows: list[tuple[int, tuple[Any, ...]]] = []
    for example, inputs in enumerate(problem.inputs):
        choices = [_values(inputs, problem.input_types, kind) for kind in params]
        count = PROBES_PER_EXAMPLE
        for k in range(count):
            args = tuple(c[(k * (i + 1) + i) % len(c)] for i, c in enumerate(choices) if c)
            # Steps that differ by parameter, so that the arguments of a row are not all the first, second, and so on,
            # of their kind.
            if len(args) == len(params) and (example, args) not in rows:
                rows.append((example, args))
        ordinary = [_ordinary(kind) for kind in params]
        # Ordinary values tell apart bodies that agree on the task's own, which are often few.
        if all(ordinary) and example < 3:
            for k in range(3):
                rows.append((example, tuple(o[(3 * example + k + 2 * i) % len(o)] for i, o in enumerate(ordinary))))
    return rows or [(0, tuple(_ordinary(kind)[0] if _ordinary(kind) else () for kind in params))]


def _ordinary(kind: Type) -> tuple[Any, ...]:
    return {INT: ORDINARY_INTS, FLOAT: ORDINARY_FLOATS, STR: ORDINARY_TEXTS}.get(kind, ())


def _values(inputs: tuple[Any, ...], types: Sequence[Type], kind: Type) -> list[Any]:
    """Values of a type inside an example's arguments, in order, without repeats."""
    values: list[Any] = []
    for value, type_ in zip(inputs, types, strict=True):
        _collect(value, type_, kind, values)
    if not values and kind == STR:
        for value in inputs:
            if isinstance(value, str):
                values += [w for w in re.split(r"\W+", value) if w]
    unique = list(dict.fromkeys(values))
    step = max(1, len(unique) // PROBES_PER_EXAMPLE)
    return unique[::step][:PROBES_PER_EXAMPLE] or list(_ordinary(kind))


def _collect(value: Any, type_: Type, kind: Type, values: list[Any]) -> None:
    if type_ == kind:
        values.append(value)
    elif type_.name == "list":
        for item in value:
            _collect(item, type_.args[0], kind, values)
    elif type_.name == "row":
        for column, inner in zip(type_.fields, type_.args, strict=True):
            _collect(value[column], inner, kind, values)
    elif type_.name == "dict":
        for item in value.values():
            _collect(item, type_.args[1], kind, values)
