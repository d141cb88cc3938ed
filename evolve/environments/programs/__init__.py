"""Writing a function that examples show: the kind ``programs``."""

from __future__ import annotations

from evolve.environments.programs.environment import ProgramsEnvironment
from evolve.environments.programs.kind import PROGRAMS, Programs

__all__ = ["PROGRAMS", "Programs", "ProgramsEnvironment"]
