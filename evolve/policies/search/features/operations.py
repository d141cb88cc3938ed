"""Clues of operations: what one step of each, applied to the inputs, has to do with the outputs.

An operation that leaves every output as it is may have been the last one; one whose value
stands in every output may have made a part of it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, product
from operator import contains, eq, ge, le
from typing import Any

from evolve.policies.search.grammar import COLUMN, Grammar, Rule
from evolve.policies.search.problem import SearchProblem
from evolve.policies.search.programs.operation import EVALUATION_ERRORS
from evolve.policies.search.programs.terms import Constant
from evolve.policies.search.programs.types import BOOL, FLOAT, INT, STR, Type

CHOICES = 6
"""Most arguments tried for one rule."""
LITERALS = 3
"""Literals of a type tried as an argument."""
SMALL = (1, 2, 3)
"""Whole numbers tried as an argument."""

Values = tuple[Any, ...]
"""One value per example."""

_NUMERIC = frozenset({INT, FLOAT, BOOL})


@dataclass(frozen=True)
class StepOutline:
    """The steps that can have clues between given types, worked out once for all problems that have these types.

    Arguments are places in a pool: first the inputs, then their columns, then a few literals.

    Attributes:
        columns: Rules that take a column out of an input, with that input's place.
        literals: Values of the literals.
        steps: By type of the result, ``(function, priced name, choices of arguments)``.
        endings: Rules with one parameter, of the goal's type: what may be applied to outputs. Each with whether it may
            be applied to the first input as well, and whether it gives the goal's type.
    """

    columns: tuple[tuple[Rule, int], ...]
    literals: tuple[Any, ...]
    steps: Mapping[Type, Sequence[tuple[Callable[..., Any], str, Sequence[tuple[int, ...]]]]]
    endings: tuple[tuple[Rule, bool, bool], ...]

    @staticmethod
    def from_problem(problem: SearchProblem, grammar: Grammar, literals: Sequence[tuple[Constant, int]]) -> StepOutline:
        """Rules without function parameters, on inputs, columns and a few literals."""
        kinds = list(problem.input_types)
        columns = [
            (rule, kinds.index(rule.params[0]))
            for rule in grammar.rules
            if rule.priced == COLUMN and rule.params[0] in problem.input_types
        ]
        kinds += [rule.result for rule, _ in columns]
        inputs = _places(kinds, 0)
        constants: dict[Type, list[Any]] = {INT: list(SMALL)}
        for constant, _ in literals:
            known = constants.setdefault(constant.type, [])
            if len(known) < LITERALS:
                known.append(constant.value)
        pool = [(kind, value) for kind, known in constants.items() for value in known]
        others = _places([kind for kind, _ in pool], len(kinds))
        steps: dict[Type, list[tuple[Callable[..., Any], str, Sequence[tuple[int, ...]]]]] = {}
        for rule in grammar.rules:
            sources = [inputs.get(p) or others.get(p, []) for p in rule.params]
            taken = all(sources) and any(p in inputs for p in rule.params)
            if taken and _can_relate(rule.result, problem.output_type):
                choices = tuple(islice(product(*sources), CHOICES))
                steps.setdefault(rule.result, []).append((rule.function, rule.priced, choices))
        goal = problem.output_type
        both = problem.input_types[:1] == (goal,)
        endings = tuple((rule, both, rule.result == goal) for rule in grammar.rules if rule.params == (goal,))
        return StepOutline(tuple(columns), tuple(value for _, value in pool), steps, endings)


def _places(kinds: Sequence[Type], start: int) -> dict[Type, list[int]]:
    places: dict[Type, list[int]] = {}
    for place, kind in enumerate(kinds, start):
        places.setdefault(kind, []).append(place)
    return places


def _can_relate(result: Type, goal: Type) -> bool:
    """Whether values of a type can have any of the relations below to outputs of another."""
    if result == goal:
        return True
    if (result.name == "list") == (goal.name == "list") or "row" in (result.name, goal.name):
        return False
    single, item = (goal, result.args[0]) if result.name == "list" else (result, goal.args[0])
    if single.name == "dict":
        return False
    # Of numbers there may be as many as there are items; else only what can be equal can be an item.
    return single in _NUMERIC or single == item


@dataclass(frozen=True)
class FirstSteps:
    """Every operation applied once to the inputs.

    Attributes:
        steps: By type of the result and values on all examples, the priced names that give them.
        endings: As in the outline.
    """

    steps: dict[Type, dict[Values, list[str]]]
    endings: tuple[tuple[Rule, bool, bool], ...]

    @staticmethod
    def from_outline(problem: SearchProblem, outline: StepOutline) -> FirstSteps:
        """Takes the steps of the outline."""
        size = len(problem.inputs)
        pool: list[Any] = list(zip(*problem.inputs, strict=True))
        # A column that has no value somewhere makes every step on it fail.
        pool += [rule_values(rule, (pool[place],)) for rule, place in outline.columns]
        pool += [(value,) * size for value in outline.literals]
        steps: dict[Type, dict[Values, list[str]]] = {}
        for result, rules in outline.steps.items():
            known = steps[result] = {}
            for function, name, choices in rules:
                for places in choices:
                    try:
                        values = tuple(map(function, *[pool[place] for place in places]))
                    except EVALUATION_ERRORS:
                        continue
                    known.setdefault(values, []).append(name)
        return FirstSteps(steps, outline.endings)


def rule_values(rule: Rule, arguments: Sequence[Values]) -> Values | None:
    """The values of a rule on all examples; None where it has none on some."""
    try:
        return tuple(map(rule.function, *arguments))
    except EVALUATION_ERRORS:
        return None


def clues_of_operations(problem: SearchProblem, steps: FirstSteps) -> Iterator[tuple[str, str]]:
    """``(priced name, clue)`` for every clue of an operation that holds."""
    goal, outputs = problem.output_type, problem.outputs
    towards = {"list": "operation towards a list", "str": "operation towards a text"}.get(goal.name, "operation")
    found: dict[str, dict[str, None]] = defaultdict(dict)
    for result, table in steps.steps.items():
        relations = _relations(result, goal, outputs)
        for values, names in table.items():
            clues = list(relations(values))
            for name in names if clues else ():
                found[name].update(dict.fromkeys(clues))
    for name, holding in found.items():
        for clue in sorted(holding):
            yield name, f"{towards}: {clue}"
    inputs = tuple(row[0] for row in problem.inputs) if problem.input_types else ()
    for rule, both, closed in steps.endings:
        for clue in _invariants(rule, outputs, inputs if both else (), closed):
            yield rule.priced, f"{towards}: {clue}"


Relations = Callable[[Values], Iterator[str]]
"""From the values of a step to what they have to do with the outputs."""


def _relations(result: Type, goal: Type, outputs: Values) -> Relations:
    """What is looked for between steps of a type and the outputs."""
    if result == goal:
        if goal == STR or goal.name == "list":
            return _Alike.of(goal, outputs).clues
        return lambda values: _number_clues(values, outputs)
    if result.name == "list":
        return lambda values: (f"the output is {clue}" for clue in _item_clues(outputs, values))
    return lambda values: _item_clues(values, outputs) if len(set(values)) > 1 else iter(())


@dataclass(frozen=True)
class _Alike:
    """The outputs, texts or lists, as values of their type are compared with them."""

    outputs: Values
    lengths: list[int]
    starts: list[Any]
    ends: list[Any]
    sets: list[set[Any]] | None

    @staticmethod
    def of(goal: Type, outputs: Values) -> _Alike:
        sets = None if goal == STR else list(map(set, outputs))
        starts, ends = ([y[:1] for y in outputs], [y[-1:] for y in outputs])
        return _Alike(outputs, list(map(len, outputs)), starts, ends, sets)

    def clues(self, values: Values) -> Iterator[str]:
        if 2 * sum(map(eq, values, self.outputs)) >= len(self.outputs):
            yield "half of the outputs"
        if not any(values):
            return
        if list(map(len, values)) == self.lengths:
            yield "as long as the output"
        has_all: Iterable[bool]
        stands: Iterable[bool]
        if self.sets is None:
            has_all, stands = map(contains, values, self.outputs), map(contains, self.outputs, values)
        else:
            has_all = (output.issubset(value) for output, value in zip(self.sets, values, strict=True))
            stands = (output.issuperset(value) for output, value in zip(self.sets, values, strict=True))
        if all(has_all):
            yield "has all of the output"
        if all(stands):
            yield "stands in the output"
        if [v[:1] for v in values] == self.starts:
            yield "starts alike"
        if [v[-1:] for v in values] == self.ends:
            yield "ends alike"


def _item_clues(items: Values, lists: Values) -> Iterator[str]:
    """What an item, or a number, of each example has to do with the list there."""
    if all(map(contains, lists, items)):
        yield "an item"
        if all(y[:1] == (v,) for v, y in zip(items, lists, strict=True)):
            yield "the first item"
        if all(y[-1:] == (v,) for v, y in zip(items, lists, strict=True)):
            yield "the last item"
    if all(v == len(y) for v, y in zip(items, lists, strict=True)):
        yield "the length"


def _number_clues(values: Values, outputs: Values) -> Iterator[str]:
    if 2 * sum(map(eq, values, outputs)) >= len(outputs):
        yield "half of the outputs"
    if len(set(values)) > 1 and all(isinstance(v, int | float) for v in values):
        if len({y - v for v, y in zip(values, outputs, strict=True)}) == 1:
            yield "one distance from the outputs"
        if all(map(le, values, outputs)):
            yield "at most the output"
        if all(map(ge, values, outputs)):
            yield "at least the output"


def _invariants(rule: Rule, outputs: Values, inputs: Values, closed: bool) -> Iterator[str]:
    """What a rule does to the outputs: nothing, or the same as to the inputs.

    Args:
        inputs: Of the outputs' type, or ().
        closed: Whether the rule gives what it takes.
    """
    # On the first example alone, because most rules are told there.
    first = rule_values(rule, (outputs[:1],))
    if first is None or (first != outputs[:1] and (not inputs or rule_values(rule, (inputs[:1],)) != first)):
        return
    after = rule_values(rule, (outputs,))
    if after is None:
        return
    stays = closed and after == outputs
    if stays:
        yield "leaves the outputs as they are"
    before = rule_values(rule, (inputs,)) if inputs else None
    if before is not None:
        if before == after:
            yield "gives the same of input and output"
        if stays and 2 * sum(map(eq, before, inputs)) <= len(inputs):
            yield "changes the inputs but not the outputs"
