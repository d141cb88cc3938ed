"""JSON values become typed search values and come back unchanged."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evolve.policies.search.programs.types import (
    BOOL,
    FLOAT,
    INT,
    STR,
    UNKNOWN,
    FrozenDict,
    T,
    Type,
    U,
    as_type,
    dict_of,
    fn_of,
    freeze_value,
    infer,
    inner_types,
    list_of,
    match,
    resolve,
    row_of,
    substitute,
    thaw_value,
    variables,
)

SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5)
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=3)
)
GROUND = st.recursive(
    st.sampled_from((INT, FLOAT, BOOL, STR)),
    lambda inner: inner.map(list_of) | st.dictionaries(st.sampled_from("abc"), inner, min_size=1).map(row_of),
    max_leaves=4,
)


def values_of(kind: Type) -> st.SearchStrategy[Any]:
    """JSON values of a type; lists are never empty, so that the type can be read back."""
    if kind.name == "list":
        return st.lists(values_of(kind.args[0]), min_size=1, max_size=3)
    if kind.name == "row":
        return st.fixed_dictionaries({k: values_of(t) for k, t in zip(kind.fields, kind.args, strict=True)})
    floats = st.floats(-99, 99).filter(lambda number: not number.is_integer())
    return {"int": st.integers(-99, 99), "float": floats, "bool": st.booleans(), "str": st.text(max_size=4)}[kind.name]


@pytest.mark.slow
@given(VALUES)
@settings(max_examples=60)
def test_freezing_makes_a_hashable_value_and_loses_nothing(value: Any) -> None:
    frozen = freeze_value(value)
    hash(frozen)
    assert thaw_value(frozen) == value
    assert json.dumps(thaw_value(frozen)) == json.dumps(value)
    assert freeze_value(thaw_value(frozen)) == frozen


def test_dictionaries_with_the_same_entries_are_one_value() -> None:
    first, second = FrozenDict(a=1, b=2), FrozenDict(b=2, a=1)
    assert first == second
    assert hash(first) == hash(second)
    assert len({first, second}) == 1


@pytest.mark.slow
@given(st.data())
@settings(max_examples=60)
def test_values_of_one_type_are_recognised(data: st.DataObject) -> None:
    kind = data.draw(GROUND)
    values = data.draw(st.lists(values_of(kind), min_size=1, max_size=4))
    assert infer(values) == kind


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([1, 2.5], FLOAT),
        ([[1], [2.5]], list_of(FLOAT)),
        ([[], [1]], list_of(INT)),
        ([[1], []], list_of(INT)),
        ([[], []], list_of(UNKNOWN)),
        ([[[]], [["a"]]], list_of(list_of(STR))),
        ([{"a": 1}, {"a": 2}], row_of({"a": INT})),
        ([{"a": 1}, {"a": 2.5}], row_of({"a": FLOAT})),
        ([{"a": 1}, {"b": 2}], dict_of(STR, INT)),
        ([{"a": 1}, {}], dict_of(STR, INT)),
        ([], UNKNOWN),
    ],
)
def test_the_common_type_of_different_looking_values(values: list[Any], expected: Type) -> None:
    assert infer(values) == expected


@pytest.mark.parametrize(
    "values",
    [
        [1, "a"],
        [1, True],
        [True, 2.5],
        [None],
        [1, None],
        [[1, "a"]],
        [[1], 1],
        [{"a": 1}, {"b": "x"}],
        [{"a": None}],
        [{1: 2}],
        [1, {"a": 1}],
    ],
)
def test_values_without_a_common_type_have_none(values: list[Any]) -> None:
    assert infer(values) is None
    assert infer(values[::-1]) is None


def test_integers_are_lifted_where_the_type_says_float() -> None:
    kind = row_of({"n": INT, "xs": list_of(FLOAT)})
    value = as_type({"n": 1, "xs": [1, 2.5]}, kind)
    assert value == {"n": 1, "xs": (1.0, 2.5)}
    assert type(value["n"]) is int
    assert [type(x) for x in value["xs"]] == [float, float]
    assert type(as_type({"a": 3}, dict_of(STR, FLOAT))["a"]) is float
    assert as_type(True, FLOAT) is True


def test_unknown_elements_take_the_default() -> None:
    assert resolve(list_of(UNKNOWN), STR) == list_of(STR)
    assert resolve(dict_of(STR, list_of(UNKNOWN))) == dict_of(STR, list_of(INT))


@given(GROUND, GROUND)
@settings(max_examples=60)
def test_a_matched_pattern_filled_in_is_the_type_again(first: Type, second: Type) -> None:
    pattern, bound = fn_of(list_of(T), U, T), {}
    actual = fn_of(list_of(first), second, first)
    assert match(pattern, actual, bound)
    assert bound == {"T": first, "U": second}
    assert substitute(pattern, bound) == actual
    assert variables(pattern) == {"T", "U"}
    assert variables(actual) == frozenset()


def test_a_variable_means_one_type_throughout() -> None:
    assert not match(fn_of(T, T), fn_of(INT, STR), {})
    assert not match(list_of(T), dict_of(STR, INT), {})
    assert not match(row_of({"a": T}), row_of({"b": INT}), {})


def test_types_print_as_people_write_them() -> None:
    assert str(fn_of(INT, list_of(STR), BOOL)) == "(int, list[str]) -> bool"
    assert str(row_of({"qty": INT, "item": STR})) == "row[item: str, qty: int]"
    assert list(map(str, inner_types(dict_of(STR, list_of(INT))))) == [
        "dict[str, list[int]]",
        "str",
        "list[int]",
        "int",
    ]
