"""Proposes edits of prompts and writes whole workflows. Whoever asked judges the result; nothing changes a file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from evolve.core.errors import ModelMistake
from evolve.policies.base import PromptEdit, WorkflowBrief, WorkflowDraft
from evolve.policies.language.questions import DESIGN_SCHEMA, EDITS_SCHEMA, Questions
from evolve.policies.language.quoting import quote_text, truncate_middle
from evolve.runtime.models import ESSENTIAL, ChatModel, Message

# Characters: of an edit, of all traces together, and of the part of a prompt that stays.
_ITEM = 600
_TRACES = 8_000
_ABOUT = 3_000
_TRIED_SHOWN = 10
"""Edits that came to nothing, of which a prompt tells the latest."""


@dataclass(frozen=True, kw_only=True)
class LanguageRewriter:
    """Asks a model for edits by ``prompts/rewrite.md``.

    Attributes:
        models: Who is asked, in the role ``rewrite``; calls are booked where the model books them.
        most: Most edits of one proposal. With one, its worth is the edit's worth.
    """

    models: ChatModel
    questions: Questions = field(default_factory=Questions)
    most: int = 1

    def propose(
        self, items: Sequence[str], traces: Sequence[str], *, seed: int = 0, about: str = "", tried: Sequence[str] = ()
    ) -> tuple[PromptEdit, ...]:
        """Edits of a prompt's items that the traces call for; those that name no item of it are left out.

        Raises:
            ModelMistake: The model would not answer.
            EndpointProblem: It could not be asked.
            BudgetExhausted: The question could cost more than is left.
        """
        listed = "\n".join(f"{place}. {text}" for place, text in enumerate(items, 1)) or "none yet"
        room = _TRACES // max(1, len(traces))
        evidence = "\n".join(truncate_middle(trace, room) for trace in traces)
        rules = about.replace("$form", self.questions.form_told)
        fixed = [f"What stays:\n{quote_text('fixed', truncate_middle(rules, _ABOUT))}"] if about else []
        shown = "\n".join([*fixed, "Its advice:\n" + quote_text("prompt", listed)])
        parts = [
            Message(role="user", text=shown, priority=ESSENTIAL, kind="task"),
            Message(
                role="user", text="Traces:\n" + quote_text("traces", evidence), priority=ESSENTIAL, kind="feedback"
            ),
            *_tried_message(tried),
        ]
        reply = self.models.complete(self.questions.ask("rewrite", parts, EDITS_SCHEMA, seed=seed, most=str(self.most)))
        if reply.refused or reply.data is None:
            raise ModelMistake("the model would not answer")
        edits = [
            PromptEdit(
                op=edit["op"],
                item=edit["item"],
                text=" ".join(str(edit["text"]).split())[:_ITEM],
                why=" ".join(str(edit["why"]).split())[:_ITEM],
            )
            for edit in reply.data["edits"]
        ]
        return tuple(edit for edit in edits if _fits(edit, len(items)))[: self.most]


def _tried_message(tried: Sequence[str]) -> list[Message]:
    """What came to nothing, on one line each."""
    lines = [" ".join(truncate_middle(each, _ITEM).split()) for each in tried[-_TRIED_SHOWN:]]
    lead = "Edits that were tried before, each with what came of it. Propose none of them again, in whatever words:"
    text = f"{lead}\n" + quote_text("tried", "\n".join(lines))
    return [Message(role="user", text=text, priority=40, kind="tried")] if lines else []


def _fits(edit: PromptEdit, count: int) -> bool:
    if edit.op == "add":
        return bool(edit.text)
    return 1 <= edit.item <= count and (edit.op == "remove" or bool(edit.text))


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

    def design(self, brief: WorkflowBrief, *, seed: int = 0) -> WorkflowDraft:
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
        return WorkflowDraft(workflow=str(reply.data["workflow"]), why=" ".join(str(reply.data["why"]).split())[:_WHY])


def _messages(brief: WorkflowBrief) -> Iterator[Message]:
    parts = [brief.setting, f"The workflow to improve on:\n{quote_text('workflow', brief.parent)}"]
    if brief.trials:
        parts.append(f"How its trials ended:\n{quote_text('trials', _listed(brief.trials))}")
    yield Message(role="user", text="\n\n".join(parts), priority=ESSENTIAL, kind="task")
    if brief.tasks:
        text = f"Some of the tasks that it failed on:\n{quote_text('tasks', _listed(brief.tasks))}"
        yield Message(role="user", text=text, priority=30, kind="data")
    if brief.others:
        text = f"What others came to, each with what tells it from that workflow:\n{_listed(brief.others)}"
        yield Message(role="user", text=text, priority=40, kind="tried")
    if brief.apart:
        text = f"Tasks that some of these lost, or solved where it fails:\n{quote_text('apart', _listed(brief.apart))}"
        yield Message(role="user", text=text, priority=35, kind="data")
    for draft, why in brief.faults:
        text = (
            f"This draft is refused:\n{quote_text('draft', truncate_middle(draft, _DRAFT))}\n{quote_text('fault', why)}"
        )
        yield Message(
            role="user", text=f"{text}\nWrite it anew without that fault.", priority=ESSENTIAL, kind="feedback"
        )


def _listed(lines: tuple[str, ...]) -> str:
    return "\n".join(f"- {line}" for line in lines)
