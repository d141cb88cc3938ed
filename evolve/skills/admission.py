"""Decides whether a proposed skill may be used. Nothing its author says counts; everything is run again here.

The checks, cheapest first; the first that fails decides:

1. ``lint``: one file, standard library, pure (see :mod:`evolve.skills.lint`).
2. ``import`` and ``unseen``: it loads in a clean sandboxed process and is right on rows its author never saw, under two
   seeds of string hashing.
3. ``memory`` and ``frozen``: other calls before do not change its values (:mod:`evolve.skills.repeated_calls`), and it
   writes nothing that may have to be copied (:mod:`evolve.skills.hard_coded`).
4. ``tree``: where it has a tree, the tree and the code agree on those rows and on variations of its examples.
5. ``duplicate``: no active skill of the same types, or of more that are given, behaves the same on a shared set of
   inputs.
6. ``tests``: its own tests pass.
7. ``mutants``: at least 80 % of small wrong versions of it fail its own tests. All versions run in one
   sandboxed execution. A version that no test notices does not count where it agrees with the original on every
   variation of the examples for which the original returns a value, since it is taken to be equivalent then; nor where
   it only changes what no row reaches, seen or unseen, such as a guard against empty input: no true example could
   notice that. Of code that is mostly out of reach nothing is known, so it is refused.
8. ``audit``: while its rows and tests run once more, Python tells of nothing that it reaches for (see
   :mod:`evolve.skills.lint.audit`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from evolve.core.episodes import Json, Row, SkillDraft
from evolve.core.equality import equal
from evolve.core.errors import SandboxUnavailable
from evolve.core.files import canonical_json
from evolve.core.progress import report_activity
from evolve.runtime.sandbox import Outcome, Program, ProgramRun, Sandbox, SandboxLimits, SandboxResult, TestModule
from evolve.skills.equivalence import same_source
from evolve.skills.hard_coded import frozen_piece
from evolve.skills.lint import lint
from evolve.skills.lint.audit import audit_skill
from evolve.skills.merging import as_cases, case_program, case_text
from evolve.skills.mutants import Mutant, mutants, without_arms
from evolve.skills.repeated_calls import remembers_calls, same_outcome
from evolve.skills.signatures import names_of, parameter_count, signature_shape, similar_inputs
from evolve.skills.skill import Skill

Interpreter = Callable[[Json, Sequence[Sequence[Json]]], Sequence[Outcome]]
"""Values of a tree on inputs, computed by the host's own operations."""


UNSEEN = 3
"""Least number of rows the author did not see."""
KILLED = 0.8
"""Least share of the counted mutants that the tests must notice."""
_MUTANTS = 40
_NAMED = 3
"""Wrong versions that a reason names."""
_VARIATIONS = 30
"""Generated inputs for equivalence and duplicate checks."""
_PROGRAM_S = 1.0
"""Wall seconds for one program or mutant."""


@dataclass(frozen=True, kw_only=True)
class AdmissionVerdict:
    """The result of one admission, bound to what was judged, for whom and where.

    Attributes:
        digest: The skill's content digest.
        policy: The policy or model the skill is meant for.
        fingerprint: The environment it was judged in.
        admitted: Whether it may be used.
        failed: Name of the check that refused it, or "".
        reason: One sentence on that, "" when admitted.
        checks: Figures of the checks that ran, such as ``mutants_killed``.
        fault: The sandbox failed, so this says nothing about the skill; judge again later.
    """

    digest: str
    policy: str = ""
    fingerprint: str = ""
    admitted: bool = False
    failed: str = ""
    reason: str = ""
    checks: Mapping[str, Json] = field(default_factory=dict)
    fault: bool = False


class _Refused(Exception):
    """Ends a judgement; never leaves this module."""

    def __init__(self, check: str, reason: str) -> None:
        super().__init__(reason)
        self.check, self.reason = check, reason


class _SandboxFailure(Exception):
    """The sandbox itself failed; never leaves this module."""


@dataclass(frozen=True, kw_only=True)
class _Case:
    """A skill that is being judged, with what it is judged against and the figures of its checks so far."""

    skill: Skill
    unseen: Sequence[Row]
    active: Sequence[Skill]
    checks: dict[str, Json]

    @property
    def inputs(self) -> list[Sequence[Json]]:
        return [row.input for row in self.skill.rows]


class Admission:
    """Judges skills.

    Args:
        sandbox: Where code runs.
        interpret: Evaluates trees; without it the trees of skills are not checked against their code.
    """

    def __init__(self, sandbox: Sandbox, *, interpret: Interpreter | None = None) -> None:
        self._sandbox, self._interpret = sandbox, interpret

    def judge(
        self,
        draft: SkillDraft | Skill,
        unseen: Sequence[Row],
        active: Sequence[Skill] = (),
        *,
        shown: Sequence[Row] | None = None,
        policy: str = "",
        fingerprint: str = "",
    ) -> AdmissionVerdict:
        """Runs every check.

        Args:
            draft: The proposal.
            unseen: Rows that its author did not see; those that were shown are ignored.
            active: Skills in use, against which duplicates are looked for.
            shown: The rows that its author saw, where these are not all that it is tested with.
            policy: For whom; stored with the verdict.
            fingerprint: Where; stored with the verdict.

        Raises:
            UsageError: When the name cannot name a skill.
        """
        skill = draft if isinstance(draft, Skill) else Skill.from_draft(draft)
        seen = {canonical_json(list(row.input)) for row in (skill.rows if shown is None else shown)}
        rows = [row for row in unseen if canonical_json(list(row.input)) not in seen]
        case = _Case(skill=skill, unseen=rows, active=active, checks={})
        failed, reason, fault = "", "", False
        try:
            with report_activity("skill", skill.name):
                self._judge(case)
        except _Refused as refusal:
            failed, reason = refusal.check, refusal.reason
        except _SandboxFailure as problem:
            failed, reason, fault = "sandbox", str(problem), True
        return AdmissionVerdict(
            digest=skill.digest,
            policy=policy,
            fingerprint=fingerprint,
            admitted=not failed,
            failed=failed,
            reason=reason,
            checks=case.checks,
            fault=fault,
        )

    def _judge(self, case: _Case) -> None:
        # Cheapest first. The audit comes last: it allows several times what the unwatched runs took, so a late end is
        # the machine's fault.
        checks = (self._lint, self._unseen, self._memory, self._frozen, self._tree, self._duplicate, self._tests)
        for check in (*checks, self._audit):
            check(case)

    def _lint(self, case: _Case) -> None:
        problems = lint(case.skill.code, case.skill.entry, parameter_count(case.skill.signature))
        if problems:
            raise _Refused("lint", problems[0])

    def _unseen(self, case: _Case) -> None:
        case.checks["unseen_rows"] = len(case.unseen)
        if len(case.unseen) < UNSEEN:
            raise _Refused("unseen", f"only {len(case.unseen)} unseen rows, at least {UNSEEN} are needed")
        program = Program(source=case.skill.code, entry=case.skill.entry)
        inputs = [row.input for row in case.unseen]
        # What hangs on the order of a set is right under one seed and wrong under another.
        for seed in (0, 1):
            run = self._run([program], inputs, hash_seed=seed)[0]
            if run.error:
                raise _Refused("import", run.error)
            right = [
                outcome.ok and equal(outcome.value, row.output)
                for outcome, row in zip(run.outputs, case.unseen, strict=True)
            ]
            if not all(right):
                # the row itself stays hidden: a refusal must not teach the held-out data
                raise _Refused("unseen", f"wrong on {right.count(False)} of {len(right)} unseen rows")

    def _memory(self, case: _Case) -> None:
        inputs = [*case.inputs, *(row.input for row in case.unseen)]
        program = Program(source=case.skill.code, entry=case.skill.entry)
        if case.skill.tree is None and remembers_calls(self._sandbox, program, inputs, self._checked):
            raise _Refused("memory", "it remembers earlier calls: the same input gives another value later")

    def _frozen(self, case: _Case) -> None:
        program = Program(source=case.skill.code, entry=case.skill.entry)
        rows = (*case.skill.rows, *case.unseen)
        found = frozen_piece(case.skill.code, rows, lambda inputs: self._run([program], inputs)[0].outputs)
        if found is not None:
            told = f"{found.piece!r} stands in every row, so it may have to be copied from the input"
            raise _Refused("frozen", f"{told}; a row with another one, such as {found.other!r}, would tell")

    def _tree(self, case: _Case) -> None:
        if case.skill.tree is None or self._interpret is None:
            return
        inputs = similar_inputs(case.inputs, _VARIATIONS) + [list(row.input) for row in case.unseen]
        run = self._run([Program(source=case.skill.code, entry=case.skill.entry)], inputs)[0]
        for expected, outcome in zip(self._interpret(case.skill.tree, inputs), run.outputs, strict=True):
            # Operations of the search end so where a number or a list leaves their bounds, which code does not have:
            # there the tree says nothing.
            if not expected.error.startswith(OverflowError.__name__) and not same_outcome(expected, outcome):
                raise _Refused("tree", "its code and the form in which searches use it differ on some inputs")
        case.checks["tree_inputs"] = len(inputs)

    def _duplicate(self, case: _Case) -> None:
        skill, types = case.skill, signature_shape(case.skill.signature)
        rivals = [other for other in case.active if other.status in ("admitted", "trusted")]
        # Parameters may have other names in a twin.
        for other in (rival for rival in rivals if signature_shape(rival.signature) == types):
            if other.digest == skill.digest or same_source(other, skill):
                raise _Refused("duplicate", f"the same program as {other.name}")
        trials = [(other, values) for other in rivals for values in as_cases(other, skill)]
        if not trials:
            return
        others = {other.digest: other for other, _ in trials}.values()
        width = len(names_of(skill.signature))
        inputs = similar_inputs(
            # Few rows of each: the inputs must be the same for all, and every skill of this shape runs on all of them.
            [*case.inputs, *(row.input[:width] for other in others for row in other.rows[:3])],
            _VARIATIONS,
        )
        first, *rest = self._run([case_program(skill, ()), *(case_program(*trial) for trial in trials)], inputs)
        case.checks["compared_with"] = len(others)
        for (other, values), run in zip(trials, rest, strict=True):
            # What a search made is told apart by its failures too. Of other answers only the rows promise anything: two
            # that differ in how they greet wrong input are the same skill.
            promised = {canonical_json(list(row.input[:width])) for row in (*skill.rows, *other.rows[:3])}
            strict = skill.tree is not None or other.tree is not None
            pairs = [
                (a, b)
                for given, a, b in zip(inputs, first.outputs, run.outputs, strict=True)
                if strict or (a.ok and b.ok) or canonical_json(given) in promised
            ]
            if not run.error and any(a.ok for a, _ in pairs) and all(same_outcome(a, b) for a, b in pairs):
                raise _Refused(
                    "duplicate", f"gives the same values as {case_text(other, values)} on {len(inputs)} inputs"
                )

    def covered_skills(self, general: Skill, others: Sequence[Skill]) -> tuple[Skill, ...]:
        """Those of the others that are cases of a skill: it gives their values, with some constants of theirs.

        Raises:
            SandboxUnavailable: The sandbox failed, which says nothing about any skill.
        """
        found = []
        for other in others:
            trials = list(as_cases(general, other))
            inputs = similar_inputs([row.input for row in other.rows], _VARIATIONS)
            if trials and inputs:
                programs = [case_program(other, ()), *(case_program(general, values) for values in trials)]
                try:
                    first, *rest = self._run(programs, inputs)
                except _SandboxFailure as problem:
                    raise SandboxUnavailable(str(problem)) from problem
                if any(not run.error and self._agree(first, run, where_defined=True) for run in rest):
                    found.append(other)
        return tuple(found)

    def _tests(self, case: _Case) -> None:
        """The author's tests on the program and on all its mutants, in one execution."""
        skill = case.skill
        # Tests that assert nothing pass on every program. That they fail on wrong ones shows that they say something.
        versions = mutants(skill.code, _MUTANTS)
        modules = [
            TestModule(files={"skill.py": code, "test_skill.py": skill.test_code}, test_file="test_skill.py")
            for code in _sources(skill, versions)
        ]
        original, *runs = self._checked(self._sandbox.run_tests(modules, self._limits(len(modules)))).programs
        case.checks["tests"] = len(original.outputs)
        if original.error:
            raise _Refused("tests", f"its tests cannot be loaded: {original.error}")
        failures = [outcome for outcome in original.outputs if not outcome.ok]
        if failures:
            raise _Refused("tests", f"{failures[0].name} fails: {failures[0].error}")
        if not original.outputs:
            raise _Refused("tests", "it has no tests")
        # What no test noticed may still be the same program; only values tell.
        unnoticed = [
            mutant
            for mutant, run in zip(versions, runs, strict=True)
            if run.outputs and not run.error and all(outcome.ok for outcome in run.outputs)
        ]
        self._mutation(case, len(versions) - len(unnoticed), unnoticed)

    def _mutation(self, case: _Case, killed: int, unnoticed: Sequence[Mutant]) -> None:
        different = self._different(case, unnoticed)
        missed = self._within_reach(case, different)
        unreached, counted = len(different) - len(missed), killed + len(missed)
        case.checks.update(
            mutants_killed=killed,
            mutants_missed=len(missed),
            mutants_unreached=unreached,
            mutants_equivalent=len(unnoticed) - len(different),
            survivors=[str(mutant) for mutant in missed],
        )
        if counted and killed < KILLED * counted:
            named = "; ".join(str(mutant) for mutant in missed[:_NAMED])
            raise _Refused(
                "mutants", f"{len(missed)} of {counted} wrong versions of it pass its tests, such as {named}"
            )
        if unreached > counted:
            case.checks["survivors"] = [str(mutant) for mutant in different]
            raise _Refused(
                "mutants", f"{unreached} of {counted + unreached} wrong versions of it change only what no row reaches"
            )

    def _different(self, case: _Case, unnoticed: Sequence[Mutant]) -> list[Mutant]:
        """Those that give another value somewhere."""
        if not unnoticed:
            return []
        inputs = similar_inputs(case.inputs, _VARIATIONS)
        programs = [Program(source=code, entry=case.skill.entry) for code in _sources(case.skill, unnoticed)]
        original, *runs = self._run(programs, inputs)
        pairs = zip(unnoticed, runs, strict=True)
        return [mutant for mutant, run in pairs if not self._agree(original, run, where_defined=True)]

    def _within_reach(self, case: _Case, different: Sequence[Mutant]) -> list[Mutant]:
        """Those that change what a row reaches: that give another value there, or lie in no arm that no row runs."""
        if not any(mutant.arms for mutant in different):
            return list(different)
        inputs = [*case.inputs, *(row.input for row in case.unseen)]
        sources = [*_sources(case.skill, different), *without_arms(case.skill.code)]
        original, *runs = self._run([Program(source=code, entry=case.skill.entry) for code in sources], inputs)
        same = [self._agree(original, run) for run in runs]
        idle = {number for number, agrees in enumerate(same[len(different) :]) if agrees}
        pairs = zip(different, same[: len(different)], strict=True)
        return [mutant for mutant, agrees in pairs if not (agrees and mutant.arms & idle)]

    def _audit(self, case: _Case) -> None:
        inputs = [*case.inputs, *(row.input for row in case.unseen)]
        # as much time as the runs before it had together, and some for loading modules
        limits = SandboxLimits(wall_s=5.0 + 5.0 * _PROGRAM_S, program_s=3.0 + 5.0 * _PROGRAM_S)
        report = audit_skill(self._sandbox, case.skill, inputs, limits)
        if report.fault:
            raise _SandboxFailure(report.fault)
        case.checks["audited_calls"] = report.calls
        if report.error:
            raise _Refused("audit", "it does not work when it is watched")
        if report.events:
            # without targets: they may hold the unseen rows
            raise _Refused(
                "audit", "it reaches for " + ", ".join(dict.fromkeys(e.split(" ")[0] for e in report.events))
            )

    def _run(
        self, programs: Sequence[Program], inputs: Sequence[Sequence[Json]], *, hash_seed: int = 0
    ) -> tuple[ProgramRun, ...]:
        limits = self._limits(len(programs), hash_seed)
        return self._checked(self._sandbox.run_programs(programs, inputs, limits)).programs

    def _limits(self, programs: int, hash_seed: int = 0) -> SandboxLimits:
        # room for every program to use its whole share: a mutant that never ends is common
        wall = 2.0 + _PROGRAM_S * programs
        return SandboxLimits(wall_s=wall, program_s=_PROGRAM_S, hash_seed=hash_seed)

    @staticmethod
    def _checked(result: SandboxResult) -> SandboxResult:
        if result.fault or result.killed:
            raise _SandboxFailure(result.fault or "the sandbox had to be ended")
        return result

    def _agree(self, first: ProgramRun, second: ProgramRun, *, where_defined: bool = False) -> bool:
        pairs = list(zip(first.outputs, second.outputs, strict=True))
        if where_defined:
            # Where the original has no value nobody promised one, so a mutant may do there what it likes.
            pairs = [(a, b) for a, b in pairs if a.ok]
        return any(a.ok for a, _ in pairs) and all(same_outcome(a, b) for a, b in pairs)


def _sources(skill: Skill, versions: Sequence[Mutant]) -> list[str]:
    """The program, then its wrong versions."""
    return [skill.code, *(version.source for version in versions)]
