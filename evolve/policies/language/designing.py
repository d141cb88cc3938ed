"""Writes whole workflows by a model's words. Whoever asked checks and judges them; nothing here runs one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from evolve.errors import ModelMistake
from evolve.models import KEPT, ChatModel, Message
from evolve.policies.language.asking import DESIGN_SCHEMA, Questions
from evolve.policies.language.quoting import quoted, shortened
from evolve.policies.protocol import Design, DesignBrief

_DRAFT = 4_000
"""Characters of a draft that is shown again, with what is wrong with it."""

_WHY = 300


@dataclass(frozen=True, kw_only=True)
class LanguageDesigner:
    """Asks a model for a workflow by ``prompts/design.md``.

    Attributes:
        models: Who is asked, in the role ``rewrite``; calls are booked where the model books them.
    """

    models: ChatModel
    questions: Questions = field(default_factory=Questions)

    def design(self, brief: DesignBrief, *, seed: int = 0) -> Design:
        """The text of a workflow, as the model wrote it.

        Raises:
            ModelMistake: The model would not answer.
            EndpointProblem: It could not be asked.
            BudgetExhausted: The question could cost more than is left.
        """
        request = self.questions.ask(
            "design", list(_messages(brief)), DESIGN_SCHEMA, seed=seed, stages=brief.stages, knobs=brief.knobs
        )
        reply = self.models.complete(request)
        if reply.refused or reply.data is None:
            raise ModelMistake("the model would not answer")
        return Design(workflow=str(reply.data["workflow"]), why=" ".join(str(reply.data["why"]).split())[:_WHY])


def _messages(brief: DesignBrief) -> Iterator[Message]:
    parts = [brief.setting, f"The workflow to improve on:\n{quoted('workflow', brief.parent)}"]
    if brief.trials:
        parts.append(f"How its trials ended:\n{quoted('trials', _listed(brief.trials))}")
    yield Message(role="user", text="\n\n".join(parts), priority=KEPT, kind="task")
    if brief.tasks:
        text = f"Some of the tasks that it failed on:\n{quoted('tasks', _listed(brief.tasks))}"
        yield Message(role="user", text=text, priority=30, kind="data")
    if brief.others:
        text = f"What others came to, each with what tells it from that workflow:\n{_listed(brief.others)}"
        yield Message(role="user", text=text, priority=40, kind="tried")
    if brief.apart:
        text = f"Tasks that some of these lost, or solved where it fails:\n{quoted('apart', _listed(brief.apart))}"
        yield Message(role="user", text=text, priority=35, kind="data")
    for draft, why in brief.faults:
        text = f"This draft is refused:\n{quoted('draft', shortened(draft, _DRAFT))}\n{quoted('fault', why)}"
        yield Message(role="user", text=f"{text}\nWrite it anew without that fault.", priority=KEPT, kind="feedback")


def _listed(lines: tuple[str, ...]) -> str:
    return "\n".join(f"- {line}" for line in lines)
