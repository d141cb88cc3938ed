"""Search by whole words: Okapi BM25, beside which the search by stems is measured.

Source: Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond",
Foundations and Trends in Information Retrieval 3 (2009); the inverse document frequency is the
variant with one added inside the logarithm, which is never negative.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping

from evolve.runtime.retrieval import split_words


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
            counts = Counter(split_words(text))
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
        for word in dict.fromkeys(split_words(query)):
            postings = self._postings.get(word, [])
            idf = math.log(1 + (len(self._norms) - len(postings) + 0.5) / (len(postings) + 0.5))
            for name, count in postings:
                gain = idf * count * (self._saturation + 1) / (count + self._norms[name])
                total[name] = total.get(name, 0.0) + gain
        return total
