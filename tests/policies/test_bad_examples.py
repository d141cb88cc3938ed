"""Examples the search cannot use are named, and poor ones are survived."""

from __future__ import annotations

from typing import Any

import pytest

from evolve.core.episodes import Limits, Row, TaskView
from evolve.core.errors import ModelMistake
from evolve.policies.search import SearchPolicy
from evolve.runtime.sandbox import Sandbox
from tests.policies.samples import first_action, view_of, wrong_rows

SMALL = Limits(candidates=2_000, seconds=None)


def view(*rows: tuple[tuple[Any, ...], Any], name: str = "odd-task") -> TaskView:
    examples = tuple(Row(input=i, output=o) for i, o in rows)
    return TaskView(id=name, family="test", instruction="", signature="", examples=examples)


UNUSABLE = {
    "empty column": view(((None,), 1), ((None,), 2)),
    "a missing value": view((("a",), "x"), ((None,), "y")),
    "missing output": view(((1,), None), ((2,), None)),
    "numbers and text": view(((1,), 1), (("a",), 2)),
    "booleans and numbers": view(((1,), True), ((2,), 3)),
    "a mixed list": view((([1, "a"],), 1), (([2, "b"],), 2)),
    "a list and its item": view((([1],), 1), ((1,), 1)),
    "different numbers of arguments": view(((1,), 1), ((1, 2), 3)),
    "missing inside a row": view((({"a": None},), 1), (({"a": 2},), 2)),
}


@pytest.mark.parametrize("task", UNUSABLE.values(), ids=list(UNUSABLE))
def test_examples_without_common_types_are_a_mistake_that_names_the_task(
    task: TaskView, unlearned: SearchPolicy
) -> None:
    with pytest.raises(ModelMistake, match="odd-task"):
        unlearned.plan(task, ())
    with pytest.raises(ModelMistake, match="odd-task"):
        unlearned.features(task)


NAN = float("nan")


@pytest.mark.parametrize(
    "task",
    [
        view(((1.5,), NAN), ((2.5,), NAN)),
        view(((NAN,), 1.0), ((2.0,), 1.0)),
        view((([1.0, [float("inf")]],), 1), (([2.0, []],), 2)),
        view((({"a": NAN},), 1), (({"a": 2.0},), 2)),
    ],
)
def test_not_a_number_is_a_mistake_that_names_the_task(task: TaskView, unlearned: SearchPolicy) -> None:
    with pytest.raises(ModelMistake, match="odd-task.*NaN"):
        unlearned.plan(task, ())


USABLE = {
    "one example": view((([3, 1, 2],), [1, 2, 3])),
    "one example of text": view((("Ann Lee",), "ANN LEE")),
    "thirty examples": view(*((([n, n + 1, 3],), n + 1) for n in range(30))),
    "empty lists everywhere": view((([],), []), (([],), [])),
    "empty lists in, numbers out": view((([],), 0), (([],), 0)),
    "empty texts": view((("",), ""), (("",), "")),
    "empty lists of lists": view((([[]],), []), (([],), [])),
    "empty dictionaries": view((({},), 0), (({},), 0)),
    "one constant": view(((1,), "x"), ((2,), "x"), ((3,), "x")),
    "the same row twice": view(((1,), 2), ((1,), 2)),
    "large numbers": view(((10**15,), 10**15 + 1), ((7,), 8)),
    "integers and floats": view(((1,), 2), ((2.5,), 5.0), ((3,), 6)),
    "no text in common": view((("é\u0301 ",), "é\u0301"), (("\t\n",), "")),
    "columns with odd names": view((({"a b": 1, "": 2},), 1), (({"a b": 5, "": 3},), 5)),
    "different keys": view((({"a": 1},), 1), (({"b": 2, "c": 3},), 2)),
}


@pytest.mark.parametrize("task", USABLE.values(), ids=list(USABLE))
def test_poor_examples_give_a_right_answer_or_none(task: TaskView, unlearned: SearchPolicy, sandbox: Sandbox) -> None:
    action = first_action(unlearned, task, SMALL)
    assert action.kind in ("code", "finish")
    if action.kind == "code":
        assert wrong_rows(sandbox, [(task, action.code)]) == []


@pytest.mark.parametrize("name", ["one example", "thirty examples", "empty lists everywhere", "integers and floats"])
def test_poor_examples_of_easy_tasks_are_enough(name: str, unlearned: SearchPolicy) -> None:
    assert first_action(unlearned, USABLE[name], SMALL).kind == "code"


def test_contradicting_examples_have_no_answer(unlearned: SearchPolicy) -> None:
    task = view((([1, 2],), 1), (([1, 2],), 2))
    assert first_action(unlearned, task, SMALL).kind == "finish"


def test_a_task_without_arguments_or_examples_is_a_mistake(unlearned: SearchPolicy) -> None:
    for task in (view(((), 1), ((), 1)), view()):
        try:
            action = first_action(unlearned, task, SMALL)
        except ModelMistake as mistake:
            assert "odd-task" in str(mistake)
        else:
            assert action.kind in ("code", "finish")


@pytest.mark.slow
def test_hundreds_of_long_rows_are_searched_within_the_budget(unlearned: SearchPolicy) -> None:
    task = view_of(lambda xs: sum(xs) % 13 + len(set(xs)) * 7, *([n % 17 for n in range(k)] for k in range(1, 120)))
    action = first_action(unlearned, task, Limits(candidates=300, seconds=None))
    assert action.cost.candidates <= 700
