"""Learned skills as stages of a workflow: which there are, what their signatures allow, and the call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal

from evolve.agent.answer_stages import (
    change_action,
    examples_matched,
    exchange_answer,
    is_answer,
    is_error,
    rival_answer,
    run_programs,
    with_note,
)
from evolve.agent.context import EpisodeContext
from evolve.agent.state import AgentState, AgentUpdate, read_steps
from evolve.agent.workflow import Workflow, skill_of
from evolve.core.episodes import Action, Json, Plan, Step
from evolve.core.errors import WorkspaceError
from evolve.core.files import canonical_json
from evolve.environments.probing import make_probe
from evolve.skills import Skill
from evolve.tasks.signature import parse_signature

StageRole = Literal["propose", "change", "filter"]
"""What a skill does as a stage: proposes an answer, changes the one there is, or doubts it."""

_ADMITTED = ("admitted", "trusted")
_ROLES: Mapping[tuple[tuple[str, ...], str], StageRole] = {
    (("str", "str"), "str"): "propose",
    (("str",), "str"): "change",
    (("str",), "bool"): "filter",
}
"""``(instruction, examples as JSON text) -> source``, ``(source) -> source``, ``(source) -> whether to keep it``."""


def _role_of(skill: Skill) -> StageRole | None:
    """What a skill can do as a stage, by its signature; None where it is no building block."""
    signature = parse_signature(skill.signature)
    kinds = tuple(str(parameter.type) for parameter in signature.parameters)
    return _ROLES.get((kinds, str(signature.result)))


def stage_skills(workflow: Workflow, skills: Sequence[Skill], *, file: str = "workflow.toml") -> dict[str, Skill]:
    """The skill of every stage that calls one.

    Args:
        file: Name of the workflow in messages.

    Raises:
        WorkspaceError: It is not admitted, or its signature is not one of a building block.
    """
    by_stage = {}
    for stage in workflow.stages:
        reference = skill_of(stage)
        if reference is None:
            continue
        name, digest = reference
        fitting = [skill for skill in skills if skill.name == name and skill.digest.startswith(digest)]
        if len(fitting) != 1 or fitting[0].status not in _ADMITTED:
            raise WorkspaceError(
                f"{file}: stages: {stage}: no such skill is admitted here",
                hint="evolve skills list shows the admitted ones",
            )
        if _role_of(fitting[0]) is None:
            signature, forms = (
                fitting[0].signature,
                "; ".join(f"({', '.join(kinds)}) -> {result}" for kinds, result in _ROLES),
            )
            raise WorkspaceError(
                f"{file}: stages: {stage}: a skill {signature} is no building block; these are: {forms}",
                hint="evolve skills list shows their signatures",
            )
        by_stage[stage] = fitting[0]
    return by_stage


@dataclass(frozen=True, kw_only=True)
class _Value:
    value: Json


def call_skill(context: EpisodeContext, key: tuple[int, str, str], skill: Skill, code: str) -> Json:
    """What the skill gives, called once in the sandbox; an object with ``error`` where it fails or abstains."""
    view = context.view
    rows = canonical_json([{"input": list(row.input), "output": row.output} for row in view.examples])
    arguments: list[Json] = [view.instruction, rows] if _role_of(skill) == "propose" else [code]
    abstained = skill.abstention_for(arguments)
    if abstained is not None:
        return {"error": f"it abstains: {abstained.reason}"}

    def work() -> _Value:
        (values,) = make_probe(context.services.sandbox)([(skill.code, skill.entry)], [arguments])
        return _Value(value=values[0] if values else {"error": "it did not run"})

    return context.outputs.compute_once(key, _Value, work).value


_LONGEST = 100_000
"""Characters of source that a skill may give; every checkpoint after it holds them."""


def skill(state: AgentState, context: EpisodeContext, *, stage: str) -> AgentUpdate:
    """Runs the skill in the sandbox and lets it act on the answer, as its signature says.

    What it gives is tried on the examples and taken only where it does not make the answer worse there. Whatever goes
    wrong in it is said about the answer and ends nothing.
    """
    steps = read_steps(state)
    if not steps or steps[-1].action.explores or steps[-1].action.kind not in ("code", "finish"):
        return {}
    proposes = _role_of(context.skills[stage]) == "propose"
    if not proposes and not is_answer(steps[-1].action):
        return {}
    return change_action(state, context, stage, partial(_work, stage))


def _work(stage: str, context: EpisodeContext, plan: Plan, steps: Sequence[Step]) -> Action:
    used, step = context.skills[stage], steps[-1]
    action, role = step.action, _role_of(used)
    value = call_skill(context, (step.number, stage, "value"), used, action.code)
    if is_error(value):
        return with_note(action, stage, f"the skill failed: {str(value['error'])[:300]}")
    if role == "filter":
        return with_note(
            action, stage, "kept" if value is True else "the skill doubts the answer", doubtful=value is False
        )
    if not isinstance(value, str) or not value.strip() or len(value) > _LONGEST:
        return with_note(action, stage, "the skill gave no source")
    if value == action.code:
        return with_note(action, stage, "the skill left the answer as it is")
    return _tested(stage, context, steps, value)


def _tested(stage: str, context: EpisodeContext, steps: Sequence[Step], code: str) -> Action:
    step, used = steps[-1], context.skills[stage]
    action, examples = step.action, context.view.examples
    inputs = [list(row.input) for row in examples] or [[]]
    table = run_programs(context, (step.number, stage, "table"), [action.code, code], inputs)
    before, after = (examples_matched(values, [row.output for row in examples]) for values in table)
    # A proposal has to be better; a changed answer only has to be as good.
    if after < before or (after == before and _role_of(used) == "propose"):
        return with_note(action, stage, f"not taken: {after} examples in place of {before}")
    other = rival_answer(Action(kind="code", code=code, consumed=(*action.consumed, f"skill:{used.digest}")))
    if not action.code:
        revised = replace(action, kind="code", code=code, consumed=other.consumed)
        return with_note(revised, stage, "proposed by the skill")
    revised = exchange_answer(action, other)
    return with_note(
        replace(revised, rivals=tuple(rival for rival in revised.rivals if rival.code)), stage, "changed by the skill"
    )
