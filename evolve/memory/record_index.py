"""The vector memory: how what is on record gets into vectors, and how a question gets back to the record.

In: an insight is found by the tasks of its evidence, so the items are episodes, by their task, and notes, by their
words (a :data:`~evolve.memory.encoding.Look`). An encoder makes vectors of them, and a stored index keeps these by id
with the number of the record that it has reached (:mod:`evolve.memory.index.stored`, which says by what engine). Back:
the nearest ids are looked up in the record, and their distances measured again. What is missing is encoded anew.

A stored index is expensive to add to one by one and cheap in batches. New items therefore wait in an exact index in
memory, and both are asked at each query.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

from evolve.core.failpoints import hit
from evolve.core.progress import doing
from evolve.memory.encoding import LookEncoder
from evolve.memory.index import Hit, Tag, VectorIndex, Where

if TYPE_CHECKING:
    import numpy as np

    from evolve.memory.index import MemoryIndex
    from evolve.memory.insight_book import EpisodeEntry
    from evolve.memory.notes.note import Note

    Indexed = EpisodeEntry | Note

BATCH = 256
_SEQ = 2**40
_EPOCHS = 2**24
_KEPT = 20_000
"""Vectors kept at hand for measuring, some 30 MB."""
_DIGITS = 6

IndexFactory = Callable[[int], VectorIndex]
"""Opens the stored index for vectors of a dimension."""


class Listing(Protocol):
    """Items by key, in the order of their ``seq``. A dict is one; others make an item when it is asked for."""

    def __getitem__(self, key: str, /) -> Indexed: ...
    def __contains__(self, key: object, /) -> bool: ...
    def __iter__(self) -> Iterator[str]: ...
    def __reversed__(self) -> Iterator[str]: ...
    def __len__(self) -> int: ...
    def values(self) -> Iterable[Indexed]:
        """All items."""
        ...


class DerivedIndex:
    """Finds items near a look. Brought up to date by :meth:`catch_up` before each query.

    Args:
        factory: Opens the stored index; called at the first query, not before.
    """

    def __init__(self, factory: IndexFactory, encoder: LookEncoder) -> None:
        self._factory = factory
        self._encoder = encoder
        self._stored: VectorIndex | None = None
        self._pending: list[Indexed] = []
        self._reached = 0
        self._epoch = 0
        self._entries: Listing = {}
        self._encoded: dict[str, np.ndarray] = {}

    @cached_property
    def _waiting(self) -> MemoryIndex:
        # Made when the first item comes or is asked for: numpy takes longer to load than the record to open.
        return exact_index((), self._encoder)

    def catch_up(self, entries: Listing, epoch: int) -> None:
        """Takes in what is new.

        An index of another epoch or encoder, one that is ahead of the record, or one that holds other items
        than the record had by then, is emptied and filled again.

        Args:
            entries: All items of the record.
        """
        if self._stored is None or self._epoch != epoch:
            self._open(entries, epoch)
        self._entries = entries
        fresh = _after(entries, self._reached)
        if not fresh:
            return
        self._waiting.upsert([entry.key for entry in fresh], self._kept(fresh), _tags(fresh))
        self._pending.extend(fresh)
        self._reached = fresh[-1].seq
        if len(self._pending) >= BATCH:
            self.flush()

    def query(self, vector: np.ndarray, k: int, where: Where | None) -> list[Hit]:
        """The nearest items, stored and waiting."""
        stored = self._stored.query(vector, k, where) if self._stored is not None else []
        found = sorted({hit.id for hit in (*stored, *self._waiting.query(vector, k, where))})
        known = [name for name in found if name in self._entries]
        return exact_distances(known, self._vectors(known), vector)[:k]

    def _vectors(self, names: Sequence[str]) -> np.ndarray:
        if len(self._encoded) > _KEPT:
            self._encoded = {}
        missing = [name for name in names if name not in self._encoded]
        # Bit for bit what encoding gave, which may take long; stores of other packages do not say it.
        held = getattr(self._stored, "held", None)
        self._encoded.update(held(missing) if held is not None else {})
        self._kept([self._entries[name] for name in missing if name not in self._encoded])
        return _stacked([self._encoded[name] for name in names], self._encoder.dimension)

    def _kept(self, entries: Sequence[Indexed]) -> np.ndarray:
        """Encodes items, and keeps the vectors at hand for measuring."""
        rows = _encode(self._encoder, entries)
        self._encoded.update((entry.key, row) for entry, row in zip(entries, rows, strict=True))
        return rows

    def flush(self) -> None:
        """Moves what is waiting into the stored index."""
        if self._stored is None or not self._pending:
            return
        hit("index.upsert.before")
        for start in range(0, len(self._pending), BATCH):
            part = self._pending[start : start + BATCH]
            names = [entry.key for entry in part]
            self._stored.upsert(names, self._waiting.vectors(names), _tags(part))
        hit("index.upsert.after")
        # Marked last: after a crash in between the same items are written again, to no effect.
        self._stored.mark(self._era(self._epoch) * _SEQ + self._reached)
        hit("index.marked")
        self._pending = []
        self._waiting.clear()

    def restart(self) -> None:
        """Looks at the stored index again at the next :meth:`catch_up`, because items left the record."""
        self._epoch = -1

    def remove(self, names: Sequence[str], entries: Listing) -> None:
        """Takes out items that left the record, so that what stays need not be encoded again.

        To be asked after a :meth:`catch_up` that knew them.

        Args:
            entries: All that stay.
        """
        self.flush()
        stored = self._connected()
        stored.delete(names)
        self._entries, self._reached = entries, _last(entries)
        stored.mark(self._era(self._epoch) * _SEQ + self._reached)
        for name in names:
            self._encoded.pop(name, None)

    def rebuild(self, entries: Listing, epoch: int) -> None:
        """Fills the stored index anew from the record."""
        self._forget(epoch)
        self._fill(self._connected(), list(entries.values()))
        self.catch_up(entries, epoch)

    def differences(self, entries: Listing, epoch: int) -> tuple[set[str], set[str]]:
        """Items that the stored index lacks although it says it has them, and those the record does not have.

        To be asked before :meth:`catch_up`, which mends both. An index of another epoch or encoder differs in
        nothing: it is simply not of use.
        """
        era, reached = divmod(self._connected().generation, _SEQ)
        if era != self._era(epoch):
            return set(), set()
        held = set(self._connected().ids())
        return set(_through(entries, reached)) - held, held - set(entries)

    def ids(self) -> list[str]:
        """All items that can be found, sorted."""
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

    def _open(self, entries: Listing, epoch: int) -> None:
        stored = self._connected()
        self._forget(epoch)
        era, reached = divmod(stored.generation, _SEQ)
        ahead = reached > _last(entries)
        if era == self._era(epoch) and not ahead and stored.ids() == sorted(_through(entries, reached)):
            self._reached = reached
        elif len(entries) > BATCH:
            self._fill(stored, list(entries.values()))
        else:  # a few are at hand sooner than a stored index is filled with them
            stored.clear()
            hit("index.cleared")
            stored.mark(self._era(epoch) * _SEQ)

    def _connected(self) -> VectorIndex:
        if self._stored is None:
            self._stored = self._factory(self._encoder.dimension)
            hit("index.open")
        return self._stored

    def _forget(self, epoch: int) -> None:
        self._waiting.clear()
        self._pending, self._reached, self._epoch = [], 0, epoch
        self._entries, self._encoded = {}, {}

    def _fill(self, stored: VectorIndex, entries: Sequence[Indexed]) -> None:
        from evolve.memory.index import Rows

        last = entries[-1].seq if entries else 0
        with doing("index", total=len(entries)) as going:
            rows = Rows(
                ids=[entry.key for entry in entries],
                vectors=_stacked(list(self._kept(entries)), self._encoder.dimension),
                tags=_tags(entries),
                generation=self._era(self._epoch) * _SEQ + last,
            )
            stored.refill(rows, progress=going.advance)
        hit("index.filled")
        self._reached = last


def exact_index(entries: Sequence[Indexed], encoder: LookEncoder) -> MemoryIndex:
    """An exact index over these items, for readers that must not touch the stored one."""
    from evolve.memory.index import MemoryIndex

    index = MemoryIndex(encoder.dimension)
    if entries:
        index.upsert([entry.key for entry in entries], _encode(encoder, entries), _tags(entries))
    return index


class LateIndex:
    """An exact index over items, made when it is first searched or sent to another process; many never are."""

    def __init__(self, entries: Sequence[Indexed], encoder: LookEncoder) -> None:
        self._entries, self._encoder = entries, encoder
        self._made: MemoryIndex | None = None

    def __getstate__(self) -> dict[str, Any]:
        # Made here once, and not by each of the processes that get a copy.
        self.made()
        return self.__dict__

    def made(self) -> MemoryIndex:
        """The index."""
        if self._made is None:
            self._made, self._entries = exact_index(self._entries, self._encoder), ()
        return self._made


def exact_distances(names: Sequence[str], vectors: np.ndarray, vector: np.ndarray) -> list[Hit]:
    """The exact distances of these items, nearest first, equal ones by id.

    Indexes differ in the last digits of a distance. Measuring again from the vectors makes a
    recall the same whether an item was found in the stored index, the waiting one or a copy.
    """
    import numpy as np

    unit = np.asarray(vector, dtype=np.float64) / np.linalg.norm(vector)
    distances = np.round(1.0 - np.asarray(vectors, dtype=np.float64) @ unit, _DIGITS)
    hits = [Hit(name, max(0.0, float(distance))) for name, distance in zip(names, distances, strict=True)]
    return sorted(hits, key=lambda hit: (hit.distance, hit.id))


def _stacked(rows: Sequence[np.ndarray], dimension: int) -> np.ndarray:
    import numpy as np

    return np.stack(rows) if rows else np.zeros((0, dimension))


def _encode(encoder: LookEncoder, entries: Sequence[Indexed]) -> np.ndarray:
    """Unit vectors of the items, in the single precision that indexes keep."""
    import numpy as np

    rows = encoder.encode([entry.look for entry in entries])
    if not len(rows):
        return rows
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), dtype=np.float32)


def _tags(entries: Sequence[Indexed]) -> list[Mapping[str, Tag]]:
    return [entry.tags for entry in entries]


def _after(entries: Listing, seq: int) -> list[Indexed]:
    # New entries are at the end, so walking back from there costs only what is new.
    found: list[Indexed] = []
    for key in reversed(entries):
        if entries[key].seq <= seq:
            break
        found.append(entries[key])
    return found[::-1]


def _through(entries: Listing, seq: int) -> list[str]:
    """The keys of all items up to this one."""
    keys = list(entries)
    return keys[: len(keys) - len(_after(entries, seq))]


def _last(entries: Listing) -> int:
    return entries[next(reversed(entries))].seq if entries else 0
