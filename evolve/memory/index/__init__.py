"""Nearest-neighbour search over vectors: one small protocol, an exact index and a Chroma one.

Other packages may offer more (:mod:`evolve.core.extensions`).

An index is derived data. Records live elsewhere; an index holds ids, vectors and flat tags, and
the generation of the record it has caught up with, so that its owner can tell whether to rebuild.
"""

from evolve.core.lazy import TYPE_CHECKING, attach

if TYPE_CHECKING:
    from evolve.memory.index.exact import MemoryIndex, copied_exact
    from evolve.memory.index.protocol import (
        CROSSOVER,
        Hit,
        IndexContent,
        IndexOpener,
        Progress,
        Tag,
        VectorIndex,
        Where,
    )
    from evolve.memory.index.stored import IndexOptions, StoredIndex, open_index, open_store
else:
    __getattr__, __dir__ = attach(__name__)
