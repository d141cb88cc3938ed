"""How many problems have a cause in their answer, how many need it, and what may be said of that."""

from __future__ import annotations

import dataclasses
import random
import statistics

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evolve.core.episodes import EvidenceKind, Relation, Scope
from evolve.memory.insight_book import InsightBook
from evolve.memory.insights import ClaimKey, EvidenceRow, insight_id
from evolve.memory.necessity import BetaShare, CauseOccurrence, beta_below, beta_quantile, need_of

LISTS, TEXTS = "(list[int]) -> list[int]", "(str) -> str"


def groups(first: int, count: int) -> frozenset[str]:
    return frozenset(f"g{number}" for number in range(first, first + count))


def known(solved: int, occurs: int, tried: int, mattered: int, hindered: int = 0) -> CauseOccurrence:
    return CauseOccurrence(
        solved=groups(0, solved),
        occurs=groups(0, occurs),
        tried=groups(0, tried),
        mattered=groups(0, mattered),
        hindered=groups(mattered, hindered),
    )


def book_of(said: list[tuple[str, str, str, EvidenceKind, Relation, int]]) -> InsightBook:
    """A book of (family, cause, group, kind, relation, direction)."""
    book = InsightBook()
    for number, (family, cause, group, kind, relation, direction) in enumerate(said):
        scope = Scope(environment="programs", family=family)
        name = insight_id(cause, "solved", scope)
        book.add_key(ClaimKey(id=name, cause=cause, effect="solved", scope=scope, texts={}))
        row = EvidenceRow(
            id=f"r{number}",
            insight=name,
            relation=relation,
            episode=f"e{group}",
            task=f"t{group}",
            group=group,
            kind=kind,
            direction=direction,
            seq=number,
        )
        book.add_evidence([row])
    return book


def of(book: InsightBook, cause: str, family: str = LISTS) -> str:
    return insight_id(cause, "solved", Scope(environment="programs", family=family))


@pytest.mark.parametrize(
    ("counts", "relation"),
    [
        ((40, 40, 0, 0), None),
        ((40, 40, 20, 20), "necessary"),
        ((40, 40, 5, 5), "contributes"),
        ((36, 20, 12, 9), "contributes"),
        ((36, 20, 12, 0), None),
        ((200, 20, 12, 0), "no_effect"),
        ((200, 20, 12, 1), None),
        ((40, 30, 12, 0, 10), "prevents"),
        ((40, 40, 20, 10, 10), None),
    ],
)
def test_the_bounds_of_the_share_say_which_relation_holds(counts: tuple[int, ...], relation: str | None) -> None:
    assert need_of([known(*counts)]).relation == relation


def test_standing_in_every_answer_is_no_need() -> None:
    """What stood in a hundred answers and was missed in none of the few searches without it is not necessary."""
    need = need_of([known(100, 100, 6, 0)])
    assert need.occurs.lower_bound > 0.9 and need.needed.upper_bound < 0.4


def test_a_small_scope_is_told_like_the_one_it_lies_in() -> None:
    inner = CauseOccurrence(solved=groups(0, 1))
    often, seldom = (need_of([known(60, share, share, share), inner]).needed.mean for share in (55, 5))
    assert often > 0.4 > 0.1 > seldom
    # And own problems outweigh it soon.
    own = known(30, 0, 0, 0)
    whole = dataclasses.replace(known(30, 0, 0, 0), solved=groups(0, 90), occurs=groups(30, 60))
    assert need_of([whole, own]).occurs.mean < 0.1


@pytest.mark.slow
@settings(max_examples=60)
@given(st.integers(1, 30), st.data())
def test_bounds_are_in_order_and_a_need_is_no_larger_than_the_occurrence(solved: int, data: st.DataObject) -> None:
    occurs = data.draw(st.integers(0, solved))
    tried = data.draw(st.integers(0, occurs))
    mattered = data.draw(st.integers(0, tried))
    need = need_of([known(solved, occurs, tried, mattered)])
    for share in (need.occurs, need.needed, need.hindered):
        assert 0.0 <= share.lower_bound <= share.upper_bound <= 1.0
    assert need.needed.mean <= need.occurs.mean


@pytest.mark.slow
@settings(max_examples=60)
@given(st.floats(0.2, 40), st.floats(0.2, 40), st.floats(0.02, 0.98))
def test_quantiles_are_the_inverse_of_probabilities(a: float, b: float, probability: float) -> None:
    value = beta_quantile(probability, a, b)
    assert beta_below(value - 1e-8, a, b) <= probability + 1e-6
    assert beta_below(value + 1e-8, a, b) >= probability - 1e-6
    assert beta_below(value, a, b) == pytest.approx(1 - beta_below(1 - value, b, a), abs=1e-9)


@pytest.mark.slow
def test_quantiles_against_closed_forms_and_products_against_draws() -> None:
    assert beta_quantile(0.1, 11, 1) == pytest.approx(0.1 ** (1 / 11), abs=1e-8)
    assert beta_quantile(0.5, 7, 7) == pytest.approx(0.5, abs=1e-8)
    rng = random.Random(3)
    drawn = [rng.betavariate(20, 18) * rng.betavariate(10, 4) for _ in range(20_000)]
    product = BetaShare(a=20, b=18).product_with(BetaShare(a=10, b=4))
    cuts = statistics.quantiles(drawn, n=10)
    assert (product.lower_bound, product.upper_bound) == pytest.approx((cuts[0], cuts[-1]), abs=0.01)


def test_a_scope_is_a_query_over_evidence_by_group() -> None:
    """The same evidence, filed under two families, is all of what the wider scope knows."""
    said = [(LISTS, "operation:sort", f"g{number}", "observation", "contributes", 1) for number in range(3)]
    said += [(TEXTS, "operation:sort", "g9", "observation", "contributes", 1)]
    said += [(TEXTS, "operation:upper", f"g{number}", "observation", "contributes", 1) for number in range(9, 12)]
    book = book_of(said)  # type: ignore[arg-type]
    lists, texts = (book.necessity_of(of(book, "operation:sort", family)).known for family in (LISTS, TEXTS))
    assert (len(lists.occurs), len(lists.solved)) == (3, 3)
    assert (len(texts.occurs), len(texts.solved)) == (1, 3)


def test_what_most_problems_do_without_is_not_refuted_where_some_need_it() -> None:
    said = [(LISTS, "operation:map", f"g{number}", "observation", "contributes", 1) for number in range(30)]
    said += [(LISTS, "operation:sort", f"g{number}", "intervention", "necessary", 1) for number in range(4)]
    said += [(LISTS, "operation:sort", f"g{number}", "intervention", "necessary", -1) for number in range(4, 16)]
    insight = (book := book_of(said)).get(of(book, "operation:sort"))  # type: ignore[arg-type]
    assert insight.relation == "contributes" and insight.status in ("supported", "hypothesis")


def test_seen_in_two_problems_is_supported_and_tried_in_none_is_never_necessary() -> None:
    said = [(LISTS, "operation:map", f"g{number}", "observation", "contributes", 1) for number in range(30)]
    insight = (book := book_of(said)).get(of(book, "operation:map"))  # type: ignore[arg-type]
    assert (insight.relation, insight.status) == ("contributes", "supported")
    tried = [(LISTS, "operation:map", f"g{number}", "intervention", "necessary", 1) for number in range(20)]
    judged = (book := book_of(said[:20] + tried)).get(of(book, "operation:map"))  # type: ignore[arg-type]
    assert (judged.relation, judged.status) == ("necessary", "confirmed")


def test_what_was_set_aside_says_nothing_and_its_problems_stay_solved() -> None:
    said = [(LISTS, "operation:sort", f"g{number}", "intervention", "necessary", 1) for number in range(4)]
    book = book_of([*said, (LISTS, "operation:map", "g7", "observation", "contributes", 1)])  # type: ignore[arg-type]
    book.expire(of(book, "operation:sort"), 3)
    for one in (book, book.with_evidence(book.all_evidence())):
        known = one.necessity_of(of(one, "operation:sort")).known
        assert (len(known.tried), len(known.solved)) == (0, 5)


def test_of_a_step_that_is_set_aside_it_stays_known_where_it_occurs() -> None:
    said = [(LISTS, "operation:sort", f"g{number}", "observation", "contributes", 1) for number in range(60)]
    said += [(LISTS, "operation:sort", f"g{number}", "intervention", "necessary", -1) for number in range(60)]
    book = book_of(said)  # type: ignore[arg-type]
    sort = of(book, "operation:sort")
    assert book.get(sort).relation == "no_effect"
    seen = [(row.task, row.direction) for row in book.experience_rows() if row.direction > 0]
    book.expire(sort, 120)
    known, insight = book.necessity_of(sort).known, book.get(sort)
    assert (len(known.occurs), len(known.tried)) == (60, 0)
    assert (insight.relation, insight.status) == ("contributes", "supported")
    # The guide is fitted on what answers have, so it loses nothing.
    assert [(row.task, row.direction) for row in book.experience_rows()] == seen


def test_one_problem_that_needs_a_step_makes_it_no_necessary_one() -> None:
    said = [(LISTS, "operation:sort", f"g{number}", "observation", "contributes", 1) for number in range(3)]
    said += [(LISTS, "operation:sort", "g0", "intervention", "necessary", 1)]
    insight = (book := book_of(said)).get(of(book, "operation:sort"))  # type: ignore[arg-type]
    assert (insight.relation, insight.status) == ("contributes", "supported")
