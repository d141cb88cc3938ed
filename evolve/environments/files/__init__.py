"""Working in a copy of a folder until a check passes: the kind ``files``."""

from __future__ import annotations

from evolve.environments.files.environment import FilesEnvironment
from evolve.environments.files.kind import FILES, Files
from evolve.environments.files.snapshots import Changes, Snapshots

__all__ = ["FILES", "Changes", "Files", "FilesEnvironment", "Snapshots"]
