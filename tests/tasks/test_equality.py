"""When two values count as the same answer."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolve.tasks import equal

JSON_WITHOUT_FLOATS = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.text("ab", max_size=2),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("ab"), inner, max_size=2),
    max_leaves=6,
)


@pytest.mark.parametrize(
    ("left", "right", "same"),
    [
        (1, True, False),
        (0, False, False),
        (1.0, True, False),
        ([1], [True], False),
        (2, 2.0, True),
        (2**60 + 1, float(2**60), False),
        (0.1 + 0.2, 0.3, True),
        (1.0, 1.0 + 1e-6, False),
        (0.0, 1e-12, False),
        (float("nan"), float("nan"), False),
        ([float("nan")], [float("nan")], False),
        ([1, 2], [2, 1], False),
        ([1, 2], (1, 2), True),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1.0}, True),
        ({"a": 1}, {"a": 1, "b": None}, False),
        ("é", "e\u0301", False),
        ("1", 1, False),
        (None, False, False),
        (None, None, True),
        ([], {}, False),
        ("", [], False),
    ],
)
def test_answers_compare_by_the_rules_of_tasks(left: object, right: object, same: bool) -> None:
    assert equal(left, right) is same
    assert equal(right, left) is same


@pytest.mark.slow
@given(JSON_WITHOUT_FLOATS, JSON_WITHOUT_FLOATS, JSON_WITHOUT_FLOATS)
def test_equality_is_an_equivalence_where_there_are_no_floats(a: object, b: object, c: object) -> None:
    assert equal(a, a)
    assert equal(a, b) == equal(b, a)
    if equal(a, b) and equal(b, c):
        assert equal(a, c)


@pytest.mark.slow
def test_depth_does_not_overflow_the_stack() -> None:
    left: list[object] = []
    right: list[object] = []
    for _ in range(50_000):
        left, right = [left], [right]
    assert equal(left, right)
    assert not equal(left, [right])
