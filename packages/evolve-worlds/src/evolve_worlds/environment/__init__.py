"""A task of a world, done by code that makes moves: the kind ``worlds``."""

from __future__ import annotations

from evolve.lazy import attach

TYPE_CHECKING = False
if TYPE_CHECKING:
    from evolve_worlds.environment.kind import WORLDS, Worlds
    from evolve_worlds.environment.work import WorldWork
else:
    __all__, __getattr__, __dir__ = attach(
        __name__,
        {
            ".kind": "WORLDS Worlds",
            ".work": "WorldWork",
        },
    )
