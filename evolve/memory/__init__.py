"""Memory: causal insights resolved from evidence, recalled by similarity; notes beside them."""

from evolve.core.lazy import TYPE_CHECKING, attach

if TYPE_CHECKING:
    from evolve.memory.causal_graph import CausalChain
    from evolve.memory.experiments import plan_removals, plan_test
    from evolve.memory.insight_book import EpisodeEntry, ExperienceRow
    from evolve.memory.insights import (
        INFLUENTIAL,
        ClaimKey,
        EvidenceRow,
        Insight,
        InsightStatus,
        Posterior,
        insight_id,
        resolve,
    )
    from evolve.memory.notes import Note, NoteQuestion, recall_notes
    from evolve.memory.repository import MemoryCheck, MemoryRepository
    from evolve.memory.sentences import Sentence
    from evolve.memory.snapshot import MemorySnapshot
else:
    __getattr__, __dir__ = attach(__name__)
