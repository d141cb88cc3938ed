"""The unattended loop: practise, admit, fit, judge, promote; and the report on whether it helped."""

from __future__ import annotations

from evolve.improve.arms import UNLEARNED, Arm, Learner, agent_for, recall_from
from evolve.improve.bench import judge_draft
from evolve.improve.jobs import EpisodeJob, Proposal, WorkerSetup
from evolve.improve.journal import MIGRATIONS
from evolve.improve.stores import Stores
from evolve.improve.workers import LocalWorkers, ProcessWorkers, open_workers

__all__ = [
    "MIGRATIONS",
    "UNLEARNED",
    "Arm",
    "EpisodeJob",
    "Learner",
    "LocalWorkers",
    "ProcessWorkers",
    "Proposal",
    "Stores",
    "WorkerSetup",
    "agent_for",
    "judge_draft",
    "open_workers",
    "recall_from",
]
