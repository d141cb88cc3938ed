"""Nearest-neighbour search over vectors: one small protocol, an exact index and a Chroma one.

An index is derived data. Records live elsewhere; an index holds ids, vectors and flat tags, and
the generation of the record it has caught up with, so that its owner can tell whether to rebuild.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evolve.vectors.protocol import Hit, Tag, VectorIndex, Where

if TYPE_CHECKING:
    from evolve.vectors.chroma import ChromaIndex, open_index
    from evolve.vectors.exact import MemoryIndex

__all__ = ["ChromaIndex", "Hit", "MemoryIndex", "Tag", "VectorIndex", "Where", "open_index"]


def __getattr__(name: str) -> Any:
    # chromadb and numpy are paid for only by those who search.
    if name in ("ChromaIndex", "open_index"):
        from evolve.vectors import chroma

        return getattr(chroma, name)
    if name == "MemoryIndex":
        from evolve.vectors.exact import MemoryIndex

        return MemoryIndex
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
