"""Finds an input on which two programs that fit all examples differ: the question worth asking a person."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from evolve.episodes import Ambiguity, Json, TaskView
from evolve.errors import ModelMistake
from evolve.policies.search.answers import answer
from evolve.policies.search.problem import Problem, problem_of
from evolve.policies.search.searcher import Vocabulary
from evolve.programs.evaluation import compile_term
from evolve.programs.operation import EVALUATION_ERRORS
from evolve.programs.terms import Term
from evolve.programs.types import STR, Type, thaw

MAX_INPUTS = 60
"""Changed inputs on which two programs are compared."""
NO_VALUE = "(no value)"
"""Stands for the value of a program that has none on an input."""


def disagreement(
    term: Term, rivals: Sequence[Term], problem: Problem, view: TaskView, vocabulary: Vocabulary
) -> Ambiguity | None:
    """An input on which ``term`` and a rival give different values, or None.

    Inputs on which either program has no value are passed over: nobody can choose between a value and none.
    """
    meaning = compile_term(term, vocabulary.by_name)
    for rival in rivals:
        rival_meaning = compile_term(rival, vocabulary.by_name)
        for inputs in variations(problem):
            value, rival_value = _value(meaning, inputs), _value(rival_meaning, inputs)
            if value != rival_value and NO_VALUE not in (value, rival_value):
                return Ambiguity(
                    input=tuple(thaw(v) for v in inputs),
                    outputs=(thaw(value), thaw(rival_value)),
                    code=answer(rival, view, vocabulary),
                )
    return None


def near_inputs(view: TaskView) -> list[list[Json]]:
    """Inputs near the examples, as JSON; none where the search cannot type the examples."""
    try:
        problem = problem_of(view)
    except ModelMistake:
        return []
    return [[thaw(value) for value in inputs] for inputs in variations(problem)]


def _value(meaning: Any, inputs: tuple[Any, ...]) -> Any:
    try:
        return meaning(inputs)
    except EVALUATION_ERRORS:
        return NO_VALUE


def variations(problem: Problem) -> Iterator[tuple[Any, ...]]:
    """Inputs near the examples, deterministic: recombined arguments, shortened and reordered values."""
    count = 0
    for row in problem.inputs:
        for i, (value, type_) in enumerate(zip(row, problem.input_types, strict=True)):
            for changed in _near(value, type_):
                yield (*row[:i], changed, *row[i + 1 :])
                count += 1
                if count >= MAX_INPUTS:
                    return
    for first, second in zip(problem.inputs, problem.inputs[1:], strict=False):
        if len(first) > 1:
            yield (first[0], *second[1:])


def _near(value: Any, type_: Type) -> Iterator[Any]:
    if type_.name == "list":
        yield value[::-1]
        yield value[1:]
        yield value[:-1]
        yield value + value[:2]
    elif type_ == STR:
        yield from (" ".join(value.split()[:-1]), value + " x", value.upper(), value.replace(" ", "  "))
    elif type_.name in {"int", "float"}:
        yield from (value + 1, -value, value * 10)
