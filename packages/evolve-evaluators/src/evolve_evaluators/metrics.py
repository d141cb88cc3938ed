"""``ws.metrics``: what people say about runs, gathered into metrics to look at, change and delete."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from evolve.core.errors import UsageError
from evolve.memory.preferences.quotes import own_words
from evolve.workspace.resources.base import Resource
from evolve.workspace.resources.evaluators import Criterion, Evaluator, Opinion
from evolve.workspace.resources.preferences import preference_description, preference_problem
from evolve.workspace.services import WorkspaceServices
from evolve_evaluators.book import MetricBook
from evolve_evaluators.judges import Judges
from evolve_evaluators.metric import Metric, MetricsReport

if TYPE_CHECKING:
    from evolve.policies.language.describing import PreferenceDraft
    from evolve.runtime.sandbox import Sandbox
    from evolve.tasks import Submission, Task


class Metrics(Resource, Evaluator):
    """The metrics induced from comments on runs.

    A metric can be a target to search for. It is never what acceptance rests on: the gate counts verified solves, and
    sees no metric.
    """

    def __init__(self, services: WorkspaceServices, need_writer: Callable[[], None] = lambda: None) -> None:
        super().__init__(services)
        stores = services.stores
        self._book = MetricBook(stores.db, stores.memory.embedder, lambda text: own_words(text, preference_problem))
        self._judges = Judges(services)
        self._need_writer = need_writer

    def gather(self) -> frozenset[str]:
        """Takes comments that are new into the metrics; gives the ids of those that came of it."""
        self._need_writer()
        return frozenset(metric.id for metric in self._book.induce(self.services.comments.list()))

    def criteria(self) -> builtins.list[Metric]:
        """The metrics as what a search may aim at."""
        return self.list()

    def opinion(self, criterion: Criterion) -> Opinion:
        """The measured judge of the workspace, asked by the rubric of a metric.

        Raises:
            UsageError: No model is named that could judge, or it was not measured or is not good enough for its
                opinions to count.
        """
        from evolve.policies.language import LanguagePolicy

        metric, judge, standing = self._book.get(criterion.id), self._judges.model, self._judges.standing()
        if standing != "measured":
            problem = f"{judge} would judge by {metric.name}, and is {standing} as a judge"
            raise UsageError(problem, hint=f"evolve lab judges {judge}")
        if not isinstance(self.services.learner.policy(None, ()), LanguagePolicy):
            raise UsageError("a target needs a language model that decides and judges", hint="evolve models")

        def score(task: Task, submission: Submission, sandbox: Sandbox) -> float | None:
            return self.score(metric.id, task, submission, sandbox)

        return Opinion(criterion=criterion, judge=judge, wanted=metric.rubric, score=score, version=self._judges.prompt)

    def list(self) -> builtins.list[Metric]:
        """All metrics, oldest first."""
        return self._book.all()

    def show(self, name: str) -> Metric:
        """One metric by name or id.

        Raises:
            UsageError: There is none, or more than one.
        """
        return self._book.get(name)

    def edit(self, name: str, *, new_name: str | None = None, definition: str | None = None) -> Metric:
        """Changes what a metric is called or how it is defined.

        Raises:
            UsageError: There is no such metric, or the name is taken or empty.
        """
        self._need_writer()
        return self._book.edit(name, new_name=new_name, definition=definition)

    def propose(self, name: str) -> PreferenceDraft:
        """What a model would call a metric and how it would define it; nothing is changed.

        Raises:
            UsageError: There is no such metric, or no model is named.
            ModelMistake: What the model says reads like an order, or holds code or an address.
            EndpointProblem: It could not be asked.
        """
        return preference_description(
            self.services.learner, [example.text for example in self._book.get(name).examples]
        )

    def forget(self, ids: Sequence[str]) -> int:
        """Deletes metrics by their ids or names; gives how many. The comments stay.

        Raises:
            UsageError: One is unknown; then nothing is deleted.
        """
        self._need_writer()
        return self._book.forget(ids)

    def report(self) -> MetricsReport:
        """Which share of the comments the metrics explain, and how much they say the same."""
        return self._book.report()

    def score(self, name: str, task: Task, submission: Submission, sandbox: Sandbox) -> float | None:
        """How an answer does by a metric, as a measured judge sees it: 1 or 0; None where no judge counts.

        A target for whoever searches among candidates. It is an opinion, so nothing is accepted by it.

        Raises:
            UsageError: There is no such metric, or no model is named.
            EndpointProblem: The judge could not be asked.
        """
        rubric_task = replace(task, meta={**task.meta, "rubric": self._book.get(name).rubric})
        verdict = self.services.rubric_judge.calibrated_verifier(rubric_task).verify(submission, sandbox)
        return float(verdict.accepted) if verdict.measured else None
