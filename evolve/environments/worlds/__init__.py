"""A task of a world, done by code that makes moves: the kind ``worlds``."""

from __future__ import annotations

from evolve.environments.worlds.kind import WORLDS, Worlds
from evolve.environments.worlds.work import WorldWork

__all__ = ["WORLDS", "WorldWork", "Worlds"]
