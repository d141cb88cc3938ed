"""A policy without a model that learns what causes what in worlds, from trial to trial."""

from __future__ import annotations

from evolve.policies.experience.kept_trials import Observer, practice_steps, run
from evolve.policies.experience.learner import Experience, Learner, Limits, TrialResult
from evolve.policies.experience.meaning import Meaning
from evolve.policies.experience.notes import Plan, Step, VariationNotes
from evolve.policies.experience.player import Player
from evolve.policies.experience.transitions import TransitionMemory
from evolve.policies.experience.trials import Schedule, Setting, practised, tried

__all__ = [
    "Experience",
    "Learner",
    "Limits",
    "Meaning",
    "Observer",
    "Plan",
    "Player",
    "Schedule",
    "Setting",
    "Step",
    "TransitionMemory",
    "TrialResult",
    "VariationNotes",
    "practice_steps",
    "practised",
    "run",
    "tried",
]
