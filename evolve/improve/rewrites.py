"""New wordings of prompts that a model proposes: paid from the run's budget, and stored, so none is asked twice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from evolve.episodes import Json
from evolve.errors import EndpointProblem, ModelMistake
from evolve.files import canonical_json, digest
from evolve.improve.paid import PaidAnswers
from evolve.policies import Edit, Rewriter

_UNUSABLE = 3
"""Answers in a row of which nothing can be used, after which the model is no rewriter."""


@dataclass(kw_only=True)
class PaidRewriter:
    """A rewriter whose answers belong to a run; the models it asks book on the meter of ``paid``."""

    rewriter: Rewriter
    paid: PaidAnswers
    _unusable: int = 0

    def propose(
        self, items: Sequence[str], traces: Sequence[str], *, seed: int = 0, about: str = "", tried: Sequence[str] = ()
    ) -> tuple[Edit, ...]:
        """The edits kept for this question, else those that the rewriter proposes now.

        Raises:
            SearchEnded: The budget is spent, or may not cover the question.
            EndpointProblem: The model could not be asked, or gave nothing usable several times in a row; nothing of
                the last question is kept, so another model may answer it.
        """
        asked = False

        def ask() -> Json:
            nonlocal asked
            asked = True
            try:
                edits = self.rewriter.propose(items, traces, seed=seed, about=about, tried=tried)
            except ModelMistake as error:  # it is paid for, and tells nothing
                why = str(error) or "no reason is given"
                self._count(why)
                return {"edits": [], "unusable": why}
            self._count("")
            return {"edits": [asdict(edit) for edit in edits]}

        # Without edits that were tried the question has the name that it had before they were told.
        question = [list(items), list(traces), seed, about, *([list(tried)] if tried else [])]
        name = f"rewrite:{digest(canonical_json(question))}"
        answer = self.paid.once(name, ask)
        if not asked:
            self._count(answer.get("unusable", ""))
        return tuple(Edit(**edit) for edit in answer["edits"])

    def _count(self, unusable: str) -> None:
        self._unusable = self._unusable + 1 if unusable else 0
        if self._unusable >= _UNUSABLE:
            raise EndpointProblem(
                f"the model that rewrites prompts gave nothing usable {_UNUSABLE} times in a row: {unusable}",
                retryable=False,
                hint="evolve models check; model_rewrite in evolve.toml names another model, where --model is left out",
            )
