"""Learned skills in formats that other agents load."""

from __future__ import annotations

from evolve.export import agent_skills

__all__ = ["agent_skills"]
