"""What the rows of an answer leave open: other functions that fit, and the input that tells them apart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evolve.episodes import Limits, Row, Step, TaskView
from evolve.policies.protocol import Doubts
from evolve.policies.search import SearchPolicy
from evolve.policies.search.probes import probes
from evolve.policies.search.problem import problem_of
from evolve.tasks import Task

POLICY = SearchPolicy()


def _view(pairs: Sequence[tuple[Any, Any]]) -> TaskView:
    rows = [Row(input=one if isinstance(one, tuple) else (one,), output=out) for one, out in pairs]
    return Task(id="t", family="own", instruction="", examples=tuple(rows)).view()


def _step(view: TaskView) -> Step:
    action = POLICY.act(view, POLICY.plan(view, ()), (), Limits(candidates=50_000, seconds=None))
    assert action.kind == "code"
    return Step(number=1, action=action)


def _doubts(pairs: Sequence[tuple[Any, Any]], unlabelled: Sequence[Any] = ()) -> Doubts:
    view = _view(pairs)
    inputs = [one if isinstance(one, tuple) else (one,) for one in unlabelled]
    return POLICY.doubts(view, _step(view), inputs, Limits(candidates=20_000, seconds=None))


NAMES = [("Ada Lovelace", "Lovelace"), ("Grace Hopper", "Hopper"), ("Alan Turing", "Turing"), ("Kurt Weil", "Weil")]


def _value(code: str, argument: Any) -> Any:
    space: dict[str, Any] = {}
    exec(code, space)
    return space["solve"](argument)


def test_a_row_with_another_number_of_words_brings_out_what_the_rows_leave_open() -> None:
    told = _doubts(NAMES, ["Emmy Noether", "Johann Sebastian Bach"])
    assert told.question is not None and told.question.input == ("Johann Sebastian Bach",)
    first, second = told.question.outputs
    assert first != second
    assert any(_value(code, "Johann Sebastian Bach") not in (first,) for code in told.rivals)


def test_rivals_are_right_on_every_row() -> None:
    told = _doubts(NAMES, ["Johann Sebastian Bach"])
    assert told.rivals
    assert all(_value(code, name) == last for code in told.rivals for name, last in NAMES)


def test_rows_that_are_like_the_examples_raise_no_doubt() -> None:
    told = _doubts(NAMES, ["Emmy Noether", "Carl Gauss"])
    assert told.rivals == () and told.question is None


def test_a_word_that_every_row_has_may_be_copied() -> None:
    kilos = [("297 kg", "297 (kg)"), ("32 kg", "32 (kg)"), ("5 kg", "5 (kg)")]
    told = _doubts(kilos, ["12 kg", "41 lb"])
    assert any(_value(code, "41 lb") == "41 (lb)" for code in told.rivals)


def test_it_counts_what_it_cost_and_keeps_to_its_limits() -> None:
    told = _doubts(NAMES, ["Johann Sebastian Bach"])
    assert 0 < told.cost.candidates <= 21_000


@pytest.mark.parametrize("odd", [("",), ("x",), (17,), (None,), ("a", "b")])
def test_inputs_of_another_form_are_no_obstacle(odd: tuple[Any, ...]) -> None:
    told = _doubts(NAMES, [odd, "Johann Sebastian Bach"])
    assert told.question is not None


@settings(max_examples=30, deadline=None)
@given(st.lists(st.text("ab 1-/,", min_size=1, max_size=12), min_size=2, max_size=5, unique=True))
def test_probes_are_new_inputs_and_always_the_same(texts: list[str]) -> None:
    problem = problem_of(_view([(text, text) for text in texts]))
    made = probes(problem)
    assert made == probes(problem)
    assert not {(text,) for text in texts} & set(made)
    assert all(far >= 0 for far in made.values())
