"""Finds an input on which two programs that fit all examples differ: the question worth asking a person."""

from __future__ import annotations

from collections.abc import Sequence

from evolve.core.episodes import Ambiguity, Json, TaskView
from evolve.core.errors import ModelMistake
from evolve.policies.search.answers import answer
from evolve.policies.search.problem import SearchProblem, problem_of
from evolve.policies.search.programs.evaluation import compile_term, value_or
from evolve.policies.search.programs.terms import Term
from evolve.policies.search.programs.types import thaw
from evolve.policies.search.search_probes import probes
from evolve.policies.search.searcher import Vocabulary

NO_VALUE = "(no value)"
"""Stands for the value of a program that has none on an input."""


def disagreement(
    term: Term, rivals: Sequence[Term], problem: SearchProblem, view: TaskView, vocabulary: Vocabulary
) -> Ambiguity | None:
    """An input on which ``term`` and a rival give different values, or None.

    Inputs on which either program has no value are passed over: nobody can choose between a value and none.
    """
    meaning = compile_term(term, vocabulary.by_name)
    for rival in rivals:
        rival_meaning = compile_term(rival, vocabulary.by_name)
        for inputs in probes(problem):
            value, rival_value = (value_or(one, inputs, NO_VALUE) for one in (meaning, rival_meaning))
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
    return [[thaw(value) for value in inputs] for inputs in probes(problem)]
