"""The index of a snapshot is made when it is needed, and a copy for another process brings it along."""

from __future__ import annotations

import pickle

from evolve.memory import MemoryRepository
from evolve.memory.index import MemoryIndex
from evolve.runtime.retrieval import HashingEmbedder
from evolve.testing import FixedLearner
from evolve.trials import LearnedState
from evolve.workspace.learners import SearchLearner


class Counting(HashingEmbedder):
    """Counts the texts that it encodes."""

    def __init__(self) -> None:
        super().__init__(64)
        self.texts = 0

    def encode(self, texts):
        self.texts += len(texts)
        return super().encode(texts)


def test_a_snapshot_encodes_nothing_before_it_is_searched_and_a_copy_nothing_again(store, lesson) -> None:
    db, counting = store.database(), Counting()
    memory = MemoryRepository(db, MemoryIndex, counting)
    with db.transaction():
        for number in range(6):
            taught = lesson(number, cause=f"operation:{number % 2}", features=(1.0, number / 6, 3.0))
            memory.commit(taught, instruction=f"put {number} things in order")
    snapshot = memory.snapshot()
    assert snapshot.book.has_experience() == bool(snapshot.experience_rows()) and counting.texts == 0

    copy = pickle.loads(pickle.dumps(snapshot))
    assert counting.texts == 6
    counts = counting.texts, copy.encoder.embedder.texts
    found = snapshot.recall("order", features=(1.0, 0.5, 3.0))
    assert found and found == copy.recall("order", features=(1.0, 0.5, 3.0))
    assert (counting.texts, copy.encoder.embedder.texts) == (counts[0] + 1, counts[1] + 1)  # the question, no more
    assert found == memory.recall("order", features=(1.0, 0.5, 3.0))
    memory.close()
    db.close()


def test_a_memory_is_sent_along_where_a_policy_recalls_and_nowhere_else(memory: MemoryRepository) -> None:
    arm = LearnedState(memory=memory.snapshot())
    assert arm.seen_by(SearchLearner()).memory is None
    assert arm.seen_by(FixedLearner()).memory is arm.memory
