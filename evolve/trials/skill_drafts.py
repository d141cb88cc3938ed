"""Judges drafts of skills: gives each as the skill it would be, with the verdict of admission.

What differs from a skill in use in constants alone is not kept beside it. One skill with a parameter takes the place of
both where it passes the tests of both and every other check; else the older one stays.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from evolve.core.episodes import Row, SkillDraft
from evolve.core.errors import SandboxUnavailable, UsageError
from evolve.core.files import canonical_json
from evolve.runtime.sandbox import Outcome, Program, Sandbox, SandboxLimits
from evolve.skills import ACTIVE, Admission, AdmissionVerdict, Skill, SkillRepository, parameter_count, unseen_rows
from evolve.skills.contract import condition_from_rows
from evolve.skills.equivalence import ProgramMatch, closest_match, same_source
from evolve.skills.hard_coded import copied_rows
from evolve.skills.lint import lint
from evolve.skills.merging import as_case, case_of, merge_skills
from evolve.skills.procedures import lint_procedure, procedure_status
from evolve.skills.repository import adopted_skill
from evolve.skills.signatures import names_of, types_of
from evolve.skills.unreached_branches import TrimmedProgram, trim_branches
from evolve.tasks import Task, equal
from evolve.trials.learner import Learner

_MOST_CALLS = 6
"""Further calls that a repair may bring."""


@dataclass(frozen=True, kw_only=True)
class SkillProposal:
    """A draft as a skill, with the verdict on it.

    Attributes:
        skill: The draft; with a verdict that admits it, perhaps the one skill of which the draft and an older one are
            cases.
        unseen: The rows that its author did not see.
        replaces: Digests of skills in use that are cases of this one.
        repaired: It was refused before, and this is what a repair made of it.
        waits: It is a procedure that has not held on enough folders yet.
    """

    skill: Skill
    unseen: tuple[Row, ...]
    verdict: AdmissionVerdict
    replaces: tuple[str, ...] = ()
    repaired: bool = False
    waits: bool = False


@dataclass(frozen=True, kw_only=True)
class DraftJudge:
    """Judges drafts against the skills in use.

    Attributes:
        policy: For whom.
        fingerprint: Where; both are kept with each verdict.
    """

    admission: Admission
    policy: str = ""
    fingerprint: str = ""

    def judge(
        self, skill: Skill, unseen: Sequence[Row], active: Sequence[Skill], shown: Sequence[Row] | None = None
    ) -> SkillProposal:
        """The skill with its verdict, or the one skill that takes its place and that of others.

        Args:
            unseen: Rows that its author did not see.
            active: Skills in use.
            shown: The rows that its author saw, where these are not all that it is tested with.
        """
        shown = skill.rows if shown is None else shown
        like = closest_match(skill, active)
        if like is None:
            return self._judged(skill, unseen, active, shown)
        if not like.differences:
            return self._near_duplicate(skill, unseen, f"the same program as {_case_told(like)}")
        told = f"differs from {like.known.name} in {_count(like)} alone"
        if like.known.owner == "user":
            return self._near_duplicate(skill, unseen, f"{told}, which belongs to the user and stays as it is")
        try:
            both = merge_skills(like, skill)
            older = [other for other in active if other.tree is None and other.owner != "user"]
            cases = self.admission.covered_skills(both, older)
        except SandboxUnavailable as problem:
            verdict = AdmissionVerdict(digest=skill.digest, failed="sandbox", reason=str(problem), fault=True)
            return SkillProposal(skill=skill, unseen=tuple(unseen), verdict=verdict)
        if like.known not in cases:
            return self._near_duplicate(skill, unseen, f"{told}, and no one skill gives the values of both")
        rest = [other for other in active if other not in cases]
        found = self._judged(both, as_case(unseen, case_of(like)), rest, as_case(shown, case_of(like)))
        if found.verdict.admitted or found.verdict.fault:
            return replace(found, replaces=tuple(other.digest for other in cases))
        return self._near_duplicate(skill, unseen, f"{told}, and one skill for both is refused: {found.verdict.reason}")

    def _judged(
        self, skill: Skill, unseen: Sequence[Row], active: Sequence[Skill], shown: Sequence[Row]
    ) -> SkillProposal:
        verdict = self.admission.judge(
            skill, unseen, active, shown=shown, policy=self.policy, fingerprint=self.fingerprint
        )
        return SkillProposal(skill=skill, unseen=tuple(unseen), verdict=verdict)

    def _near_duplicate(self, skill: Skill, unseen: Sequence[Row], reason: str) -> SkillProposal:
        verdict = AdmissionVerdict(
            digest=skill.digest,
            policy=self.policy,
            fingerprint=self.fingerprint,
            failed="duplicate",
            reason=reason,
        )
        return SkillProposal(skill=skill, unseen=tuple(unseen), verdict=verdict)


def judge_draft(
    draft: SkillDraft, task: Task, active: Sequence[Skill], learner: Learner, sandbox: Sandbox, *, alone: bool = False
) -> SkillProposal | None:
    """The draft as a skill with its verdict; None where its name or signature cannot be a skill's.

    The rows its author did not see are the task's verify rows, for a part of an answer the calls that the answer
    makes on them, for a function that code used the calls that were kept back.

    Args:
        alone: It is not compared with the skills in use, so that it takes the place of none.
    """
    try:
        skill = Skill.from_draft(draft)
    except UsageError:
        return None
    active = [other for other in active if not other.environment]
    # A search finds its skills by their trees, a prompt by what they are about.
    skill = skill if skill.tree is not None else replace(skill, family=task.family)
    interpret = learner.interpreter(active)
    unseen = draft.unseen or unseen_rows(draft, task.verify_rows(), interpret)
    found = TrimmedProgram(code=skill.code)
    if skill.tree is None and not lint(skill.code, skill.entry, parameter_count(skill.signature)):
        found = _trimmed(skill, (*skill.rows, *unseen), sandbox)
        skill = replace(skill, code=found.code)
    # Whoever saw all rows of a call may have written them down, and is right on those that were kept back.
    copied = copied_rows(skill.code, [row.input for row in (*skill.rows, *unseen)]) if draft.unseen else 0
    if copied:
        why = f"it is copied: {copied} values of its rows stand in its code"
        blank = AdmissionVerdict(digest=skill.digest, policy=learner.name, fingerprint=sandbox.backend)
        return SkillProposal(skill=skill, unseen=tuple(unseen), verdict=replace(blank, failed="copied", reason=why))
    admission = Admission(sandbox, interpret=interpret)
    judge = DraftJudge(admission=admission, policy=learner.name, fingerprint=sandbox.backend)
    # A call that a repair brought may be one of the unseen rows all the same: nobody showed it.
    of_its_own = draft.arguments or draft.unseen
    shown = {canonical_json(list(row.input)) for row in (draft.tests if of_its_own else task.view().examples)}
    hidden = [row for row in unseen if canonical_json(list(row.input)) not in shown]
    proposal = judge.judge(skill, hidden, () if alone else rivals_of(skill, active), shown=())
    said = {name: list(told) for name, told in (("cut", found.cut), ("untested", found.untested)) if told}
    return replace(proposal, verdict=replace(proposal.verdict, checks={**proposal.verdict.checks, **said}))


def _trimmed(skill: Skill, rows: Sequence[Row], sandbox: Sandbox) -> TrimmedProgram:
    """A skill's code without arms for values that no row has; as it is where the sandbox fails."""

    def run(sources: Sequence[str]) -> Sequence[Sequence[Outcome]]:
        programs = [Program(source=source, entry=skill.entry) for source in sources]
        limits = SandboxLimits(wall_s=2.0 + len(programs), program_s=1.0)
        done = sandbox.run_programs(programs, [row.input for row in rows], limits) if programs else None
        if done is None or done.fault or done.killed:
            return [() for _ in sources]
        return [() if one.error else one.outputs for one in done.programs]

    return trim_branches(skill.code, rows, run)


def judge_procedure(
    draft: SkillDraft, library: SkillRepository, learner: Learner, fingerprint: str
) -> SkillProposal | None:
    """A procedure with its verdict, by all folders that it was tried on; notes what came of those of the draft.

    One that is in use and held no oftener than it failed is out of use from then on.
    """
    try:
        skill = Skill.from_draft(draft)
    except UsageError:
        return None
    problems = lint_procedure(skill.code, skill.entry, parameter_count(skill.signature))
    blank = AdmissionVerdict(digest=skill.digest, policy=learner.name, fingerprint=fingerprint)
    if problems:
        return SkillProposal(skill=skill, unseen=(), verdict=replace(blank, failed="lint", reason=problems[0]))
    # What was written twice, by whoever saw one of the folders alone, is one procedure that held on both.
    skill = next((known for known in library.list() if known.environment and same_source(known, skill)), skill)
    blank = replace(blank, digest=skill.digest)
    if skill.status == "retired":
        told = f"the same program as {skill.name}, which is retired"
        return SkillProposal(skill=skill, unseen=(), verdict=replace(blank, failed="duplicate", reason=told))
    tried = library.record_rehearsal(skill, draft.rehearsals)
    becomes, known = procedure_status(tried), library.get(skill.digest)
    held = sum(one.held for one in tried)
    if becomes == "admitted" and known.status not in ACTIVE:
        verdict = replace(blank, admitted=True, checks={"folders_held": held, "folders": len(tried)})
        return SkillProposal(skill=skill, unseen=(), verdict=verdict)
    if becomes == "retired" and known.owner != "user":
        told = next(one.told for one in reversed(tried) if not one.held)
        library.retire(skill.digest, f"it held on {held} of {len(tried)} folders: {told}")
    told = "it has to do another task of its kind first"
    return SkillProposal(skill=skill, unseen=(), verdict=replace(blank, failed="folders", reason=told), waits=True)


def rivals_of(skill: Skill, active: Sequence[Skill]) -> list[Skill]:
    """The skills in use of which one may be no duplicate.

    An answer that someone could ask for is kept beside a part that does the same, which nobody is shown.
    """
    return [other for other in active if skill.part or not other.is_hidden]


def with_verified_calls(draft: SkillDraft, proposed: SkillDraft, sandbox: Sandbox) -> SkillDraft | None:
    """A proposed repair with those of its calls that the accepted answer gives the same values to.

    Args:
        draft: The accepted answer as it was proposed.
        proposed: The same with another source or further tests, at its author's word.

    Returns:
        None where nothing of it is left.
    """
    known = {canonical_json(list(row.input)) for row in draft.tests}
    fresh = [row for row in proposed.tests if canonical_json(list(row.input)) not in known][:_MOST_CALLS]
    verified: list[Row] = []
    if fresh:
        program = Program(source=draft.code, entry=draft.entry)
        result = sandbox.run_programs([program], [row.input for row in fresh], SandboxLimits())
        outcomes = result.programs[0].outputs if not (result.fault or result.programs[0].error) else ()
        verified = [
            row
            for row, outcome in zip(fresh, outcomes, strict=False)
            if outcome.ok and equal(outcome.value, row.output)
        ]
    if not verified and proposed.code == draft.code:
        return None
    return replace(draft, code=proposed.code, tests=(*draft.tests, *verified))


def store_proposal(library: SkillRepository, proposal: SkillProposal) -> Skill | None:
    """Keeps what was decided: the verdict, the skill where it is admitted, and that others are cases of it.

    Those stay admitted and are offered no longer, so a variant that was judged with them acts as it did.
    """
    if proposal.waits:
        return None
    library.record_verdict(proposal.verdict)
    if not proposal.verdict.admitted:
        return None
    # What differs is drawn from all rows that held; none of them can be read off it.
    held = [row.input for row in (*proposal.skill.rows, *proposal.unseen)]
    skill = library.add(replace(proposal.skill, needs=tuple(condition_from_rows(held))), proposal.verdict)
    for digest in proposal.replaces:
        known = library.get(digest)
        if known.status in ACTIVE and known.owner != "user":  # a person may have changed that since it was judged
            library.set_idle(digest, adopted_skill(skill.name))
    return skill


def may_be_alike(one: Skill, other: Skill) -> bool:
    """Whether two skills give the same type and take the same, one of them perhaps more."""
    (first, gives), (second, also) = types_of(one.signature), types_of(other.signature)
    width = min(len(first), len(second))
    return gives == also and first[:width] == second[:width]


def _case_told(like: ProgramMatch) -> str:
    names = names_of(like.known.signature)[-len(like.given) :] if like.given else ()
    given = ", ".join(f"{name} = {value!r}" for name, value in zip(names, like.given, strict=True))
    return f"{like.known.name} with {given}" if given else like.known.name


def _count(like: ProgramMatch) -> str:
    told = " and ".join(f"{each.theirs!r} for {each.ours!r}" for each in like.differences)
    return f"a constant ({told})" if len(like.differences) == 1 else f"constants ({told})"
