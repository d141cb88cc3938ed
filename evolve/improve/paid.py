"""Calls of a model outside of episodes, for prompts and workflows: paid from the run's budget, and stored."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass

from evolve.agent import Journal
from evolve.core.episodes import Cost, Json
from evolve.core.errors import BudgetExhausted, EndpointProblem, ModelMistake
from evolve.core.failpoints import hit_failpoint
from evolve.core.files import canonical_json, digest
from evolve.core.ledger import Ledger
from evolve.improve.optimizer.engine import SearchEnded
from evolve.policies import PromptEdit, PromptEditor, WorkflowBrief, WorkflowDraft, WorkflowWriter
from evolve.policies.language import EpisodeMeter


class PaidAnswers:
    """A model's answers that belong to a run.

    Args:
        meter: What the models that are asked book on.
        ledger: What the run may spend.
        journal: Where the run's answers are kept, each with its cost.
    """

    def __init__(self, meter: EpisodeMeter, ledger: Ledger, journal: Journal) -> None:
        self._meter, self._ledger, self._journal = meter, ledger, journal
        self._booked: set[str] = set()

    def answer_once(self, name: str, ask: Callable[[], Json]) -> Json:
        """The answer kept under a name, else the one that ``ask`` gives now.

        What an earlier process of the run paid for an answer is booked when it is first read here.

        Raises:
            SearchEnded: The budget is spent, or may not cover the question.
            EndpointProblem: The model could not be asked; nothing is kept.
        """

        def work() -> Json:
            self._booked.add(name)
            return self._asked(ask)

        kept = self._journal.once(name, work)
        hit_failpoint("answer.kept")
        if name not in self._booked:
            self._ledger.settle(Cost(), Cost(**kept["cost"]))
            self._booked.add(name)
        return kept["answer"]

    def _asked(self, ask: Callable[[], Json]) -> dict[str, Json]:
        if self._ledger.exhausted_bound:
            raise SearchEnded(self._ledger.exhausted_bound)
        self._meter.start(self._ledger.remaining)
        before = self._meter.spent
        try:
            answer = ask()
        except BudgetExhausted as error:
            raise SearchEnded(str(error)) from error
        finally:
            cost = self._meter.spent - before
            self._ledger.settle(Cost(), cost)
        return {"answer": answer, "cost": asdict(cost)}


DESIGNS = "design:"
"""How the names of steps begin that hold a model's workflow."""


@dataclass(frozen=True, kw_only=True)
class PaidDesigner:
    """A designer whose answers belong to a run; the models it asks book on the meter of ``paid``.

    Attributes:
        waiting: Told before the model is asked, since it may take minutes, how many faults it has to mend.
    """

    designer: WorkflowWriter
    paid: PaidAnswers
    waiting: Callable[[int], None] = lambda faults: None

    def design(self, brief: WorkflowBrief, *, seed: int = 0) -> WorkflowDraft:
        """The workflow kept for this brief and seed, else the one that is written now; none where that is unusable.

        Raises:
            SearchEnded: The budget is spent, or may not cover the question.
            EndpointProblem: The model could not be asked; nothing is kept.
        """

        def ask() -> Json:
            self.waiting(len(brief.faults))
            try:
                return asdict(self.designer.design(brief, seed=seed))
            except ModelMistake as error:  # it is paid for, and tells nothing
                return asdict(WorkflowDraft(workflow="", why=str(error)))

        return WorkflowDraft(**self.paid.answer_once(f"{DESIGNS}{digest(canonical_json([asdict(brief), seed]))}", ask))


REWRITES = "rewrite:"
"""How the names of steps begin that hold a model's edits."""
_UNUSABLE = 3
"""Answers in a row of which nothing can be used, after which the model is no rewriter."""


@dataclass(kw_only=True)
class PaidRewriter:
    """A rewriter whose answers belong to a run; the models it asks book on the meter of ``paid``."""

    rewriter: PromptEditor
    paid: PaidAnswers
    _unusable: int = 0

    def propose(
        self, items: Sequence[str], traces: Sequence[str], *, seed: int = 0, about: str = "", tried: Sequence[str] = ()
    ) -> tuple[PromptEdit, ...]:
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
        name = f"{REWRITES}{digest(canonical_json(question))}"
        answer = self.paid.answer_once(name, ask)
        if not asked:
            self._count(answer.get("unusable", ""))
        return tuple(PromptEdit(**edit) for edit in answer["edits"])

    def _count(self, unusable: str) -> None:
        self._unusable = self._unusable + 1 if unusable else 0
        if self._unusable >= _UNUSABLE:
            raise EndpointProblem(
                f"the model that rewrites prompts gave nothing usable {_UNUSABLE} times in a row: {unusable}",
                retryable=False,
                hint="evolve models check; model_rewrite in evolve.toml names another model, where --model is left out",
            )
