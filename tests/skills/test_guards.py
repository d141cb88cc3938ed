"""A guard against input that no row has refuses no honest draft, and hides no wrong one."""

from __future__ import annotations

from dataclasses import replace

import pytest

from evolve.skills.mutants import mutants, without_arms
from tests.skills.guarded import honest

CORPUS = {one.draft.entry: one for one in honest()}
WEAK = {"between", "transpose", "grade"}
"""Their four rows meet no bound, or only square tables; more calls are what they need."""


@pytest.mark.parametrize("entry", ["keep_last_six", "quarter", "domain", "to_number"])
def test_a_guard_that_no_row_reaches_is_no_reason_to_refuse(admission, entry):
    one = CORPUS[entry]
    verdict = admission.judge(one.draft, one.unseen)
    assert verdict.admitted, verdict
    assert verdict.checks["mutants_unreached"] > 0


@pytest.mark.slow
def test_of_forty_honest_answers_those_with_weak_tests_alone_are_refused(admission):
    verdicts = {entry: admission.judge(one.draft, one.unseen) for entry, one in CORPUS.items()}
    assert len(verdicts) == 40
    assert {entry for entry, verdict in verdicts.items() if not verdict.admitted} == WEAK


def test_a_refusal_names_the_wrong_versions_that_its_tests_let_pass(admission):
    one = CORPUS["grade"]
    verdict = admission.judge(one.draft, one.unseen)
    assert verdict.failed == "mutants"
    assert "2 of 9 wrong versions of it pass its tests, such as 'points > 50' for 'points >= 50'" in verdict.reason
    assert "'51' for '50' in line 6" in verdict.checks["survivors"]


def test_the_same_bound_is_no_excuse_where_rows_reach_it(admission):
    """The guard is reached by an unseen row, so tests that never meet it are too weak."""
    one = CORPUS["keep_last_six"]
    short = replace(one.unseen[0], input=("",), output="")
    assert admission.judge(one.draft, (*one.unseen, short)).failed == "mutants"


@pytest.mark.parametrize("entry", list(CORPUS)[::4])
def test_a_table_of_the_rows_that_were_shown_is_refused(admission, entry):
    one = CORPUS[entry]
    known = {repr(list(row.input)): row.output for row in one.draft.tests}
    fallback = repr(one.draft.tests[0].output)
    code = f"def {entry}(*given):\n    known = {known!r}\n    return known.get(repr(list(given)), {fallback})\n"
    verdict = admission.judge(replace(one.draft, code=code, signature="(x: any) -> any"), one.unseen)
    assert not verdict.admitted


@pytest.mark.slow
def test_an_answer_that_is_mostly_out_of_reach_is_refused(admission):
    one = CORPUS["keep_last_six"]
    code = """
def keep_last_six(code):
    if len(code) < 40:
        total = 0
        for place, sign in enumerate(code):
            total += 3 * ord(sign) + place % 7 - 2
        return str(total * 31 % 97 + 4)
    return code[-6:]
"""
    rows, unseen = (
        tuple(replace(row, input=(row.input[0] * 9,)) for row in rows) for rows in (one.draft.tests, one.unseen)
    )
    verdict = admission.judge(replace(one.draft, code=code, tests=rows), unseen)
    assert (verdict.admitted, verdict.failed) == (False, "mutants"), verdict
    assert "change only what no row reaches" in verdict.reason


def test_every_mutant_knows_the_arms_around_it():
    code = "def f(x):\n    if x < 3:\n        return 1\n    return x + 2 if x else 5\n"
    arms = {(mutant.before, mutant.after): mutant.arms for mutant in mutants(code, most=100)}
    body, value, other = arms["1", "2"], arms["2", "3"], arms["5", "6"]
    assert len(body) == len(value) == len(other) == 1 and len({*body, *value, *other}) == 3
    assert arms["x < 3", "x <= 3"] == arms["if x < 3", "if not x < 3"] == body
    assert len(without_arms(code)) == 3
