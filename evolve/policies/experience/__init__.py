"""A policy without a model that learns what causes what in worlds, from trial to trial."""

from evolve.lazy import TYPE_CHECKING, attach

if TYPE_CHECKING:
    from evolve.policies.experience.kept_trials import Observer, practice_steps, run
    from evolve.policies.experience.learner import Experience, Learner, Limits, TrialResult
    from evolve.policies.experience.meaning import Meaning
    from evolve.policies.experience.notes import Plan, Step, VariationNotes
    from evolve.policies.experience.player import Player
    from evolve.policies.experience.transitions import TransitionMemory
    from evolve.policies.experience.trials import Schedule, Setting, practised, tried
else:
    __getattr__, __dir__ = attach(__name__)
