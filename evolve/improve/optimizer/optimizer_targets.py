"""Breaks ties between candidates by a target that a person chose, where solves and cost tell nothing apart.

Of those that do better by solves or cost, the one that is put to the gate first is chosen by solves, then the target,
then cost. What is better by the target alone is not put to the gate: that could only
use up some of its error budget, and so have it refuse something else. The gate hears of no target.
"""

from __future__ import annotations

from evolve.improve.optimizer.population import ScoredCandidate, compare


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
    return (lost - gained, fewer - more, losses - wins, -child.score, child.cost)


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
