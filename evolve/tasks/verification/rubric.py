"""The verifier of a rubric: a model's opinion."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from evolve.core.episodes import Judgement
from evolve.core.errors import ModelMistake
from evolve.core.files import clean_text
from evolve.core.prompts import quote_text
from evolve.core.text_files import text_of
from evolve.runtime.sandbox.protocol import Sandbox
from evolve.tasks.verification.verifiers import Submission

if TYPE_CHECKING:
    from evolve.runtime.models import ChatModel


@dataclass(frozen=True, kw_only=True)
class RubricVerifier:
    """Asks a model whether an answer meets a rubric: the last resort, and marked as an opinion.

    Attributes:
        prompt: The rendered prompt: rubric, task, and what to look at. The answer follows it between marks that it
            cannot contain.
        largest: Most characters of the answer that are shown; a longer one is refused.
        standing: What the judge is known to be worth: ``measured``, ``below the bar`` or ``unmeasured``. Only the
            first counts.
    """

    model: ChatModel
    prompt: str
    largest: int = 60_000
    standing: str = "unmeasured"

    def verify(self, submission: Submission, sandbox: Sandbox) -> Judgement:
        """Accepts what the model accepts; a refusal to answer, or a reply that cannot be read, accepts nothing."""
        from evolve.runtime.models import ESSENTIAL, Message, ModelRequest

        shown = _shown(submission)
        if len(shown) > self.largest:
            return Judgement(accepted=False, judged=True, text=f"judged: longer than {self.largest:,} characters")
        messages = (
            Message(role="system", text=self.prompt, priority=ESSENTIAL, kind="rubric"),
            Message(role="user", text=quote_text("answer", shown), priority=ESSENTIAL, kind="answer"),
        )
        try:
            reply = self.model.complete(ModelRequest(messages=messages, role="judge", schema=_rubric_schema()))
        except ModelMistake:
            return Judgement(accepted=False, judged=True, text="judged: the model gave no verdict that can be read")
        if reply.refused or reply.data is None:
            return Judgement(accepted=False, judged=True, text="judged: the model would not answer")
        accepted, measured = reply.data["accepted"] is True, self.standing == "measured"
        reason = " ".join(clean_text(str(reply.data["reason"])).split())[:200]
        name = reply.model or self.model.name
        text = f"judged by {name}, {self.standing}, not verified: {reason}"
        return Judgement(accepted=accepted, judged=True, measured=measured, text=text)


def _shown(submission: Submission) -> str:
    """The answer as a model reads it."""
    files = sorted(submission.files.items())
    whole = "\n".join(f"=== {name}\n{text_of(data)}" for name, data in files)
    return submission.shown or submission.code or whole


def _rubric_schema() -> dict[str, Any]:
    return {
        "title": "verdict",
        "type": "object",
        "properties": {"accepted": {"type": "boolean"}, "reason": {"type": "string"}},
        "required": ["accepted", "reason"],
        "additionalProperties": False,
    }
