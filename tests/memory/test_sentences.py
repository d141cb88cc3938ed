"""What is known is told in plain sentences, with counts from the evidence behind them."""

from __future__ import annotations

from evolve.core.episodes import Scope
from evolve.memory.insight_book import InsightBook
from evolve.memory.insights import ClaimKey, EvidenceRow, insight_id
from evolve.memory.sentences import insight_sentences

FAMILY = "(str, list[int]) -> str"


def add(book, cause, groups, *, family=FAMILY, facts=("same length",), against=(), text="as it is", kind="observation"):
    scope = Scope(environment="programs", family=family, preconditions=facts)
    name = insight_id(cause, "solved", scope)
    book.add_key(ClaimKey(id=name, cause=cause, effect="solved", scope=scope, texts={"contributes": text}))
    rows = [(group, 1) for group in groups] + [(group, -1) for group in against]
    book.add_evidence(
        EvidenceRow(
            id=f"{name}{group}{sign}{kind}",
            insight=name,
            relation="contributes",
            episode=f"e{group}",
            task=f"t{group}",
            group=group,
            kind=kind,
            direction=sign,
        )
        for group, sign in rows
    )
    return name


def test_a_step_is_told_with_how_many_such_problems_have_it():
    book = InsightBook()
    format_date = add(book, "operation:format_date", "abc", against="d")
    upper = add(book, "operation:upper", "efd")
    add(book, "operation:upper", "xyz", family="(str) -> str")
    known = insight_sentences(book)
    assert known[format_date].text == (
        'the step "format date" is in the answer to 3 of 6 tasks from text and list of numbers to text (same length)'
    )
    assert known[upper].text.startswith('the step "upper" is in the answer to 3 of 6 tasks')
    assert known[format_date].worth_telling and known[upper].worth_telling


def test_what_was_found_by_searching_without_a_step_is_told_beside_it():
    book = InsightBook()
    add(book, "operation:sort", "abc")
    add(book, "operation:upper", "de")
    name = add(book, "operation:sort", "a", against="b", kind="intervention")
    assert insight_sentences(book)[name].text == (
        'the step "sort" is in the answer to 3 of 5 tasks from text and list of numbers to text (same length); '
        "searched again without it, 1 of 2 needs it"
    )


def test_what_rests_on_little_or_on_constants_of_one_table_is_not_told_unasked():
    book = InsightBook()
    few = add(book, "operation:upper", "ab")
    mined = add(book, "mined:str", "abcdef")
    literal = add(book, "literal:str:-", "abcdef")
    known = insight_sentences(book)
    assert not any(known[name].worth_telling for name in (few, mined, literal))
    assert known[mined].text.startswith("a text that stands in the rows is in the answer to ")
    assert known[literal].text.startswith("the constant '-' is in the answer to ")


def test_a_sentence_that_a_model_worded_stays_as_it_is():
    book = InsightBook()
    worded = add(book, "fact:Days are written in small letters.", "a", text="Days are written in small letters.")
    assert insight_sentences(book)[worded].text == "Days are written in small letters."
    assert insight_sentences(book)[worded].worth_telling
