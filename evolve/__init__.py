"""evolve: an agent that measurably learns.

    import evolve

    with evolve.open() as workspace:
        result = workspace.run(examples="data.csv")

Importing this loads nothing heavy; what a call needs is loaded by the call.
"""

from __future__ import annotations

TYPE_CHECKING = False  # as in ``typing``, which is slow to load and which the start of the command does not wait for
if TYPE_CHECKING:
    from typing import Any

    from evolve.errors import EvolveError
    from evolve.workspace import Result, Workspace, config, doctor, init, open, repair, selftest, status, where

__all__ = [
    "EvolveError",
    "Result",
    "Workspace",
    "__version__",
    "config",
    "doctor",
    "init",
    "open",
    "repair",
    "selftest",
    "status",
    "where",
]

__version__ = "0.1.0"


def __dir__() -> list[str]:
    return __all__


def __getattr__(name: str) -> Any:
    if name == "EvolveError":
        from evolve.errors import EvolveError

        return EvolveError
    if name in __all__:
        from evolve import workspace

        return getattr(workspace, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
