"""What decides: the :class:`BasePolicy`, and the two policies in subpackages."""

from evolve.core.lazy import TYPE_CHECKING, attach

if TYPE_CHECKING:
    from evolve.environments.probing import Probe
    from evolve.policies.base import (
        BasePolicy,
        PromptEdit,
        PromptEditor,
        WorkflowBrief,
        WorkflowDraft,
        WorkflowWriter,
    )
else:
    __getattr__, __dir__ = attach(__name__)
