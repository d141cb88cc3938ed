"""A task of a world, done by code that makes moves: the kind ``worlds``."""

from evolve.core.lazy import TYPE_CHECKING, attach

if TYPE_CHECKING:
    from evolve_worlds.environment.kind import WORLDS, Worlds
    from evolve_worlds.environment.work import WorldWork
else:
    __getattr__, __dir__ = attach(__name__)
