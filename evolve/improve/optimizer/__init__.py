"""Searches for better prompts, workflows and parts of a learned state. Proposes; never judges."""

from evolve.core.lazy import TYPE_CHECKING, attach

if TYPE_CHECKING:
    from evolve.improve.optimizer.workflow_parts import crossover, parts_of, resample_part
else:
    __getattr__, __dir__ = attach(__name__)
