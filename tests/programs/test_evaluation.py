"""What a term means on given inputs."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evolve.policies.search.programs.evaluation import compile_term, evaluate
from evolve.policies.search.programs.operation import EVALUATION_ERRORS
from evolve.policies.search.programs.terms import Apply, Bound, Constant, Input, Lambda, Term, from_json, to_json
from evolve.policies.search.programs.types import INT
from tests.programs.typed_terms import INTS, OPERATIONS, terms

ONE = Constant(1, INT)


@pytest.mark.parametrize(
    ("term", "expected"),
    [
        (Input(1), 2),
        (ONE, 1),
        (Apply("reverse", (Input(0),)), (2, 1, 3)),
        (Apply("add", (Input(1), ONE)), 3),
        (Apply("repeat_item", (Input(1), ONE)), (1, 1)),
        (Apply("map", (Lambda((INT,), Apply("add", (Bound(0), Input(1)))), Input(0))), (5, 3, 4)),
        (Apply("largest_by", (Lambda((INT,), Apply("subtract", (ONE, Bound(0)))), Input(0))), 1),
        (Apply("choose", (Apply("less", (Input(1), ONE)), ONE, Input(1))), 2),
    ],
)
def test_values(term: Term, expected: object) -> None:
    assert evaluate(term, ((3, 1, 2), 2), OPERATIONS) == expected


def test_a_term_without_a_value_raises_one_of_the_declared_errors() -> None:
    with pytest.raises(EVALUATION_ERRORS):
        evaluate(Apply("first", (Input(0),)), ((),), OPERATIONS)
    with pytest.raises(EVALUATION_ERRORS):
        evaluate(Apply("modulo", (Input(0), Constant(0, INT))), (4,), OPERATIONS)


def test_an_operation_that_is_gone_is_noticed_before_running() -> None:
    with pytest.raises(KeyError):
        compile_term(Apply("gone", (Input(0),)), OPERATIONS)


@pytest.mark.slow
@given(terms(INTS, depth=4), st.lists(st.integers(-5, 9), max_size=5), st.integers(-2, 6), st.text("ab ", max_size=4))
@settings(max_examples=80)
def test_evaluation_is_repeatable_and_survives_storage(term: Term, xs: list[int], n: int, text: str) -> None:
    inputs = (tuple(xs), n, text)
    meaning, stored = compile_term(term, OPERATIONS), compile_term(from_json(to_json(term)), OPERATIONS)
    try:
        value = meaning(inputs)
    except EVALUATION_ERRORS:
        with pytest.raises(EVALUATION_ERRORS):
            stored(inputs)
        return
    hash(value)
    assert isinstance(value, tuple)
    assert meaning(inputs) == stored(inputs) == value
    assert inputs == (tuple(xs), n, text)
