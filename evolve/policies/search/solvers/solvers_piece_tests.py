"""Whether a text holds, begins with or ends with a piece of it: tests that are mined from the rows.

What people sort rows by is plain to see: a rare mark, a word, what stands before the first mark or after the last one.
Any letters would separate a few rows as well, so the plainer a test is, the less it costs.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from evolve.policies.search.problem import SearchProblem
from evolve.policies.search.programs.terms import Constant, Input, Term
from evolve.policies.search.programs.types import STR
from evolve.policies.search.search_decisions import MIN_SUPPORT
from evolve.policies.search.solvers.base import apply

LONGEST, MOST_ROWS = 120, 60
"""Characters of a text and texts of a column in which pieces are looked for."""
FEWEST_LETTERS, MOST_AT_END = 4, 4
"""Letters of a piece inside words, and characters of one at either end that is no word."""
COMMON = " .,-"
"""Marks that many texts hold, whatever they say."""
SHORT, ODD, INSIDE, FOLDED = 1, 2, 3, 2
"""What a test costs more of a word of one or two letters or of digits, of characters at an end that are no word, of a
piece of a word, and where case does not matter."""

_RUN = re.compile(r"[^\W_]+")
_MARK = re.compile(r"[^\w\s]|_| ")
_LETTERS = re.compile(r"[^\W\d_]{4,24}")

Values = tuple[bool, ...]


@dataclass(frozen=True)
class PieceTest:
    """A test of a text.

    Attributes:
        values: Whether it holds, per row.
        price: How much less plain it is than the plainest.
        piece: What the text is asked about.
        term: The test.
    """

    values: Values
    price: int
    piece: str
    term: Term

    @property
    def rank(self) -> tuple[int, int, str]:
        """The plainest first; a longer piece says more."""
        return self.price, -len(self.piece), repr(self.term)


def mined_tests(problem: SearchProblem) -> list[PieceTest]:
    """Tests of the arguments that are texts, the plainest first; each is true of some rows and false of others."""
    found: list[PieceTest] = []
    for place, kind in enumerate(problem.input_types):
        if kind == STR:
            texts = [row[place] for row in problem.inputs]
            found += _tests(texts, Input(place), 0)
            folded = [text.lower() for text in texts]
            if folded != texts:
                found += _tests(folded, apply("lower", Input(place)), FOLDED)
    return sorted(found, key=lambda test: test.rank)


def distinct(tests: Iterable[PieceTest]) -> list[PieceTest]:
    """The plainest test for each way to separate the rows."""
    plainest: dict[Values, PieceTest] = {}
    for test in tests:
        plainest.setdefault(test.values, test)
    return list(plainest.values())


def _tests(texts: Sequence[str], term: Term, more: int) -> Iterator[PieceTest]:
    clipped = [text[:LONGEST] for text in texts[:MOST_ROWS]]
    spaced = any(" " in text.strip() for text in clipped)
    prices: dict[tuple[str, str], int] = {}
    for text in clipped:
        for operation, piece, price in _pieces(text, spaced):
            key = operation, piece
            prices[key] = min(price, prices.get(key, price))
    for piece in _shared(clipped):
        prices.setdefault(("has_text", piece), INSIDE)
    for (operation, piece), price in sorted(prices.items()):
        says = _MEANINGS[operation]
        values = tuple(says(piece, text) for text in texts)
        if min(sum(values), len(values) - sum(values)) > 0:
            tested = apply("split_whitespace", term) if operation == "contains" else term
            yield PieceTest(values, price + more, piece, apply(operation, Constant(piece, STR), tested))


_MEANINGS: dict[str, Callable[[str, str], bool]] = {
    "has_text": lambda piece, text: piece in text,
    "starts_with": lambda piece, text: text.startswith(piece),
    "ends_with": lambda piece, text: text.endswith(piece),
    "contains": lambda piece, text: piece in text.split(),
}


def _pieces(text: str, spaced: bool) -> Iterator[tuple[str, str, int]]:
    """``(operation, piece, price)`` for what stands out in a text.

    Args:
        spaced: Whether texts of the column are of several words. There words matter wherever they stand, while in a
            single word it is its beginning or its end.
    """
    for mark in set(_MARK.findall(text)):
        yield "has_text", mark, SHORT if mark in COMMON else 0
    for run in set(_RUN.findall(text)):
        price = (SHORT if len(run) < 3 or run.isdigit() else 0) + (ODD if len(run) == 1 else 0)
        yield "has_text", run, price + (not spaced)
        if spaced:
            yield "contains", run, price + 1
    for operation, whole in (("starts_with", text), ("ends_with", text[::-1])):
        turned = slice(None, None, 1 if operation == "starts_with" else -1)
        for piece, is_run in _beginnings(whole):
            is_word = spaced and piece.isalpha() and len(piece) > 2
            yield operation, piece[turned], int(is_word or not is_run)
        for length in range(1, min(MOST_AT_END, len(whole) - 1) + 1):
            parts_word = whole[length - 1 : length + 1].isalpha()
            yield operation, whole[:length][turned], INSIDE if parts_word else ODD


def _beginnings(text: str) -> Iterator[tuple[str, bool]]:
    """What a text begins with, up to a blank or a mark, and whether no mark is at its end."""
    for form in (r"\S+(?=\s)", r"[^\W_]+", r"[^\w\s]+"):
        match = re.match(form, text)
        if match is not None and match.group() != text:
            yield match.group(), True
    yield from ((text[: mark.end()], False) for mark in _MARK.finditer(text[:-1]) if mark.group() != " ")


def _shared(texts: Sequence[str]) -> Iterator[str]:
    """Pieces inside words that two texts share, the longest of those that the same texts hold."""
    rows: dict[str, int] = defaultdict(int)
    for number, text in enumerate(texts):
        for word in _LETTERS.findall(text):
            for start, end in combinations(range(len(word) + 1), 2):
                if end - start >= FEWEST_LETTERS:
                    rows[word[start:end]] |= 1 << number
    longest: dict[int, str] = {}
    for piece, held in rows.items():
        if held.bit_count() >= MIN_SUPPORT:
            longest[held] = max(piece, longest.get(held, ""), key=lambda one: (len(one), one))
    yield from longest.values()
