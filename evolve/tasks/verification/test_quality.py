"""Asks whether a check that passed would have noticed: it is run again on tests that are broken on purpose."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass

from evolve.core.progress import report_activity
from evolve.core.text_files import text_of
from evolve.tasks.verification.broken_tests import (
    Breaking,
    OtherCommand,
    break_tests,
    loads_tests,
    names_of_tests,
    new_secret,
)
from evolve.tasks.verification.checks import CheckResult, is_pytest
from evolve.tasks.verification.strict_tests import ended_tests, reprint_tests, strengthen_tests, uses_class
from evolve.tasks.verification.test_discovery import UNITTEST, lost_tests, not_reached, skippable_tests, without_tests

Run = Callable[[Mapping[str, bytes]], CheckResult]

DECIDES_NOTHING = "the check passed before anything was changed, so it decides nothing"
TOOK_AWAY = "the change took away or changed what made the check fail before ({lost}), so it decides nothing"
BELIEVED_BROKEN = "passes even when its tests are broken on purpose, so it is not believed"
TOO_EASY = "fails where its tests compare more strictly, so it is not believed"
NOT_EXAMINED = "it was not cross-examined, because it runs no tests that could be broken on purpose"
ELSEWHERE = "it was not cross-examined, because {why} and another part of the command decided"
MINDS_LOOKS = "it was not cross-examined, because it fails where its tests are only written anew"
OWN_OBJECTS = (
    "it was not cross-examined, because its tests compare objects of the answer's own classes, "
    "or it changes values of theirs"
)

NOT_REACHED = "it was not cross-examined, because {tests} did not tell of its end"
NOT_TOLD = "it was not cross-examined, because it says nothing of {tests}, which it tried before"

BROKEN_FAIL = "fails before the change, and where its tests are broken on purpose"
SCRIPT_CHANGED = "which was changed, so it decides nothing"
TESTS_CHANGED = "the check passes with {tests} as the change leaves them, and fails with them as they were"
FAILED_BEFORE = "fails before the change, and runs no tests that could be broken on purpose"
CODE_BROKEN = "it passes even where the changed code is broken on purpose, so it decides nothing"

ALL_ALIKE = "fails in tests that are whole where others are broken on purpose, so it is not believed"

FINDINGS = {
    "broken_fail": BROKEN_FAIL,
    "failed_before": FAILED_BEFORE,
    "code_broken": CODE_BROKEN,
    "tests_changed": "and fails with them as they were",
    "passed_before": DECIDES_NOTHING,
    "took_away": TOOK_AWAY,
    "script_changed": SCRIPT_CHANGED,
    "no_tests": NOT_EXAMINED,
    "elsewhere": " and another part of the command decided",
    "minds_looks": MINDS_LOOKS,
    "own_objects": OWN_OBJECTS,
    "not_reached": " did not tell of its end",
    "not_told": "because it says nothing of ",
}
"""What may come of an examination, by what the sentence on record contains up to its first blank to be filled."""

_PYTEST_SETTINGS = ("pytest.ini", "pyproject.toml", "setup.cfg", "tox.ini")
_STOP_AT_FIRST = re.compile(r"(?:^|[\s\"'])(?:-[a-z]*x\b|--exitfirst|--maxfail)", re.MULTILINE)
_LOOKS = re.compile(r"lineno|inspect|__file__|traceback|linecache|_getframe")
_SEVERAL = re.compile(r"[|&;\n]")
_SCRIPT = re.compile(r"(?:^|[\s;&|/])python[\d.]*\s+([\w./-]+\.py)(?=\s|$|[;&|])")


@dataclass(frozen=True, kw_only=True)
class PassedCheck:
    """A check that passed, and how it can be run again.

    Attributes:
        command: The shell command.
        files: The tree on which it passed.
        deciding: Names of the files in it that say what is checked, and that the answer did not write.
        original: The tree before anything was changed.
        checked: What it said there.
        before: What it said of the tree before anything was changed.
        run: Runs it on another tree.
    """

    command: str
    files: Mapping[str, bytes]
    deciding: Collection[str]
    original: Mapping[str, bytes]
    checked: CheckResult
    before: CheckResult
    run: Run


@dataclass(frozen=True, kw_only=True)
class CheckExamination:
    """What came of it.

    Attributes:
        believed: Nothing speaks against what the check said.
        decides: It says something: it did not pass before anything was changed.
        text: One sentence that follows "the check passes".
        fault: The sandbox failed.
    """

    believed: bool
    decides: bool = True
    text: str = ""
    fault: bool = False


def examine_check(passed: PassedCheck) -> CheckExamination:
    """Compares a check that passed with itself on the unchanged tree, and on tests that must fail.

    It has to pass where its tests compare more strictly, which a value that equals everything does not, nor code that
    deceives only on the very text of the tests. What else answers for the tests (a runner that was replaced, a process
    that ends early with the right words) answers for broken ones too. Code that tells all of these apart is not found
    out, so what passes is called checked and never verified.
    """
    if passed.before.fault:
        return CheckExamination(believed=False, text=passed.before.error, fault=True)
    if passed.before.ok:
        return CheckExamination(believed=True, decides=False, text=DECIDES_NOTHING)
    lost = lost_tests(passed.original, passed.files, passed.deciding)
    if lost:
        bare = passed.run(without_tests(passed.original, passed.deciding))
        if bare.fault:
            return CheckExamination(believed=False, text=bare.error, fault=True)
        if not _fails_by_a_test(passed.command, bare):
            return CheckExamination(believed=True, decides=False, text=TOOK_AWAY.format(lost=", ".join(lost[:3])))
    return _cross_examined(passed)


def finding_of(text: str) -> str:
    """The key of :data:`FINDINGS` for a verdict on record, or ""."""
    return next((key for key, told in FINDINGS.items() if told.partition("{")[0] in text), "")


def _fails_by_a_test(command: str, checked: CheckResult) -> bool:
    """Whether a check fails because a test fails, and not because it finds no test."""
    if not checked.elsewhere and (checked.tests or is_pytest(command)):
        return bool({"failed", "error"} & set(checked.tests.values()))
    return not checked.ok and "Ran 0 tests" not in checked.tail


def _cross_examined(passed: PassedCheck) -> CheckExamination:
    """Asks tests that must fail, and tests that compare more strictly."""
    names = [name for name in passed.files if name in passed.deciding and name.endswith(".py")]
    texts = {name: text_of(passed.files[name]) for name in names}
    tests = {name: names_of_tests(text) for name, text in texts.items()}
    run = {script.removeprefix("./") for script in _SCRIPT.findall(passed.command)}
    scripts = frozenset(run & set(texts))
    elsewhere = passed.checked.elsewhere
    if elsewhere and (passed.checked.tests or not (scripts or UNITTEST.search(passed.command))):
        return CheckExamination(believed=True, decides=False, text=ELSEWHERE.format(why=elsewhere))
    # os._exit skips the finally with which a script is broken, so a right script would look like a forged one.
    if any("_exit(" in texts[name] for name in scripts):
        return CheckExamination(believed=True, decides=False, text=NOT_EXAMINED)
    untold = _missing_outcomes(passed, texts, tests)
    if untold is not None:
        return untold
    if not _runs_them(passed, tests, scripts):
        other = _examined_by_code(passed, {name: text for name, text in texts.items() if tests[name]})
        if other is not None:
            return other
    examined = {name: text for name, text in texts.items() if tests[name] or name in scripts}
    return _ChangedTests(passed=passed, texts=examined, tests=tests, scripts=scripts, secret=new_secret()).judged()


def _examined_by_code(passed: PassedCheck, tests: Mapping[str, str]) -> CheckExamination | None:
    """What another command than a known test runner is worth; None where it loads the tests after all.

    It failed before, so it can fail. That it notices what was changed is asked by breaking that.
    """
    secret = new_secret()
    other = OtherCommand(command=passed.command, original=passed.original, files=passed.files)
    if judge := other.own_judge():
        return CheckExamination(believed=True, decides=False, text=f"the check may run {judge}, {SCRIPT_CHANGED}")
    # The tree before the change too, for there the code under test is the person's and hides nothing.
    for tree in (passed.original, passed.files) if tests else ():
        loaded = passed.run(other.mark_tests(tree, tests, secret))
        if loaded.fault:
            return CheckExamination(believed=False, text=loaded.error, fault=True)
        if loads_tests(loaded, secret):
            return None
    if (broken_code := other.broken_code()) is not None:
        noticed = passed.run(broken_code)
        if noticed.fault:
            return CheckExamination(believed=False, text=noticed.error, fault=True)
        if noticed.ok:
            return CheckExamination(believed=True, decides=False, text=CODE_BROKEN)
    return CheckExamination(believed=True, text=FAILED_BEFORE)


def _missing_outcomes(
    passed: PassedCheck, texts: Mapping[str, str], tests: Mapping[str, list[str]]
) -> CheckExamination | None:
    """The verdict on a check that no longer reports a test as passed; None where it reports every test."""
    skipping = {name: skippable_tests(text) for name, text in texts.items()}
    # A test that speaks of skipping may have good reason to skip now what it tried before.
    steady = {name: [test for test in tests[name] if test not in skipping[name][0]] for name in texts}
    now = passed.checked.tests
    unsaid = _tried_before(passed.before, steady) - _tests_with(now, "passed", tests)
    unsaid |= _tests_with(now, "skipped", steady) & _tried_before(passed.before, steady)
    if unsaid and not any(elsewhere for _, elsewhere in skipping.values()):
        named = ", ".join(sorted(unsaid)[:3])
        return CheckExamination(believed=False, text=f"says nothing of {named}, which it tried before")
    # One set of parameters may come from the answer, and be another now.
    gone = {node for node, outcome in passed.before.tests.items() if outcome != "skipped" and now.get(node) != "passed"}
    lost = sorted(unsaid) or sorted(node for node in gone if _tests_with({node: "passed"}, "passed", steady))
    return (
        CheckExamination(believed=True, decides=False, text=NOT_TOLD.format(tests=", ".join(lost[:3])))
        if lost
        else None
    )


@dataclass(frozen=True, kw_only=True)
class _ChangedTests:
    """The changed tests that a check is run on.

    Attributes:
        texts: The files with tests.
        tests: The names of the tests in every deciding file.
        scripts: Names of the files that the command runs by themselves.
    """

    passed: PassedCheck
    texts: Mapping[str, str]
    tests: Mapping[str, list[str]]
    scripts: Collection[str]
    secret: str

    def judged(self) -> CheckExamination:
        """Runs the check on every changed set of tests, in secret order: code under test can count its runs."""
        half, passing = self._half(), _tests_with(self.passed.checked.tests, "passed", self.tests)
        trees = {
            "strict": self._strict(plain=True),
            "values": self._broken("values"),
            "ends": self._broken("ends", half),
        }
        if not passing:
            trees["again"] = trees["strict"]
        order, results = list(trees), dict[str, CheckResult]()
        random.SystemRandom().shuffle(order)
        with report_activity("mutants", total=len(order), count=lambda: len(results)):
            for how in order:
                results[how] = self.passed.run(trees[how])
                if results[how].fault:
                    return CheckExamination(believed=False, text=results[how].error, fault=True)
        whole = [results[how] for how in ("strict", "again") if how in results]
        spoilt = (
            None
            if all(_passes_still(self.passed, result, self.tests) for result in whole)
            else self._why_strict_fails()
        )
        if spoilt is not None and not spoilt.believed:
            return spoilt
        left = [_tests_with(results[how].tests, "passed", self.tests) for how in ("values", "ends")]
        if results["values"].ok or results["ends"].ok or left[0] or left[1] & (half or passing):
            return CheckExamination(believed=False, text=BELIEVED_BROKEN)
        others = passing - half if half else set()
        if others & _tests_with(results["ends"].tests, "failed", self.tests):
            return CheckExamination(believed=False, text=ALL_ALIKE)
        gone = () if _stops_early(self.passed) else others - left[1]
        silent = [*gone, *(test for result in whole for test in self._tests_not_reached(result))]
        if spoilt is None and silent:
            text = NOT_REACHED.format(tests=", ".join(sorted(set(silent))[:3]))
            return CheckExamination(believed=True, decides=False, text=text)
        return spoilt or CheckExamination(believed=True, text=BROKEN_FAIL)

    def _half(self) -> set[str]:
        """Some of the tests whose outcome is told, and not all; none where there are not two."""
        passing = sorted(_tests_with(self.passed.checked.tests, "passed", self.tests))
        by_chance = random.SystemRandom()
        return set(by_chance.sample(passing, by_chance.randint(1, len(passing) - 1))) if len(passing) > 1 else set()

    def _broken(self, how: Breaking, half: Collection[str] = ()) -> dict[str, bytes]:
        only = {
            name: {test for test in self.tests[name] if not half or f"{name}::{test}" in half} for name in self.texts
        }
        return self._changed(
            lambda name, text: break_tests(text, how, self.secret, script=name in self.scripts, only=only[name])
        )

    def _strict(self, *, plain: bool) -> dict[str, bytes]:
        return self._changed(
            lambda name, text: strengthen_tests(text, self.secret, plain=plain, script=name in self.scripts, file=name)
        )

    def _changed(self, change: Callable[[str, str], str]) -> dict[str, bytes]:
        changed = {name: change(name, text) for name, text in self.texts.items()}
        # What changes a file writes it anew without the comment that names its encoding, so it is UTF-8.
        anew = {name: text.encode() for name, text in changed.items() if text != self.texts[name]}
        return {**self.passed.files, **anew}

    def _tests_not_reached(self, checked: CheckResult) -> list[str]:
        return not_reached(
            self.passed.command, self.texts, self.scripts, checked, ended_tests(checked.ended, self.secret)
        )

    def _why_strict_fails(self) -> CheckExamination:
        """Why tests fail that compare more strictly, and want plain values."""
        strict = self.passed.run(self._strict(plain=False))
        if strict.fault:
            return CheckExamination(believed=False, text=strict.error, fault=True)
        if _passes_still(self.passed, strict, self.tests):
            return CheckExamination(believed=True, decides=False, text=OWN_OBJECTS)
        again = self.passed.run(self._changed(lambda _, text: reprint_tests(text)))
        minds = _SEVERAL.search(self.passed.command) or any(_LOOKS.search(text) for text in self.texts.values())
        if again.ok and any(uses_class(text, self._is_answer) for text in self.texts.values()):
            return CheckExamination(believed=True, decides=False, text=OWN_OBJECTS)
        if again.ok or not minds:
            return CheckExamination(believed=False, text=TOO_EASY)
        return CheckExamination(believed=True, decides=False, text=MINDS_LOOKS)

    def _is_answer(self, module: str) -> bool:
        path = module.replace(".", "/")
        places = {f"{path}.py", f"{path}/__init__.py"}
        return any(file in places or file.endswith(tuple(f"/{place}" for place in places)) for file in self._written())

    def _written(self) -> set[str]:
        return set(self.passed.files) - set(self.passed.deciding)


def _stops_early(passed: PassedCheck) -> bool:
    """Whether pytest ends at the first test that fails, as far as the text of command and settings tells."""
    texts = [data.decode("utf-8", "replace") for name, data in passed.files.items() if name.endswith(_PYTEST_SETTINGS)]
    return any(_STOP_AT_FIRST.search(text) for text in (passed.command, *texts))


def _passes_still(passed: PassedCheck, strict: CheckResult, tests: Mapping[str, list[str]]) -> bool:
    """Whether the tests that passed do so again; other commands, such as a formatter's, may mind how they look."""
    if strict.ok:
        return True
    if strict.tests and passed.checked.tests:
        failed = _tests_with(strict.tests, "failed", tests)
        if failed - _tests_with(passed.checked.tests, "failed", tests):
            return False
        return _tests_with(passed.checked.tests, "passed", tests) <= _tests_with(strict.tests, "passed", tests) - failed
    return False


def _runs_them(passed: PassedCheck, tests: Mapping[str, list[str]], scripts: Collection[str]) -> bool:
    """Whether the check runs tests of these files: by what pytest told before the change, else by the command."""
    if scripts:
        return True
    if not any(tests.values()):
        return False
    if passed.before.tests:
        return bool(_tried_before(passed.before, tests, skipped=True))
    return is_pytest(passed.command) or UNITTEST.search(passed.command) is not None


def _tried_before(before: CheckResult, tests: Mapping[str, list[str]], *, skipped: bool = False) -> set[str]:
    """The tests that were tried on the unchanged tree; of a file that could not be read, all that stand in it."""
    tried = _tests_with(before.tests, "passed", tests) | _tests_with(before.tests, "failed", tests)
    if skipped:
        tried |= _tests_with(before.tests, "skipped", tests)
    for node, outcome in before.tests.items():
        for name in (file for file in tests if outcome == "error" and _is_file(file, node)):
            tried |= {f"{name}::{test}" for test in tests[name]}
    return tried


def _tests_with(outcomes: Mapping[str, str], outcome: str, tests: Mapping[str, list[str]]) -> set[str]:
    """The tests of these files with this outcome; one with several parameters counts once."""
    matching = set()
    for node, actual in outcomes.items():
        file, _, test = node.partition("::")
        test = test.partition("[")[0]
        matching |= {
            f"{name}::{test}" for name in tests if actual == outcome and test in tests[name] and _is_file(name, file)
        }
    return matching


def _is_file(name: str, reported: str) -> bool:
    """Whether pytest means this file; it names files from its own root, which may lie deeper."""
    return name == reported or name.endswith(f"/{reported}")
