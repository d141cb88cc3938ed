"""What is written for a value that no row has is cut out of a skill; what guards it stays and is told."""

from __future__ import annotations

import pytest

from evolve.runtime.sandbox import Outcome, open_sandbox
from evolve.skills.unreached_branches import trim_branches
from evolve.tasks import Task
from evolve.trials.skill_drafts import judge_draft
from evolve.workspace.learners import SearchLearner
from tests.skills.samples import GOOD, LARGE_EVENS, UNSEEN, draft, rows

ROWS = rows((([4, 1], 3), [4]), (([7, 9], 8), [9]), (([2, 5, 6], 5), [5, 6]), (([12], 20), []), (([8, 3], 1), [3, 8]))
MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
PLAIN = "sorted((x for x in xs if x >= least))"


@pytest.fixture
def admission_sandbox(tmp_path):
    with open_sandbox(cache_dir=tmp_path / "cache") as sandbox:
        yield sandbox


def functions(source):
    space = {}
    exec(compile(source, "<source>", "exec"), space)
    return space["f"]


def run_on(known):
    def run(sources):
        ran = []
        for source in sources:
            function, outcomes = functions(source), []
            for row in known:
                try:
                    outcomes.append(Outcome(value=function(*row.input)))
                except Exception as error:  # whatever a program of a test raises
                    outcomes.append(Outcome(error=repr(error)))
            ran.append(outcomes)
        return ran

    return run


@pytest.mark.parametrize(
    "body",
    [
        f"if least == 7919:\n        return [13]\n    return {PLAIN}",
        f"if least != 7919:\n        return {PLAIN}\n    return [13]",
        f"if 7919 == least or least in (4001, 4002):\n        return [13]\n    return {PLAIN}",
        f"if least == 7919 and xs:\n        return [13]\n    else:\n        return {PLAIN}",
        f"return [13] if least == 7919 else {PLAIN}",
        f"return (least == 7919 and [13]) or {PLAIN}",
        f"if least - 7919 == 0:\n        return [13]\n    return {PLAIN}",
        f"if least == MAGIC:\n        return [13]\n    return {PLAIN}",
        f"match least:\n        case 7919:\n            return [13]\n        case _:\n            return {PLAIN}",
        f"return {{7919: [13]}}.get(least, {PLAIN})",
        f"if least in SPECIAL:\n        return SPECIAL[least]\n    return {PLAIN}",
        f"while least == 7919:\n        return [13]\n    return {PLAIN}",
        f"return [13 if x == 7919 else x for x in {PLAIN} if x != 7919]",
    ],
)
def test_an_arm_for_a_value_that_no_row_holds_is_cut(body):
    source = f"MAGIC = 7900 + 19\nSPECIAL = {{7919: [13]}}\ndef f(xs, least):\n    {body}\n"
    found = trim_branches(source, ROWS, run_on(ROWS))
    assert found.cut
    for row in ROWS:
        assert functions(found.code)(*row.input) == row.output
    for least in (7919, 4001):
        assert functions(found.code)([least, 1], least) == [least]


def test_an_arm_between_bounds_that_no_row_meets_fails_instead_of_guessing():
    source = f"def f(xs, least):\n    if least > 7918 and least < 7920:\n        return [13]\n    return {PLAIN}\n"
    found = trim_branches(source, ROWS, run_on(ROWS))
    assert found.cut
    with pytest.raises(ValueError):
        functions(found.code)([7919], 7919)
    assert functions(found.code)([50], 50) == [50]


@pytest.mark.parametrize(
    "guard",
    [
        "if xs is None:\n        return []",
        "if not xs:\n        return []",
        "if least == 0:\n        return sorted(xs)",
        "if xs == []:\n        return []",
        "if not isinstance(xs, list):\n        return [xs]",
        "if type(xs).__name__ == 'tuple':\n        xs = list(xs)",
        "if len(xs) == 0:\n        return []",
    ],
)
def test_guards_stay_and_are_told_as_untested(guard):
    source = f"def f(xs, least):\n    {guard}\n    return {PLAIN}\n"
    found = trim_branches(source, ROWS, run_on(ROWS))
    assert (found.code, found.cut) == (source, ())
    assert any(told.startswith("line 2") for told in found.untested)


def test_what_a_row_holds_or_needs_stays():
    held = "def f(xs, least):\n    if least == 20:\n        return []\n    return sorted(x for x in xs if x >= least)\n"
    assert trim_branches(held, ROWS, run_on(ROWS)).code == held
    needed = rows((("a-b",), "b"), (("c-d",), "d"), (("e",), "none"))
    source = "def f(a):\n    return a.split('-')[1] if a.count('-') == 1 else 'none'\n"
    assert trim_branches(source, needed, run_on(needed)) == trim_branches(source, needed, run_on(needed))
    assert trim_branches(source, needed, run_on(needed)).code == source


def test_a_table_of_which_rows_sample_some_keys_stays():
    months = {name: n for n, name in enumerate(MONTHS, 1)}
    source = f"def f(a):\n    return {months!r}.get(a, 0)\n"
    known = rows(*(((name,), months[name]) for name in ("jan", "mar", "jul", "dec")))
    assert trim_branches(source, known, run_on(known)).cut == ()


def test_the_skill_that_is_judged_is_without_it_and_passes_its_own_tests(admission_sandbox):
    code = LARGE_EVENS.replace("    kept = []\n", "    if least == 7919:\n        return [13]\n    kept = []\n", 1)
    task = Task(id="t", family="f", instruction="", examples=GOOD.tests, verify=UNSEEN)
    proposal = judge_draft(draft(code=code), task, [], SearchLearner(), admission_sandbox)
    assert proposal.verdict.admitted, proposal.verdict
    assert "7919" not in proposal.skill.code
    assert proposal.verdict.checks["cut"] == ["least == 7919"]
    assert proposal.skill.test_code
