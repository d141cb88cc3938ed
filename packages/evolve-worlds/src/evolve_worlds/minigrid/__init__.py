"""Levels of BabyAI in words: what is seen, and moves that are carried out over what was seen."""

from __future__ import annotations

from evolve_worlds.minigrid.levels import MiniGrid

__all__ = ["MiniGrid"]
