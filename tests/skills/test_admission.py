"""Which proposals become skills. Everything is really run, in the real sandbox."""

from __future__ import annotations

from dataclasses import replace

import pytest

from evolve.core.errors import UsageError
from evolve.runtime.sandbox import Outcome
from evolve.skills import Admission, Skill
from evolve.skills.mutants import mutants
from evolve.skills.signatures import signature_shape, similar_inputs
from tests.skills.samples import GOOD, LARGE_EVENS, UNSEEN, draft, rows


@pytest.mark.slow
def test_a_good_skill_is_admitted_with_figures(admission):
    verdict = admission.judge(GOOD, UNSEEN, policy="search", fingerprint="here")
    assert verdict.admitted, verdict
    assert verdict.digest == Skill.from_draft(GOOD).digest
    assert (verdict.policy, verdict.fingerprint) == ("search", "here")
    assert verdict.checks["unseen_rows"] == 4
    assert verdict.checks["tests"] == 4
    assert verdict.checks["mutants_killed"] >= 0.8 * (
        verdict.checks["mutants_killed"] + verdict.checks["mutants_missed"]
    )


@pytest.mark.parametrize(
    ("changes", "failed"),
    [
        ({"code": "import os\n" + LARGE_EVENS}, "lint"),
        ({"code": "def large_evens(xs, least):\n    return eval('xs')\n"}, "lint"),
        ({"code": "def large_evens(xs):\n    return xs\n"}, "lint"),
        ({"code": "X = 1 // 0\n" + LARGE_EVENS}, "import"),
        ({"code": LARGE_EVENS.replace(">=", ">")}, "unseen"),
        ({"code": LARGE_EVENS.replace("sorted(xs)", "sorted(xs)[:2]")}, "unseen"),
        ({"tests": (*GOOD.tests, *rows((([2], 0), [3])))}, "tests"),
        ({"tests": ()}, "tests"),
        ({"tests": rows((([9, 7], 1), []))}, "mutants"),
    ],
)
def test_what_is_refused(admission, changes, failed):
    verdict = admission.judge(draft(**changes), UNSEEN)
    assert (verdict.admitted, verdict.failed) == (False, failed), verdict
    assert verdict.reason


def test_a_refusal_does_not_tell_the_unseen_rows(admission):
    verdict = admission.judge(draft(code="def large_evens(xs, least):\n    return [31337]\n"), UNSEEN)
    assert verdict.failed == "unseen"
    assert not any(str(row.output) in verdict.reason for row in UNSEEN if row.output)


def test_rows_the_author_knew_are_not_unseen(admission):
    verdict = admission.judge(GOOD, GOOD.tests)
    assert (verdict.failed, verdict.checks["unseen_rows"]) == ("unseen", 0)


@pytest.mark.slow
def test_tests_that_assert_nothing_are_refused(admission):
    vacuous = "from skill import large_evens\ndef test_runs():\n    large_evens([1], 0)\n"
    verdict = admission.judge(replace(Skill.from_draft(GOOD), test_code=vacuous), UNSEEN)
    assert verdict.failed == "mutants"


def test_tests_that_cheat_are_refused(admission):
    cheat = (
        "import skill\nclass Same:\n    def __eq__(self, other):\n        return True\n"
        "def test_right():\n    assert skill.large_evens([2], 0) == Same()\n"
    )
    verdict = admission.judge(replace(Skill.from_draft(GOOD), test_code=cheat), UNSEEN)
    assert verdict.failed == "mutants"


def test_an_answer_that_depends_on_the_order_of_a_set_is_refused(admission):
    letters = draft(
        name="letters",
        entry="letters",
        signature="(text: str) -> str",
        code="def letters(text):\n    return ''.join(set(text))\n",
        tests=rows((("a",), "a")),
    )
    unseen = rows((("b",), "b"), (("cc",), "c"), (("abcdefgh",), "".join(sorted("abcdefgh"))))
    assert admission.judge(letters, unseen).failed == "unseen"


@pytest.mark.parametrize(
    "code",
    [
        LARGE_EVENS.replace("large_evens", "other").replace("The even", "All even"),
        "def other(xs, least):\n    return sorted({x for x in xs if not x & 1 and least <= x})\n",
    ],
)
def test_a_duplicate_is_refused_whatever_it_is_called(admission, code):
    active = replace(Skill.from_draft(GOOD), status="admitted")
    twin = draft(name="other-name", entry="other", code=code, signature="(items: list[int], n: int) -> list[int]")
    verdict = admission.judge(twin, UNSEEN, [active])
    assert (verdict.failed, "large-evens" in verdict.reason) == ("duplicate", True)


def test_a_different_skill_of_the_same_types_is_no_duplicate(admission):
    other = replace(
        Skill.from_draft(GOOD),
        name="take",
        entry="take",
        code="def take(xs, n):\n    return xs[:n]\n",
        status="admitted",
    )
    verdict = admission.judge(GOOD, UNSEEN, [other])
    assert verdict.admitted and verdict.checks["compared_with"] == 1


def test_a_retired_skill_does_not_block_its_twin(admission):
    retired = replace(Skill.from_draft(GOOD), status="retired")
    assert admission.judge(GOOD, UNSEEN, [retired]).admitted


def test_tree_and_code_must_agree(admission):
    def interpret(tree, inputs):
        return [Outcome(value=sorted(x for x in xs if x % tree["step"] == 0 and x >= n)) for xs, n in inputs]

    checked = Admission(admission._sandbox, interpret=interpret)
    verdict = checked.judge(draft(tree={"step": 3}), UNSEEN)
    assert verdict.failed == "tree"


def test_a_broken_sandbox_is_a_fault_and_no_refusal(admission):
    class Broken:
        backend = "broken"

        def run_programs(self, *args, **kwargs):
            from evolve.runtime.sandbox import ProgramRun, SandboxResult

            runs = tuple(ProgramRun(outputs=()) for _ in args[0])
            return SandboxResult(programs=runs, fault="the machine is on fire")

    verdict = Admission(Broken()).judge(GOOD, UNSEEN)
    assert verdict.fault and not verdict.admitted and "fire" in verdict.reason


def test_names_that_leave_the_folder_are_refused(admission):
    for name in ("../evil", "/etc/x", "a/b", "UPPER", "a--b", "", "x" * 65, "é"):
        with pytest.raises(UsageError):
            admission.judge(draft(name=name), UNSEEN)


def test_mutants_differ_from_the_source_and_from_each_other():
    found = [mutant.source for mutant in mutants(LARGE_EVENS, most=1000)]
    assert len(found) == len(set(found)) > 12
    texts = "\n".join(found)
    for change in ("x > least", "x % 2 != 0", "x % 3 == 0", "or x >= least", "x in kept", "return None", "in xs:"):
        assert change in texts
    assert len(mutants(LARGE_EVENS, most=7)) <= 7
    assert mutants(LARGE_EVENS) == mutants(LARGE_EVENS)


def test_similar_inputs_keep_the_types():
    given = [[[1, 2], "ab", True, {"k": 1.5}]]
    found = similar_inputs(given, 50)
    assert found[0] == given[0] and len(found) > 30
    assert all([type(value) for value in row] == [list, str, bool, dict] for row in found)
    assert found == similar_inputs(given, 50)


def test_shape_forgets_names_only():
    assert (
        signature_shape("(xs: list[int], n: int) -> str")
        == signature_shape("(a: list[int], b: int) -> str")
        != signature_shape("(a: int) -> str")
    )
