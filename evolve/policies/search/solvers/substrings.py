"""Lists of decisions by pieces of texts: outputs of few kinds, each by what a text holds, begins or ends with.

A decision list (Rivest 1987, Learning decision lists) whose conditions are tests of :mod:`piece_tests`, each true of
rows of one output alone, with as few of them as cover the rows. What is left is the last output. One condition per row
would fit any rows. So each needs two rows, and all of them together have to say less than the outputs do.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import combinations
from operator import or_
from typing import Any

from evolve.policies.search.enumerator import Enumerator
from evolve.policies.search.leaves import MINED
from evolve.policies.search.problem import SearchProblem
from evolve.policies.search.programs.operation import Operation
from evolve.policies.search.programs.terms import Constant, Term, operations_in
from evolve.policies.search.programs.types import BOOL, FLOAT, INT, STR, Type
from evolve.policies.search.search_decisions import CHOOSE, MIN_SUPPORT, mask_of
from evolve.policies.search.solvers.base import SolvedTerm, apply
from evolve.policies.search.solvers.solvers_piece_tests import PieceTest, distinct, mined_tests

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

    def term(self, kind: Type) -> Term:
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
                yield SolvedTerm(one.term(problem.output_type), one.cost, turn)

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
    return [test for test in distinct(tests) if min(sum(test.values), test.values.count(False)) >= MIN_SUPPORT]


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
