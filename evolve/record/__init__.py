"""The record of a workspace: its stores, and the learned states read from them, as values and as agents."""

from __future__ import annotations

from evolve.lazy import attach

TYPE_CHECKING = False
if TYPE_CHECKING:
    from evolve.record.arms import UNLEARNED, Arm, agent_for, recall_from
    from evolve.record.drafts import Proposal, judge_draft
    from evolve.record.learner import Learner
    from evolve.record.stores import Stores
else:
    __all__, __getattr__, __dir__ = attach(
        __name__,
        {
            ".arms": "UNLEARNED Arm agent_for recall_from",
            ".drafts": "Proposal judge_draft",
            ".learner": "Learner",
            ".stores": "Stores",
        },
    )
