"""Experiments: moves are played again without some of them, all else the same, and what that shows becomes claims."""

from __future__ import annotations

from evolve.memory.experiments.ablation import SAME, Ablation, Allowance, Found, OutOfEpisodes, Play
from evolve.memory.experiments.moves import (
    GOING_ON,
    REACHES,
    THEN,
    Told,
    claim_on_plan,
    effect_of,
    move_claims,
    played,
    score_in,
    shown_in,
    told,
)
from evolve.memory.experiments.naming import GOAL, OTHER, Naming, filled_in, read_move, words

__all__ = [
    "GOAL",
    "GOING_ON",
    "OTHER",
    "REACHES",
    "SAME",
    "THEN",
    "Ablation",
    "Allowance",
    "Found",
    "Naming",
    "OutOfEpisodes",
    "Play",
    "Told",
    "claim_on_plan",
    "effect_of",
    "filled_in",
    "move_claims",
    "played",
    "read_move",
    "score_in",
    "shown_in",
    "told",
    "words",
]
