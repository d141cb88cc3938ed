"""Clues of operations: what one step of each, applied to the inputs, has to do with the outputs.

An operation that leaves every output as it is may have been the last one; one whose value
stands in every output may have made a part of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, product
from typing import Any

from evolve.policies.search.grammar import COLUMN, Grammar, Rule, price_name
from evolve.policies.search.problem import Problem
from evolve.programs.operation import EVALUATION_ERRORS
from evolve.programs.terms import Constant
from evolve.programs.types import INT, STR, Type

CHOICES = 6
"""Most arguments tried for one rule."""
LITERALS = 3
"""Literals of a type tried as an argument."""
SMALL = (1, 2, 3)
"""Whole numbers tried as an argument."""

Values = tuple[Any, ...]
"""One value per example."""

Test = Callable[[Any, Any], bool]
"""``test(value of the step, output)`` on one example."""


@dataclass(frozen=True)
class FirstSteps:
    """Every operation applied once to the inputs.

    Attributes:
        steps: Per priced name, ``(result type, values on all examples)`` of its distinct steps.
        endings: Rules with one parameter, of the goal's type: what may be applied to outputs.
    """

    steps: dict[str, set[tuple[Type, Values]]]
    endings: tuple[Rule, ...]

    @staticmethod
    def of(problem: Problem, grammar: Grammar, literals: Sequence[tuple[Constant, int]]) -> FirstSteps:
        """Applies the rules without function parameters to inputs, columns and a few literals."""
        size = len(problem.inputs)
        inputs = _inputs(problem, grammar)
        constants: dict[Type, list[Values]] = {INT: [(n,) * size for n in SMALL]}
        for constant, _ in literals:
            known = constants.setdefault(constant.type, [])
            if len(known) < LITERALS:
                known.append((constant.value,) * size)
        steps: dict[str, set[tuple[Type, Values]]] = {}
        for rule in grammar.rules:
            sources = [inputs.get(p) or constants.get(p, []) for p in rule.params]
            if all(sources) and any(p in inputs for p in rule.params):
                for arguments in islice(product(*sources), CHOICES):
                    values = applied(rule, arguments)
                    if values is not None:
                        steps.setdefault(price_name(rule.name), set()).add((rule.result, values))
        endings = tuple(rule for rule in grammar.rules if rule.params == (problem.output_type,))
        return FirstSteps(steps, endings)


def _inputs(problem: Problem, grammar: Grammar) -> dict[Type, list[Values]]:
    """Values by type: the arguments and the columns of rows."""
    columns: dict[Type, list[Values]] = {}
    for i, kind in enumerate(problem.input_types):
        columns.setdefault(kind, []).append(tuple(row[i] for row in problem.inputs))
    for rule in grammar.rules:
        if price_name(rule.name) == COLUMN and rule.params[0] in problem.input_types:
            values = applied(rule, (columns[rule.params[0]][0],))
            if values is not None:
                columns.setdefault(rule.result, []).append(values)
    return columns


def applied(rule: Rule, arguments: Sequence[Values]) -> Values | None:
    """The values of a rule on all examples; None where it has none on some."""
    try:
        return tuple(map(rule.function, *arguments))
    except EVALUATION_ERRORS:
        return None


def clues_of_operations(problem: Problem, steps: FirstSteps) -> Iterator[tuple[str, str]]:
    """``(priced name, clue)`` for every clue of an operation that holds."""
    goal, outputs = problem.output_type, problem.outputs
    towards = {"list": "operation towards a list", "str": "operation towards a text"}.get(goal.name, "operation")
    for name, values_of_name in steps.steps.items():
        clues = {clue for result, values in values_of_name for clue in _relations(result, values, goal, outputs)}
        for clue in sorted(clues):
            yield name, f"{towards}: {clue}"
    for rule in steps.endings:
        for clue in _invariants(rule, problem):
            yield price_name(rule.name), f"{towards}: {clue}"


def _relations(result: Type, values: Values, goal: Type, outputs: Values) -> Iterator[str]:
    """What the values of one step have to do with the outputs."""
    if result == goal:
        if 2 * sum(map(_same, values, outputs)) >= len(outputs):
            yield "half of the outputs"
        if goal == STR or goal.name == "list":
            yield from _clues_on_all(ALIKE, values, outputs) if any(values) else ()
        else:
            yield from _number_clues(values, outputs)
    elif goal.name == "list" and result.name not in ("list", "row", "dict"):
        if len(set(values)) > 1:
            yield from _clues_on_all(ITEM_OF, values, outputs)
    elif result.name == "list" and goal.name not in ("list", "row", "dict"):
        for clue in _clues_on_all(ITEM_OF, outputs, values):
            yield f"the output is {clue}"


def _number_clues(values: Values, outputs: Values) -> Iterator[str]:
    if len(set(values)) > 1 and all(isinstance(v, int | float) for v in values):
        if len({y - v for v, y in zip(values, outputs, strict=True)}) == 1:
            yield "one distance from the outputs"
        yield from _clues_on_all(
            (("at most the output", _at_most), ("at least the output", _at_least)), values, outputs
        )


def _invariants(rule: Rule, problem: Problem) -> Iterator[str]:
    """What a rule does to the outputs: nothing, or the same as to the inputs."""
    after = applied(rule, (problem.outputs,))
    if after is None:
        return
    stays = after == problem.outputs and rule.result == problem.output_type
    if stays:
        yield "leaves the outputs as they are"
    if problem.input_types and rule.params[0] == problem.input_types[0]:
        inputs = tuple(row[0] for row in problem.inputs)
        before = applied(rule, (inputs,))
        if before == after:
            yield "gives the same of input and output"
        if stays and before is not None and 2 * sum(map(_same, before, inputs)) <= len(inputs):
            yield "changes the inputs but not the outputs"


def _clues_on_all(table: Sequence[tuple[str, Test]], values: Values, outputs: Values) -> Iterator[str]:
    for clue, test in table:
        if all(map(test, values, outputs)):
            yield clue


def _same(a: Any, b: Any) -> bool:
    return bool(a == b)


def _at_most(a: Any, b: Any) -> bool:
    return bool(a <= b)


def _at_least(a: Any, b: Any) -> bool:
    return bool(a >= b)


def _holds(whole: Any, part: Any) -> bool:
    return part in whole if isinstance(whole, str) else set(part) <= set(whole)


ALIKE: tuple[tuple[str, Test], ...] = (
    ("as long as the output", lambda v, y: len(v) == len(y)),
    ("has all of the output", _holds),
    ("stands in the output", lambda v, y: _holds(y, v)),
    ("starts alike", lambda v, y: v[:1] == y[:1]),
    ("ends alike", lambda v, y: v[-1:] == y[-1:]),
)
ITEM_OF: tuple[tuple[str, Test], ...] = (
    ("an item", lambda v, y: v in y),
    ("the first item", lambda v, y: y[:1] == (v,)),
    ("the last item", lambda v, y: y[-1:] == (v,)),
    ("the length", lambda v, y: v == len(y)),
)
