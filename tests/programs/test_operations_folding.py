"""Operations that carry a value along a list or walk two lists, and what they look like in an answer."""

from __future__ import annotations

import pytest

from evolve.policies.search.programs.evaluation import compile_term
from evolve.policies.search.programs.operation import EVALUATION_ERRORS
from evolve.policies.search.programs.operations import vocabulary
from evolve.policies.search.programs.render import FunctionHeading, render
from evolve.policies.search.programs.terms import Apply, Bound, Constant, Input, Lambda, Term
from evolve.policies.search.programs.types import INT, STR
from tests.programs.typed_terms import expression

OPERATIONS = {operation.name: operation for operation in vocabulary()}
X, Y = Bound(0), Bound(1)


def taking(body: Term) -> Lambda:
    return Lambda((INT, INT), body)


MINUS = taking(Apply("subtract", (X, Y)))
DIGITS = taking(Apply("add", (Apply("multiply", (X, Constant(10, INT))), Y)))
LARGER = taking(Apply("larger", (X, Y)))
SQUARE = taking(Apply("multiply", (X, X)))


def value(operation: str, function: Term, *inputs: object) -> object:
    term = Apply(operation, (function, *map(Input, range(len(inputs)))))
    return compile_term(term, OPERATIONS)(inputs)


@pytest.mark.parametrize(
    ("operation", "function", "inputs", "expected"),
    [
        ("fold", MINUS, ((10, 3, 2),), 5),
        ("fold", DIGITS, ((4, 0, 7),), 407),
        ("fold", MINUS, ((6,),), 6),
        ("fold_from", MINUS, (10, (3, 2)), 5),
        ("fold_from", DIGITS, (1, (2,)), 12),
        ("fold_from", MINUS, (10, ()), 10),
        ("scan", MINUS, ((10, 3, 2),), (10, 7, 5)),
        ("scan", LARGER, ((3, 1, 4, 2),), (3, 3, 4, 4)),
        ("scan", MINUS, ((),), ()),
        ("zip_with", MINUS, ((5, 9, 1), (2, 10)), (3, -1)),
        ("zip_with", LARGER, ((), (1,)), ()),
    ],
)
def test_values(operation: str, function: Term, inputs: tuple[object, ...], expected: object) -> None:
    assert value(operation, function, *inputs) == expected


def test_the_first_value_of_an_empty_list_is_none_to_begin_with() -> None:
    with pytest.raises(EVALUATION_ERRORS):
        value("fold", MINUS, ())


@pytest.mark.parametrize(("operation", "start"), [("fold", ()), ("fold_from", (9,)), ("scan", ())])
def test_steps_that_grow_without_bound_end_early(operation: str, start: tuple[int, ...]) -> None:
    with pytest.raises(OverflowError):
        value(operation, SQUARE, *start, (9,) * 128)


@pytest.mark.parametrize(
    ("operation", "function", "params", "expected"),
    [
        ("fold", MINUS, ("xs",), "functools.reduce(lambda x, y: x - y, xs)"),
        ("fold_from", MINUS, ("n", "xs"), "functools.reduce(lambda x, y: x - y, xs, n)"),
        ("scan", MINUS, ("xs",), "list(itertools.accumulate(xs, lambda x, y: x - y))"),
        ("scan", LARGER, ("xs",), "list(itertools.accumulate(xs, max))"),
        ("zip_with", MINUS, ("xs", "ys"), "[x - y for x, y in zip(xs, ys)]"),
        ("fold", taking(Apply("larger", (Y, X))), ("xs",), "functools.reduce(lambda x, y: max(y, x), xs)"),
    ],
)
def test_answers_read_like_python(operation: str, function: Term, params: tuple[str, ...], expected: str) -> None:
    term = Apply(operation, (function, *map(Input, range(len(params)))))
    assert expression(term, params) == expected


@pytest.mark.parametrize("params", [("x", "y"), ("y", "x"), ("functools", "itertools"), ("max", "zip")])
def test_names_of_parameters_do_not_hide_those_of_the_function(params: tuple[str, ...]) -> None:
    largest = Apply("scan", (LARGER, Apply("zip_with", (MINUS, Input(0), Input(1)))))
    term = Apply("fold", (MINUS, largest))
    heading = FunctionHeading(
        entry="f", params=params, param_types=("list", "list"), result_type="int", doc="An answer."
    )
    names: dict[str, object] = {}
    exec(render(term, heading, OPERATIONS), names)
    assert names["f"]([5, 9, 7], [1, 2, 9]) == 4 - 7 - 7  # type: ignore[operator]


def test_a_text_can_be_reversed_inside_a_function() -> None:
    assert OPERATIONS["reverse_text"].scalar
    term = Apply("map", (Lambda((STR,), Apply("reverse_text", (X,))), Input(0)))
    assert compile_term(term, OPERATIONS)((("abc", ""),)) == ("cba", "")
