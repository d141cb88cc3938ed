"""Breaks ties between candidates by a target that a person chose, where solves and cost tell nothing apart.

The order is solved, then cost, then the target. Of those that do better, the one that is put to the gate first is
chosen by solves, then the target, then cost. What is better by the target alone is not put to the gate: that could only
use up some of its error budget, and so have it refuse something else. The gate hears of no target.
"""

from __future__ import annotations

from evolve.optimizer.population import Member, compare


def liked(child: Member, other: Member) -> tuple[int, int]:
    """On how many tasks the child's target is higher and lower, of those where both have one."""
    pairs = [(trial.target, other.trials[task].target) for task, trial in child.trials.items() if task in other.trials]
    known = [(mine, theirs) for mine, theirs in pairs if mine is not None and theirs is not None]
    return sum(mine > theirs for mine, theirs in known), sum(mine < theirs for mine, theirs in known)


def is_preferred(child: Member, other: Member) -> bool:
    """Whether the child does no worse than another by score and cost, and better by the target."""
    wins, losses = compare(child, other)
    more, fewer = liked(child, other)
    return wins >= losses and more > fewer


def standing(child: Member, other: Member) -> tuple[float, ...] | None:
    """Where a child stands among those worth judging, the least first; None if it wins no more than it loses."""
    wins, losses = compare(child, other)
    if wins <= losses:
        return None
    more, fewer = liked(child, other)
    first = losses - wins if child.target is None else _scores_lost(child, other)
    return (first, fewer - more, losses - wins, -child.score, child.cost)


def _scores_lost(child: Member, other: Member) -> int:
    """Tasks on which the child's score is lower, less those where it is higher."""
    pairs = [(trial.score, other.trials[task].score) for task, trial in child.trials.items() if task in other.trials]
    return sum(mine < theirs for mine, theirs in pairs) - sum(mine > theirs for mine, theirs in pairs)
