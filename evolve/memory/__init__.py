"""Memory: causal insights resolved from evidence, recalled by similarity; notes beside them."""

from __future__ import annotations

from evolve.memory.causal_graph import CausalChain, Link
from evolve.memory.derived_index import IndexFactory
from evolve.memory.encoding import TaskEncoder
from evolve.memory.insight_book import EpisodeEntry, ExperienceRow, InsightBook, direction_of
from evolve.memory.insights import (
    FIRM,
    INFLUENTIAL,
    ClaimKey,
    EvidenceRow,
    Insight,
    InsightStatus,
    Posterior,
    Standing,
    camp_of,
    insight_id,
    resolve,
)
from evolve.memory.memory import Memory, MemoryCheck
from evolve.memory.need import Need
from evolve.memory.notes import Note, NoteQuestion, answer_from
from evolve.memory.planning import PlannedRemoval, PlannedTest, plan_removals, plan_test
from evolve.memory.record import MIGRATIONS
from evolve.memory.snapshot import MemorySnapshot, Recaller
from evolve.memory.telling import Sentence

__all__ = [
    "FIRM",
    "INFLUENTIAL",
    "MIGRATIONS",
    "CausalChain",
    "ClaimKey",
    "EpisodeEntry",
    "EvidenceRow",
    "ExperienceRow",
    "IndexFactory",
    "Insight",
    "InsightBook",
    "InsightStatus",
    "Link",
    "Memory",
    "MemoryCheck",
    "MemorySnapshot",
    "Need",
    "Note",
    "NoteQuestion",
    "PlannedRemoval",
    "PlannedTest",
    "Posterior",
    "Recaller",
    "Sentence",
    "Standing",
    "TaskEncoder",
    "answer_from",
    "camp_of",
    "direction_of",
    "insight_id",
    "plan_removals",
    "plan_test",
    "resolve",
]
