"""Splits comments into remarks, groups remarks of one meaning, and names the groups."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from evolve.memory.preferences.matching import content_words
from evolve.runtime.retrieval import split_words

if TYPE_CHECKING:
    import numpy as np

    from evolve.runtime.retrieval import Embedder

NEAR = 0.25
"""Mean cosine of the content words of two groups of remarks from which they are one."""

_CLAUSE_END = re.compile(r"(?<=[.!?;])\s+|\s*;\s*|,?\s+\b(?:but|however|although|though|while|yet)\b\s+", re.IGNORECASE)
_GOOD_TEXT = """
accurate beautiful clean clear concise correct easy elegant excellent exact fast fine good great handy helpful like
liked love nice perfect pleasant precise quick readable right thanks tidy useful well works
"""
_BAD_TEXT = """
annoying awkward bad boring broken clumsy confusing crashed crashes error fail failed fails forgot hard hate incomplete
incorrect late lost messy missed misses missing odd poor should slow terrible too ugly unclear unreadable useless
verbose vague wrong
"""
_DENIAL_TEXT = "not no never without isnt wasnt doesnt didnt dont cannot cant lacks hardly"
_GOOD, _BAD = frozenset(_GOOD_TEXT.split()), frozenset(_BAD_TEXT.split())
_DENIALS = frozenset(_DENIAL_TEXT.split())


def remarks_in(text: str) -> list[str]:
    """Splits a comment into the single things that it says."""
    parts = [part.strip(" ,.;!?") for part in _CLAUSE_END.split(text)]
    return [part for part in parts if _topic(part)]


def sign_of(remark: str) -> Literal[-1, 0, 1]:
    """Praise, complaint, or neither, by its words; a negation turns praise around."""
    spoken = split_words(remark.replace("'", "").replace("’", ""))
    good, bad = sum(word in _GOOD for word in spoken), sum(word in _BAD for word in spoken)
    denied = any(word in _DENIALS for word in spoken)
    value = (good - bad) * (-1 if denied else 1) if good or bad else -denied
    return 1 if value > 0 else -1 if value < 0 else 0


def topic_vectors(embedder: Embedder, remarks: Sequence[str]) -> np.ndarray:
    """One vector per remark for what it is about, whether it praises or blames."""
    return embedder.encode([" ".join(_topic(remark)) for remark in remarks])


def groups(vectors: np.ndarray) -> list[list[int]]:
    """Places of vectors that belong together: average linkage, merging the nearest groups while they are near.

    Of equally near pairs the earliest merge, so the same remarks in the same order give the same groups.
    """
    import numpy as np

    if not len(vectors):
        return []
    near = np.asarray(vectors @ vectors.T, dtype=np.float64)
    clusters = [[place] for place in range(len(vectors))]
    while len(clusters) > 1:
        best, pair = NEAR, None
        for i, cluster in enumerate(clusters):
            for j in range(i + 1, len(clusters)):
                value = float(near[np.ix_(cluster, clusters[j])].mean())
                # Rounding must not decide between pairs that are equally near.
                if value > best + 1e-9:
                    best, pair = value, (i, j)
        if pair is None:
            break
        clusters[pair[0]] += clusters.pop(pair[1])
    return [sorted(cluster) for cluster in clusters]


def key_terms(group: Sequence[str], everything: Sequence[str], count: int = 2) -> list[str]:
    """The words that set a group of remarks apart: frequent in it and rare outside (class-based tf-idf)."""
    inside = Counter(word for remark in group for word in set(_topic(remark)))
    across = Counter(word for remark in everything for word in set(_topic(remark)))
    total = max(1, len(everything))
    worth = {word: inside[word] * math.log(1 + total / max(1, across[word])) for word in inside}
    # A word of a single remark may be rare by chance.
    often = [word for word in worth if inside[word] > 1] or list(worth)
    chosen = sorted(often, key=lambda word: (-worth[word], word))[:count]
    return [_as_written(stem, group) for stem in chosen]


def _as_written(stem: str, group: Sequence[str]) -> str:
    """The word in which a group writes a stem most often."""
    written = Counter(word for remark in group for word in split_words(remark) if content_words(word) == [stem])
    return min(written, key=lambda word: (-written[word], word), default=stem)


def _topic(remark: str) -> list[str]:
    """The words that say what a remark is about, without those that judge it."""
    judging = _GOOD | _BAD | _DENIALS | {"very", "really", "much", "quite", "answer", "result", "time", "again"}
    # Praise and blame of one thing belong to one metric, so judging words do not count.
    plain = " ".join(word for word in split_words(remark.replace("'", "").replace("’", "")) if word not in judging)
    return content_words(plain)
