"""Keeps the skills of an episode of a person's own, and tells which were not kept and why.

A draft whose tests let wrong versions of it pass is repaired once: the policy is asked for more calls, or for a change,
with those versions named. Of the calls only those count that the accepted answer gives the same value to.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from evolve.agent import Journal
from evolve.core.episodes import Cost, EpisodeRecord, Limits, SkillDraft, TaskView
from evolve.core.episodes.codec import from_data, to_data
from evolve.core.errors import BudgetExhausted, EndpointProblem, ModelMistake
from evolve.policies.base import BasePolicy
from evolve.runtime.sandbox import Sandbox
from evolve.skills import AdmissionVerdict, Skill
from evolve.tasks import Task
from evolve.trials.learner import Learner
from evolve.trials.repositories import Repositories
from evolve.trials.skill_drafts import SkillProposal, judge_draft, judge_procedure, store_proposal, with_verified_calls


@dataclass(frozen=True, kw_only=True)
class RefusedSkill:
    """A draft that did not become a skill.

    Attributes:
        skill: The name that it would have had.
        reason: One sentence.
        survivors: The wrong versions of it that pass its tests, each as what stands where instead of what.
    """

    skill: str
    reason: str
    survivors: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class AdmissionResult:
    """What came of the drafts of an episode.

    Attributes:
        skills: Names of the skills admitted, without parts that the search alone uses.
        cost: What repairs cost.
    """

    skills: tuple[str, ...] = ()
    refused: tuple[RefusedSkill, ...] = ()
    cost: Cost = field(default_factory=Cost)


@dataclass(kw_only=True)
class DraftRepairs:
    """Asks a policy to repair drafts, within what an episode may still spend.

    Attributes:
        cost: What it has cost so far.
    """

    policy: BasePolicy
    view: TaskView
    limits: Limits
    cost: Cost = field(default_factory=Cost)

    def repair_draft(self, draft: SkillDraft, verdict: AdmissionVerdict) -> SkillDraft | None:
        """The draft as the policy would repair it, unverified; None where it cannot."""
        before = self.policy.total_cost
        self.policy.start_budget(self.limits.minus_cost(self.cost))
        try:
            return self.policy.repair_draft(self.view, draft, verdict.reason, _survivors_of(verdict))
        # The answer stands and is saved; only a skill is not kept.
        except (ModelMistake, BudgetExhausted, EndpointProblem):
            return None
        finally:
            self.cost += self.policy.total_cost - before


@dataclass(frozen=True, kw_only=True)
class SkillKeeper:
    """Keeps what an episode proposed, once however often it is asked to.

    Attributes:
        sandbox: Opens the sandbox.
        repairs: Repairs drafts; None where nobody is asked.
        doubt: What contests the answer, so that it becomes no skill in use; "" where nothing does.
        unchecked: Why functions that its code used become none, where nothing verified or checked what they led to; or
            "".
    """

    stores: Repositories
    learner: Learner
    sandbox: Callable[[], Sandbox]
    repairs: DraftRepairs | None = None
    doubt: str = ""
    unchecked: str = ""

    def judge_drafts(self, record: EpisodeRecord, task: Task) -> AdmissionResult:
        """Judges the drafts and keeps the skills that pass; all are kept in one transaction."""
        journal, step = self.stores.runs.journal(record.run), f"admitted:{record.episode}"
        names: list[str] | None = journal.done(step)
        if names is not None:  # judged anew, a skill would be refused as a duplicate of itself
            spent = self._spent(journal, record)
            return AdmissionResult(skills=tuple(names), refused=reason_not_kept(journal, record.episode), cost=spent)
        repaired = self.repair_drafts(record, task)
        names, refused = [], []
        in_use = {skill.digest for skill in self.stores.skills.active()}
        with self.stores.db.transaction():
            for draft in repaired:
                proposal = self._judged(draft, task)
                if proposal is None:
                    continue
                if self._doubt_of(draft) and self._is_owned(proposal.skill):
                    told = f"{self._doubt_of(draft)}, and it is a skill of yours, which stays as it is"
                    refused.append(RefusedSkill(skill=proposal.skill.name, reason=told))
                    continue
                skill = store_proposal(self.stores.skills, proposal)
                if skill is not None and (doubt := self._doubt_of(draft)):
                    if skill.digest not in in_use or not draft.unseen:  # else it was checked elsewhere
                        self.stores.skills.suspend(skill.digest, doubt)
                elif skill is not None and not skill.is_hidden:
                    names.append(skill.name)
                refused += refused_skills([replace(proposal, repaired=draft not in record.drafts)])
            journal.finish(step, names)
            note_refusals(journal, record.episode, refused)
        return AdmissionResult(skills=tuple(names), refused=tuple(refused), cost=self._spent(journal, record))

    def repair_drafts(self, record: EpisodeRecord, task: Task) -> list[SkillDraft]:
        """The drafts, each repaired once where that is called for. Asks models, so it belongs in no transaction."""
        journal = self.stores.runs.journal(record.run)
        steps = [_step(record, number) for number in range(len(record.drafts))]
        return [self._repaired(draft, task, journal, step) for draft, step in zip(record.drafts, steps, strict=True)]

    def _judged(self, draft: SkillDraft, task: Task) -> SkillProposal | None:
        if draft.rehearsals:
            return judge_procedure(draft, self.stores.skills, self.learner, self.sandbox().backend)
        active, alone = self.stores.skills.active(), bool(self._doubt_of(draft))
        return judge_draft(draft, task, active, self.learner, self.sandbox(), alone=alone)

    def _doubt_of(self, draft: SkillDraft) -> str:
        """Why a draft comes into no use: it is the contested answer itself, or what code of an unchecked one used."""
        return self.unchecked if draft.unseen else "" if draft.arguments else self.doubt

    def _is_owned(self, skill: Skill) -> bool:
        return any(one.digest == skill.digest and one.owner == "user" for one in self.stores.skills.list())

    def _repaired(self, draft: SkillDraft, task: Task, journal: Journal, step: str) -> SkillDraft:
        """The draft, or what one repair made of it; what was paid for is kept at once."""
        if draft.rehearsals or self.repairs is None:
            return draft
        repairs = self.repairs

        def ask() -> Mapping[str, Any]:
            before = repairs.cost
            repaired = repair(draft, self._judged(draft, task), repairs, self.sandbox())
            return {"draft": None if repaired is None else to_data(repaired), "cost": to_data(repairs.cost - before)}

        done = journal.once(step, ask)
        return draft if done["draft"] is None else from_data(SkillDraft, done["draft"])

    @staticmethod
    def _spent(journal: Journal, record: EpisodeRecord) -> Cost:
        """What repairs have cost, in a process before this one too."""
        steps = [journal.done(_step(record, number)) for number in range(len(record.drafts))]
        return sum((from_data(Cost, step["cost"]) for step in steps if step is not None), Cost())


def _step(record: EpisodeRecord, number: int) -> str:
    return f"repaired:{record.episode}:{number}"


def repair(
    draft: SkillDraft, proposal: SkillProposal | None, repairs: DraftRepairs, sandbox: Sandbox
) -> SkillDraft | None:
    """A refused draft with further calls or a change; None where that is not called for or came to nothing."""
    if proposal is None or proposal.verdict.failed != "mutants" or draft.unseen:
        return None
    proposed = repairs.repair_draft(draft, proposal.verdict)
    return None if proposed is None else with_verified_calls(draft, proposed, sandbox)


def _survivors_of(verdict: AdmissionVerdict) -> tuple[str, ...]:
    """The wrong versions that passed the tests, each in words."""
    return tuple(map(str, verdict.checks.get("survivors", ()))) if verdict.failed == "mutants" else ()


def note_refusals(journal: Journal, episode: str, refused: Sequence[RefusedSkill]) -> None:
    """Keeps what was not kept of an episode, and why."""
    if refused:
        journal.finish(f"not_kept:{episode}", to_data(tuple(refused)))


def reason_not_kept(journal: Journal, episode: str) -> tuple[RefusedSkill, ...]:
    """The drafts of an episode that did not become skills."""
    return tuple(from_data(RefusedSkill, each) for each in journal.done(f"not_kept:{episode}") or ())


def refused_skills(proposals: Sequence[SkillProposal]) -> list[RefusedSkill]:
    """What is told of proposals that were refused.

    Every answer that a search finds proposes its parts, and most are known or have too few rows: that is not told.
    """
    return [
        RefusedSkill(
            skill=proposal.skill.name,
            reason=proposal.verdict.reason + ("; it was repaired once" if proposal.repaired else ""),
            survivors=_survivors_of(proposal.verdict),
        )
        for proposal in proposals
        if not proposal.verdict.admitted
        and not proposal.waits
        and (proposal.skill.tree is None or proposal.verdict.failed not in ("duplicate", "unseen"))
    ]
