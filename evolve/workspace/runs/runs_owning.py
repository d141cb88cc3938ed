"""Makes a skill of the function of a run, because the person says that it is right."""

from __future__ import annotations

from dataclasses import replace

from evolve.core.episodes import EpisodeRecord, SkillDraft
from evolve.skills import KEPT, AdmissionVerdict, Skill, parameter_count
from evolve.skills.lint import lint
from evolve.tasks import Task
from evolve.workspace.runs.run_answers import answered_episode, given_task_of, is_from_episode
from evolve.workspace.services import WorkspaceServices


def owned_skill(services: WorkspaceServices, name: str) -> Skill | None:
    """The person's skill that the function of a kept run is; None where nothing names one, or its code may be none.

    Their word stands for rows that were not seen and for tests that tell wrong versions from it, and that is on record.
    """
    stores = services.stores
    record, task = answered_episode(services, stores.runs.run(name)), given_task_of(services, stores.runs.run(name))
    if record is None or task is None:
        return None
    known = [one for one in stores.skills.list() if not one.part and is_from_episode(record, one)]
    if not known:
        draft = _draft(services, record, task)
        if draft is None:
            return None
        skill = replace(Skill.from_draft(draft), owner="user")
        if lint(skill.code, skill.entry, parameter_count(skill.signature)):
            return None
        if draft not in record.drafts:  # by which later tables know where the skill comes from
            stores.runs.add_lessons(replace(record, drafts=(*record.drafts, draft)), settled=False)
        blank = AdmissionVerdict(digest=skill.digest, policy=services.learner.name, checks={"kept_by_person": True})
        verdict = replace(blank, admitted=True, fingerprint=services.open_sandbox().backend)
        known = [stores.skills.add(skill, verdict)]
    skill = next((one for one in known if one.status in KEPT), known[-1])
    if skill.status not in KEPT:
        skill = stores.skills.trust_again(skill.digest, attended=True)
    return stores.skills.own(skill.digest)


def _draft(services: WorkspaceServices, record: EpisodeRecord, task: Task) -> SkillDraft | None:
    """What the run proposed, or a search would have, had rows verified its answer."""
    drafts = record.drafts
    if not drafts and not services.uses_model:
        policy = services.learner.policy(None, services.stores.skills.active(), attended=True)
        drafts = policy.distill(task.view(), record.steps)
    return next((one for one in drafts if not (one.arguments or one.unseen)), None)
