"""``ws.metrics``: what people say about runs, gathered into metrics to look at, change and delete."""

from __future__ import annotations

import builtins
import getpass
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from evolve.errors import UsageError
from evolve.memory.metrics import Comment, Metric, MetricBook, MetricsReport
from evolve.memory.preferences import PersonAct, PreferenceBook
from evolve.memory.preferences.own_words import own_words
from evolve.workspace.shelves.preferences import described_by, unfit
from evolve.workspace.shelves.shelf import Shelf

if TYPE_CHECKING:
    from evolve.policies.language.describing import Described
    from evolve.record.learner import Learner
    from evolve.record.stores import Stores
    from evolve.sandbox import Sandbox
    from evolve.tasks import Submission, Task
    from evolve.workspace.shelves.judges import Judges


class Metrics(Shelf):
    """Comments on runs and the metrics induced from them.

    A metric can be a target to search for. It is never what acceptance rests on: the gate counts verified solves, and
    sees no metric.
    """

    def __init__(self, stores: Stores, acts: PreferenceBook, judges: Judges, learner: Learner) -> None:
        self._book = MetricBook(stores.db, acts.embedder, lambda text: own_words(text, unfit))
        self._acts = acts
        self._runs = stores.runs
        self._judges = judges
        self._learner = learner

    def comment(self, run: str, text: str, *, author: str | None = None) -> Comment:
        """Keeps what a person says about a run, and takes it into the metrics.

        Raises:
            UsageError: There is no such run, or the text holds nothing besides what it quotes.
        """
        if not own_words(text, unfit):
            raise UsageError("a comment needs some words of yours besides what they quote")
        stored_run = self._runs.run(run)
        act = PersonAct(kind="comment", text=text, run=stored_run.id, author=author or getpass.getuser())
        comment = self._acts.keep(act)
        self.gather()
        return comment

    def gather(self) -> builtins.list[Metric]:
        """Takes comments that are new into the metrics; gives those that came of it."""
        return self._book.induce(self.comments())

    def comments(self, run: str | None = None) -> builtins.list[Comment]:
        """All comments on runs, or those on one, oldest first."""
        return [act for act in self._acts.acts("comment") if act.run and run in (None, act.run)]

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
        return self._book.edit(name, new_name=new_name, definition=definition)

    def propose(self, name: str) -> Described:
        """What a model would call a metric and how it would define it; nothing is changed.

        Raises:
            UsageError: There is no such metric, or no model is named.
            ModelMistake: What the model says reads like an order, or holds code or an address.
            EndpointProblem: It could not be asked.
        """
        return described_by(self._learner, [example.text for example in self._book.get(name).examples])

    def forget(self, names: Sequence[str]) -> int:
        """Deletes metrics; gives how many. The comments stay.

        Raises:
            UsageError: One is unknown; then nothing is deleted.
        """
        return self._book.forget(names)

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
        verdict = self._judges.verifier(rubric_task).verify(submission, sandbox)
        return float(verdict.accepted) if verdict.measured else None
