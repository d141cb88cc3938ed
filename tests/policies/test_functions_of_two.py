"""The search finds functions of two arguments, and what it finds is right as Python."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from itertools import accumulate, pairwise
from typing import Any

import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st

from evolve.core.episodes import Action, Limits, TaskView
from evolve.policies.search import SearchPolicy
from evolve.policies.search.programs.evaluation import evaluate
from evolve.policies.search.programs.operation import EVALUATION_ERRORS
from evolve.policies.search.programs.operations import vocabulary
from evolve.policies.search.programs.terms import (
    Apply,
    Bound,
    Constant,
    Input,
    Lambda,
    Term,
    from_json,
    operations_in,
    walk,
)
from evolve.policies.search.programs.types import INT, freeze_value, thaw_value
from tests.policies.samples import first_action, view_of

OPERATIONS = {operation.name: operation for operation in vocabulary()}
LIMITS = Limits(candidates=30_000, seconds=None)
ONE = ([3, 9, 2, 11], [14, 5], [7, 7, 1, 3, 20], [6], [2, 8, 30])
WITH_START = ((40, [3, 9, 2]), (25, [14]), (90, [7, 12, 1, 3]), (60, [5, 5]), (33, []))
TWO = (([3, 9, 2], [4, 4, 7]), ([14, 5], [3, 20]), ([7, 7, 1, 3], [2, 6, 5, 8]), ([6], [1]), ([30, 12], [5, 10]))

FOUND: list[tuple[str, Callable[..., Any], tuple[Any, ...], tuple[Any, ...]]] = [
    ("fold", lambda xs: reduce(lambda x, y: 10 * x + y, xs), ONE, ([1, 2, 3],)),
    ("fold", lambda xs: reduce(lambda x, y: y - x, xs), ONE, ([9, 1, 30, 4],)),
    ("fold_from", lambda n, xs: reduce(lambda x, y: 2 * x + y, xs, n), WITH_START, (3, [4, 1, 0])),
    ("scan", lambda xs: list(accumulate(xs, max)), ONE, ([1, 0, 5, 4, 6],)),
    ("scan", lambda xs: list(accumulate(xs, lambda x, y: x - y)), ONE, ([50, 1, 2],)),
    ("zip_with", lambda xs, ys: [x - y for x, y in zip(xs, ys, strict=True)], TWO, ([8, 1], [2, 2])),
    ("zip_with", lambda xs: [x * y for x, y in pairwise(xs)], ONE, ([4, 5, 6],)),
    ("zip_with", lambda xs: [x - y for x, y in zip(xs, xs[::-1], strict=True)], ONE, ([4, 5, 6, 1],)),
]


def compiled(view: TaskView, action: Action) -> Callable[..., Any]:
    names: dict[str, Any] = {}
    exec(action.code, names)  # code of our own operations only
    function: Callable[..., Any] = names[view.entry]
    return function


@pytest.mark.slow
@pytest.mark.parametrize(("operation", "function", "inputs", "unseen"), FOUND)
def test_a_function_of_two_arguments_is_found(
    operation: str,
    function: Callable[..., Any],
    inputs: tuple[Any, ...],
    unseen: tuple[Any, ...],
    unlearned: SearchPolicy,
) -> None:
    view = view_of(function, *inputs)
    action = first_action(unlearned, view, LIMITS)
    assert operation in operations_in(from_json(action.private["tree"]))
    assert compiled(view, action)(*unseen) == function(*unseen)


def test_words_are_reversed_one_by_one(unlearned: SearchPolicy) -> None:
    inputs = (["stone", "ab"], ["x", "lamp", "Mug"], [], ["ten", "to"])
    view = view_of(lambda words: [word[::-1] for word in words], *inputs)
    action = first_action(unlearned, view, LIMITS)
    assert compiled(view, action)(["river", "oak"]) == ["revir", "kao"]


def test_a_simpler_program_goes_before_one_with_a_function(unlearned: SearchPolicy) -> None:
    action = first_action(unlearned, view_of(lambda n, xs: n - sum(xs), *WITH_START), LIMITS)
    assert "fold_from" not in operations_in(from_json(action.private["tree"]))


@pytest.mark.slow
def test_functions_of_two_arguments_use_both(unlearned: SearchPolicy) -> None:
    for _, function, inputs, _ in FOUND:
        term = from_json(first_action(unlearned, view_of(function, *inputs), LIMITS).private["tree"])
        bodies = [t.body for t in walk(term) if isinstance(t, Lambda) and len(t.params) == 2]
        assert bodies
        assert all({t.index for t in walk(body) if isinstance(t, Bound)} == {0, 1} for body in bodies)


LEAVES = st.sampled_from([Bound(0), Bound(1), Constant(1, INT), Constant(2, INT)])
BODIES: st.SearchStrategy[Term] = st.builds(
    lambda name, a, b: Apply(name, (a, b)),
    st.sampled_from(["add", "subtract", "multiply", "larger"]),
    st.one_of(LEAVES, st.builds(lambda a: Apply("add", (a, Bound(1))), LEAVES)),
    LEAVES,
)


@pytest.mark.slow
@settings(max_examples=25, deadline=None)
@given(st.sampled_from(["fold", "fold_from", "scan", "zip_with"]), BODIES)
def test_whatever_is_found_reproduces_the_examples(unlearned: SearchPolicy, operation: str, body: Term) -> None:
    arity = len(OPERATIONS[operation].params) - 1
    term = Apply(operation, (Lambda((INT, INT), body), *map(Input, range(arity))))
    inputs = {"fold_from": WITH_START, "zip_with": TWO}.get(operation, ONE)

    def meaning(*arguments: Any) -> Any:
        return thaw_value(evaluate(term, tuple(map(freeze_value, arguments)), OPERATIONS))

    try:
        view = view_of(meaning, *inputs)
    except EVALUATION_ERRORS:
        reject()
    action = first_action(unlearned, view, Limits(candidates=15_000, seconds=None))
    if action.kind == "code":
        assert [compiled(view, action)(*row.input) for row in view.examples] == [row.output for row in view.examples]
