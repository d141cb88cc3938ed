"""Proposals for prompts inside a run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from evolve.episodes import Json
from evolve.errors import ModelMistake
from evolve.faults import hit
from evolve.files import canonical_json, digest
from evolve.improve.paid import PaidAnswers
from evolve.policies import Edit, Rewriter


@dataclass(frozen=True, kw_only=True)
class PaidRewriter:
    """A rewriter whose answers belong to a run; the models it asks book on the meter of ``paid``."""

    rewriter: Rewriter
    paid: PaidAnswers

    def propose(
        self, items: Sequence[str], traces: Sequence[str], *, seed: int = 0, about: str = ""
    ) -> tuple[Edit, ...]:
        """The edits; () where the model gave nothing usable.

        Raises:
            SearchEnded: The budget is spent, or may not cover the question.
            EndpointProblem: The model could not be asked; nothing is kept.
        """

        def ask() -> Json:
            try:
                return [asdict(edit) for edit in self.rewriter.propose(items, traces, seed=seed, about=about)]
            except ModelMistake:  # it is paid for, and tells nothing
                return []

        name = f"rewrite:{digest(canonical_json([list(items), list(traces), seed, about]))}"
        found = self.paid.once(name, ask)
        hit("rewrite.kept")
        return tuple(Edit(**one) for one in found)
