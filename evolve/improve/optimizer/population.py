"""A candidate with its trials, and how two of them compare by these."""

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
    def cost(self) -> float:
        """Mean cost of a trial, as the gate compares costs."""
        costs = comparable_costs([trial.cost for trial in self.trials.values()])
        return sum(costs) / len(costs) if costs else 0.0

    @property
    def target(self) -> float | None:
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
