"""Nearest-neighbour search over vectors: one small protocol, an exact index and a Chroma one.

Other packages may offer more (:mod:`evolve.extensions`).

An index is derived data. Records live elsewhere; an index holds ids, vectors and flat tags, and
the generation of the record it has caught up with, so that its owner can tell whether to rebuild.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evolve.vectors.protocol import CROSSOVER, Hit, IndexOpener, Progress, Rows, Tag, VectorIndex, Where

if TYPE_CHECKING:
    from evolve.vectors.exact import MemoryIndex, copied_exact
    from evolve.vectors.stored import Care, StoredIndex, open_index, open_store

__all__ = [
    "CROSSOVER",
    "Care",
    "Hit",
    "IndexOpener",
    "MemoryIndex",
    "Progress",
    "Rows",
    "StoredIndex",
    "Tag",
    "VectorIndex",
    "Where",
    "copied_exact",
    "open_index",
    "open_store",
]


def __getattr__(name: str) -> Any:
    # chromadb and numpy are paid for only by those who search.
    if name in ("Care", "StoredIndex", "open_index", "open_store"):
        from evolve.vectors import stored

        return getattr(stored, name)
    if name in ("MemoryIndex", "copied_exact"):
        from evolve.vectors import exact

        return getattr(exact, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
