"""Writing a function that examples show: the kind ``programs``."""

from __future__ import annotations

from evolve.lazy import attach

TYPE_CHECKING = False
if TYPE_CHECKING:
    from evolve.environments.programs.environment import ProgramsEnvironment
    from evolve.environments.programs.kind import PROGRAMS, Programs
else:
    __all__, __getattr__, __dir__ = attach(
        __name__,
        {
            ".environment": "ProgramsEnvironment",
            ".kind": "PROGRAMS Programs",
        },
    )
