"""A policy without a model that learns what causes what in worlds, from trial to trial."""

from evolve.core.lazy import TYPE_CHECKING, attach

if TYPE_CHECKING:
    from evolve_worlds.experience.kept_trials import Observer, practice_steps, run
    from evolve_worlds.experience.learner import Experience, Learner, Limits, TrialResult
    from evolve_worlds.experience.meaning import Meaning
    from evolve_worlds.experience.notes import Plan, Step, VariationNotes
    from evolve_worlds.experience.player import Player
    from evolve_worlds.experience.transitions import TransitionMemory
    from evolve_worlds.experience.trials import Schedule, Setting, practised, tried
else:
    __getattr__, __dir__ = attach(__name__)
