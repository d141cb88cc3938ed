"""Two programs that fit and differ elsewhere are shown with the input on which they differ."""

from __future__ import annotations

from typing import Any

import pytest

from evolve.policies.search import SearchPolicy, SearchSettings
from evolve.policies.search.probe_inputs import find_disagreement
from evolve.policies.search.problem import problem_of
from evolve.policies.search.programs.terms import Apply, Constant, Input
from evolve.policies.search.programs.types import INT
from tests.policies.samples import first_action, view_of

XS = Input(0)
SORT, REVERSE = Apply("sort", (XS,)), Apply("reverse", (XS,))
FEW = view_of(sorted, [3, 2, 1], [9, 4])


def run(code: str, entry: str, arguments: list[Any]) -> Any:
    space: dict[str, Any] = {}
    exec(compile(code, "<answer>", "exec"), space)
    return space[entry](*arguments)


def test_a_differing_input_is_found(unlearned: SearchPolicy) -> None:
    found = find_disagreement(SORT, [REVERSE], problem_of(FEW), FEW, unlearned.vocabulary)
    xs = found.input[0]
    assert found.outputs == (sorted(xs), xs[::-1])
    assert sorted(xs) != xs[::-1]
    assert run(found.code, FEW.entry, list(found.input)) == xs[::-1]


def test_programs_that_agree_everywhere_raise_no_question(unlearned: SearchPolicy) -> None:
    twice = Apply("sort", (REVERSE,))
    assert find_disagreement(SORT, [twice], problem_of(FEW), FEW, unlearned.vocabulary) is None
    assert find_disagreement(SORT, [], problem_of(FEW), FEW, unlearned.vocabulary) is None


def test_inputs_without_a_value_are_passed_over(unlearned: SearchPolicy) -> None:
    """Nobody can choose between a value and none."""
    view = view_of(lambda xs: xs[0], [5, 5, 4], [2, 2, 3])
    first, second = Apply("first", (XS,)), Apply("first", (Apply("tail", (XS,)),))
    found = find_disagreement(first, [second], problem_of(view), view, unlearned.vocabulary)
    (xs,) = found.input
    assert found.outputs == tuple(xs[:2])
    alone = view_of(lambda xs: xs[0], [5])
    assert find_disagreement(first, [second], problem_of(alone), alone, unlearned.vocabulary) is None


@pytest.mark.parametrize(
    ("view", "left", "right"),
    [
        (
            view_of(lambda n: n + n, 2),
            Apply("add", (Input(0), Input(0))),
            Apply("multiply", (Input(0), Input(0))),
        ),
        (view_of(lambda s: s.upper(), "A"), Apply("upper", (Input(0),)), Input(0)),
        (
            view_of(lambda xs, n: xs[:n], ([1, 2], 2), ([4], 1)),
            Apply("take", (Input(1), XS)),
            Apply("take", (Constant(2, INT), XS)),
        ),
    ],
    ids=["numbers", "text", "two arguments"],
)
def test_inputs_of_every_kind_are_varied(unlearned: SearchPolicy, view: Any, left: Any, right: Any) -> None:
    found = find_disagreement(left, [right], problem_of(view), view, unlearned.vocabulary)
    assert found is not None
    assert found.outputs[0] != found.outputs[1]


@pytest.mark.slow
def test_a_policy_that_looks_on_reports_the_question_with_its_answer() -> None:
    policy = SearchPolicy(settings=SearchSettings(look_on=1.0))
    action = first_action(policy, view_of(max, [1, 2], [3, 5]))
    question = action.ambiguity
    assert question is not None
    mine = run(action.code, "solve", list(question.input))
    theirs = run(question.code, "solve", list(question.input))
    assert (mine, theirs) == question.outputs
    assert mine != theirs


def test_a_policy_that_does_not_look_on_asks_nothing(unlearned: SearchPolicy) -> None:
    action = first_action(unlearned, view_of(max, [1, 2], [3, 5]))
    assert action.ambiguity is None
