"""ScienceWorld: thirty tasks of elementary science, simulated in Java."""

from __future__ import annotations

from evolve_worlds.scienceworld.world import ScienceWorld

__all__ = ["ScienceWorld"]
