"""The questions a language policy asks: their texts, schemas and room."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from evolve.core.prompts import PromptLayers, load_prompt, render_prompt
from evolve.core.settings import ReplyForm
from evolve.policies.language.forms import asks_for_json, schema_for
from evolve.runtime.models import ESSENTIAL, Message, ModelRequest
from evolve.runtime.models.structure import closed_object

_TEXT: Mapping[str, Any] = {"type": "string"}

ACTION_SCHEMA = closed_object(
    "action",
    thought=_TEXT,
    kind={"type": "string", "enum": ["code", "recall", "ask_user", "answer", "finish", "give_up"]},
    code=_TEXT,
    answer={"type": "boolean"},
    text=_TEXT,
    cites={"type": "array", "items": _TEXT},
    subgoal={"type": "integer"},
)

CLAIMS_SCHEMA = closed_object(
    "claims",
    claims={
        "type": "array",
        "maxItems": 2,
        "items": closed_object("claim", cause=_TEXT, condition=_TEXT),
    },
)

CRITIQUE_SCHEMA = closed_object(
    "critique",
    fault=_TEXT,
    cases={"type": "array", "maxItems": 3, "items": closed_object("case", input=_TEXT, expected=_TEXT)},
)

SKILL_SCHEMA = closed_object("skill", name=_TEXT, description=_TEXT)
WISH_SCHEMA = closed_object("wish", name=_TEXT, description=_TEXT)

EDITS_SCHEMA = closed_object(
    "edits",
    edits={
        "type": "array",
        "items": closed_object(
            "edit",
            op={"type": "string", "enum": ["add", "replace", "remove"]},
            item={"type": "integer"},
            text=_TEXT,
            why=_TEXT,
        ),
    },
)

DESIGN_SCHEMA = closed_object("design", why=_TEXT, workflow=_TEXT)


_TURNS = "$turns\n"
_ROLES: Mapping[str, str] = {
    **dict.fromkeys(("act", "plan", "decompose", "revise"), "act"),
    **dict.fromkeys(("rewrite", "design"), "rewrite"),
}
"""Which model is asked by which question; every other one is asked to reflect."""


@dataclass(frozen=True, kw_only=True)
class PromptBudget:
    """How long the parts of a prompt may be, in characters; about four make a token.

    Attributes:
        share: Of the model's window, what replies and what came of them may fill before the oldest are summed up.
        reply: Most tokens of a reply, thinking included, where the model can write more; one that is cut off is gone on
            with.
    """

    skills: int = 3_000
    facts: int = 3_000
    wishes: int = 2_000
    share: float = 0.6
    earlier: int = 3_000
    reply: int = 16_384


@dataclass(frozen=True, kw_only=True)
class Questions:
    """Makes requests from prompt files.

    Attributes:
        layers: Where the files are looked for.
        form: How replies say what is done; a file's ``$form`` says it to the model.
    """

    layers: PromptLayers = field(default_factory=PromptLayers)
    rooms: PromptBudget = field(default_factory=PromptBudget)
    form: ReplyForm = "blocks"

    def ask(
        self,
        name: str,
        parts: Sequence[Message],
        schema: Mapping[str, Any] | None = None,
        *,
        seed: int = 0,
        turns: bool = True,
        **values: str,
    ) -> ModelRequest:
        """A request with the rules of ``prompts/NAME.md`` before the parts; without a schema for a reply that acts.

        Args:
            turns: Whether the reply may be one of a conversation; else the rules leave out the blocks that need one.

        Raises:
            WorkspaceError: The file is missing, or names a value that it is not given.
        """
        text = load_prompt(f"{name}.md", self.layers)
        if schema is None:
            text, schema = self._formed(self._with_turns(text, name) if turns else text.replace(_TURNS, ""))
            values = {"form": self.form_told, **values}
        text = render_prompt(text, values, name=f"{name}.md").strip()
        # The prompts of actions differ by kind of environment; whoever watches an episode sees one stage.
        tag = "act" if name.startswith("act-") else name
        role = _ROLES.get(tag, "reflect")
        return ModelRequest(
            messages=(Message(role="system", text=text, priority=ESSENTIAL, kind="rules"), *parts),
            role=role,
            tag=tag,
            schema=schema,
            max_tokens=self.rooms.reply,
            seed=seed,
        )

    @property
    def form_told(self) -> str:
        """What the rules for actions say of the form of replies."""
        return load_prompt(f"form-{self.form}.md", self.layers).strip()

    def _with_turns(self, rules: str, name: str) -> str:
        """The rules with those of ``prompts/NAME-turns.md``, where they have a place for them."""
        return rules.replace(_TURNS, load_prompt(f"{name}-turns.md", self.layers)) if _TURNS in rules else rules

    def _formed(self, rules: str) -> tuple[str, Mapping[str, Any] | None]:
        """Rules for an action in the form of replies, and the schema of these, where they have one."""
        if self.form == "blocks":
            return rules, None
        told = rules if "$form" in rules else f"{rules.rstrip()}\n\n$form."  # written before there was another form
        return asks_for_json(told), schema_for(rules)
