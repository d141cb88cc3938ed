"""Proposes skills from a verified answer, and repairs those that were refused."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol

from evolve.core.episodes import Json, Row, SkillDraft, Step, TaskView
from evolve.core.text_screen import insight_problem, repeats_text
from evolve.policies.language.prompt import task_message
from evolve.policies.language.questions import SKILL_SCHEMA, Questions
from evolve.policies.language.quoting import quoted, truncate_middle
from evolve.policies.language.reflection import right_answer, shown_text
from evolve.policies.skill_names import skill_name
from evolve.runtime.models import KEPT, Message, ModelReply, ModelRequest

REPAIR_SCHEMA: Mapping[str, Any] = {
    "title": "draft_repair",
    "type": "object",
    "properties": {
        "code": {"type": "string"},
        "calls": {
            "type": "array",
            "maxItems": 6,
            "items": {
                "title": "call",
                "type": "object",
                "properties": {"arguments": {"type": "string"}, "value": {"type": "string"}},
                "required": ["arguments", "value"],
                "additionalProperties": False,
            },
        },
    },
    "required": ["code", "calls"],
    "additionalProperties": False,
}
_NAMED = 12
"""Wrong versions that a prompt names."""


class Ask(Protocol):
    """Asks a model by a prompt file and gives its reply, which keeps to the schema.

    Raises:
        ModelMistake: The model refused, or gave nothing usable.
    """

    def __call__(self, name: str, parts: Sequence[Message], schema: Mapping[str, Any]) -> Mapping[str, Any]: ...


class Asks(Protocol):
    """What :class:`Drafting` needs of the policy that it belongs to."""

    @property
    def questions(self) -> Questions:
        """Makes the requests."""
        ...

    def asked(self, request: ModelRequest) -> ModelReply:
        """A usable reply; ``ModelMistake`` where there is none."""
        ...


def drafts_of(view: TaskView, steps: Sequence[Step], ask: Ask) -> tuple[SkillDraft, ...]:
    """The verified answer as a skill, under a name and description that the model gives; none without examples.

    Raises:
        ModelMistake: The model gave nothing usable; then nothing is kept.
    """
    right = right_answer(steps)
    if right is None or not view.examples:
        return ()
    answer = "The answer:\n" + quoted("code", right.action.source)
    parts = [task_message(view), Message(role="user", text=answer, priority=KEPT, kind="answer")]
    reply = ask("distill", parts, SKILL_SCHEMA)
    described = " ".join(str(reply["description"]).split())
    # A model's own words, which would stand in later prompts, unless somebody else had said them first.
    if insight_problem(described) or repeats_text(described, shown_text(view, steps)):
        described = f"Answers tasks of the family {view.family} such as {view.id}."
    return (
        SkillDraft(
            name=skill_name(view, [view.family], str(reply["name"])),
            description=described,
            # A table's function is called as its column, by which the next month's table finds it.
            entry=view.entry,
            signature=view.signature,
            code=right.action.code,
            tests=view.examples,
            source=view.id,
        ),
    )


class Drafting:
    """Implements ``Repairing`` of :mod:`evolve.policies.base` for a policy that asks."""

    def repair_draft(
        self: Asks, view: TaskView, draft: SkillDraft, refusal: str, passed: Sequence[str]
    ) -> SkillDraft | None:
        """Asks by ``prompts/repair-draft.md`` for calls that tell the wrong versions apart, or for another source.

        Raises:
            ModelMistake: The model gave nothing usable; then the draft is dropped.
        """
        named = "\n".join(passed[:_NAMED])
        parts = [
            task_message(view),
            Message(role="user", text="The function:\n" + quoted("code", draft.code), priority=KEPT, kind="answer"),
            Message(
                role="user",
                text=f"{quoted('refusal', truncate_middle(refusal, 600))}\n{quoted('passed', named)}",
                priority=KEPT,
                kind="feedback",
            ),
        ]
        reply: Any = self.asked(self.questions.ask("repair-draft", parts, REPAIR_SCHEMA)).data
        code, calls = str(reply["code"]).strip(), tuple(_calls(reply["calls"]))
        if not (code or calls):
            return None
        return replace(draft, code=f"{code}\n" if code else draft.code, tests=(*draft.tests, *calls))


def _calls(proposals: Sequence[Mapping[str, Any]]) -> Iterator[Row]:
    """The calls that can be read; what is no JSON is left out."""
    for proposal in proposals:
        try:
            given, value = _json(str(proposal["arguments"])), _json(str(proposal["value"]))
        except (ValueError, RecursionError):
            continue
        if isinstance(given, list):
            yield Row(input=tuple(given), output=value)


def _json(text: str) -> Json:
    return json.loads(text, parse_constant=_refuse)


def _refuse(name: str) -> None:
    """Called for NaN and Infinity, which Python reads as JSON and which equal no answer."""
    raise ValueError(f"{name} is no JSON")
