"""Experiments: sequences of actions are played again with one cause taken out or put in, all else the same.

A policy that acts in a world hands over what it played; what comes back are claims with interventions behind them.
"""

from __future__ import annotations

from evolve.memory.experiments.ablation import Ablation, Found, Play
from evolve.memory.experiments.claims import ACTION, REACHES, Beliefs
from evolve.memory.experiments.experimenter import Experimenter
from evolve.memory.experiments.moves import GOING_ON, Told, move_claims, played, score_in, told
from evolve.memory.experiments.naming import Naming, filled_in, read_move
from evolve.memory.experiments.notebook import MemoryNotebook, Notebook
from evolve.memory.experiments.replays import Allowance, Outcome, OutOfEpisodes, Replayable, Replays, Trace

__all__ = [
    "ACTION",
    "GOING_ON",
    "REACHES",
    "Ablation",
    "Allowance",
    "Beliefs",
    "Experimenter",
    "Found",
    "MemoryNotebook",
    "Naming",
    "Notebook",
    "OutOfEpisodes",
    "Outcome",
    "Play",
    "Replayable",
    "Replays",
    "Told",
    "Trace",
    "filled_in",
    "move_claims",
    "played",
    "read_move",
    "score_in",
    "told",
]
