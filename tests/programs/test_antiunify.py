"""What two answers share becomes a pattern, and nothing of either is lost."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evolve.policies.search.programs.antiunify import Typing, instantiate, least_general_pattern
from evolve.policies.search.programs.evaluation import evaluate
from evolve.policies.search.programs.operation import EVALUATION_ERRORS
from evolve.policies.search.programs.terms import Apply, Bound, Constant, Input, Lambda, Term, is_open, size, walk
from evolve.policies.search.programs.types import INT, STR, Type
from tests.programs.typed_terms import INPUTS, INTS, OPERATIONS, terms

TYPING = Typing(operations=OPERATIONS, inputs=INPUTS)
XS, N, TEXT = Input(0), Input(1), Input(2)


def number(value: int) -> Term:
    return Constant(value, INT)


def call(name: str, *args: Term) -> Term:
    return Apply(name, args)


@st.composite
def pairs(draw: st.DrawFn) -> tuple[Term, Term]:
    """Two terms of one type that share structure more often than by chance."""
    kind = draw(st.sampled_from((INTS, INT, STR)))
    if draw(st.booleans()):
        return draw(terms(kind)), draw(terms(kind))
    inputs = (*INPUTS, INT, INTS)
    frame = draw(terms(kind, inputs, depth=4))
    left, right = ({3: draw(terms(INT, depth=1)), 4: draw(terms(INTS, depth=1))} for _ in range(2))
    return instantiate(frame, left), instantiate(frame, right)


@pytest.mark.slow
@given(pairs())
@settings(max_examples=50)
def test_each_side_of_the_holes_gives_its_term_back(pair: tuple[Term, Term]) -> None:
    left, right = pair
    pattern, holes = least_general_pattern(left, right, TYPING)
    assert instantiate(pattern, {h.index: h.left for h in holes}) == left
    assert instantiate(pattern, {h.index: h.right for h in holes}) == right


@pytest.mark.slow
@given(terms(INTS, depth=4))
@settings(max_examples=30)
def test_a_term_generalises_itself_without_holes(term: Term) -> None:
    assert least_general_pattern(term, term, TYPING) == (term, ())


@pytest.mark.slow
@given(pairs())
@settings(max_examples=50)
def test_generalising_again_changes_nothing(pair: tuple[Term, Term]) -> None:
    pattern, holes = least_general_pattern(*pair, TYPING)
    wider = Typing(operations=OPERATIONS, inputs=(*INPUTS, *(h.type for h in holes)))
    again, more = least_general_pattern(pattern, pair[0], wider)
    names = {h.index: h.left for h in more}
    assert all(isinstance(h.left, Input) for h in more)
    assert instantiate(again, names) == pattern


@pytest.mark.slow
@given(pairs())
@settings(max_examples=50)
def test_the_order_of_the_two_terms_only_swaps_the_sides(pair: tuple[Term, Term]) -> None:
    left, right = pair
    pattern, holes = least_general_pattern(left, right, TYPING)
    mirrored, mirror = least_general_pattern(right, left, TYPING)
    assert mirrored == pattern
    assert [(h.index, h.type, h.right, h.left) for h in mirror] == [(h.index, h.type, h.left, h.right) for h in holes]


@pytest.mark.slow
@given(pairs())
@settings(max_examples=50)
def test_a_pattern_is_a_term_of_the_same_type_with_typed_value_holes(pair: tuple[Term, Term]) -> None:
    pattern, holes = least_general_pattern(*pair, TYPING)
    wider = Typing(operations=OPERATIONS, inputs=(*INPUTS, *(h.type for h in holes)))
    assert wider.type_of(pattern) == TYPING.type_of(pair[0])
    assert [h.index for h in holes] == list(range(len(INPUTS), len(INPUTS) + len(holes)))
    used = {t.index for t in walk(pattern) if isinstance(t, Input)}
    for hole in holes:
        assert hole.index in used
        assert hole.left != hole.right
        assert TYPING.type_of(hole.left) == TYPING.type_of(hole.right) == hole.type
        assert hole.type.name != "fn"
        assert not is_open(hole.left)
        assert not is_open(hole.right)


@pytest.mark.slow
@given(pairs(), st.lists(st.integers(-5, 9), max_size=5), st.integers(-2, 6))
@settings(max_examples=40)
def test_a_pattern_computes_what_its_instances_compute(pair: tuple[Term, Term], xs: list[int], n: int) -> None:
    """With the values of the holes as arguments the pattern means what the term meant."""
    pattern, holes = least_general_pattern(*pair, TYPING)
    inputs = (tuple(xs), n, "a b")
    try:
        expected = evaluate(pair[0], inputs, OPERATIONS)
        values = tuple(evaluate(h.left, inputs, OPERATIONS) for h in holes)
    except EVALUATION_ERRORS:
        return
    assert evaluate(pattern, (*inputs, *values), OPERATIONS) == expected


def test_the_pattern_is_the_most_specific_one() -> None:
    left = call("take", number(2), call("sort", XS))
    right = call("take", number(3), call("sort", call("tail", XS)))
    pattern, holes = least_general_pattern(left, right, TYPING)
    assert pattern == call("take", Input(3), call("sort", Input(4)))
    assert [(h.type, h.left, h.right) for h in holes] == [
        (INT, number(2), number(3)),
        (INTS, XS, call("tail", XS)),
    ]


def test_the_same_difference_twice_is_one_hole() -> None:
    left = call("concatenate", call("take", number(2), XS), call("drop", number(2), XS))
    right = call("concatenate", call("take", N, XS), call("drop", N, XS))
    pattern, holes = least_general_pattern(left, right, TYPING)
    assert pattern == call("concatenate", call("take", Input(3), XS), call("drop", Input(3), XS))
    assert len(holes) == 1


def test_different_differences_are_different_holes() -> None:
    left = call("add", number(1), number(1))
    right = call("add", number(2), number(3))
    pattern, _ = least_general_pattern(left, right, TYPING)
    assert pattern == call("add", Input(3), Input(4))


def test_differences_inside_a_lambda_are_holes_unless_they_use_its_parameter() -> None:
    def mapped(body: Term) -> Term:
        return call("map", Lambda((INT,), body), XS)

    pattern, holes = least_general_pattern(
        mapped(call("add", Bound(0), number(1))), mapped(call("add", Bound(0), call("length", XS))), TYPING
    )
    assert pattern == mapped(call("add", Bound(0), Input(3)))
    assert holes[0].right == call("length", XS)

    left, right = mapped(call("add", Bound(0), number(1))), mapped(call("multiply", Bound(0), number(2)))
    pattern, holes = least_general_pattern(left, right, TYPING)
    assert pattern == Input(3)
    assert (holes[0].left, holes[0].right) == (left, right)


def test_holes_of_a_part_that_becomes_a_hole_leave_no_trace() -> None:
    body_left = call("add", call("add", Bound(0), number(1)), Bound(0))
    body_right = call("add", call("add", Bound(0), number(2)), call("negate", Bound(0)))
    left, right = (
        call("append", call("map", Lambda((INT,), body), XS), number(k))
        for body, k in ((body_left, 5), (body_right, 6))
    )
    pattern, holes = least_general_pattern(left, right, TYPING)
    assert pattern == call("append", Input(3), Input(4))
    assert [h.type for h in holes] == [INTS, INT]
    assert size(pattern) == 3


def test_one_operation_at_two_types_becomes_a_hole_above_it() -> None:
    typing = Typing(operations=OPERATIONS, inputs=(INTS, Type("list", (STR,))))
    left, right = call("length", Input(0)), call("length", Input(1))
    pattern, holes = least_general_pattern(call("add", left, number(1)), call("add", right, number(1)), typing)
    assert pattern == call("add", Input(2), number(1))
    assert (holes[0].left, holes[0].right) == (left, right)


def test_terms_of_different_types_have_no_pattern() -> None:
    with pytest.raises(ValueError, match=r"list\[int\].*str"):
        least_general_pattern(call("sort", XS), call("upper", TEXT), TYPING)


def test_an_operation_applied_to_the_wrong_type_is_named() -> None:
    with pytest.raises(ValueError, match="upper does not take"):
        TYPING.type_of(call("upper", XS))
    with pytest.raises(ValueError, match="add does not take"):
        TYPING.type_of(call("add", N))


def test_replacing_inputs_happens_all_at_once() -> None:
    swapped = instantiate(call("subtract", Input(0), Input(1)), {0: Input(1), 1: Input(0)})
    assert swapped == call("subtract", Input(1), Input(0))
