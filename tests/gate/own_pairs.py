"""Pairs of a person's own tasks, made up."""

from __future__ import annotations

from typing import Any

from evolve.core.episodes import Cost, EpisodeRecord
from evolve.trials.gate import ArmOutcome, PrequentialPair


def arm(task: str, candidates: int, variant: str = "unlearned", *, solved: bool = True, **more: Any) -> EpisodeRecord:
    """An episode of one arm, which is told apart by its variant."""
    return EpisodeRecord(
        episode=f"{task}-{variant}",
        run="",
        task=task,
        suite="",
        group=task,
        split="shadow",
        variant=variant,
        seed=0,
        status="solved" if solved else "budget",
        verified=solved,
        answer="",
        steps=(),
        cost=Cost(candidates=candidates),
        **more,
    )


def pair(outcome: str, *, alike: bool = False) -> PrequentialPair:
    """A pair that came out like this."""
    return PrequentialPair(
        episode="e", family="f", alike=alike, outcome=outcome, unlearned=ArmOutcome(), learned=ArmOutcome()
    )
