"""What one slip of the hand makes of a text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolve.policies.search.outliers import is_one_typo_apart

texts = st.text("ab1. ", min_size=2, max_size=8)


@given(texts, st.data())
def test_one_slip_is_one_slip_from_either_side(text: str, data: st.DataObject) -> None:
    place = data.draw(st.integers(0, len(text) - 2))
    sign = data.draw(st.sampled_from("ab1. "))
    slips = {
        text[:place] + text[place + 1 :],
        text[:place] + sign + text[place:],
        text[:place] + sign + text[place + 1 :],
        text[:place] + text[place + 1] + text[place] + text[place + 2 :],
    } - {text}
    assert all(is_one_typo_apart(text, slip) and is_one_typo_apart(slip, text) for slip in slips)
    assert not is_one_typo_apart(text, text)


@pytest.mark.slow
@given(texts, st.text("xyz", min_size=2, max_size=3))
def test_two_characters_more_are_more_than_a_slip(text: str, more: str) -> None:
    assert not is_one_typo_apart(text, text + more)
    assert not is_one_typo_apart(more + text, text)
