"""Finding text again: encoders that turn text into vectors, word search, and fusion of both."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evolve.retrieval.fusion import fuse
from evolve.retrieval.lexical import BM25, words
from evolve.retrieval.word_index import WordIndex

if TYPE_CHECKING:
    from evolve.retrieval.embedders import Embedder, HashingEmbedder
    from evolve.retrieval.minilm import MiniLMEmbedder, bundled_model
    from evolve.retrieval.sentence_transformer import SentenceTransformerEmbedder

__all__ = [
    "BM25",
    "Embedder",
    "HashingEmbedder",
    "MiniLMEmbedder",
    "SentenceTransformerEmbedder",
    "WordIndex",
    "bundled_model",
    "fuse",
    "words",
]


def __getattr__(name: str) -> Any:
    # The encoders need numpy, which not every command does.
    if name in ("Embedder", "HashingEmbedder"):
        from evolve.retrieval import embedders

        return getattr(embedders, name)
    if name in ("MiniLMEmbedder", "bundled_model"):
        from evolve.retrieval import minilm

        return getattr(minilm, name)
    if name == "SentenceTransformerEmbedder":
        from evolve.retrieval import sentence_transformer

        return getattr(sentence_transformer, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
