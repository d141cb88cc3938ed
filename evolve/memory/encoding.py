"""Items of the record as vectors: a task by its data and its instruction, a note by its words."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np

    from evolve.runtime.retrieval import Embedder

FEATURE_SLOTS = 256
"""Places for features. Shorter vectors are padded, which keeps cosines; longer ones are folded."""
FEATURE_SHARE = 0.3
"""Share of the cosine that features decide; the instruction decides the rest. The guide reads the
features anyway, so recall adds most by what only the wording tells (measured on generated suites)."""

Look = tuple[Sequence[float], str]
"""What an item is found by: features that can be observed, and words."""


class WordEncoder:
    """Encodes the words of a look and nothing else.

    Attributes:
        weight: Of its nearness beside the score of a search by words, which counts 1. A trained encoder's counts as
            much, hashed words half: they say once more what the search by words says. With MiniLM, weights from 1:1 to
            1:0.5 made no difference on conversations and documents.
    """

    def __init__(self, embedder: Embedder) -> None:
        from evolve.runtime.retrieval import HashingEmbedder

        self.weight = 0.5 if isinstance(embedder, HashingEmbedder) else 1.0
        self._embedder = embedder
        self.dimension = embedder.dimension
        self.name = f"{embedder.name}.spoken"

    def encode(self, looks: Sequence[Look]) -> np.ndarray:
        """Vectors of shape (len(looks), dimension)."""
        return self._embedder.encode([text for _, text in looks])


class TaskEncoder:
    """Encodes (features, instruction); both parts have length 1 before they are weighted and joined.

    The cosine of two tasks that have both parts is ``0.3 * cos(features) + 0.7 * cos(instructions)``.
    """

    def __init__(self, embedder: Embedder) -> None:
        self.embedder = embedder
        self.dimension = FEATURE_SLOTS + embedder.dimension
        self.name = f"{embedder.name}.{FEATURE_SLOTS}.{FEATURE_SHARE}"

    def encode(self, tasks: Sequence[Look]) -> np.ndarray:
        """Vectors of shape (len(tasks), dimension); none is zero.

        A task without features is placed by its instruction alone, and the other way round.
        """
        import numpy as np

        rows = np.zeros((len(tasks), self.dimension))
        # A task with features and no words is placed by them; one with neither still needs a vector.
        worded = [place for place, (features, text) in enumerate(tasks) if text.strip() or not any(features)]
        if worded:
            embedded = self.embedder.encode([tasks[place][1] for place in worded])
            # Square roots, because the cosine multiplies two vectors.
            rows[worded, FEATURE_SLOTS:] = math.sqrt(1 - FEATURE_SHARE) * np.asarray(embedded)
        for row, (features, _) in zip(rows, tasks, strict=True):
            row[:FEATURE_SLOTS] = math.sqrt(FEATURE_SHARE) * _folded(features)
        return rows


LookEncoder = WordEncoder | TaskEncoder
"""Turns looks into vectors, none of them zero."""


def _folded(features: Sequence[float]) -> np.ndarray:
    import numpy as np

    values = np.asarray(features, dtype=np.float64)
    folds = max(1, -(-len(values) // FEATURE_SLOTS))
    padded = np.zeros(folds * FEATURE_SLOTS)
    padded[: len(values)] = values
    # Alternating signs make features that share a slot cancel on average instead of adding up.
    signs = np.where(np.arange(folds) % 2 == 0, 1.0, -1.0)
    folded = signs @ padded.reshape(folds, FEATURE_SLOTS)
    size = float(np.linalg.norm(folded))
    return np.asarray(folded / size if size > 0 else folded)
