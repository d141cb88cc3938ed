"""Experiments in worlds that misreport and in which effects are several: what each action promotes and prevents.

They pay where replays are many; evolve/environments/README.md says what a kind has to offer.
"""

from __future__ import annotations

from benchmarks.experiments.claims import ACTION, REACHES, Beliefs
from benchmarks.experiments.experimenter import Experimenter
from benchmarks.experiments.notebook import MemoryNotebook, Notebook
from benchmarks.experiments.replays import Outcome, Replayable, Replays, Trace
from evolve_worlds.experiments import Allowance, OutOfEpisodes

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
