"""Judges drafts of skills: gives each as the skill it would be, with the verdict of admission."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from evolve.episodes import Row, SkillDraft
from evolve.errors import UsageError
from evolve.record.arms import Learner
from evolve.sandbox import Sandbox
from evolve.skills import Admission, AdmissionVerdict, Skill, unseen_rows
from evolve.tasks import Task, equal


@dataclass(frozen=True, kw_only=True)
class Proposal:
    """A draft as a skill, with the verdict on it.

    Attributes:
        unseen: The rows that its author did not see.
    """

    skill: Skill
    unseen: tuple[Row, ...]
    verdict: AdmissionVerdict


def judge_draft(
    draft: SkillDraft, task: Task, active: Sequence[Skill], learner: Learner, sandbox: Sandbox
) -> Proposal | None:
    """The draft as a skill with its verdict; None where its name or signature cannot be a skill's.

    The rows its author did not see are the task's verify rows, for a part of an answer the calls that the answer
    makes on them.
    """
    try:
        skill = Skill.from_draft(draft)
    except UsageError:
        return None
    interpret = learner.interpreter(active)
    unseen = unseen_rows(draft, task.verify_rows(), interpret, equal)
    admission = Admission(sandbox, equal, interpret=interpret)
    verdict = admission.judge(skill, unseen, active, policy=learner.name, fingerprint=sandbox.backend)
    return Proposal(skill=skill, unseen=unseen, verdict=verdict)
