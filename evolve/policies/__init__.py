"""What decides: the :class:`Policy` protocol, and its two implementations in subpackages."""

from evolve.core.lazy import TYPE_CHECKING, attach

if TYPE_CHECKING:
    from evolve.environments.probing import Probe
    from evolve.policies.base import (
        Policy,
        PromptEdit,
        PromptEditor,
        Spending,
        WorkflowBrief,
        WorkflowDraft,
        WorkflowWriter,
    )
else:
    __getattr__, __dir__ = attach(__name__)
