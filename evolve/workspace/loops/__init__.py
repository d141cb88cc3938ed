"""What goes on unattended. A name is loaded when it is asked for: most commands begin no loop."""

from __future__ import annotations

from evolve.lazy import attach

TYPE_CHECKING = False
if TYPE_CHECKING:
    from evolve.workspace.loops.ablating import AblationRequest
    from evolve.workspace.loops.improving import Asked, improve, report
    from evolve.workspace.loops.optimizing import OptimizerRequest, optimize
else:
    __all__, __getattr__, __dir__ = attach(
        __name__,
        {
            ".ablating": "AblationRequest",
            ".improving": "Asked improve report",
            ".optimizing": "OptimizerRequest optimize",
        },
    )
