"""Solvers by pieces of texts: which pieces an output depends on, and lists of decisions by them.

A decision list (Rivest 1987, Learning decision lists) whose conditions are tests of :mod:`piece_tests`, each true of
rows of one output alone, with as few of them as cover the rows. What is left is the last output. One condition per row
would fit any rows. So each needs two rows, and all of them together have to say less than the outputs do.

What people sort rows by is plain to see: a rare mark, a word, what stands before the first mark or after the last one.
Any letters would separate a few rows as well, so the plainer a test is, the less it costs.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import combinations
from operator import or_
from typing import Any

from evolve.policies.search.conditionals import CHOOSE, MIN_SUPPORT, mask_of
from evolve.policies.search.enumerator import Enumerator
from evolve.policies.search.leaves import MINED
from evolve.policies.search.problem import SearchProblem
from evolve.policies.search.programs.operation import Operation
from evolve.policies.search.programs.terms import Constant, Input, Term, operations_in
from evolve.policies.search.programs.types import BOOL, FLOAT, INT, STR, Type
from evolve.policies.search.solvers.base import SolvedTerm, apply

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


def _distinct(tests: Iterable[PieceTest]) -> list[PieceTest]:
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


AT = 5
"""Level at which texts are looked at. Before it, most functions are found."""
PRICE, PLAIN, MOST_TESTS = 5, 1, 40
"""Price of the plainest test as a condition, how much dearer one may be that stands before computed branches, and how
many of these are offered."""
OUTPUT = MINED["mined:str"]
"""Price of an output in a list."""
MOST_OUTPUTS, MOST_PIECES, MOST_TRIED = 6, 3, 40
"""Different outputs, pieces that stand for one of them, and pieces that are tried for it."""
ENOUGH, DOUBTFUL = 2.0, 1.5
"""Bits that the outputs say beyond the choice of pieces, and how many of them may be missing at the end."""
PATIENCE, COMPUTED, LAST = 7, 2, 1_000
"""Levels to go on before a list is taken; how many more where the outputs are no texts; and where evidence is short, or
every output stands in its row and may be cut out of it."""


@dataclass(frozen=True, kw_only=True)
class PieceList:
    """A list of decisions.

    Attributes:
        rules: Tests, each with the output where it holds, in order.
        last: The output where none does.
        bits: What the outputs say beyond the choice of the tests.
    """

    rules: tuple[tuple[PieceTest, Any], ...]
    last: Any
    bits: float

    @property
    def price(self) -> int:
        """Of the tests alone."""
        return sum(PRICE + test.price for test, _ in self.rules)

    @property
    def cost(self) -> int:
        """Of the whole, as a conditional between constants costs."""
        return self.price + (CHOOSE + OUTPUT) * len(self.rules) + OUTPUT

    def to_term(self, kind: Type) -> Term:
        """The list as nested choices."""
        whole: Term = Constant(self.last, kind)
        for test, output in reversed(self.rules):
            if kind == BOOL and whole == Constant(not output, BOOL):
                whole = test.term if output else apply("choose", test.term, Constant(False, BOOL), whole)
            else:
                whole = apply("choose", test.term, Constant(output, kind), whole)
        return whole


@dataclass
class PieceLists:
    """Looks for pieces of texts that decide the outputs, and offers tests as conditions."""

    enumerator: Enumerator
    operations: Mapping[str, Operation]
    _tests: list[PieceTest] | None = None

    def tests(self) -> Iterator[tuple[tuple[bool, ...], int, Term]]:
        """``(values, price, term)`` of the plainest tests, once; truth values are told by lists alone.

        Of the many programs for truth values some two fit the rows on either side of any condition.
        """
        is_truth = self.enumerator.problem.output_type == BOOL
        for test in self._mined()[: 0 if is_truth else MOST_TESTS]:
            if test.price <= PLAIN:
                yield test.values, PRICE + test.price, test.term

    def solutions(self) -> Iterator[SolvedTerm]:
        """The shortest list."""
        problem = self.enumerator.problem
        for one in lists_of(problem, self._mined())[:1]:
            short = ENOUGH - one.bits
            if short <= DOUBTFUL:
                wait = PATIENCE + len(one.rules) + COMPUTED * (problem.output_type != STR)
                turn = LAST if short > 0 or _copied(problem) else wait
                yield SolvedTerm(one.to_term(problem.output_type), one.cost, turn)

    def _mined(self) -> list[PieceTest]:
        """The tests, at the level at which they are looked at."""
        problem = self.enumerator.problem
        if self.enumerator.cost != AT or len(set(problem.outputs)) == 1 or "choose" not in self.operations:
            return []
        if self._tests is None:
            known = [test for test in mined_tests(problem) if self.operations.keys() >= set(operations_in(test.term))]
            self._tests = supported_tests(known)
            self.enumerator.meter.count(len(self._tests))
        return self._tests


def supported_tests(tests: Sequence[PieceTest]) -> list[PieceTest]:
    """The plainest test for each way to separate the rows that leaves two of them on both sides."""
    return [test for test in _distinct(tests) if min(sum(test.values), test.values.count(False)) >= MIN_SUPPORT]


def lists_of(problem: SearchProblem, tests: Sequence[PieceTest]) -> list[PieceList]:
    """The shortest list for each output that may be the last, the shortest first.

    Args:
        tests: The plainest for each way to separate the rows, the plainest first.
    """
    outputs = problem.outputs
    if problem.output_type not in (STR, INT, FLOAT, BOOL) or not 2 <= len(set(outputs)) <= MOST_OUTPUTS:
        return []
    counts = Counter(outputs)
    said = math.log2(math.factorial(len(outputs)) / math.prod(map(math.factorial, counts.values())))
    # Of so many tests some one separates any rows.
    before = {test: sum(other.price <= test.price for other in tests) for test in tests}
    covers = {output: _cover(output, outputs, tests) for output in counts}
    lists = []
    for last in counts:
        chosen = [(test, output) for output in counts if output != last for test in covers[output] or ()]
        if all(covers[output] for output in counts if output != last):
            bits = said - sum(math.log2(before[test]) for test, _ in chosen)
            lists.append(PieceList(rules=tuple(chosen), last=last, bits=bits))
    return sorted(lists, key=lambda one: (len(one.rules), one.price, -counts[one.last]))


def _cover(output: Any, outputs: Sequence[Any], tests: Sequence[PieceTest]) -> tuple[PieceTest, ...] | None:
    """The fewest tests that are true of all rows of an output and of no others, the plainest of them."""
    wanted = mask_of(one == output for one in outputs)
    masks = [(mask_of(test.values), test) for test in tests]
    pure = [(mask, test) for mask, test in masks if not mask & ~wanted]
    for number in range(1, MOST_PIECES + 1):
        some = [
            tuple(test for _, test in chosen)
            for chosen in combinations(pure[:MOST_TRIED], number)
            if reduce(or_, (mask for mask, _ in chosen)) == wanted
        ]
        if some:
            return min(some, key=lambda chosen: sum(test.price for test in chosen))
    return None


def _copied(problem: SearchProblem) -> bool:
    rows = zip(problem.inputs, problem.outputs, strict=True)
    return problem.output_type == STR and all(any(output in str(value) for value in row) for row, output in rows)
