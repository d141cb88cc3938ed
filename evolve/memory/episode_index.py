"""The derived index over episodes: a stored index, plus what it has not taken in yet.

A stored index is expensive to add to one by one and cheap in batches. New episodes therefore
wait in an exact index in memory, and both are asked at each query.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from evolve.faults import hit
from evolve.memory.book import EpisodeEntry
from evolve.memory.encoding import TaskEncoder
from evolve.vectors import Hit, Tag, VectorIndex, Where

if TYPE_CHECKING:
    import numpy as np

    from evolve.vectors import MemoryIndex

BATCH = 256
_SEQ = 2**40
_EPOCHS = 2**24
_KEPT = 20_000
"""Vectors kept at hand for measuring, some 30 MB."""
_DIGITS = 6

IndexFactory = Callable[[int], VectorIndex]
"""Opens the stored index for vectors of a dimension."""


class EpisodeIndex:
    """Finds episodes near a task. Brought up to date by :meth:`catch_up` before each query.

    Args:
        factory: Opens the stored index; called at the first query, not before.
    """

    def __init__(self, factory: IndexFactory, encoder: TaskEncoder) -> None:
        self._factory = factory
        self._encoder = encoder
        self._stored: VectorIndex | None = None
        self._waiting = exact_index((), encoder)
        self._pending: list[EpisodeEntry] = []
        self._reached = 0
        self._epoch = 0
        self._listed = 0
        self._entries: dict[str, EpisodeEntry] = {}
        self._encoded: dict[str, np.ndarray] = {}

    def catch_up(self, entries: Sequence[EpisodeEntry], epoch: int) -> None:
        """Takes in what is new.

        An index of another epoch or encoder, or one that is ahead of the record, is emptied and filled again.

        Args:
            entries: All episodes of the record, by rising ``seq``.
        """
        if self._stored is None or self._epoch != epoch:
            self._open(epoch, entries[-1].seq if entries else 0)
        for entry in _after(entries, self._listed):
            self._entries[entry.episode] = entry
            self._listed = entry.seq
        fresh = _after(entries, self._reached)
        if not fresh:
            return
        _add(self._waiting, self._encoder, fresh)
        self._pending.extend(fresh)
        self._reached = fresh[-1].seq
        if len(self._pending) >= BATCH:
            self.flush()

    def query(self, vector: np.ndarray, k: int, where: Where | None) -> list[Hit]:
        """The nearest episodes, stored and waiting."""
        stored = self._stored.query(vector, k, where) if self._stored is not None else []
        found = sorted({hit.id for hit in (*stored, *self._waiting.query(vector, k, where))})
        known = [name for name in found if name in self._entries]
        return measured(known, self._vectors(known), vector)[:k]

    def _vectors(self, names: Sequence[str]) -> np.ndarray:
        fresh = [self._entries[name] for name in names if name not in self._encoded]
        if len(self._encoded) > _KEPT:
            self._encoded, fresh = {}, [self._entries[name] for name in names]
        for entry, row in zip(fresh, _encode(self._encoder, fresh), strict=True):
            self._encoded[entry.episode] = row
        return _stacked([self._encoded[name] for name in names], self._encoder.dimension)

    def flush(self) -> None:
        """Moves what is waiting into the stored index."""
        if self._stored is None or not self._pending:
            return
        hit("index.upsert.before")
        for start in range(0, len(self._pending), BATCH):
            _add(self._stored, self._encoder, self._pending[start : start + BATCH])
        hit("index.upsert.after")
        # Marked last: after a crash in between the same episodes are written again, to no effect.
        self._stored.mark(self._era(self._epoch) * _SEQ + self._reached)
        hit("index.marked")
        self._pending = []
        self._waiting.clear()

    def rebuild(self, entries: Sequence[EpisodeEntry], epoch: int) -> None:
        """Empties the stored index and fills it from the record."""
        self._open(epoch, 0)
        self.catch_up(entries, epoch)
        self.flush()

    def ids(self) -> list[str]:
        """All episodes that can be found, sorted."""
        stored = self._stored.ids() if self._stored is not None else []
        return sorted({*stored, *self._waiting.ids()})

    def close(self) -> None:
        """Stores what is waiting and frees the stored index; closing twice is no error."""
        if self._stored is not None:
            self.flush()
            hit("index.close.before")
            self._stored.close()
            hit("index.close.after")
            self._stored = None

    def _era(self, epoch: int) -> int:
        """One number for the encoder and the epoch: vectors of another era are of no use."""
        return zlib.crc32(self._encoder.name.encode()) * _EPOCHS + epoch

    def _open(self, epoch: int, last: int) -> None:
        if self._stored is None:
            self._stored = self._factory(self._encoder.dimension)
            hit("index.open")
        era, reached = divmod(self._stored.generation, _SEQ)
        if era != self._era(epoch) or reached > last:
            self._stored.clear()
            hit("index.cleared")
            self._stored.mark(self._era(epoch) * _SEQ)
            reached = 0
        self._waiting.clear()
        self._pending, self._reached, self._epoch = [], reached, epoch
        self._listed, self._entries, self._encoded = 0, {}, {}


def exact_index(entries: Sequence[EpisodeEntry], encoder: TaskEncoder) -> MemoryIndex:
    """An exact index over these episodes, for readers that must not touch the stored one."""
    from evolve.vectors import MemoryIndex

    index = MemoryIndex(encoder.dimension)
    if entries:
        _add(index, encoder, entries)
    return index


def measured(names: Sequence[str], vectors: np.ndarray, vector: np.ndarray) -> list[Hit]:
    """The exact distances of these episodes, nearest first, equal ones by id.

    Indexes differ in the last digits of a distance. Measuring again from the vectors makes a
    recall the same whether an episode was found in the stored index, the waiting one or a copy.
    """
    import numpy as np

    unit = np.asarray(vector, dtype=np.float64) / np.linalg.norm(vector)
    distances = np.round(1.0 - np.asarray(vectors, dtype=np.float64) @ unit, _DIGITS)
    hits = [Hit(name, max(0.0, float(distance))) for name, distance in zip(names, distances, strict=True)]
    return sorted(hits, key=lambda hit: (hit.distance, hit.id))


def _stacked(rows: Sequence[np.ndarray], dimension: int) -> np.ndarray:
    import numpy as np

    return np.stack(rows) if rows else np.zeros((0, dimension))


def _encode(encoder: TaskEncoder, entries: Sequence[EpisodeEntry]) -> np.ndarray:
    """Unit vectors of the episodes, in the single precision that indexes keep."""
    import numpy as np

    rows = encoder.encode([(entry.features, entry.instruction) for entry in entries])
    if not len(rows):
        return rows
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), dtype=np.float32)


def _add(index: VectorIndex, encoder: TaskEncoder, entries: Sequence[EpisodeEntry]) -> None:
    tags: list[dict[str, Tag]] = [{"environment": entry.environment, "family": entry.family} for entry in entries]
    index.upsert([entry.episode for entry in entries], _encode(encoder, entries), tags)


def _after(entries: Sequence[EpisodeEntry], seq: int) -> Sequence[EpisodeEntry]:
    # New entries are at the end, so walking back from there costs only what is new.
    start = len(entries)
    while start and entries[start - 1].seq > seq:
        start -= 1
    return entries[start:]
