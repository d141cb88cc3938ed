"""The target of a search: a measured judge scores answers by a metric, to choose candidates but to accept none."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from evolve.core.episodes import EpisodeRecord
from evolve.core.files import canonical_json, digest
from evolve.improve.optimizer.population import ScoredCandidate, compare, is_preferred, target_wins
from evolve.improve.paid import PaidAnswers
from evolve.improve.screening import SessionTrials, net_win_share
from evolve.tasks import Task
from evolve.trials.gate import NOTHING, ConfidenceInterval, clopper_pearson, is_verified

Score = Callable[[Task, str], float | None]
"""How an answer to a task does: 1 or 0, or None where the judge says nothing that counts."""


@dataclass(frozen=True, kw_only=True)
class MetricTarget:
    """A metric with the judge that tells how answers do by it.

    Attributes:
        metric, judge: Their names.
        key: Digest of what the metric says and of judge and prompt; opinions are kept under it.
        paid: Where opinions are paid and kept.
    """

    metric: str
    judge: str
    key: str
    score: Score
    paid: PaidAnswers

    def score_of(self, task: Task, record: EpisodeRecord) -> float | None:
        """The opinion on the answer of an episode; None where it is not verified: what does not work has no style.

        Raises:
            SearchEnded: The budget does not cover the question.
            EndpointProblem: The judge could not be asked.
        """
        if not is_verified(record):
            return None
        name = digest(canonical_json([self.key, task.instruction, record.answer]))
        opinion = self.paid.answer_once(f"target:{name}", lambda: self.score(task, record.answer))
        return None if opinion is None else float(opinion)


@dataclass(frozen=True, kw_only=True)
class TargetFigures:
    """What a search found by its target: opinions of a judge about answers to train tasks that both solve.

    Attributes:
        start, best: Share of answers that the judge approves, with exact bounds; ``best`` without a value where no
            candidate is preferred.
        gain: Share of tasks on which the best does better than the start, minus the share on which it does worse. The
            best was chosen by it, so it is likely too high.
        variant: Digest of the best candidate, or "".
        verdict: What the gate said of it: ``accept``, ``reject``, ``undecided``, or "" where it was not asked.
    """

    metric: str
    judge: str
    start: ConfidenceInterval
    best: ConfidenceInterval = NOTHING
    gain: ConfidenceInterval = NOTHING
    variant: str = ""
    verdict: str = ""

    @property
    def promoted(self) -> bool:
        """Whether the gate accepted the best candidate, for its solves and cost."""
        return self.verdict == "accept"


def target_figures(target: MetricTarget, trials: SessionTrials) -> TargetFigures:
    """The start beside the candidate that does best by the target, among those that do no worse by solves and cost.

    That is one which is preferred to what was accepted last, else what was accepted, where it is preferred to the
    start.
    """
    start, incumbent = trials.seen[trials.start.digest], trials.seen[trials.incumbent.digest]
    rivals = [member for member in trials.seen.values() if is_preferred(member, incumbent)]
    if not rivals and is_preferred(incumbent, start):
        rivals = [incumbent]
    if not rivals:
        return TargetFigures(metric=target.metric, judge=target.judge, start=_share(start, start.trials))
    best = max(rivals, key=lambda member: _rank(member, incumbent))
    both = [task for task, trial in best.trials.items() if _value(start, task) is not None and trial.target is not None]
    more, fewer = target_wins(best, start)
    gain, low, high = net_win_share(more, fewer, len(both) - more - fewer)
    verdicts = {candidate.digest: str(decision["verdict"]) for candidate, decision in trials.verdicts}
    return TargetFigures(
        metric=target.metric,
        judge=target.judge,
        start=_share(start, both),
        best=_share(best, both),
        gain=ConfidenceInterval(value=gain, low=low, high=high, n=len(both)),
        variant=trials.save_candidate(best.candidate),
        verdict=verdicts.get(best.candidate.digest, ""),
    )


def _rank(member: ScoredCandidate, incumbent: ScoredCandidate) -> tuple[int, int, float, str]:
    wins, losses = compare(member, incumbent)
    more, fewer = target_wins(member, incumbent)
    return more - fewer, wins - losses, -member.mean_cost, member.candidate.digest


def _share(member: ScoredCandidate, tasks: Sequence[str] | Mapping[str, object]) -> ConfidenceInterval:
    known = [value for task in tasks if (value := _value(member, task)) is not None]
    return clopper_pearson(sum(value >= 0.5 for value in known), len(known))


def _value(member: ScoredCandidate, task: str) -> float | None:
    trial = member.trials.get(task)
    return None if trial is None else trial.target
