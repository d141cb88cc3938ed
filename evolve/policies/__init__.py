"""What decides: the :class:`Policy` protocol, and its two implementations in subpackages."""

from __future__ import annotations

from evolve.lazy import attach

TYPE_CHECKING = False
if TYPE_CHECKING:
    from evolve.environments.probing import Probe
    from evolve.policies.protocol import Design, DesignBrief, Designer, Edit, Policy, Rewriter, Spending
else:
    __all__, __getattr__, __dir__ = attach(
        __name__,
        {
            "evolve.environments.probing": "Probe",
            ".protocol": "Design DesignBrief Designer Edit Policy Rewriter Spending",
        },
    )
