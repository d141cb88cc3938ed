"""The vector memory: how what is on record gets into vectors, and how a question gets back to the record.

In: an insight is found by the tasks of its evidence, so the items are episodes, by their task, and notes, by their
words (a :data:`~evolve.memory.encoding.Look`). An encoder makes vectors of them, and a stored index keeps these by id
with the number of the record that it has reached (:mod:`evolve.memory.index.stored`, which says by what engine). Back:
the nearest ids are looked up in the record, and their distances measured again. What is missing is encoded anew.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from evolve.core.failpoints import hit_failpoint
from evolve.core.progress import report_activity
from evolve.memory.encoding import LookEncoder
from evolve.memory.index import Hit, Tag, VectorIndex, Where

if TYPE_CHECKING:
    import numpy as np

    from evolve.memory.index import MemoryIndex
    from evolve.memory.insight_book import EpisodeEntry
    from evolve.memory.notes.note import Note

    Indexed = EpisodeEntry | Note

_SEQ = 2**40
_EPOCHS = 2**24
_DIGITS = 6

IndexFactory = Callable[[int], VectorIndex]
"""Opens the stored index for vectors of a dimension."""


class OrderedItems(Protocol):
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
        self._reached = 0
        self._epoch = 0
        self._entries: OrderedItems = {}

    def catch_up(self, entries: OrderedItems, epoch: int) -> None:
        """Takes in what is new.

        An index of another epoch or encoder, one that is ahead of the record, or one that holds other items
        than the record had by then, is emptied and filled again.

        Args:
            entries: All items of the record.
        """
        opened, stored = self._stored is None, self._connected()
        if opened or self._epoch != epoch:
            self._epoch = epoch
            era, reached = divmod(stored.generation, _SEQ)
            sound = era == self._era(epoch) and reached <= _last(entries)
            if sound and stored.ids() == sorted(_through(entries, reached)):
                self._reached = reached
            elif len(entries) or stored.generation:  # of nothing no file is made
                self._fill(stored, entries)
        self._entries = entries
        fresh = _after(entries, self._reached)
        if fresh:
            hit_failpoint("index.upsert.before")
            stored.upsert([entry.key for entry in fresh], _encode(self._encoder, fresh), _tags(fresh))
            hit_failpoint("index.upsert.after")
            # Marked last: after a crash in between the same items are written again, to no effect.
            self._mark(stored, entries)

    def query(self, vector: np.ndarray, k: int, where: Where | None) -> list[Hit]:
        """The nearest items."""
        stored = self._connected()
        known = sorted(hit.id for hit in stored.query(vector, k, where) if hit.id in self._entries)
        # Bit for bit what encoding gave, which may take long; stores of other packages need not have it.
        held = stored.stored_vectors(known) if hasattr(stored, "stored_vectors") else {}
        missing = [name for name in known if name not in held]
        rows = _encode(self._encoder, [self._entries[name] for name in missing])
        held = {**held, **dict(zip(missing, rows, strict=True))}
        return exact_distances(known, _stacked([held[name] for name in known], self._encoder.dimension), vector)

    def restart(self) -> None:
        """Looks at the stored index again at the next :meth:`catch_up`, because items left the record."""
        self._epoch = -1

    def remove(self, names: Sequence[str], entries: OrderedItems) -> None:
        """Takes out items that left the record, so that what stays need not be encoded again.

        To be asked after a :meth:`catch_up` that knew them.

        Args:
            entries: All that stay.
        """
        stored = self._connected()
        stored.delete(names)
        self._mark(stored, entries)

    def rebuild(self, entries: OrderedItems, epoch: int) -> None:
        """Fills the stored index anew from the record."""
        self._epoch = epoch
        self._fill(self._connected(), entries)
        self.catch_up(entries, epoch)

    def index_differences(self, entries: OrderedItems, epoch: int) -> tuple[set[str], set[str]]:
        """Items that the stored index lacks although it says it has them, and those the record does not have.

        To be asked before :meth:`catch_up`, which mends both. An index of another epoch or encoder differs in
        nothing: it is simply not of use.
        """
        era, reached = divmod(self._connected().generation, _SEQ)
        if era != self._era(epoch):
            return set(), set()
        held = set(self._connected().ids())
        return set(_through(entries, reached)) - held, held - set(entries)

    def close(self) -> None:
        """Writes and frees the stored index; closing twice is no error."""
        if self._stored is not None:
            hit_failpoint("index.close.before")
            self._stored.close()
            hit_failpoint("index.close.after")
            self._stored = None

    def _era(self, epoch: int) -> int:
        """One number for the encoder and the epoch: vectors of another era are of no use."""
        return zlib.crc32(self._encoder.name.encode()) * _EPOCHS + epoch

    def _connected(self) -> VectorIndex:
        if self._stored is None:
            self._stored = self._factory(self._encoder.dimension)
            hit_failpoint("index.open")
        return self._stored

    def _mark(self, stored: VectorIndex, entries: OrderedItems) -> None:
        """Notes that the index has all items so far."""
        self._entries, self._reached = entries, _last(entries)
        stored.set_generation(self._era(self._epoch) * _SEQ + self._reached)
        hit_failpoint("index.marked")

    def _fill(self, stored: VectorIndex, entries: OrderedItems) -> None:
        from evolve.memory.index import IndexContent

        items = list(entries.values())
        with report_activity("index", total=len(items)) as going:
            rows = IndexContent(
                ids=[entry.key for entry in items],
                vectors=_encode(self._encoder, items),
                tags=_tags(items),
                generation=self._era(self._epoch) * _SEQ + _last(entries),
            )
            stored.replace_rows(rows, progress=going.advance)
        hit_failpoint("index.filled")
        self._entries, self._reached = entries, _last(entries)


def open_exact_index(entries: Sequence[Indexed], encoder: LookEncoder) -> MemoryIndex:
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
        self.get_index()
        return self.__dict__

    def get_index(self) -> MemoryIndex:
        """The index."""
        if self._made is None:
            self._made, self._entries = open_exact_index(self._entries, self._encoder), ()
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

    if not entries:
        return np.zeros((0, encoder.dimension), dtype=np.float32)
    rows = encoder.encode([entry.retrieval_keys for entry in entries])
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), dtype=np.float32)


def _tags(entries: Sequence[Indexed]) -> list[Mapping[str, Tag]]:
    return [entry.tags for entry in entries]


def _after(entries: OrderedItems, seq: int) -> list[Indexed]:
    # New entries are at the end, so walking back from there costs only what is new.
    found: list[Indexed] = []
    for key in reversed(entries):
        if entries[key].seq <= seq:
            break
        found.append(entries[key])
    return found[::-1]


def _through(entries: OrderedItems, seq: int) -> list[str]:
    """The keys of all items up to this one."""
    keys = list(entries)
    return keys[: len(keys) - len(_after(entries, seq))]


def _last(entries: OrderedItems) -> int:
    return entries[next(reversed(entries))].seq if entries else 0
