"""Two texts in order: by the numbers in them, as versions are, by their dates, or as they are."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import Any

from evolve.policies.search.enumerator import Enumerator
from evolve.policies.search.programs.operation import EVALUATION_ERRORS, Operation
from evolve.policies.search.programs.terms import Constant, Input, Term
from evolve.policies.search.programs.types import BOOL, STR
from evolve.policies.search.solvers.base import SolvedTerm, apply, price_of

ENOUGH, PATIENCE = 2.0, 3
"""Bits of the outputs beyond the choice among orders, and levels to go on before one is taken."""
KEYS = ("integers_in", "")
"""What texts are compared by: an operation, or themselves."""
CHEAP = 6
"""Price of a comparison as a condition at most: two inputs of one kind ask for it."""

Test = tuple[tuple[bool, ...], int, Term]


@dataclass
class Orders:
    """Compares each two inputs that are texts."""

    enumerator: Enumerator
    operations: Mapping[str, Operation]

    def tests(self) -> Iterator[Test]:
        """``(values, price, term)`` of comparisons, once."""
        problem = self.enumerator.problem
        if self.enumerator.cost > 1:
            return
        texts = [place for place, kind in enumerate(problem.input_types) if kind == STR]
        for first, second in permutations(texts, 2):
            for operation in KEYS:
                columns = [self._keys(operation, [row[place] for row in problem.inputs]) for place in (first, second)]
                if None not in columns:
                    sides = [apply(operation, Input(i)) if operation else Input(i) for i in (first, second)]
                    term = apply("is_before", *sides)
                    self.enumerator.meter.count(1)
                    values = tuple(a < b for a, b in zip(*columns, strict=True))
                    yield values, min(CHEAP, price_of(term, self.enumerator.costs)), term

    def _keys(self, operation: str, texts: Sequence[str]) -> Sequence[Any] | None:
        """What the texts are compared by; None where it says nothing of them."""
        if not operation:
            return texts
        try:
            numbers = [self.operations[operation].function(text) for text in texts]
        except (*EVALUATION_ERRORS, KeyError):
            return None
        # A single number is compared as one, and a minus is a hyphen between several.
        return numbers if all(len(some) > 1 and min(some) >= 0 for some in numbers) else None

    def solutions(self) -> Iterator[SolvedTerm]:
        """The truth of a comparison or of its opposite."""
        problem = self.enumerator.problem
        tests = list(self.tests()) if problem.output_type == BOOL else []
        for values, price, term in tests:
            turn = self.enumerator.cost + CHEAP + PATIENCE
            if len(values) - math.log2(2 * len(tests)) < ENOUGH or len(set(values)) == 1:
                continue
            if values == problem.outputs:
                yield SolvedTerm(term, price, turn)
            elif all(a != b for a, b in zip(values, problem.outputs, strict=True)):
                opposite = apply("choose", term, Constant(False, BOOL), Constant(True, BOOL))
                yield SolvedTerm(opposite, price + PATIENCE, turn + PATIENCE)
