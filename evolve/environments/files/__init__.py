"""Working in a copy of a folder until a check passes: the kind ``files``."""

from evolve.core.lazy import TYPE_CHECKING, attach

if TYPE_CHECKING:
    from evolve.environments.files.environment import FilesEnvironment
    from evolve.environments.files.kind import FILES, Files
    from evolve.environments.files.snapshots import Changes, Snapshots
else:
    __getattr__, __dir__ = attach(__name__)
