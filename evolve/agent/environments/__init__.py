"""What an episode acts on: ``programs`` writes a function, ``files`` works in a copy of a folder."""

from __future__ import annotations

from evolve.agent.environments.files import FilesEnvironment
from evolve.agent.environments.opening import open_environment
from evolve.agent.environments.programs import ProgramsEnvironment
from evolve.agent.environments.protocol import Environment
from evolve.agent.environments.snapshots import Changes, Snapshots

__all__ = ["Changes", "Environment", "FilesEnvironment", "ProgramsEnvironment", "Snapshots", "open_environment"]
