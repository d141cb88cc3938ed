"""Proposes skills from a verified answer."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from evolve.episodes import SkillDraft, Step, TaskView
from evolve.files import digest
from evolve.models import KEPT, Message
from evolve.policies.language.asking import SKILL_SCHEMA
from evolve.policies.language.claims import unfit
from evolve.policies.language.prompt import task_message
from evolve.policies.language.reflection import repeats_text, right_answer, shown_text
from evolve.policies.language.transcript import step_text


class Ask(Protocol):
    """Asks a model by a prompt file and gives its reply, which keeps to the schema.

    Raises:
        ModelMistake: The model refused, or gave nothing usable.
    """

    def __call__(self, name: str, parts: Sequence[Message], schema: Mapping[str, Any]) -> Mapping[str, Any]: ...


def drafts_of(view: TaskView, steps: Sequence[Step], ask: Ask) -> tuple[SkillDraft, ...]:
    """The verified answer as a skill, under a name and description that the model gives; none without examples.

    Raises:
        ModelMistake: The model gave nothing usable; then nothing is kept.
    """
    right = right_answer(steps)
    if right is None or not view.examples:
        return ()
    parts = [task_message(view), Message(role="user", text=step_text(view, right), priority=KEPT, kind="answer")]
    reply = ask("distill", parts, SKILL_SCHEMA)
    described = " ".join(str(reply["description"]).split())
    # A model's own words, which would stand in later prompts, unless somebody else had said them first.
    if unfit(described) or repeats_text(described, shown_text(view, steps)):
        described = f"Answers tasks of the family {view.family} such as {view.id}."
    return (
        SkillDraft(
            name=_skill_name(str(reply["name"]), right.action.code),
            description=described,
            entry=view.entry,
            signature=view.signature,
            code=right.action.code,
            tests=view.examples,
            source=view.id,
            family=view.family,
        ),
    )


def _skill_name(name: str, code: str) -> str:
    plain = "-".join(re.findall(r"[a-z0-9]+", name.lower()))[:48].strip("-") or "answer"
    return f"{plain}-{digest(code)[:4]}"
