"""What the rows of an answer leave open: other functions that fit, and the input that tells them apart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evolve.core.episodes import Action, Limits, Row, Step, TaskView
from evolve.policies.base import Ambiguities
from evolve.policies.search import SearchPolicy
from evolve.policies.search.probe_inputs import probe_inputs
from evolve.policies.search.problem import problem_of
from evolve.policies.search.programs.evaluation import compile_term
from evolve.policies.search.programs.operations import vocabulary
from evolve.policies.search.programs.terms import Apply, Constant, Input, to_json
from evolve.policies.search.programs.types import INT, STR
from evolve.policies.search.solvers.base import RowColumn
from evolve.policies.search.thresholds import ThresholdCut
from evolve.tasks import Task

POLICY = SearchPolicy()


def _view(pairs: Sequence[tuple[Any, Any]]) -> TaskView:
    rows = [Row(input=one if isinstance(one, tuple) else (one,), output=out) for one, out in pairs]
    return Task(id="t", family="own", instruction="", examples=tuple(rows)).view()


def _step(view: TaskView) -> Step:
    action = POLICY.act(view, POLICY.plan(view, ()), (), Limits(candidates=50_000, seconds=None))
    assert action.kind == "code"
    return Step(number=1, action=action)


def _doubts(pairs: Sequence[tuple[Any, Any]], unlabelled: Sequence[Any] = ()) -> Ambiguities:
    view = _view(pairs)
    inputs = [one if isinstance(one, tuple) else (one,) for one in unlabelled]
    return POLICY.ambiguities(view, _step(view), inputs, Limits(candidates=20_000, seconds=None))


NAMES = [("Ada Lovelace", "Lovelace"), ("Grace Hopper", "Hopper"), ("Alan Turing", "Turing"), ("Kurt Weil", "Weil")]


def _value(code: str, argument: Any) -> Any:
    space: dict[str, Any] = {}
    exec(code, space)
    return space["solve"](argument)


@pytest.mark.slow
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


@pytest.mark.slow
def test_a_word_that_every_row_has_may_be_copied() -> None:
    kilos = [("297 kg", "297 (kg)"), ("32 kg", "32 (kg)"), ("5 kg", "5 (kg)")]
    told = _doubts(kilos, ["12 kg", "41 lb"])
    assert any(_value(code, "41 lb") == "41 (lb)" for code in told.rivals)


@pytest.mark.slow
def test_it_counts_what_it_cost_and_keeps_to_its_limits() -> None:
    told = _doubts(NAMES, ["Johann Sebastian Bach"])
    assert 0 < told.cost.candidates <= 21_000


@pytest.mark.slow
@pytest.mark.parametrize("odd", [("",), ("x",), (17,), (None,), ("a", "b")])
def test_inputs_of_another_form_are_no_obstacle(odd: tuple[Any, ...]) -> None:
    told = _doubts(NAMES, [odd, "Johann Sebastian Bach"])
    assert told.question is not None


@pytest.mark.slow
@settings(max_examples=30, deadline=None)
@given(st.lists(st.text("ab 1-/,", min_size=1, max_size=12), min_size=2, max_size=5, unique=True))
def test_probes_are_new_inputs_and_always_the_same(texts: list[str]) -> None:
    problem = problem_of(_view([(text, text) for text in texts]))
    made = probe_inputs(problem)
    assert made == probe_inputs(problem)
    assert not {(text,) for text in texts} & set(made)
    assert all(far >= 0 for far in made.values())


@pytest.mark.slow
def test_an_operation_that_no_row_asks_for_does_not_contest() -> None:
    names = [
        (("Ann", "Lee"), "Ann Lee"),
        (("Bo", "Ray"), "Bo Ray"),
        (("Cy", "Dent"), "Cy Dent"),
        (("Di", "Ott"), "Di Ott"),
    ]
    told = _doubts(names, [("Anne-Marie", "Levy"), ("Flo", "Orr")])
    assert not told.contested and told.likely == ()
    # A row that is unlike all others is pointed out all the same.
    assert any("split('-'" in code for code in told.distant)


ORDERS = [(12.5, "fee"), (33.0, "fee"), (41.5, "fee"), (63.0, "free"), (88.5, "free"), (97.0, "free")]


@pytest.mark.slow
def test_the_round_bound_in_a_gap_is_not_contested_by_its_neighbours() -> None:
    assert not _doubts(ORDERS, [48.5, 20.0, 70.5]).contested


@pytest.mark.slow
def test_bounds_that_are_as_round_contest() -> None:
    told = _doubts([(1, "S"), (2, "S"), (3, "S"), (7, "L"), (9, "L"), (8, "L")], [4, 5, 6])
    assert told.contested
    assert told.question is not None and told.question.input[0] in (4, 5, 6)


@pytest.mark.slow
def test_a_half_that_roundings_differ_on_contests_where_it_is_asked_for() -> None:
    sixths = [(294.0, 49.0), (422.5, 70.42), (249.7, 41.62), (306.4, 51.07), (417.5, 69.58)]
    told = _doubts(sixths, [230.0, 175.95])
    assert told.contested
    assert told.question is not None and told.question.input == (175.95,)
    assert set(told.question.outputs) == {29.32, 29.33}
    assert not _doubts(sixths, [230.0, 175.5]).contested


@pytest.mark.slow
def test_another_property_that_separates_the_rows_contests_a_condition() -> None:
    term = Apply(
        "choose",
        (
            Apply("less", (Apply("text_length", (Input(0),)), Constant(12, INT))),
            Constant("short", STR),
            Constant("long", STR),
        ),
    )
    lines = ["a b", "ab cd", "abcdefghi", "one two three four", "five six seven eight", "nine ten eleven twelve"]
    view = _view([(line, "short" if len(line) < 12 else "long") for line in lines])
    action = Action(kind="code", code="", private={"tree": to_json(term)})
    step = Step(number=1, action=action)
    told = POLICY.ambiguities(
        view, step, [("abcdefghijklmnop",), ("a b c d",)], Limits(candidates=20_000, seconds=None)
    )
    assert any(_value(code, "abcdefghijklmnop") == "short" for code in told.rivals)


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(-40, 40), st.sampled_from([True, False, None])), min_size=2, max_size=8))
def test_a_cut_along_other_values_says_what_is_needed(rows: list[tuple[int, bool | None]]) -> None:
    values, needed = tuple(value for value, _ in rows), tuple(said for _, said in rows)
    cut = ThresholdCut(path=(), value=Input(0), bound=0, needed=needed)
    found = cut.cut_column(RowColumn(values, Input(0), INT, 1))
    true, false = ([v for v, said in rows if said is wanted] for wanted in (True, False))
    separate = bool(true and false) and (max(true) < min(false) or max(false) < min(true))
    assert (found is not None) == separate
    if found is not None:
        test = compile_term(found[0], {one.name: one for one in vocabulary()})
        assert all(test((value,)) == said for value, said in rows if said is not None)


def test_made_up_numbers_are_as_long_as_those_of_a_long_column() -> None:
    problem = problem_of(_view([("6x50", "a"), ("12x75", "b"), ("4x50", "c")]))
    wanted = [(f"{n}x{m}",) for n in (2, 3, 8, 24) for m in (25, 40, 60)]
    made = probe_inputs(problem, wanted)
    longer = [text for (text,) in made if len(text.split("x")[0]) > 2]
    assert longer and all(made[(text,)] >= 3 for text in longer)
    assert any(far < 3 for text, far in probe_inputs(problem).items() if len(text[0].split("x")[0]) > 2)


def test_made_up_texts_with_marks_as_no_row_has_them_are_far_fetched() -> None:
    quoted = [('say "one two" now', "one two"), ('"red" it was', "red"), ('then "a b c"', "a b c")]
    made = probe_inputs(problem_of(_view(quoted)))
    unpaired = [one for one in made if one[0].count('"') not in (0, 2)]
    assert unpaired and all(made[one] >= 3 for one in unpaired)
    assert any(far < 3 for far in made.values())


def test_a_number_that_is_never_padded_may_be_where_others_are() -> None:
    """The first day below ten is a question: is its zero wanted?"""
    days = [("21-Oct-1997 08:42", "21"), ("28-Nov-2006 14:19", "28"), ("11-May-2028 15:31", "11")]
    made = probe_inputs(problem_of(_view(days)))
    assert made[("01-Oct-1997 08:42",)] == 0
    assert not [
        text for (text,) in probe_inputs(problem_of(_view([*days, ("03-May-1999 15:31", "3")]))) if text[:2] == "01"
    ]
