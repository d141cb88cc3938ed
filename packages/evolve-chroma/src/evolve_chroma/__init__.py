"""A store of vectors for evolve: an index that Chroma keeps and searches."""

from evolve.core.lazy import TYPE_CHECKING, attach

if TYPE_CHECKING:
    from evolve_chroma.index import ChromaIndex, open_chroma
else:
    __getattr__, __dir__ = attach(__name__)
