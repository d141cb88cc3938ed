"""Working in a copy of a folder until a check passes: the kind ``files``."""

from __future__ import annotations

from evolve.lazy import attach

TYPE_CHECKING = False
if TYPE_CHECKING:
    from evolve.environments.files.environment import FilesEnvironment
    from evolve.environments.files.kind import FILES, Files
    from evolve.environments.files.snapshots import Changes, Snapshots
else:
    __all__, __getattr__, __dir__ = attach(
        __name__,
        {
            ".environment": "FilesEnvironment",
            ".kind": "FILES Files",
            ".snapshots": "Changes Snapshots",
        },
    )
