"""evolve: an agent that measurably learns.

    import evolve

    with evolve.open() as workspace:
        result = workspace.run(examples="data.csv")

Importing this loads nothing heavy; what a call needs is loaded by the call.
"""

from evolve.core.lazy import TYPE_CHECKING, attach

if TYPE_CHECKING:
    from evolve.core.errors import EvolveError
    from evolve.workspace import Result, Workspace, config, doctor, init, open, repair, status, where
else:
    __getattr__, __dir__ = attach(__name__, "__version__")

__version__ = "0.1.0"
