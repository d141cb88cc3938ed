"""Rows told apart by what a text holds, begins or ends with: what is found, what is no evidence, what stays open."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from evolve.core.episodes import Limits, Row, Step, TaskView
from evolve.policies.base import Ambiguities
from evolve.policies.search import SearchPolicy
from evolve.policies.search.conditionals import MIN_SUPPORT
from evolve.policies.search.problem import SearchProblem, problem_from_rows
from evolve.policies.search.programs.evaluation import evaluate
from evolve.policies.search.programs.operations import vocabulary
from evolve.policies.search.solvers.substrings import ENOUGH, lists_of, mined_tests, supported_tests
from tests.policies.samples import first_action, view_of
from tests.policies.test_functions_of_two import compiled

OPERATIONS = {operation.name: operation for operation in vocabulary()}
CONTACTS = ("ann@lee.org", "0721 4481", "Tobias Lang", "info@oster.de", "k.oz@gmx.net", "Frau Sommer")

FOUND: dict[str, tuple[Callable[..., Any], tuple[Any, ...], tuple[Any, ...]]] = {
    "a rare mark": (lambda text: "yes" if "@" in text else "no", CONTACTS, ("Peter K.", "b@c.io")),
    "a beginning": (
        lambda text: "premium" if text.startswith("PX") else "standard",
        ("PX-1102", "AL-2210", "PX-3391", "BT-9941", "AL-1178", "PX-4410"),
        ("PX-0921", "XP-7712"),
    ),
    "an end": (
        lambda text: "print" if text.endswith(".pdf") else "edit",
        ("a1.pdf", "lease.docx", "scan.pdf", "pdf_list.xlsx", "memo.docx", "cv.pdf"),
        ("pdf.docx", "b.pdf"),
    ),
    "a word among others": (
        lambda text: "paid" in text,
        ("paid in cash", "reminder sent", "was paid twice", "waiting", "sent again", "fully paid"),
        ("paid", "on hold"),
    ),
    "a word for each output but one": (
        lambda text: "groceries" if "REWE" in text else "fuel" if "SHELL" in text else "other",
        ("REWE CITY", "SHELL A7", "RENT MAY", "POWER CO", "REWE 4411", "THE SHELL 12", "BOOKS", "IN REWE"),
        ("SHELL", "TAXI", "REWE"),
    ),
    "two ends for one output": (
        lambda text: "image" if text.rpartition(".")[2] in ("gif", "png") else "text",
        ("sun.gif", "logo.png", "a.txt", "b.doc", "moon.gif", "map.png", "big.doc", "ring.txt"),
        ("x.gif", "y.png", "gif.doc"),
    ),
    "a rate": (
        lambda text: 7 if "Buch" in text else 19,
        ("Buch Garten", "Lampe E27", "Das Buch", "Zange", "Eimer rot", "Buch Lyrik"),
        ("Besen", "Buch Alpen"),
    ),
    "where case does not matter": (
        lambda text: "network" if "vpn" in text.lower() else "desk",
        ("VPN is down", "my chair broke", "slow vpn", "Vpn token", "new lamp", "no light"),
        ("the VPN", "a table"),
    ),
    "computed branches": (
        lambda text: text.upper() if "@" in text else text.split()[0],
        ("ann@lee.org", "0721 4481", "Tobias Lang", "info@oster.de", "k.oz@gmx.net", "Frau Sommer"),
        ("Peter K.", "b@c.io"),
    ),
}


@pytest.mark.parametrize("name", FOUND)
def test_rows_are_told_apart_by_a_piece_of_a_text(name: str, unlearned: SearchPolicy) -> None:
    function, shown, unseen = FOUND[name]
    view = view_of(function, *shown)
    learned = compiled(view, first_action(unlearned, view))
    assert [learned(text) for text in unseen] == [function(text) for text in unseen]


@pytest.mark.slow
def test_a_name_of_its_own_in_every_row_decides_nothing(unlearned: SearchPolicy) -> None:
    teams = {"Alma Reich": "red", "Bodo Franz": "blue", "Cora Zell": "red", "Dirk Hamm": "blue", "Ilse Vogt": "blue"}
    code = first_action(unlearned, view_of(teams.__getitem__, *teams)).code or ""
    assert not any(word in code for name in teams for word in name.split())


def _problem(rows: Sequence[tuple[str, str]]) -> SearchProblem:
    return problem_from_rows([Row(input=(text,), output=output) for text, output in rows], "rows")


TEXTS = st.lists(st.text("ab1-. @", min_size=1, max_size=8), min_size=4, max_size=9, unique=True)


@pytest.mark.slow
@given(TEXTS, st.data())
def test_a_list_is_right_on_every_row_and_each_piece_has_two_of_them(texts: list[str], data: st.DataObject) -> None:
    outputs = data.draw(st.lists(st.sampled_from(("x", "y", "z")), min_size=len(texts), max_size=len(texts)))
    assume(len(set(outputs)) > 1)
    problem = _problem(list(zip(texts, outputs, strict=True)))
    for one in lists_of(problem, supported_tests(mined_tests(problem))):
        term = one.to_term(problem.output_type)
        assert [evaluate(term, (text,), OPERATIONS) for text in texts] == outputs
        for test, output in one.rules:
            held = [other for says, other in zip(test.values, outputs, strict=True) if says]
            assert len(held) >= MIN_SUPPORT and set(held) == {output}


@given(TEXTS)
def test_a_test_says_of_each_row_what_its_term_says(texts: list[str]) -> None:
    for test in mined_tests(_problem([(text, "x") for text in texts])):
        assert test.values == tuple(evaluate(test.term, (text,), OPERATIONS) for text in texts)


def test_the_more_pieces_would_do_the_less_they_show() -> None:
    plain = [("PX-1", "a"), ("PX-2", "a"), ("QY-3", "b"), ("QY-4", "b"), ("RZ-5", "b")]
    busy = [
        (f"{text} {words}", output)
        for (text, output), words in zip(plain, ("red big", "red old", "big new", "old new", "red new"), strict=True)
    ]
    bits = [
        lists_of(problem, supported_tests(mined_tests(problem)))[0].bits for problem in map(_problem, (plain, busy))
    ]
    assert bits[0] >= ENOUGH > bits[1]


def _doubts(pairs: Sequence[tuple[str, str]], unlabelled: Sequence[str]) -> Ambiguities:
    policy = SearchPolicy()
    rows = tuple(Row(input=(text,), output=output) for text, output in pairs)
    view = TaskView(id="t", family="own", instruction="", signature="", examples=rows)
    action = policy.act(view, policy.plan(view, ()), (), Limits(candidates=50_000, seconds=None))
    assert action.kind == "code"
    limits = Limits(candidates=20_000, seconds=None)
    return policy.ambiguities(view, Step(number=1, action=action), [(text,) for text in unlabelled], limits)


MAILS = [(text, "yes" if "@" in text else "no") for text in CONTACTS]


@pytest.mark.slow
def test_another_mark_that_separates_the_rows_contests_where_a_wanted_row_tells_them_apart() -> None:
    assert _doubts(MAILS, ["Herr Dr. Lorenz"]).contested
    told_apart = [*MAILS, ("Dr. Stein", "no"), ("root@host", "yes")]
    assert not _doubts(told_apart, ["Herr Dr. Lorenz"]).contested


@pytest.mark.slow
def test_a_word_within_a_word_contests() -> None:
    notes = ["paid in cash", "reminder sent", "was paid twice", "waiting", "sent again", "fully paid"]
    rows = [(text, "yes" if "paid" in text else "no") for text in notes]
    assert not _doubts(rows, ["on hold", "half paid"]).contested
    assert _doubts(rows, ["on hold", "unpaid"]).contested


ROLES = ["Sales Lead", "HR Aide", "IT Guru", "In Sales", "Junior HR", "Head of IT", "Sales", "HR", "IT"]


@pytest.mark.slow
def test_a_wanted_row_without_any_of_the_pieces_contests_and_a_made_up_one_does_not() -> None:
    rows = [(text, next(one for one in ("Sales", "HR", "IT") if one in text).lower() + "-team") for text in ROLES]
    assert not _doubts(rows, ["Sales Aide", "IT Lead"]).contested
    assert _doubts(rows, ["Sales Aide", "Receptionist"]).contested
