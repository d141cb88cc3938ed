"""Search by words and by those that mean the same in everyday work, for questions in other words than a text has.

Each word of a question counts once for a text: by itself, or by the best of the words that mean the same, at a lower
weight. The gains are those of BM25 (Robertson and Zaragoza 2009).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from evolve.retrieval.lexical import words
from evolve.retrieval.word_index import STOP_WORDS

_SAY_LITTLE_TEXT = (
    "build convert create find generate get give how make much put show take tell turn use value way write"
)
_SAY_LITTLE = STOP_WORDS | frozenset(_SAY_LITTLE_TEXT.split())
"""Words with which one asks for any function."""
_ENDINGS = ("ations", "ation", "ings", "ing", "ies", "ied", "ers", "er", "ed", "es", "s", "ly", "e")
_SATURATION, _LENGTH, _MEANT = 1.2, 0.5, 0.7


class MeaningIndex:
    """Scores a fixed set of texts against questions.

    Args:
        texts: Text by id.
    """

    def __init__(self, texts: Mapping[str, str]) -> None:
        counts = {name: Counter(map(_stem, words(text))) for name, text in texts.items()}
        mean = sum(map(Counter.total, counts.values())) / max(1, len(counts)) or 1.0
        found: dict[str, dict[str, int]] = {}
        for name, count in counts.items():
            for word, times in count.items():
                found.setdefault(word, {})[name] = times
        self._gains = {
            word: {
                name: _idf(len(counts), len(where)) * times * (_SATURATION + 1) / (times + _room(counts[name], mean))
                for name, times in where.items()
            }
            for word, where in found.items()
        }

    def scores(self, query: str) -> dict[str, float]:
        """Scores above zero by id; texts that share no word or meaning with the query are left out."""
        asked = list(dict.fromkeys(words(query)))
        total: dict[str, float] = {}
        for word in dict.fromkeys(_stem(each) for each in [word for word in asked if word not in _SAY_LITTLE] or asked):
            best = dict(self._gains.get(word, {}))
            for other in _groups().get(word, ()):
                for name, gain in self._gains.get(other, {}).items():
                    best[name] = max(best.get(name, 0.0), _MEANT * gain)
            for name, gain in best.items():
                total[name] = total.get(name, 0.0) + gain
        return total


def _idf(texts: int, where: int) -> float:
    return math.log(1 + (texts - where + 0.5) / (where + 0.5))


def _room(count: Counter[str], mean: float) -> float:
    return _SATURATION * (1 - _LENGTH + _LENGTH * count.total() / mean)


@cache
def _groups() -> dict[str, set[str]]:
    """Stems that mean about the same, by each of them: one line of ``synonyms.txt`` is one meaning."""
    found: dict[str, set[str]] = {}
    for line in Path(__file__).with_name("synonyms.txt").read_text(encoding="utf-8").splitlines():
        group = set(map(_stem, line.split()))
        for word in group:
            found.setdefault(word, set()).update(group - {word})
    return found


@cache
def _stem(word: str) -> str:
    """A word without its ending, so that forms of one word meet; never shorter than three letters."""
    return next((word[: -len(end)] for end in _ENDINGS if word.endswith(end) and len(word) - len(end) >= 3), word)
