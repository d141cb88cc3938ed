"""Word search and fusion."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evolve.runtime.retrieval import WordIndex, fuse_rankings, split_words
from evolve.runtime.retrieval.lexical import STOP_WORDS

DOCUMENTS = {
    "a": "remove trailing spaces from names",
    "b": "parse dates such as 3 March 2024",
    "c": "names names names names names names of people and many other things besides",
    "d": "",
}


def _scores(documents: dict[str, str], query: str) -> dict[str, float]:
    index = WordIndex()
    index.add(documents)
    return index.scores(query)


def test_rare_words_count_more_than_common_ones() -> None:
    scores = _scores(DOCUMENTS, "trailing names")
    assert max(scores, key=scores.__getitem__) == "a"
    assert set(scores) == {"a", "c"}


def test_case_form_and_underscores_do_not_matter() -> None:
    assert split_words("Foo_Bar  \uff21\uff22\uff23, straße") == ["foo", "bar", "abc", "strasse"]
    assert _scores(DOCUMENTS, "DATES") == _scores(DOCUMENTS, "dates")


def test_no_documents_or_no_words_score_nothing() -> None:
    assert _scores({}, "anything") == {}
    assert _scores(DOCUMENTS, " ?! ") == {}


@settings(max_examples=60, deadline=None)
@given(st.dictionaries(st.text(max_size=4), st.text("ab c", max_size=12)), st.text("ab c", max_size=8))
def test_scores_are_positive_and_only_for_documents_that_share_a_word(documents: dict[str, str], query: str) -> None:
    scores = _scores(documents, query)
    asked = set(split_words(query)) - STOP_WORDS or set(split_words(query))
    sharing = {name for name, text in documents.items() if set(split_words(text)) & asked}
    assert set(scores) == sharing
    assert all(score > 0 for score in scores.values())


def test_fusion_weighs_how_sure_each_arm_is() -> None:
    dense = {"x": 0.9, "y": 0.89, "z": 0.1}
    lexical = {"y": 12.0, "z": 1.0}
    assert [name for name, _ in fuse_rankings([(1.0, dense), (1.0, lexical)])] == ["y", "x", "z"]
    assert [name for name, _ in fuse_rankings([(1.0, dense), (0.0, lexical)])] == ["x", "y", "z"]


def test_fusion_of_equal_scores_is_ordered_by_id() -> None:
    assert fuse_rankings([(1.0, {"b": 5.0, "a": 5.0})]) == [("a", 1.0), ("b", 1.0)]
    assert fuse_rankings([]) == []
    assert fuse_rankings([(1.0, {})]) == []


def test_fused_scores_add_up() -> None:
    assert dict(fuse_rankings([(2.0, {"a": 1.0, "b": 3.0}), (1.0, {"a": 7.0})])) == pytest.approx({"a": 1.0, "b": 2.0})


def test_with_a_floor_small_differences_stay_small() -> None:
    narrow, wide = {"a": 10.0, "b": 9.0}, {"a": 10.0, "b": 1.0}
    assert dict(fuse_rankings([(1.0, narrow)], floors=[0.5])) == pytest.approx({"a": 1.0, "b": 0.8})
    assert fuse_rankings([(1.0, wide)], floors=[0.5]) == fuse_rankings([(1.0, wide)])
    assert dict(fuse_rankings([(1.0, narrow), (1.0, narrow)], floors=[0.5])) == pytest.approx({"a": 2.0, "b": 0.8})
