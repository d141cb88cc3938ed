"""Asks a model to put into words what a person's acts show. Whoever asked shows it to the person first."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from evolve.core.errors import ModelMistake
from evolve.core.text_screen import insight_problem
from evolve.policies.language.questions import WISH_SCHEMA, Questions
from evolve.policies.language.quoting import quote_text, truncate_middle
from evolve.runtime.models import ESSENTIAL, ChatModel, Message

_ROOM = 6_000
_THE_PERSON = re.compile(r"\AThe (?:person|user) (?:wants|wishes|expects|asks for) ")


@dataclass(frozen=True, kw_only=True)
class PreferenceDraft:
    """A proposal: a name with hyphens, and a statement that passed the screen for claims."""

    name: str
    description: str


def describe_preference(models: ChatModel, questions: Questions, acts: Sequence[str]) -> PreferenceDraft:
    """Asks by ``prompts/describe.md`` what acts come down to.

    Raises:
        ModelMistake: The model would not answer, or what it said reads like an order, or holds code or an address.
        EndpointProblem: It could not be asked.
    """
    text = truncate_middle("\n\n".join(acts), _ROOM)
    parts = [Message(role="user", text=quote_text("acts", text), priority=ESSENTIAL, kind="task")]
    reply = models.complete(questions.ask("describe", parts, WISH_SCHEMA))
    if reply.refused or reply.data is None:
        raise ModelMistake("the model would not answer")
    description = " ".join(str(reply.data["description"]).split())
    # Acts are text from outside, and what a model makes of them may carry an order on. That the person wants something
    # is what was asked for; a claim on how things are would have no business to say so.
    why = insight_problem(_THE_PERSON.sub("The person prefers ", description))
    if why:
        raise ModelMistake(f"the model's description is not kept: {why}")
    name = "-".join(re.findall(r"[a-z0-9]+", str(reply.data["name"]).lower())[:3])
    return PreferenceDraft(name=name[:48] or "remarks", description=description)
