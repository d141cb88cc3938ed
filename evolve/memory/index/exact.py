"""An exact index: a matrix and a list, in memory or kept in one file. The measure that other indexes are held to.

Up to some 200,000 vectors it costs less than a vector database that finds as much, and far less to open
(`python -m benchmarks.vectors`). In memory it can be sent to another process, which is why read-only workers use it.
"""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from evolve.core.errors import WorkspaceError
from evolve.core.files import canonical_json, write_atomic
from evolve.memory.index.protocol import Hit, IndexContent, Progress, Tag, Where, set_aside

EXACT_FILE = "exact.idx"
"""By this file a folder is known to hold an exact index."""

_ROOM = 64
_DIGITS = 6
"""Distances are rounded to this many decimals before ties are broken by id: single precision
leaves noise beyond it, which differs between machines."""
_UNIT = 1e-6
"""By which the length of a unit row in single precision differs from 1 at most."""


class MemoryIndex:
    """Vectors held as unit rows in single precision."""

    def __init__(self, dimension: int) -> None:
        if dimension < 1:
            raise ValueError("dimension must be at least 1")
        self.dimension = dimension
        self._rows: dict[str, int] = {}
        self._ids: list[str] = []
        self._tags: list[dict[str, Tag]] = []
        self._matrix = np.zeros((0, dimension), dtype=np.float32)
        self._generation = 0
        self._changed = False
        self._found: dict[object, np.ndarray] = {}
        """Rows by the filter that they match. Filters are few, and each looks at every row."""

    def __len__(self) -> int:
        return len(self._ids)

    @property
    def generation(self) -> int:
        return self._generation

    def set_generation(self, generation: int) -> None:
        self._generation, self._changed = generation, True

    def upsert(self, ids: Sequence[str], vectors: np.ndarray, tags: Sequence[Mapping[str, Tag]] | None = None) -> None:
        unit = checked_rows(ids, vectors, self.dimension)
        self._changed, self._found = True, {}
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
        rows = self._matching(where) if where else None
        near = distances if rows is None else distances[rows]
        # A partial sort first: everything no farther than the k-th, ties included.
        cut = np.partition(near, k - 1)[k - 1] if len(near) > k else np.inf
        kept = np.flatnonzero(near <= cut)
        chosen = kept if rows is None else rows[kept]
        hits = [Hit(self._ids[row], max(0.0, float(distances[row]))) for row in chosen]
        return sorted(hits, key=lambda hit: (hit.distance, hit.id))[:k]

    def delete(self, ids: Sequence[str]) -> None:
        gone = {self._rows[name] for name in ids if name in self._rows}
        if not gone:
            return
        self._changed, self._found = True, {}
        remaining = [row for row in range(len(self._ids)) if row not in gone]
        self._matrix = self._matrix[remaining].copy()
        self._ids = [self._ids[row] for row in remaining]
        self._tags = [self._tags[row] for row in remaining]
        self._rows = {name: row for row, name in enumerate(self._ids)}

    def ids(self) -> list[str]:
        return sorted(self._ids)

    def vectors(self, ids: Sequence[str]) -> np.ndarray:
        """The unit vectors of these ids, shape (len(ids), dimension).

        Raises:
            KeyError: An id is not in the index.
        """
        return np.asarray(self._matrix[[self._rows[name] for name in ids]])

    def stored_vectors(self, ids: Sequence[str]) -> dict[str, np.ndarray]:
        """The unit vectors of those of these ids that it has."""
        return {name: self._matrix[self._rows[name]] for name in ids if name in self._rows}

    def tags(self, name: str) -> dict[str, Tag]:
        """The tags of one id."""
        return dict(self._tags[self._rows[name]])

    def clear(self) -> None:
        self._rows, self._ids, self._tags = {}, [], []
        self._matrix = np.zeros((0, self.dimension), dtype=np.float32)
        self._generation, self._changed, self._found = 0, True, {}

    def rows(self) -> IndexContent:
        """Everything it holds."""
        matrix = self._matrix[: len(self._ids)].copy()
        return IndexContent(ids=list(self._ids), vectors=matrix, tags=list(self._tags), generation=self._generation)

    def replace_rows(self, rows: IndexContent, *, progress: Progress | None = None) -> None:
        fresh = MemoryIndex(self.dimension)
        fresh.upsert(rows.ids, rows.vectors, rows.tags)
        self._rows, self._ids, self._tags, self._matrix = fresh._rows, fresh._ids, fresh._tags, fresh._matrix
        self._generation, self._changed, self._found = rows.generation, True, {}

    def close(self) -> None:
        """Nothing to free."""

    def _matching(self, where: Where) -> np.ndarray:
        # Typed comparison: True is not 1 in a filter.
        terms = tuple(
            (key, tuple((type(value), value) for value in (wanted if isinstance(wanted, (list, tuple)) else [wanted])))
            for key, wanted in where.items()
        )
        if (found := self._found.get(terms)) is None:
            rows: Sequence[int] = range(len(self._ids))
            for key, options in terms:
                tags = self._tags
                rows = [row for row in rows if key in tags[row] and (type(tags[row][key]), tags[row][key]) in options]
            found = self._found[terms] = np.array(rows, dtype=np.intp)
        return found

    def _reserve(self, rows: int) -> None:
        if rows <= len(self._matrix):
            return
        # Doubled, so that adding rows one by one does not copy the matrix each time.
        grown = np.zeros((max(rows, 2 * len(self._matrix), _ROOM), self.dimension), dtype=np.float32)
        grown[: len(self._ids)] = self._matrix[: len(self._ids)]
        self._matrix = grown


def open_exact(path: Path, name: str, dimension: int) -> ExactIndex:
    """Opens or creates the index ``name`` in folder ``path``.

    A file that is not as it was written is set aside with its folder, one of another name or dimension is of no use:
    the index then starts empty at generation 0.

    Raises:
        WorkspaceError: The folder cannot be made or read.
    """
    folder = Path(path)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        return ExactIndex(folder, name, dimension)
    except OSError as error:
        raise WorkspaceError(f"the index folder {folder} cannot be used: {error.strerror}") from error


def copied_exact(path: Path, name: str, dimension: int) -> ExactIndex:
    """What :func:`open_exact` would open, for readers: nothing is made, set aside or written. Empty where it cannot be
    read."""
    try:
        return ExactIndex(path, name, dimension, copied=True)
    except OSError:
        return ExactIndex(path / "none", name, dimension, copied=True)


class ExactIndex(MemoryIndex):
    """An exact index that is read whole when it is opened, and written whole when it is closed, if it changed.

    A process that is killed leaves it as it was before, generation included, so the owner sees what is missing.

    Attributes:
        set_aside: Where a damaged file was moved when the index was opened, or None.
    """

    def __init__(self, folder: Path, name: str, dimension: int, *, copied: bool = False) -> None:
        super().__init__(dimension)
        self._file, self._name, self._copied = folder / EXACT_FILE, name, copied
        self.set_aside: Path | None = None
        try:
            stream = self._file.open("rb")
        except FileNotFoundError:
            return
        try:
            with stream:
                self._take(stream)
        except (KeyError, TypeError, ValueError):
            self.set_aside = None if copied else set_aside(folder)

    def close(self) -> None:
        if self._changed and not self._copied:
            # a checksum of the rest, a line that says what there is, and the vectors
            head = {"name": self._name, "dimension": self.dimension, "generation": self._generation}
            line = canonical_json({**head, "ids": self._ids, "tags": self._tags}).encode()
            rest = line + b"\n" + self._matrix[: len(self._ids)].astype("<f4").tobytes()
            write_atomic(self._file, b"%08x\n" % zlib.crc32(rest) + rest)
            self._changed = False

    def _take(self, stream: BinaryIO) -> None:
        """Takes in what a file holds; raises ValueError, or what reading strange JSON raises, where it is damaged."""
        check, line = stream.read(9), stream.readline()
        # Read into place: the vectors are nearly all of the file, and each copy of them would take as long again.
        body = np.empty(max(0, os.fstat(stream.fileno()).st_size - stream.tell()), dtype=np.uint8)
        stream.readinto(body)  # type: ignore[attr-defined]
        if check != b"%08x\n" % zlib.crc32(body.data, zlib.crc32(line)):
            raise ValueError("the checksum differs")
        head: dict[str, Any] = json.loads(line)
        if (head["name"], head["dimension"]) != (self._name, self.dimension):
            return
        matrix = body.view("<f4").reshape(len(head["ids"]), self.dimension)
        self._matrix = matrix.astype(np.float32, copy=False)
        self._ids, self._tags, self._generation = head["ids"], head["tags"], head["generation"]
        self._rows = {name: row for row, name in enumerate(self._ids)}


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
    lengths = np.linalg.norm(scaled, axis=1, keepdims=True)
    # Rows of length 1 stay as they are: scaled again they would differ in the last digit from what was put in.
    with np.errstate(over="ignore"):
        sound = np.abs(lengths * largest - 1) < _UNIT
    return np.asarray(np.where(sound, rows, scaled / lengths), dtype=np.float32)
