"""Makes a skill of the function of a run, because the person says that it is right."""

from __future__ import annotations

from dataclasses import replace

from evolve.episodes import EpisodeRecord, SkillDraft
from evolve.policies.skill_names import skill_name
from evolve.skills import KEPT, AdmissionVerdict, Skill, parameter_count
from evolve.skills.lint import lint
from evolve.skills.naming import function_name, with_entry
from evolve.tasks import Task
from evolve.workspace.desk import Desk
from evolve.workspace.runs.run_answers import answered, gave, given_task_of


def owned_skill(desk: Desk, name: str) -> Skill | None:
    """The skill of the person's that the function of a kept run is; None where its code may be none.

    Their word stands for rows that were not seen and for tests that tell wrong versions from it, and that is on record.
    """
    stores = desk.stores
    record, task = answered(desk, stores.runs.run(name)), given_task_of(desk, stores.runs.run(name))
    if record is None or task is None:
        return None
    known = [one for one in stores.skills.list() if not one.part and gave(record, one)]
    if not known:
        draft = _draft(desk, record, task)
        skill = replace(Skill.from_draft(draft), owner="user")
        if lint(skill.code, skill.entry, parameter_count(skill.signature)):
            return None
        if draft not in record.drafts:  # by which later tables know where the skill comes from
            stores.runs.add_lessons(replace(record, drafts=(*record.drafts, draft)), settled=False)
        blank = AdmissionVerdict(digest=skill.digest, policy=desk.learner.name, checks={"kept_by_person": True})
        verdict = replace(blank, admitted=True, fingerprint=desk.open_sandbox().backend)
        known = [stores.skills.add(skill, verdict)]
    skill = next((one for one in known if one.status in KEPT), known[-1])
    if skill.status not in KEPT:
        skill = stores.skills.trust_again(skill.digest, attended=True)
    return stores.skills.own(skill.digest)


def _draft(desk: Desk, record: EpisodeRecord, task: Task) -> SkillDraft:
    """What the run proposed, or would have, had rows verified its answer."""
    view = task.view()
    drafts = record.drafts
    if not drafts and not desk.uses_model:
        policy = desk.learner.policy(None, desk.stores.skills.active(), attended=True)
        drafts = policy.distill(view, record.steps)
    for draft in drafts:
        if not draft.arguments:
            return draft
    name = skill_name(view, [task.entry])
    entry = function_name(name)
    code = with_entry(record.answer, task.entry, entry)
    return SkillDraft(
        name=name,
        description=f"{view.instruction} Use when a column or value needs exactly this change.",
        entry=entry if code else task.entry,
        signature=view.signature,
        code=code or record.answer,
        tests=view.examples,
        source=record.task,
    )
