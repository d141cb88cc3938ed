"""Near-duplicates become one skill with a parameter, or none."""

from __future__ import annotations

from dataclasses import replace

import pytest

from evolve.skills import ACTIVE, Skill
from evolve.skills.equivalence import match_program, same_source, source_scalars
from evolve.trials.skill_drafts import DraftJudge, store_proposal
from tests.skills.families import family
from tests.skills.samples import rows

LAST = "def {name}({x}):\n    {doc}return {x}[-{n}:].upper()\n"


def skill(code, *tests, entry="f", signature="(code: str) -> str", name="", **more):
    made = Skill(
        name=name or entry.replace("_", "-"),
        description="Keeps the end.",
        entry=entry,
        signature=signature,
        code=code,
        rows=rows(*tests),
        test_code="",
        **more,
    )
    from evolve.skills import render_tests

    return replace(made, test_code=render_tests(entry, made.rows))


def last(n, name="f", x="code", doc=""):
    cases = [("abcdefghij",), ("klmnopqrst",), ("0123456789",)]
    tests = [(case, case[0][-n:].upper()) for case in cases]
    return skill(LAST.format(name=name, x=x, doc=doc, n=n), *tests, entry=name, name=f"last-{n}", source=f"t{n}")


def unseen(n):
    return rows(*(((text,), text[-n:].upper()) for text in ("zyxwvutsrqp", "aAbBcCdDeEf", "9876543210x")))


@pytest.fixture
def judge(admission):
    return DraftJudge(admission=admission, policy="p", fingerprint="here")


def in_use(made):
    return replace(made, status="admitted")


def test_names_docstrings_and_annotations_are_no_difference():
    other = last(6, name="g", x="text", doc='"""Keeps."""\n    ')
    assert same_source(last(6), other)
    assert not same_source(last(6), last(5))


def test_two_that_differ_in_a_constant_become_one_with_a_parameter(judge, library):
    first = store_proposal(library, judge.judge(last(6), unseen(6), []))
    proposal = judge.judge(last(4), unseen(4), library.active())
    assert proposal.verdict.admitted, proposal.verdict
    kept = store_proposal(library, proposal)
    assert [one.digest for one in library.active()] == [kept.digest]
    assert library.get(first.digest).status == "idle"
    assert library.reason(first.digest) == f"a case of {kept.name}"
    assert kept.signature == "(code: str, number: int) -> str"
    assert {row.input[1] for row in kept.rows} == {-6, -4}
    assert kept.source == "t6, t4"


def test_a_third_case_is_refused_and_told_which_case_it_is(judge, library):
    for n in (6, 4):
        store_proposal(library, judge.judge(last(n), unseen(n), library.active()))
    [one] = library.active()
    third = judge.judge(last(5), unseen(5), library.active())
    assert (third.verdict.admitted, third.verdict.failed) == (False, "duplicate")
    assert third.verdict.reason == f"the same program as {one.name} with number = -5"


def test_a_case_written_in_another_way_is_found_by_its_values(judge, library):
    for n in (6, 4):
        store_proposal(library, judge.judge(last(n), unseen(n), library.active()))
    [one] = library.active()
    otherwise = skill(
        "def g(s):\n    if not s:\n        return ''\n    return s.upper()[max(0, len(s) - 5):]\n",
        *[((text,), text[-5:].upper()) for text in ("abcdefghij", "0123456789", "zzzyyyxxxw")],
        entry="g",
        name="otherwise",
    )
    refused = judge.judge(otherwise, unseen(5), library.active()).verdict
    assert refused.failed == "duplicate"
    assert f"{one.name} with number = -5" in refused.reason


def test_a_constant_outside_of_the_entry_becomes_a_parameter_by_its_name(judge, library):
    def named(n):
        code = f"KEPT = {n}\n\ndef cut(text):\n    return text[-KEPT:]\n\ndef f(code):\n    return cut(code).upper()\n"
        return replace(last(n), code=code)

    store_proposal(library, judge.judge(named(6), unseen(6), []))
    proposal = judge.judge(named(4), unseen(4), library.active())
    assert proposal.verdict.admitted, proposal.verdict
    assert proposal.skill.signature == "(code: str, kept: int) -> str"


def test_a_wrong_draft_near_to_a_skill_changes_nothing(judge, library):
    first = store_proposal(library, judge.judge(last(6), unseen(6), []))
    proposal = judge.judge(last(4), unseen(3), library.active())
    assert not proposal.verdict.admitted
    assert "differs from last-6 in a constant (-4 for -6) alone" in proposal.verdict.reason
    assert "wrong on 3 of 3 unseen rows" in proposal.verdict.reason
    assert store_proposal(library, proposal) is None
    assert library.active() == [first]


def test_what_a_person_owns_stays_and_the_draft_is_refused(judge):
    owned = replace(in_use(last(6)), owner="user")
    verdict = judge.judge(last(4), unseen(4), [owned]).verdict
    assert verdict.failed == "duplicate" and "belongs to the user" in verdict.reason


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("def f(x):\n    return x[1:]\n", "def f(x):\n    return x[:1]\n"),
        ("def f(x):\n    return x + 'a'\n", "def f(x):\n    return 'a' + x\n"),
        ("def f(x):\n    return x[1]\n", "def f(x):\n    return x['a']\n"),
        ("def f(x):\n    return {'a': 1, 'b': 2}[x]\n", "def f(x):\n    return {'c': 3, 'd': 4}[x]\n"),
        ("def f(x):\n    y = x\n    return y\n", "def f(x):\n    y = x\n    return x\n"),
        ("def f(x):\n    match x:\n        case 'a':\n            return 1\n    return 2\n",
         "def f(x):\n    match x:\n        case 'b':\n            return 1\n    return 2\n"),
        ("def f(x, y=1):\n    return x + y\n", "def f(x, y=2):\n    return x + y\n"),
    ],
)  # fmt: skip
def test_what_differs_in_more_than_constants_is_no_near_duplicate(one, two):
    made = [skill(code, signature="(x: str) -> str") for code in (one, two)]
    assert match_program(*made) is None
    assert not same_source(*made)


def test_equal_constants_that_differ_together_are_one_difference():
    one, two = (skill(f"def f(x):\n    return x[:{n}] + x[{n}:].upper()\n") for n in (3, 5))
    [difference] = match_program(one, two).differences
    assert (difference.ours, difference.theirs, len(difference.places)) == (3, 5, 2)


def test_a_text_within_a_formatted_text_may_differ(judge, library):
    def dashed(sign):
        cases = [(("ab", "c"), f"ab{sign}c"), (("", "xyz"), f"{sign}xyz"), (("q", "rst"), f"q{sign}rst")]
        return skill(
            f"def f(a, b):\n    return f'{{a}}{sign}{{b}}'\n", *cases, signature="(a: str, b: str) -> str"
        ), rows(*(((a, b), f"{a}{sign}{b}") for a, b in (("1", "2"), ("33", "4"), ("5", "66"))))

    for sign in "-/":
        proposal = judge.judge(*dashed(sign), library.active())
        assert store_proposal(library, proposal) is not None, proposal.verdict
    [one] = library.active()
    assert one.signature == "(a: str, b: str, text: str) -> str"
    assert judge.judge(*dashed("+"), library.active()).verdict.failed == "duplicate"


def test_constants_are_read_with_their_signs():
    found = source_scalars("def f(x):\n    '''2'''\n    return x[-6:] + 'a' * 3 + str(True)\n")
    assert set(map(repr, found)) == {"-6", "'a'", "3", "True"}


@pytest.mark.slow
def test_of_thirty_four_near_duplicates_few_are_kept(judge, library):
    for draft, rest in family(34):
        store_proposal(library, judge.judge(Skill.from_draft(draft), rest, library.active()))
    assert 1 <= len(library.list(ACTIVE)) <= 6
