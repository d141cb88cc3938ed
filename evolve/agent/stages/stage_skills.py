"""Finds the skills that a workflow calls as stages, says what their signatures let them do, and runs them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from evolve.agent.context import EpisodeContext
from evolve.agent.workflow import Workflow, skill_of
from evolve.core.episodes import Json
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


def role_of(skill: Skill) -> StageRole | None:
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
        if role_of(fitting[0]) is None:
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
    arguments: list[Json] = [view.instruction, rows] if role_of(skill) == "propose" else [code]
    abstained = skill.abstains(arguments)
    if abstained is not None:
        return {"error": f"it abstains: {abstained.reason}"}

    def work() -> _Value:
        (values,) = make_probe(context.sandbox)([(skill.code, skill.entry)], [arguments])
        return _Value(value=values[0] if values else {"error": "it did not run"})

    return context.outputs.once(key, _Value, work).value
