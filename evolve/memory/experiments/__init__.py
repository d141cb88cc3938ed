"""Experiments: sequences of actions are played again with one cause taken out or put in, all else the same.

A policy that acts in a world hands over what it played; what comes back are claims with interventions behind them.
"""

from __future__ import annotations

from evolve.memory.experiments.claims import ACTION, REACHES, Beliefs
from evolve.memory.experiments.experimenter import Experimenter
from evolve.memory.experiments.notebook import MemoryNotebook, Notebook
from evolve.memory.experiments.replays import Allowance, Outcome, OutOfEpisodes, Replayable, Replays, Trace

__all__ = [
    "ACTION",
    "REACHES",
    "Allowance",
    "Beliefs",
    "Experimenter",
    "MemoryNotebook",
    "Notebook",
    "OutOfEpisodes",
    "Outcome",
    "Replayable",
    "Replays",
    "Trace",
]
