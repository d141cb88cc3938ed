"""Search by words: Okapi BM25.

Source: Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond",
Foundations and Trends in Information Retrieval 3 (2009); the inverse document frequency is the
variant with one added inside the logarithm, which is never negative.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import chain, repeat

_WORD = re.compile(r"\w+")


def words(text: str) -> list[str]:
    """Lower-case words of a text, after Unicode compatibility folding."""
    return _WORD.findall(unicodedata.normalize("NFKC", text).casefold().replace("_", " "))


class BM25:
    """Scores a fixed set of documents against queries.

    Args:
        documents: Text by id.
        saturation: k1; how slowly repeated words stop counting.
        length: b in [0, 1]; how strongly long documents are held back.
    """

    def __init__(self, documents: Mapping[str, str], *, saturation: float = 1.2, length: float = 0.75) -> None:
        self._saturation = saturation
        self._postings: dict[str, list[tuple[str, int]]] = {}
        sizes: dict[str, int] = {}
        for name, text in documents.items():
            counts = Counter(words(text))
            sizes[name] = sum(counts.values())
            for word, count in counts.items():
                self._postings.setdefault(word, []).append((name, count))
        mean = sum(sizes.values()) / len(sizes) if sizes else 0.0
        self._norms = {
            name: saturation * (1 - length + length * (size / mean if mean else 1.0)) for name, size in sizes.items()
        }

    def scores(self, query: str) -> dict[str, float]:
        """Scores above zero by id; documents that share no word with the query are left out."""
        total: dict[str, float] = {}
        # A word that the query repeats counts once.
        for word in dict.fromkeys(words(query)):
            postings = self._postings.get(word, [])
            idf = math.log(1 + (len(self._norms) - len(postings) + 0.5) / (len(postings) + 0.5))
            for name, count in postings:
                gain = idf * count * (self._saturation + 1) / (count + self._norms[name])
                total[name] = total.get(name, 0.0) + gain
        return total


def fuse(
    rankings: Sequence[tuple[float, Mapping[str, float]]], *, floors: Sequence[float] = ()
) -> list[tuple[str, float]]:
    """Weighted sum of scores, each scoring first stretched to [0, 1] over the items it names.

    Scores are fused and not ranks: where one arm is much the stronger, adding ranks throws away
    how sure it is and costs ten points of recall (measured on conversations; equal arms do not care).

    Args:
        rankings: Pairs of weight and score by id. An item that a scoring does not name gets 0
            from it; a scoring that cannot tell its items apart gives each of them 1.
        floors: Of each scoring the share of its best score that a stretch begins at or below, so that small differences
            among a few items stay small; 1, as where it is left out, begins at the least score.

    Returns:
        Ids with fused scores, best first, equal scores by id.
    """
    total: dict[str, float] = {}
    for (weight, scores), floor in zip(rankings, chain(floors, repeat(1.0)), strict=False):
        if not scores:
            continue
        high = max(scores.values())
        low = min(*scores.values(), floor * high)
        for name, score in scores.items():
            share = (score - low) / (high - low) if high > low else 1.0
            total[name] = total.get(name, 0.0) + weight * share
    return sorted(total.items(), key=lambda item: (-item[1], item[0]))
