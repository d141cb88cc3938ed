"""Finds skills by words, in the text that leaves with them: words, words that mean the same, and the encoder."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING

from evolve.runtime.retrieval import HashingEmbedder, MeaningIndex, fuse_rankings
from evolve.skills import Skill
from evolve.skills.export.description import STEPS, WHEN, describe, exported_name

if TYPE_CHECKING:
    import numpy as np

    from evolve.runtime.retrieval import Embedder

_TRAINED, _HASHED, _HEAD, _STEPS = 3.0, 0.3, 0.6, 0.3
"""Weights beside words at 1: of an encoder, where hashed words say once more what the search by words says; of the
words before the steps, which many skills have in common; and of the vector of the steps beside that of these words."""


def search_text(skill: Skill) -> str:
    """The text by which a skill is found: the name and the description that it leaves with."""
    return f"{exported_name(skill).replace('-', ' ')}: {describe(skill)}"


class SkillIndex:
    """Texts of skills by digest, ready for questions.

    Args:
        texts: What :func:`search_text` gives.
        embedder: The configured encoder.
    """

    def __init__(self, texts: Mapping[str, str], embedder: Embedder) -> None:
        self._texts, self._embedder = texts, embedder
        parts = [text.partition(WHEN)[0].partition(f" {STEPS} ") for text in texts.values()]
        self._parts = [part[0] for part in parts], [part[2] for part in parts]
        self._words = MeaningIndex(texts)
        self._heads = MeaningIndex(dict(zip(texts, self._parts[0], strict=True)))

    @cached_property
    def _vectors(self) -> np.ndarray:
        heads, steps = map(self._embedder.encode, self._parts)
        return heads + _STEPS * steps

    def best_matches(self, query: str, k: int) -> list[str]:
        """Digests of at most ``k`` skills, best first; none where nothing fits."""
        said = self._words.scores(query)
        for name, score in self._heads.scores(query).items():
            said[name] = said.get(name, 0.0) + _HEAD * score
        hashed = isinstance(self._embedder, HashingEmbedder)
        if not self._texts or not query.strip() or (hashed and not said):
            return []
        cosines = zip(self._texts, map(float, self._vectors @ self._embedder.encode([query])[0]), strict=True)
        near = {name: cosine for name, cosine in cosines if not hashed or name in said}
        weights = [(1.0, said), (_HASHED if hashed else _TRAINED, near)]
        return [name for name, _ in fuse_rankings(weights, floors=(0.0, 0.0))][:k]
