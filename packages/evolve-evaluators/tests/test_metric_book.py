"""Comments on runs become metrics: named, with examples, with what they explain and how much they say the same."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolve.core.errors import UsageError
from evolve.memory.preferences import PersonAct
from evolve_evaluators.book import MetricBook
from evolve_evaluators.grouping import remarks_in, sign_of

SAID = [
    ("r1", "The table layout is confusing; the headings were helpful"),
    ("r2", "Confusing layout of the table again"),
    ("r3", "The headings are clear, but the table layout is ugly."),
    ("r4", "Great table layout. No headings at all!"),
    ("r5", "The weather was fine"),
]


@pytest.fixture
def acts(store):
    made = store.memory()
    return made.preferences


@pytest.fixture
def book(acts, store):
    return MetricBook(store.opened[-1][1], acts.embedder, str)


def said(acts, remarks=tuple(SAID)):
    for run, text in remarks:
        acts.save_act(PersonAct(kind="comment", text=text, run=run, author="jo"))
    return acts.acts_of_kind("comment")


def test_comments_of_one_meaning_become_a_metric_with_a_name_scores_and_examples(book, acts):
    made = {one.name: one for one in book.induce(said(acts))}
    assert set(made) == {"layout-table", "headings"}
    layout = made["layout-table"]
    assert layout.scores() == {"r1": -1.0, "r2": -1.0, "r3": -1.0, "r4": 1.0}
    assert len(layout.examples) == 4
    assert "layout" in layout.definition and "Confusing" in layout.rubric
    [other] = [one for one in made.values() if one is not layout]
    assert other.scores() == {"r1": 1.0, "r3": 1.0, "r4": -1.0}


def test_coverage_counts_explained_comments_and_redundancy_correlates_scores(book, acts):
    book.induce(said(acts))
    report = book.report()
    assert (report.explained, report.comments, report.coverage) == (4, 5, 0.8)
    [pair] = report.overlaps
    assert (pair.correlation, pair.runs) == (pytest.approx(-1.0), 3)
    assert MetricBook(book._db, acts.embedder, str).report() == report


def test_the_same_comments_again_change_nothing_and_new_ones_join(book, acts):
    book.induce(said(acts))
    before = book.all()
    assert book.induce(acts.acts_of_kind("comment")) == []
    assert book.all() == before
    assert book.induce(said(acts, [("r6", "a fine table layout")])) == []
    assert book.get("layout-table").scores()["r6"] == 1.0


def test_a_person_names_defines_and_forgets_metrics(book, acts):
    book.induce(said(acts))
    book.edit("layout-table", new_name="looks", definition="The table is easy to read.")
    assert (book.get("looks").edited, book.get("looks").definition) == (True, "The table is easy to read.")
    other = next(one.name for one in book.all() if one.name != "looks")
    with pytest.raises(UsageError, match="already"):
        book.edit("looks", new_name=other)
    assert book.forget(["looks"]) == 1
    assert book.induce(said(acts)) == []
    assert "looks" not in {one.name for one in book.all()}
    with pytest.raises(UsageError, match="no metric"):
        book.get("looks")


def test_one_comment_alone_is_no_metric(book, acts):
    assert book.induce(said(acts, [("r1", "The layout is bad. Such a bad layout!")])) == []


def test_remarks_of_a_lost_metric_are_gathered_again(book, acts):
    book.induce(said(acts))
    book._db.delete("memory_metrics", {"name": "layout-table"})
    assert [one.name for one in book.induce(acts.acts_of_kind("comment"))] == ["layout-table"]


@pytest.mark.parametrize(
    ("remark", "sign"),
    [("clear headings", 1), ("the headings are not clear", -1), ("no headings", -1), ("wrong sum", -1), ("a sum", 0)],
)
def test_a_remark_praises_blames_or_does_neither(remark, sign):
    assert sign_of(remark) == sign


@pytest.mark.slow
@given(st.text(max_size=200))
def test_remarks_come_from_the_comment(text):
    assert all(one in text for one in remarks_in(text))
