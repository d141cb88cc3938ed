"""Proposes edits of prompts, item by item. Whoever asked judges the result; nothing here changes a file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from evolve.errors import ModelMistake
from evolve.models import KEPT, ChatModel, Message
from evolve.policies.language.asking import EDITS_SCHEMA, Questions
from evolve.policies.language.quoting import quoted, shortened
from evolve.policies.protocol import Edit

_ITEM = 600
_TRACES = 8_000


@dataclass(frozen=True, kw_only=True)
class LanguageRewriter:
    """Asks a model for edits by ``prompts/rewrite.md``.

    Attributes:
        most: Most edits of one proposal.
    """

    models: ChatModel
    questions: Questions = field(default_factory=Questions)
    most: int = 3

    def propose(self, items: Sequence[str], traces: Sequence[str], *, seed: int = 0) -> tuple[Edit, ...]:
        """Edits of a prompt's items that the traces call for; unusable ones are left out.

        Raises:
            ModelMistake: The model would not answer.
            EndpointProblem: It could not be asked.
        """
        listed = "\n".join(f"{place}. {text}" for place, text in enumerate(items, 1))
        told = "\n".join(traces)
        parts = [
            Message(role="user", text="The prompt:\n" + quoted("prompt", listed), priority=KEPT, kind="task"),
            Message(role="user", text="Traces:\n" + quoted("traces", shortened(told, _TRACES)), kind="feedback"),
        ]
        reply = self.models.complete(self.questions.ask("rewrite", parts, EDITS_SCHEMA, seed=seed, most=str(self.most)))
        if reply.refused or reply.data is None:
            raise ModelMistake("the model would not answer")
        edits = [
            Edit(
                op=one["op"], item=one["item"], text=" ".join(str(one["text"]).split())[:_ITEM], why=one["why"][:_ITEM]
            )
            for one in reply.data["edits"]
        ]
        return tuple(edit for edit in edits if _fits(edit, len(items)))[: self.most]


def apply_edits(items: Sequence[str], edits: Sequence[Edit]) -> tuple[str, ...]:
    """The items after the edits, which name places of the items as they were."""
    kept: list[str | None] = list(items)
    added: list[str] = []
    for edit in edits:
        if edit.op == "add":
            added.append(edit.text)
        else:
            kept[edit.item - 1] = edit.text if edit.op == "replace" else None
    return (*(item for item in kept if item is not None), *added)


def _fits(edit: Edit, count: int) -> bool:
    if edit.op == "add":
        return bool(edit.text)
    return 1 <= edit.item <= count and (edit.op == "remove" or bool(edit.text))
