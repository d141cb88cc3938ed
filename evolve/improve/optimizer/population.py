"""Candidates with their trials, how two of them compare, and the target that a person chose to break ties by.

Of those that do better by solves or cost, the one that is put to the gate first is chosen by solves, then the target,
then cost. What is better by the target alone is not put to the gate: that could only
use up some of its error budget, and so have it refuse something else. The gate hears of no target.
"""

from __future__ import annotations

from dataclasses import dataclass

from evolve.improve.optimizer.engine import Candidate, CandidateTrial
from evolve.trials.gate import comparable_costs, cost_outcome


@dataclass(kw_only=True)
class ScoredCandidate:
    """A candidate with what its trials said."""

    candidate: Candidate
    trials: dict[str, CandidateTrial]

    @property
    def score(self) -> float:
        """Mean score over informative trials; 0 without any."""
        return sum(trial.score for trial in self.trials.values()) / len(self.trials) if self.trials else 0.0

    @property
    def mean_cost(self) -> float:
        """Mean cost of a trial, as the gate compares costs."""
        costs = comparable_costs([trial.cost for trial in self.trials.values()])
        return sum(costs) / len(costs) if costs else 0.0

    @property
    def mean_target(self) -> float | None:
        """Mean target of the trials that have one; None where none has."""
        known = [trial.target for trial in self.trials.values() if trial.target is not None]
        return sum(known) / len(known) if known else None


def compare(child: ScoredCandidate, other: ScoredCandidate) -> tuple[int, int]:
    """On how many tasks the child did better and worse than another: by score, then by the cost as the gate does."""
    wins = losses = 0
    for task, mine in child.trials.items():
        theirs = other.trials.get(task)
        if theirs is None:
            continue
        if mine.score != theirs.score:
            wins += mine.score > theirs.score
            losses += mine.score < theirs.score
        elif mine.solved:
            outcome = cost_outcome(theirs.cost, mine.cost)
            wins += outcome == "win"
            losses += outcome == "loss"
    return wins, losses


def same_outcomes(member: ScoredCandidate, other: ScoredCandidate) -> bool:
    """Whether every task that both tried went exactly the same, at a cost that was measured.

    A cost that is equal on all tasks is a limit they ran into, and tells nothing.
    """
    both = [(trial, other.trials[name]) for name, trial in member.trials.items() if name in other.trials]
    costs = [comparable_costs((a.cost, b.cost)) for a, b in both]
    same = all((a.score, a.target) == (b.score, b.target) for a, b in both)
    return same and all(mine == theirs for mine, theirs in costs) and len({mine for mine, _ in costs}) > 1


def tasks_that_differ(member: ScoredCandidate, other: ScoredCandidate) -> list[str]:
    """The tasks that ended with another score."""
    both = [(name, trial, other.trials[name]) for name, trial in member.trials.items() if name in other.trials]
    return [name for name, mine, theirs in both if mine.score != theirs.score]


def target_wins(child: ScoredCandidate, other: ScoredCandidate) -> tuple[int, int]:
    """On how many tasks the child's target is higher and lower, of those where both have one."""
    pairs = [(trial.target, other.trials[task].target) for task, trial in child.trials.items() if task in other.trials]
    known = [(mine, theirs) for mine, theirs in pairs if mine is not None and theirs is not None]
    return sum(mine > theirs for mine, theirs in known), sum(mine < theirs for mine, theirs in known)


def is_preferred(child: ScoredCandidate, other: ScoredCandidate) -> bool:
    """Whether the child does no worse than another by score and cost, and better by the target."""
    wins, losses = compare(child, other)
    more, fewer = target_wins(child, other)
    return wins >= losses and more > fewer


def rank_by_target(child: ScoredCandidate, other: ScoredCandidate) -> tuple[float, ...] | None:
    """Where a child stands among those worth judging, the least first; None if it is no better by solves or cost.

    Success comes first, as it does where the gate looks at both as wholes: whoever solves more may cost more.
    """
    wins, losses = compare(child, other)
    gained, lost = _scores(child, other)
    if gained <= lost and wins <= losses:
        return None
    more, fewer = target_wins(child, other)
    return (lost - gained, fewer - more, losses - wins, -child.score, child.mean_cost)


def target_evidence(child: ScoredCandidate, other: ScoredCandidate) -> float:
    """How far the child's gain is from chance, in squared standard deviations of as many fair coins; 0 without a gain.

    By pairs as the gate counts them, or by solves alone where these show more: a few tasks may not tell that what
    solves more wins more pairs than it loses by its cost.
    """
    return max(_surprise(*compare(child, other)), _surprise(*_scores(child, other)))


def _surprise(wins: int, losses: int) -> float:
    return (wins - losses) ** 2 / (wins + losses) if wins > losses else 0.0


def _scores(child: ScoredCandidate, other: ScoredCandidate) -> tuple[int, int]:
    """On how many tasks the child's score is higher and lower."""
    pairs = [(trial.score, other.trials[task].score) for task, trial in child.trials.items() if task in other.trials]
    return sum(mine > theirs for mine, theirs in pairs), sum(mine < theirs for mine, theirs in pairs)
