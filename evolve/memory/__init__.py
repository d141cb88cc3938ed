"""Memory: causal insights resolved from evidence, recalled by similarity; notes beside them."""

from __future__ import annotations

from evolve.lazy import attach

TYPE_CHECKING = False
if TYPE_CHECKING:
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
    from evolve.memory.snapshot import MemorySnapshot, Recaller
    from evolve.memory.telling import Sentence
else:
    __all__, __getattr__, __dir__ = attach(
        __name__,
        {
            ".causal_graph": "CausalChain Link",
            ".derived_index": "IndexFactory",
            ".encoding": "TaskEncoder",
            ".insight_book": "EpisodeEntry ExperienceRow InsightBook direction_of",
            ".insights": (
                "FIRM INFLUENTIAL ClaimKey EvidenceRow Insight InsightStatus Posterior Standing camp_of insight_id "
                "resolve"
            ),
            ".memory": "Memory MemoryCheck",
            ".need": "Need",
            ".notes": "Note NoteQuestion answer_from",
            ".planning": "PlannedRemoval PlannedTest plan_removals plan_test",
            ".snapshot": "MemorySnapshot Recaller",
            ".telling": "Sentence",
        },
    )
