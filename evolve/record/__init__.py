"""The record of a workspace: its stores, and the learned states read from them, as values and as agents."""

from __future__ import annotations

from evolve.record.arms import UNLEARNED, Arm, Learner, agent_for, recall_from
from evolve.record.drafts import Proposal, judge_draft
from evolve.record.journal import MIGRATIONS
from evolve.record.stores import Stores

__all__ = [
    "MIGRATIONS",
    "UNLEARNED",
    "Arm",
    "Learner",
    "Proposal",
    "Stores",
    "agent_for",
    "judge_draft",
    "recall_from",
]
