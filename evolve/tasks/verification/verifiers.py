"""Verifiers: each judges an answer outside the process that wrote it and gives one bit, with what it rests on."""

from __future__ import annotations

import ast
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from evolve.core.episodes import Judgement, Row
from evolve.core.failpoints import hit_failpoint
from evolve.runtime.sandbox.protocol import Sandbox, SandboxLimits, SandboxResult, TestModule
from evolve.tasks.model import MIN_VERIFY
from evolve.tasks.verification.broken_tests import break_tests, names_of_tests, new_secret
from evolve.tasks.verification.checks import CheckResult, run_check
from evolve.tasks.verification.program_runs import try_rows
from evolve.tasks.verification.separable import reason_not_separable
from evolve.tasks.verification.separate_process import ApartRun, is_missing, run_apart
from evolve.tasks.verification.strict_tests import strengthen_tests, uses_class
from evolve.tasks.verification.test_quality import (
    BELIEVED_BROKEN,
    OWN_OBJECTS,
    SCRIPT_CHANGED,
    TESTS_CHANGED,
    TOO_EASY,
    PassedCheck,
    examine_check,
)
from evolve.tasks.work import FolderWork, files_to_run, restore_protected

SOLUTION = "solution"
"""Name of the module under which hidden tests import an answer."""

_TEST_LIMITS = SandboxLimits(wall_s=10.0)


@dataclass(frozen=True, kw_only=True)
class Submission:
    """An answer as it is put to a verifier.

    Attributes:
        code: Python source, where the task wants a function.
        entry: Name of that function.
        files: The whole tree by relative name, where the task is to work in a folder.
        executable: Names of files with the executable bit.
        shown: What somebody reads who judges it, such as the difference to the start; by default all of it.
    """

    code: str = ""
    entry: str = "solve"
    files: Mapping[str, bytes] = field(default_factory=dict, repr=False)
    executable: frozenset[str] = frozenset()
    shown: str = ""


class Verifier(Protocol):
    """Judges one answer."""

    def verify(self, submission: Submission, sandbox: Sandbox) -> Judgement:
        """The verdict; what runs, runs in the sandbox.

        Raises:
            EndpointProblem: A verifier that asks a model could not.
        """
        ...


@dataclass(frozen=True, kw_only=True)
class RowsVerifier:
    """Compares what the function gives on rows that the policy never saw.

    Attributes:
        shows: A refusal shows the first row that failed.
    """

    rows: Sequence[Row]
    shows: bool = False

    def verify(self, submission: Submission, sandbox: Sandbox) -> Judgement:
        """Accepts a function that reproduces every row."""
        trial = try_rows(sandbox, submission.code, submission.entry, self.rows)
        count = len(self.rows)
        verified = trial.ok and count >= MIN_VERIFY
        verdict = Judgement(accepted=trial.ok, verified=verified, rows=count, fault=trial.fault)
        failed = [place for place, right in enumerate(trial.matches) if not right]
        if not (self.shows and failed) or trial.fault:
            return verdict
        got = trial.outputs[failed[0]] if trial.outputs else {"error": trial.error}
        return replace(verdict, row=self.rows[failed[0]], got=got)


@dataclass(frozen=True, kw_only=True)
class TestsVerifier:
    """Runs a file of ``test_*`` functions with plain assertions, which imports the answer as ``solution``.

    Where values are all that the tests need of the answer, they run in a process that holds none of its code, and what
    they accept is verified. Else both share a process, and the answer is at most checked: it has to fail where the
    tests are broken on purpose. The tests alone say which it is.
    """

    __test__ = False  # pytest would otherwise take the name for a test class

    tests: str

    def verify(self, submission: Submission, sandbox: Sandbox) -> Judgement:
        """Accepts an answer with which exactly the tests of the file ran, and every one passed."""
        names, assertions = _test_functions(self.tests), _assertions(self.tests)
        whole = reason_not_separable(self.tests)
        if not whole:
            run = run_apart(self.tests, submission.code, sandbox)
            if run.fault:
                return Judgement(accepted=False, text=run.error, fault=True)
            whole = run.whole
            if not whole:
                return _apart(names, assertions, run)
        return self._together(names, assertions, whole, submission, sandbox)

    def _together(
        self, names: Mapping[str, bool], assertions: int, whole: str, submission: Submission, sandbox: Sandbox
    ) -> Judgement:
        """Tests and answer in one process; again, in an order nobody knows, where the tests were changed."""
        secret, by_chance = new_secret(), random.SystemRandom()
        half = set(by_chance.sample(sorted(names), by_chance.randint(1, max(1, len(names) - 1))))
        failing = {"values": set(names), "ends": half, "rest": set(names) - half}
        texts = {
            how: break_tests(self.tests, "ends", secret, only=failing[how]) for how in ("ends", "rest") if failing[how]
        }
        texts |= {
            "values": break_tests(self.tests, "values", secret),
            "strict": strengthen_tests(self.tests, secret, plain=True),
        }
        order, runs = ["plain", *by_chance.sample(list(texts), len(texts))], {}
        texts |= {"plain": self.tests, "lax": strengthen_tests(self.tests, secret)}
        for how in order:
            result = self._run(texts[how], submission, sandbox)
            if result.fault or len(result.programs) != 1:
                return Judgement(accepted=False, text=result.fault or "the sandbox gave no result", fault=True)
            runs[how] = result
            if how == "plain" and not _all_passed(result, names):
                reason = runs[how].programs[0].error
                text = f"the hidden tests cannot run: {reason}" if reason.startswith("ModuleNotFoundError") else ""
                return Judgement(accepted=False, rows=assertions, text=text)
            if len(runs) == len(order) and how != "lax" and not _all_passed(runs["strict"], names):
                order.append("lax")
        if "lax" in runs and not (_all_passed(runs["lax"], names) or uses_class(self.tests, SOLUTION.__eq__)):
            reason = f"with this answer the hidden check {TOO_EASY}"
            return Judgement(accepted=False, rows=assertions, text=reason)
        for how in failing.keys() & runs.keys():
            wrong = [
                outcome.name
                for outcome in runs[how].programs[0].outputs
                if outcome.ok == (outcome.name in failing[how])
            ]
            if wrong:
                reason = f"with this answer the hidden check {BELIEVED_BROKEN}"
                return Judgement(accepted=False, rows=assertions, text=reason)
        if "lax" in runs:
            return Judgement(accepted=True, rows=assertions, text=f"passes hidden tests; {OWN_OBJECTS}")
        enough = assertions >= MIN_VERIFY
        few = "" if enough else f", and {_too_few(assertions)}"
        grade = "checked and not verified" if enough else "neither verified nor checked"
        text = f"passes hidden tests; {grade}, because they ran in its own process ({whole}){few}"
        return Judgement(accepted=True, checked=enough, rows=assertions, text=text)

    def _run(self, tests: str, submission: Submission, sandbox: Sandbox) -> SandboxResult:
        files = {f"{SOLUTION}.py": submission.code, "test_solution.py": tests}
        hit_failpoint("sandbox.before")
        result = sandbox.run_tests([TestModule(files=files, test_file="test_solution.py")], _TEST_LIMITS)
        hit_failpoint("sandbox.after")
        return result


def _apart(names: Mapping[str, bool], assertions: int, run: ApartRun) -> Judgement:
    """What tests say that ran in another process than the answer."""
    passed = [name for name, why in run.outcomes if not why]
    if run.error or run.untold or len(passed) < len(run.outcomes) or not _all_ran(passed, names):
        reason = run.untold or run.error
        text = f"hidden tests ran apart from the answer, and did not get its values: {reason}" if reason else ""
        return Judgement(accepted=False, rows=assertions, text=text)
    if run.reached >= MIN_VERIFY and run.calls > 0:
        return Judgement(accepted=True, verified=True, rows=run.reached)
    why = _too_few(run.reached)
    if not run.reached:
        why = "not every assertion of the hidden tests was reached"
    elif not run.calls:
        why = "the hidden tests never called it"
    text = f"passes hidden tests; neither verified nor checked, because {why}"
    return Judgement(accepted=True, rows=run.reached, text=text)


def _too_few(assertions: int) -> str:
    return f"{assertions} assertion{'s'[: assertions != 1]} of the {MIN_VERIFY} that are needed could fail"


def _all_passed(result: SandboxResult, names: Mapping[str, bool]) -> bool:
    """Whether exactly these tests ran, and nothing else happened."""
    run = result.programs[0]
    ran = [outcome.name for outcome in run.outputs if outcome.ok]
    # Who looks for a file that is not there, and copes with it, was refused nothing.
    denied = [access for access in (*run.denied, *result.denied) if not is_missing(access)]
    clean = not (run.error or denied or run.timed_out or result.timed_out)
    return clean and _all_ran(ran, names) and len(run.outputs) == len(ran)


def _all_ran(ran: Sequence[str], names: Mapping[str, bool]) -> bool:
    """Whether these are the tests of the file; some may be defined under a condition that does not hold."""
    return bool(ran) and list(ran) == [name for name, is_sure in names.items() if is_sure or name in ran]


def _test_functions(tests: str) -> dict[str, bool]:
    """The test functions in order, and whether each is defined under no condition."""
    body = ast.parse(tests).body
    functions = [name for name in names_of_tests(tests) if name.startswith("test_") and "::" not in name]
    return {name: any(getattr(statement, "name", "") == name for statement in body) for name in functions}


def _assertions(tests: str) -> int:
    return sum(isinstance(node, ast.Assert) for node in ast.walk(ast.parse(tests)))


@dataclass(frozen=True, kw_only=True)
class CommandVerifier:
    """Runs a check command on a fresh copy of the tree, with protected files as they were.

    What it accepts is checked, not verified: the code under test shares a process tree with the check. It has to fail
    on the tree before anything was changed, and where its tests are broken on purpose.

    Attributes:
        original: The tree before anything was changed; protected files come from it.
        executable: Names of files in it with the executable bit.
        folders: Names of empty folders in it.
        hidden: Whether to run the check that the policy never saw, with the files it never saw.
    """

    work: FolderWork
    original: Mapping[str, bytes] = field(repr=False)
    executable: frozenset[str] = frozenset()
    folders: Sequence[str] = ()
    hidden: bool = True

    def run(self, submission: Submission, sandbox: Sandbox) -> CheckResult:
        """What the check said."""
        return self._run(self._files(submission.files), submission.executable, sandbox)

    def _run(self, files: Mapping[str, bytes], executable: frozenset[str], sandbox: Sandbox) -> CheckResult:
        return run_check(sandbox, self._command, files, executable, self.work.seconds, folders=self.folders)

    @property
    def _secret(self) -> bool:
        return self.hidden and bool(self.work.hidden_check)

    @property
    def _command(self) -> str:
        return self.work.hidden_check if self._secret else self.work.check

    def _files(self, files: Mapping[str, bytes]) -> dict[str, bytes]:
        """The tree that is checked: protected files as they were, hidden ones over it."""
        shown = restore_protected(files, self.original, self.work)
        return {**shown, **self._hidden_files()} if self._secret else shown

    def _hidden_files(self) -> dict[str, bytes]:
        return {name: text.encode() for name, text in self.work.hidden_files.items()}

    def verify(self, submission: Submission, sandbox: Sandbox) -> Judgement:
        """Accepts a tree on which the check ends with 0, and that stands the examination.

        Where the tree changes tests that the person named, the check passes with them too, and what it says with the
        tests as they were counts. Where it fails with those, nobody can say that the change is right.
        """
        own = [name for name in self.work.named if submission.files.get(name) != self.original.get(name)]
        if own and not self._secret:
            return self._with_own_tests(own, submission, sandbox)
        files = self._files(submission.files)
        checked = self._run(files, submission.executable, sandbox)
        what = "the hidden check" if self._secret else f"the check {self.work.check!r}"
        if checked.fault:
            return Judgement(accepted=False, text=checked.error, fault=True)
        if not checked.ok:
            reason = "fails" if self._secret else f"fails: {checked.summary}"
            limit = "" if self._secret else checked.limit
            return Judgement(accepted=False, text=f"{what} {reason} on a fresh copy", limit=limit)
        run = {
            name for name in files_to_run(self._command) & set(self.original) if files.get(name) != self.original[name]
        }
        if run:
            reason = f"{what} runs {min(run)}, {SCRIPT_CHANGED}"
            return Judgement(accepted=True, text=reason)
        deciding = {name for name in self.original if self.work.protects(name)}
        examined = examine_check(
            PassedCheck(
                command=self._command,
                files=files,
                deciding=deciding | set(self._hidden_files()),
                original=self._files(self.original),
                checked=checked,
                before=self._run(self._files(self.original), self.executable, sandbox),
                run=lambda changed: self._run(changed, submission.executable, sandbox),
            )
        )
        if examined.fault:
            return Judgement(accepted=False, text=examined.text, fault=True)
        if not examined.believed:
            return Judgement(accepted=False, text=f"{what} {examined.text}")
        reason = f"{what} passes on a fresh copy; {examined.text}; not verified, because it runs the answer itself"
        return Judgement(accepted=True, checked=examined.decides, text=reason if examined.decides else examined.text)

    def _with_own_tests(self, own: Sequence[str], submission: Submission, sandbox: Sandbox) -> Judgement:
        checked = self.run(submission, sandbox)
        if checked.fault:
            return Judgement(accepted=False, text=checked.error, fault=True)
        if not checked.ok:
            text = f"the check {self.work.check!r} fails: {checked.summary} on a fresh copy"
            return Judgement(accepted=False, text=text, limit=checked.limit)
        verdict = replace(self, work=replace(self.work, named=())).verify(submission, sandbox)
        if verdict.accepted or verdict.fault:
            return verdict
        return Judgement(accepted=True, text=TESTS_CHANGED.format(tests=", ".join(own)))
