"""Of functions that are right on every row, one that goes with accents is taken, and the others count less."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from evolve.core.episodes import Action, Limits, Row, Step, TaskView
from evolve.policies.search import SearchPolicy, SearchSettings
from evolve.policies.search.problem import problem_of
from evolve.policies.search.programs.evaluation import compile_term
from evolve.policies.search.programs.terms import Apply, Constant, Input, Term, from_json
from evolve.policies.search.programs.types import INT, Type
from evolve.policies.search.tie_breaks import with_accents_too
from evolve.tasks import Task

POLICY = SearchPolicy(settings=SearchSettings(doubts_rows=True))
PATTERN = Type("pattern")
NAMES = ["Ada Lovelace", "Alan Turing", "Grace Hopper", "Edsger Dijkstra", "Barbara Liskov"]


def view_of(pairs: Sequence[tuple[str, Any]]) -> TaskView:
    rows = tuple(Row(input=(one,), output=out) for one, out in pairs)
    return Task(id="t", family="own", instruction="", examples=rows).view()


def value(term: Term, text: str) -> Any:
    return compile_term(term, POLICY.vocabulary.by_name)((text,))


def improved(term: Term, pairs: Sequence[tuple[str, Any]]) -> Term:
    return with_accents_too(term, problem_of(view_of(pairs)), POLICY.vocabulary)


def matched(operation: str, pattern: str) -> Term:
    return Apply(operation, (Constant(pattern, PATTERN), Input(0)))


@pytest.mark.parametrize(
    ("term", "given", "plain", "accented"),
    [
        (matched("keep_matches", "[A-Z]"), NAMES, "AL", ("Émile Çelik", "ÉÇ")),
        (matched("last_match", "[A-Za-z]+"), NAMES, "Lovelace", ("Émile Çelik", "Çelik")),
        (matched("first_match", "[A-Za-z]+"), NAMES, "Ada", ("Øystein Å", "Øystein")),
        (Apply("upper", (matched("first_match", "[A-Za-z]+"),)), NAMES, "ADA", ("Žofie B", "ŽOFIE")),
    ],
)
def test_a_literal_that_breaks_on_accents_gives_way_to_one_that_does_not(term, given, plain, accented):
    pairs = [(name, value(term, name)) for name in given]
    assert pairs[0][1] == plain
    changed = improved(term, pairs)
    assert changed != term
    assert [value(changed, name) for name, _ in pairs] == [output for _, output in pairs]
    assert value(changed, accented[0]) == accented[1]


@pytest.mark.parametrize(
    ("term", "given"),
    [
        (matched("keep_matches", "[A-Z]"), ["iPhone caseBlue", "macBook airRed", "eBook readerMax", "xBox liveOne"]),
        (matched("keep_matches", r"\d"), ["AB-12", "CD-7", "XY-99"]),
        (Apply("nth_match", (Constant(0, INT), Constant(r"\w+", PATTERN), Input(0))), NAMES),
        (Apply("upper", (Input(0),)), NAMES),
    ],
)
def test_what_no_other_literal_does_as_well_stays(term, given):
    assert improved(term, [(name, value(term, name)) for name in given]) == term


def test_the_answer_for_a_person_goes_with_accents_and_others_contest_no_row_with_them():
    pairs = [(name, "".join(word[0] for word in name.split())) for name in NAMES]
    view = view_of(pairs)
    action = POLICY.act(view, POLICY.plan(view, ()), (), Limits(candidates=50_000, seconds=None))
    assert isinstance(action, Action) and action.kind == "code"
    term = from_json(action.private["tree"])
    assert value(term, "Émile Zola") == "ÉZ"
    doubts = POLICY.ambiguities(
        view, Step(number=1, action=action), [("Émile Zola",)], Limits(candidates=20_000, seconds=None)
    )
    assert not doubts.contested and not doubts.distant
