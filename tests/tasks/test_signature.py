"""The signature grammar: what it accepts, what it infers, what it refuses."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolve.core.episodes import Row
from evolve.tasks import SignatureError, format_signature, infer_signature, parse_signature
from evolve.tasks.signature import (
    BOOL,
    FLOAT,
    INT,
    Parameter,
    Signature,
    TypeExpr,
    argument_name,
    dict_of,
    has_type,
    list_of,
    optional_type,
)

TYPES = st.recursive(
    st.sampled_from(["int", "float", "bool", "str", "row", "any", "None"]).map(TypeExpr),
    lambda inner: inner.map(list_of) | inner.map(dict_of) | inner.map(optional_type),
    max_leaves=4,
)
SIGNATURES = st.builds(
    lambda types, result: Signature(
        parameters=tuple(Parameter(name=f"x{place}", type=kind) for place, kind in enumerate(types)), result=result
    ),
    st.lists(TYPES, max_size=3),
    TYPES,
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2), inner, max_size=3),
    max_leaves=8,
)


@given(SIGNATURES)
def test_a_formatted_signature_parses_to_itself(signature: Signature) -> None:
    assert parse_signature(format_signature(signature)) == signature


@pytest.mark.slow
@given(VALUES, VALUES)
def test_values_have_the_type_inferred_from_them(first: object, second: object) -> None:
    rows = [Row(input=(first,), output=second), Row(input=(second,), output=first)]
    signature = parse_signature(format_signature(infer_signature(rows)))
    for value in (first, second):
        assert has_type(value, signature.parameters[0].type)
        assert has_type(value, signature.result)


@pytest.mark.parametrize(
    ("inputs", "output", "expected"),
    [
        (([1, 2], 3), "x", "(xs: list[int], n: int) -> str"),
        (([1, 2.5],), 1, "(xs: list[float]) -> int"),
        (("2024-01-31",), True, "(text: str) -> bool"),
        (({"a": 1, "b": "x"},), None, "(row: row) -> None"),
        (({"a": 1, "b": 2},), 1, "(mapping: dict[str, int]) -> int"),
        (([{"a": 1, "b": "x"}],), [], "(rows: list[row]) -> list[any]"),
        (([[1], []],), [1, None], "(rows: list[list[int]]) -> list[int | None]"),
        ((["a"], ["b"]), 0.5, "(items: list[str], others: list[str]) -> float"),
        ((1, 2, 3, 4), 5, "(n: int, k: int, m: int, n2: int) -> int"),
        (([1, "a"],), [1, True], "(xs: list[any]) -> list[any]"),
    ],
)
def test_types_and_readable_names_come_from_the_values(inputs: tuple, output: object, expected: str) -> None:
    assert format_signature(infer_signature([Row(input=inputs, output=output)])) == expected


def test_a_result_that_is_sometimes_missing_is_optional() -> None:
    rows = [Row(input=("a",), output=1), Row(input=("b",), output=None)]
    assert format_signature(infer_signature(rows)) == "(text: str) -> int | None"


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "expected '('"),
        ("(a int) -> str", "expected ':'"),
        ("(a: int) -> lst", "unknown type 'lst'"),
        ("(a: int) -> list", "expected '['"),
        ("(a: dict[int, str]) -> str", "expected 'str'"),
        ("(class: int) -> str", "cannot name a parameter"),
        ("(a: int, a: int) -> str", "occurs twice"),
        ("(a: int) -> str extra", "expected 'end'"),
        ("(a: int) -> str; import os", "unexpected ';'"),
        ("(a: " + "list[" * 99 + "int" + "]" * 99 + ") -> int", "nest deeper"),
    ],
)
def test_what_is_no_signature_is_refused_with_the_reason(text: str, complaint: str) -> None:
    with pytest.raises(SignatureError, match=complaint.replace("[", r"\[").replace("(", r"\(")):
        parse_signature(text)


def test_booleans_are_no_numbers_and_integers_are_floats() -> None:
    assert not has_type(True, INT)
    assert not has_type(1, BOOL)
    assert has_type(1, FLOAT)
    assert not has_type(1.5, INT)


@pytest.mark.parametrize(
    ("label", "name"),
    [
        ("First Name", "first_name"),
        ("unitPrice", "unit_price"),
        ("2nd", "column_2nd"),
        ("€", "column_3"),
        ("class", "class_"),
    ],
)
def test_column_labels_become_parameter_names(label: str, name: str) -> None:
    assert argument_name(label, 3) == name
