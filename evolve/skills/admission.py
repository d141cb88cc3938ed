"""Decides whether a proposed skill may be used. Nothing its author says counts; everything is run again here.

The checks, cheapest first; the first that fails decides:

1. ``lint``: one file, standard library, pure (see :mod:`evolve.skills.lint`).
2. ``import`` and ``unseen``: it loads in a clean sandboxed process and is right on rows its author never saw, under two
   seeds of string hashing.
3. ``tree``: where it has a tree, the tree and the code agree on those rows and on variations of its examples.
4. ``duplicate``: no active skill of the same types behaves the same on a shared set of inputs.
5. ``tests``: its own tests pass.
6. ``mutants``: at least 80 % of small wrong versions of it fail its own tests. All versions run in one
   sandboxed execution. A version that no test notices does not count where it agrees with the original on every
   variation of the examples for which the original returns a value, since it is taken to be equivalent then; nor where
   it only changes what no row reaches, seen or unseen, such as a guard against empty input: no true example could
   notice that. Of code that is mostly out of reach nothing is known, so it is refused.
7. ``audit``: while its rows and tests run once more, Python tells of nothing that it reaches for (see
   :mod:`evolve.skills.audit`).
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from evolve.episodes import Json, Row, SkillDraft
from evolve.files import canonical_json
from evolve.sandbox import Outcome, Program, ProgramRun, Sandbox, SandboxLimits, SandboxResult, TestModule
from evolve.skills.audit import audit
from evolve.skills.inputs import similar_inputs
from evolve.skills.lint import lint
from evolve.skills.mutants import Mutant, mutants, without_arms
from evolve.skills.skill import Skill

Equal = Callable[[Json, Json], bool]
"""Whether two JSON values are the same answer, as tasks define it."""

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
        equal: Equality of answers.
        interpret: Evaluates trees; without it the trees of skills are not checked against their code.
    """

    def __init__(self, sandbox: Sandbox, equal: Equal, *, interpret: Interpreter | None = None) -> None:
        self._sandbox = sandbox
        self._equal = equal
        self._interpret = interpret

    def judge(
        self,
        draft: SkillDraft | Skill,
        unseen: Sequence[Row],
        active: Sequence[Skill] = (),
        *,
        policy: str = "",
        fingerprint: str = "",
    ) -> AdmissionVerdict:
        """Runs every check.

        Args:
            draft: The proposal.
            unseen: Rows that its author did not see; those among its own examples are ignored.
            active: Skills in use, against which duplicates are looked for.
            policy: For whom; stored with the verdict.
            fingerprint: Where; stored with the verdict.

        Raises:
            UsageError: When the name cannot name a skill.
        """
        skill = draft if isinstance(draft, Skill) else Skill.from_draft(draft)
        seen = {canonical_json(list(row.input)) for row in skill.rows}
        rows = [row for row in unseen if canonical_json(list(row.input)) not in seen]
        case = _Case(skill=skill, unseen=rows, active=active, checks={})
        failed = reason = ""
        fault = False
        try:
            # Cheapest first. The audit comes last: it allows several times what the unwatched runs took, so a late end
            # is the machine's fault.
            for check in (self._lint, self._unseen, self._tree, self._duplicate, self._tests, self._audit):
                check(case)
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
                outcome.ok and self._equal(outcome.value, row.output)
                for outcome, row in zip(run.outputs, case.unseen, strict=True)
            ]
            if not all(right):
                # the row itself stays hidden: a refusal must not teach the held-out data
                raise _Refused("unseen", f"wrong on {right.count(False)} of {len(right)} unseen rows")

    def _tree(self, case: _Case) -> None:
        if case.skill.tree is None or self._interpret is None:
            return
        inputs = similar_inputs(case.inputs, _VARIATIONS) + [list(row.input) for row in case.unseen]
        run = self._run([Program(source=case.skill.code, entry=case.skill.entry)], inputs)[0]
        for expected, outcome in zip(self._interpret(case.skill.tree, inputs), run.outputs, strict=True):
            if not self._same(expected, outcome):
                raise _Refused("tree", "its tree and its code give different values")
        case.checks["tree_inputs"] = len(inputs)

    def _duplicate(self, case: _Case) -> None:
        # Parameters may have other names in a twin.
        types = shape(case.skill.signature)
        others = [s for s in case.active if shape(s.signature) == types and s.status in ("admitted", "trusted")]
        for other in others:
            if other.digest == case.skill.digest or same_source(other, case.skill):
                raise _Refused("duplicate", f"the same program as {other.name}")
        if not others:
            return
        inputs = similar_inputs(
            # Few rows of each: the inputs must be the same for all, and every skill of this shape runs on all of them.
            [*case.inputs, *(row.input for other in others for row in other.rows[:3])],
            _VARIATIONS,
        )
        programs = [Program(source=s.code, entry=s.entry) for s in (case.skill, *others)]
        first, *rest = self._run(programs, inputs)
        case.checks["compared_with"] = len(others)
        for other, run in zip(others, rest, strict=True):
            if not run.error and self._agree(first, run):
                raise _Refused("duplicate", f"gives the same values as {other.name} on {len(inputs)} inputs")

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
        unnoticed = [mutant for mutant, run in zip(versions, runs, strict=True) if not _fails_tests(run)]
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
        report = audit(self._sandbox, case.skill, inputs, limits)
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
        return any(a.ok for a, _ in pairs) and all(self._same(a, b) for a, b in pairs)

    def _same(self, a: Outcome, b: Outcome) -> bool:
        return self._equal(a.value, b.value) if a.ok and b.ok else a.ok == b.ok


def _sources(skill: Skill, versions: Sequence[Mutant]) -> list[str]:
    """The program, then its wrong versions."""
    return [skill.code, *(version.source for version in versions)]


def _fails_tests(run: ProgramRun) -> bool:
    return bool(run.error) or not run.outputs or any(not outcome.ok for outcome in run.outputs)


def parameter_count(signature: str) -> int | None:
    """How many arguments a signature names; None when it is not of the grammar."""
    node = _parsed(signature)
    return None if node is None else len(node.args.args)


def shape(signature: str) -> str:
    """The signature without the names of its parameters."""
    node = _parsed(signature)
    if node is None:
        return signature
    types = [ast.unparse(a.annotation) if a.annotation else "any" for a in node.args.args]
    return f"({', '.join(types)}) -> {ast.unparse(node.returns) if node.returns else 'any'}"


def _parsed(signature: str) -> ast.FunctionDef | None:
    try:
        node = ast.parse(f"def f{signature.strip()}: ...").body[0]
    except (SyntaxError, ValueError):
        return None
    return node if isinstance(node, ast.FunctionDef) else None


def same_source(skill: Skill, other: Skill) -> bool:
    """Whether two skills are one program, up to the entry's name, docstrings and layout."""
    return _essence(skill) == _essence(other)


def _essence(skill: Skill) -> str:
    """The syntax tree as text, without what may differ in one program."""
    tree = ast.parse(skill.code)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name == skill.entry:
            node.name = "entry"
        elif isinstance(node, ast.Name) and node.id == skill.entry:
            node.id = "entry"
        if isinstance(node, ast.Module | ast.FunctionDef | ast.ClassDef) and ast.get_docstring(node) is not None:
            node.body = node.body[1:] or [ast.Pass()]
    return ast.dump(tree)
