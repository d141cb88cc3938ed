"""An exact index in memory: a matrix and a list. The measure that other indexes are held to.

Below some 50,000 vectors a scan is as fast as a vector database, it needs no files, and it can
be sent to another process, which is why read-only workers use it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from evolve.vectors.protocol import Hit, Progress, Rows, Tag, Where

_ROOM = 64
_DIGITS = 6
"""Distances are rounded to this many decimals before ties are broken by id: single precision
leaves noise beyond it, which differs between machines."""


class MemoryIndex:
    """Vectors held as unit rows in single precision."""

    space = "cosine"

    def __init__(self, dimension: int) -> None:
        if dimension < 1:
            raise ValueError("dimension must be at least 1")
        self.dimension = dimension
        self._rows: dict[str, int] = {}
        self._ids: list[str] = []
        self._tags: list[dict[str, Tag]] = []
        self._matrix = np.zeros((0, dimension), dtype=np.float32)
        self._generation = 0

    @property
    def generation(self) -> int:
        return self._generation

    def mark(self, generation: int) -> None:
        self._generation = generation

    def upsert(self, ids: Sequence[str], vectors: np.ndarray, tags: Sequence[Mapping[str, Tag]] | None = None) -> None:
        unit = checked_rows(ids, vectors, self.dimension)
        self._reserve(len(self._ids) + len(ids))
        for position, name in enumerate(ids):
            row = self._rows.get(name)
            if row is None:
                row = self._rows[name] = len(self._ids)
                self._ids.append(name)
                self._tags.append({})
            self._matrix[row] = unit[position]
            self._tags[row] = dict(tags[position]) if tags is not None else {}

    def query(self, vector: np.ndarray, k: int, where: Where | None = None) -> list[Hit]:
        unit = unit_rows(np.asarray(vector, dtype=np.float64).reshape(1, -1), self.dimension)[0]
        count = len(self._ids)
        if k < 1 or count == 0:
            return []
        distances = np.round(1.0 - self._matrix[:count] @ unit, _DIGITS)
        rows = self._matching(where)
        if len(rows) > 4 * k:
            # A partial sort first: everything no farther than the k-th, ties included.
            cut = np.partition(distances[rows], k - 1)[k - 1]
            rows = rows[distances[rows] <= cut]
        hits = [Hit(self._ids[row], max(0.0, float(distances[row]))) for row in rows]
        return sorted(hits, key=lambda hit: (hit.distance, hit.id))[:k]

    def delete(self, ids: Sequence[str]) -> None:
        gone = {self._rows[name] for name in ids if name in self._rows}
        if not gone:
            return
        kept = [row for row in range(len(self._ids)) if row not in gone]
        self._matrix = self._matrix[kept].copy()
        self._ids = [self._ids[row] for row in kept]
        self._tags = [self._tags[row] for row in kept]
        self._rows = {name: row for row, name in enumerate(self._ids)}

    def ids(self) -> list[str]:
        return sorted(self._ids)

    def vectors(self, ids: Sequence[str]) -> np.ndarray:
        """The unit vectors of these ids, shape (len(ids), dimension).

        Raises:
            KeyError: An id is not in the index.
        """
        return np.asarray(self._matrix[[self._rows[name] for name in ids]])

    def tags(self, name: str) -> dict[str, Tag]:
        """The tags of one id."""
        return dict(self._tags[self._rows[name]])

    def clear(self) -> None:
        self._rows, self._ids, self._tags = {}, [], []
        self._matrix = np.zeros((0, self.dimension), dtype=np.float32)
        self._generation = 0

    def refill(self, rows: Rows, *, progress: Progress | None = None) -> None:
        fresh = MemoryIndex(self.dimension)
        fresh.upsert(rows.ids, rows.vectors, rows.tags)
        self._rows, self._ids, self._tags, self._matrix = fresh._rows, fresh._ids, fresh._tags, fresh._matrix
        self._generation = rows.generation

    def close(self) -> None:
        """Nothing to free."""

    def _matching(self, where: Where | None) -> np.ndarray:
        if not where:
            return np.arange(len(self._ids))
        return np.array([row for row, tags in enumerate(self._tags) if _matches(tags, where)], dtype=np.intp)

    def _reserve(self, rows: int) -> None:
        if rows <= len(self._matrix):
            return
        grown = np.zeros((max(rows, 2 * len(self._matrix), _ROOM), self.dimension), dtype=np.float32)
        grown[: len(self._ids)] = self._matrix[: len(self._ids)]
        self._matrix = grown


def checked_rows(ids: Sequence[str], vectors: np.ndarray, dimension: int) -> np.ndarray:
    """The vectors as unit rows in single precision, after the checks :meth:`VectorIndex.upsert` promises."""
    rows = np.asarray(vectors, dtype=np.float64)
    if rows.size == 0 and not ids:
        return np.zeros((0, dimension), dtype=np.float32)
    if rows.shape != (len(ids), dimension):
        raise ValueError(f"expected vectors of shape {(len(ids), dimension)}, got {rows.shape}")
    if len(set(ids)) != len(ids) or not all(ids):
        raise ValueError("ids must be distinct and not empty")
    return unit_rows(rows, dimension)


def unit_rows(rows: np.ndarray, dimension: int) -> np.ndarray:
    """Rows scaled to length 1, single precision.

    Raises:
        ValueError: For a wrong width, or a row that is zero or not finite.
    """
    if rows.ndim != 2 or rows.shape[1] != dimension:
        raise ValueError(f"expected {dimension} numbers per vector, got shape {rows.shape}")
    if not np.isfinite(rows).all():
        raise ValueError("vectors must be finite")
    # Dividing by the largest entry first keeps the squares from over- or underflowing.
    largest = np.abs(rows).max(axis=1, keepdims=True)
    if not largest.all():
        raise ValueError("a zero vector has no direction")
    scaled = rows / largest
    return np.asarray(scaled / np.linalg.norm(scaled, axis=1, keepdims=True), dtype=np.float32)


def _matches(tags: Mapping[str, Tag], where: Where) -> bool:
    return all(key in tags and _is_one_of(tags[key], wanted) for key, wanted in where.items())


def _is_one_of(value: Tag, wanted: Tag | Sequence[Tag]) -> bool:
    options = wanted if isinstance(wanted, (list, tuple)) else [wanted]
    # Typed comparison: True is not 1 in a filter.
    return any(type(value) is type(one) and value == one for one in options)
