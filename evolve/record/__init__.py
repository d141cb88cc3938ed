"""The record of a workspace: its stores, and the learned states read from them, as values and as agents."""

from evolve.lazy import TYPE_CHECKING, attach

if TYPE_CHECKING:
    from evolve.record.arms import Arm, agent_for
    from evolve.record.drafts import Proposal
    from evolve.record.learner import Learner
    from evolve.record.stores import Stores
else:
    __getattr__, __dir__ = attach(__name__)
