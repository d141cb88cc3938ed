"""Writing a function that examples show: the kind ``programs``."""

from evolve.core.lazy import TYPE_CHECKING, attach

if TYPE_CHECKING:
    from evolve.environments.programs.environment import ProgramsEnvironment
    from evolve.environments.programs.kind import PROGRAMS, Programs
else:
    __getattr__, __dir__ = attach(__name__)
