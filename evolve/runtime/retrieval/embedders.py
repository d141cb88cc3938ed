"""Text to vectors: the protocol, and an encoder that needs no model."""

from __future__ import annotations

import math
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Protocol

from evolve.runtime.retrieval.lexical import split_words

if TYPE_CHECKING:
    import numpy as np

_WORD_WEIGHT = 1.0
_NGRAM_WEIGHT = 0.4
"""Letter groups blur spelling and endings; they weigh less so that whole words decide."""


class Embedder(Protocol):
    """Turns texts into unit vectors whose cosine says how alike the texts are."""

    @property
    def name(self) -> str:
        """Names the encoder and everything that changes its vectors; vectors of different names are never compared."""
        ...

    @property
    def dimension(self) -> int:
        """Length of a vector."""
        ...

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        """Vectors of shape (len(texts), dimension), single precision, length 1.

        The same text always gives the same vector, alone or in a batch; the empty text too has one.
        """
        ...


class HashingEmbedder:
    """Hashed words, word pairs and letter groups; the same in every process and on every machine.

    Each feature adds or subtracts at a place its checksum chooses, so that collisions cancel on
    average (Weinberger et al., "Feature hashing for large scale multitask learning", ICML 2009).

    Args:
        dimension: Length of the vectors; 256 keeps collisions rare for instructions of a paragraph.
    """

    def __init__(self, dimension: int = 256) -> None:
        if dimension < 2:
            raise ValueError("dimension must be at least 2")
        self.dimension = dimension
        self.name = f"hashing-{dimension}"

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        import numpy as np  # every command that opens a workspace makes an encoder, and few of them encode

        rows = np.zeros((len(texts), self.dimension), dtype=np.float64)
        for row, text in zip(rows, texts, strict=True):
            for (feature, weight), count in Counter(_features(text)).items():
                # Not hash(), which differs from process to process.
                value = zlib.crc32(feature.encode("utf-8", "replace"))
                # One bit for the sign and the others for the place, so that the two are independent.
                sign = 1.0 if value & 0x80000000 else -1.0
                row[(value & 0x7FFFFFFF) % self.dimension] += sign * weight * (1 + math.log(count))
            if not row.any():
                # No features, or features that cancelled: a fixed direction of its own.
                row[zlib.crc32(b"no words") % self.dimension] = 1.0
        if len(rows):
            rows /= np.linalg.norm(rows, axis=1, keepdims=True)
        return rows.astype(np.float32)


def _features(text: str) -> Iterator[tuple[str, float]]:
    tokens = split_words(text)
    for word in tokens:
        yield f"w:{word}", _WORD_WEIGHT
        padded = f"<{word}>"
        for size in (3, 4):
            for start in range(len(padded) - size + 1):
                yield f"c:{padded[start : start + size]}", _NGRAM_WEIGHT
    for first, second in pairwise(tokens):
        yield f"p:{first} {second}", _WORD_WEIGHT
    if not tokens:
        # Text of signs only, such as "+-*/", still differs from other such text.
        for sign in text.strip():
            yield f"s:{sign}", _WORD_WEIGHT
