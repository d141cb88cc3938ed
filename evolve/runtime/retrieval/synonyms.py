"""Search by words and by those that mean the same in everyday work, for questions in other words than a text has."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path

from evolve.runtime.retrieval.lexical import STOP_WORDS, WordIndex, split_words

_SAY_LITTLE_TEXT = (
    "build convert create find generate get give how make much put show take tell turn use value way write"
)
_SAY_LITTLE = STOP_WORDS | frozenset(_SAY_LITTLE_TEXT.split())
"""Words with which one asks for any function."""
_ENDINGS = ("ations", "ation", "ings", "ing", "ies", "ied", "ers", "er", "ed", "es", "s", "ly", "e")
_MEANT = 0.4
"""Weight of the words that mean the same beside those that were said."""


class MeaningIndex:
    """Scores a fixed set of texts against questions.

    Args:
        texts: Text by id.
    """

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._words = WordIndex()
        self._words.add(texts)

    def scores(self, query: str) -> dict[str, float]:
        """Scores above zero by id; texts that share no word or meaning with the query are left out."""
        asked = dict.fromkeys(split_words(query))
        telling = [word for word in asked if word not in _SAY_LITTLE] or list(asked)
        total = self._words.scores(" ".join(telling))
        meant = {other for word in telling for other in _groups().get(_stem(word), ())}.difference(telling)
        for name, score in self._words.scores(" ".join(sorted(meant))).items():
            total[name] = total.get(name, 0.0) + _MEANT * score
        return total


@cache
def _groups() -> dict[str, set[str]]:
    """Words that mean about the same, by the stem of each of them: one line of ``synonyms.txt`` is one meaning."""
    found: dict[str, set[str]] = {}
    for line in Path(__file__).with_name("synonyms.txt").read_text(encoding="utf-8").splitlines():
        for word in line.split():
            found.setdefault(_stem(word), set()).update(line.split())
    return found


@cache
def _stem(word: str) -> str:
    """A word without its ending, so that forms of one word meet; never shorter than three letters."""
    return next((word[: -len(end)] for end in _ENDINGS if word.endswith(end) and len(word) - len(end) >= 3), word)
