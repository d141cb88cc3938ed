"""Workflows that a model writes: paid from the run's budget, and stored, so that none is asked for twice."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass

from evolve.episodes import Json
from evolve.errors import ModelMistake
from evolve.files import canonical_json, digest
from evolve.improve.paid import PaidAnswers
from evolve.policies import Design, DesignBrief, Designer


@dataclass(frozen=True, kw_only=True)
class PaidDesigner:
    """A designer whose answers belong to a run; the models it asks book on the meter of ``paid``.

    Attributes:
        waiting: Told before the model is asked, since it may take minutes, how many faults it has to mend.
    """

    designer: Designer
    paid: PaidAnswers
    waiting: Callable[[int], None] = lambda faults: None

    def design(self, brief: DesignBrief, *, seed: int = 0) -> Design:
        """The workflow kept for this brief and seed, else the one that is written now; none where that is unusable.

        Raises:
            SearchEnded: The budget is spent, or may not cover the question.
            EndpointProblem: The model could not be asked; nothing is kept.
        """

        def ask() -> Json:
            self.waiting(len(brief.faults))
            try:
                return asdict(self.designer.design(brief, seed=seed))
            except ModelMistake:  # it is paid for, and tells nothing
                return asdict(Design(workflow=""))

        return Design(**self.paid.once(f"design:{digest(canonical_json([asdict(brief), seed]))}", ask))
