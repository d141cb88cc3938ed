"""Makes a metric the target of a search: scored by a measured judge, whose calls the run pays for."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from evolve.errors import UsageError
from evolve.files import canonical_json, digest
from evolve.improve.paid import PaidAnswers
from evolve.improve.session import Session
from evolve.improve.targets import Target
from evolve.policies.language import EpisodeMeter, LanguagePolicy
from evolve.sandbox import Sandbox
from evolve.tasks import Submission, Task
from evolve.workspace.desk import Desk

if TYPE_CHECKING:
    from evolve.workspace.shelves.metrics import Metrics


@dataclass(frozen=True, kw_only=True)
class ChosenTarget:
    """A metric that a search may have as its target.

    Attributes:
        wanted: What it asks for, in words.
        key: Digest of this, the judge and its prompt; with another it is another search.
    """

    metrics: Metrics
    metric: str
    judge: str
    wanted: str
    key: str
    meter: EpisodeMeter

    def within(self, session: Session) -> Target:
        """The target for a run, which pays for it."""
        paid = PaidAnswers(self.meter, session.ledger, session.journal)
        score = partial(_score, self.metrics, self.metric, session.sandbox())
        return Target(metric=self.metric, judge=self.judge, key=self.key, score=score, paid=paid)


def chosen_target(desk: Desk, name: str) -> ChosenTarget:
    """The metric with this name or id, as a target.

    Raises:
        UsageError: There is no such metric, no model that could judge, or its judge was not measured or is not good
            enough for its opinions to count.
    """
    metric = desk.metrics.show(name)
    judge, standing = desk.judges.model, desk.judges.standing()
    if standing != "measured":
        problem = f"{judge} would judge by {metric.name}, and is {standing} as a judge"
        raise UsageError(problem, hint=f"evolve lab judges {judge}")
    policy = desk.learner.policy(None, ())
    if not isinstance(policy, LanguagePolicy):
        raise UsageError("a target needs a language model that decides and judges", hint="evolve models")
    return ChosenTarget(
        metrics=desk.metrics,
        metric=metric.name,
        judge=judge,
        wanted=metric.rubric,
        key=digest(canonical_json(["target", metric.rubric, judge, desk.judges.prompt])),
        meter=policy.meter,
    )


def _score(metrics: Metrics, name: str, sandbox: Sandbox, task: Task, answer: str) -> float | None:
    return metrics.score(name, task, Submission(code=answer), sandbox)
