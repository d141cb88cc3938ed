"""Digits that are weighted by their place, summed and divided: numbers that check other numbers."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from evolve.policies.search.enumerator import Enumerator
from evolve.policies.search.programs.operation import Operation
from evolve.policies.search.programs.terms import Bound, Constant, Lambda, Term, operations_in
from evolve.policies.search.programs.types import BOOL, INT, STR, list_of
from evolve.policies.search.solvers.base import RowColumn, SolvedTerm, apply, newest_values, number_constant, price_of

MODULI = (10, 11, 9, 7, 97)
CYCLES = ((1,), (1, 3), (3, 1), (2, 1), (1, 2), (7, 3), (3, 7), (7, 3, 1), (3, 7, 1), (7, 9), (1, 7))
CROSSED = ((2, 1), (1, 2))
"""Weights in turn, from the first digit on, and those of whose products the digits are added."""
RISING, FALLING, FALLING_TO_TWO = "rising", "falling", "falling to two"
SHORTEST, DEAREST, PATIENCE = 4, 6, 4
ENOUGH = 4.0
"""Bits of the outputs beyond the choice among weights and moduli."""
INTS = list_of(INT)


@dataclass(frozen=True)
class _Weighting:
    """How digits are weighted.

    Attributes:
        cycle: Weights in turn; empty where they rise or fall with the place.
        way: ``rising`` and its kin.
        crossed: Whether the digits of a product are added.
    """

    cycle: tuple[int, ...] = ()
    way: str = ""
    crossed: bool = False

    def sum(self, text: str) -> int:
        products = [weight * int(digit) for weight, digit in zip(self._weights(len(text)), text, strict=True)]
        return sum(p // 10 + p % 10 for p in products) if self.crossed else sum(products)

    def _weights(self, length: int) -> Sequence[int]:
        if self.cycle:
            return [self.cycle[place % len(self.cycle)] for place in range(length)]
        places = range(1, length + 1)
        return places if self.way == RISING else [place + (self.way == FALLING_TO_TWO) for place in reversed(places)]

    def term(self, text: RowColumn) -> Term:
        digits = apply("map", Lambda((STR,), apply("parse_integer", Bound(0))), apply("characters", text.term))
        if self.cycle == (1,):
            return apply("sum_of", digits)
        product = apply("multiply", self._weight(text), Bound(1))
        if self.crossed:
            ten = number_constant(10, INT)
            product = apply("add", apply("floor_divide", product, ten), apply("modulo", product, ten))
        return apply("sum_of", apply("map_with_index", Lambda((INT, INT), product), digits))

    def _weight(self, text: RowColumn) -> Term:
        place = Bound(0)
        if self.cycle:
            turn = apply("modulo", place, number_constant(len(self.cycle), INT))
            return apply("item", turn, Constant(self.cycle, INTS))
        if self.way == RISING:
            return apply("add", place, number_constant(1, INT))
        lengths = set(map(len, text.values))
        more = int(self.way == FALLING_TO_TWO)
        if len(lengths) == 1:
            return apply("subtract", number_constant(lengths.pop() + more, INT), place)
        length = apply("text_length", text.term)
        return apply("subtract", apply("add", length, number_constant(1, INT)) if more else length, place)


@dataclass
class CheckDigitWeights:
    """Looks for weights and a modulus that give the last sign of every output, or tell yes from no."""

    enumerator: Enumerator
    operations: Mapping[str, Operation]

    def __post_init__(self) -> None:
        problem = self.enumerator.problem
        self._whole = problem.output_type != STR or all(len(output) == 1 for output in problem.outputs)
        self._checks: list[int] | None = None
        if problem.output_type == INT:
            self._checks = list(problem.outputs)
        elif problem.output_type == STR and all(output[-1:] in set("0123456789X") for output in problem.outputs):
            if all(problem.outputs):
                self._checks = [10 if output[-1] == "X" else int(output[-1]) for output in problem.outputs]
        elif problem.output_type == BOOL:
            self._checks = []

    def solutions(self) -> Iterator[SolvedTerm]:
        """Whole programs, and the last sign of texts, from the digits of the newest level and of inputs."""
        if self._checks is None or self.enumerator.cost > DEAREST:
            return
        for text in map(_as_text, newest_values(self.enumerator, STR, INT)):
            if all(value.isascii() and value.isdigit() and len(value) >= SHORTEST for value in text.values):
                yield from self._of(text)

    def _of(self, text: RowColumn) -> Iterator[SolvedTerm]:
        choices = [*map(_Weighting, CYCLES), *(_Weighting(cycle, crossed=True) for cycle in CROSSED)]
        choices += [_Weighting(way=way) for way in (RISING, FALLING, FALLING_TO_TWO)]
        for weighting in choices:
            self.enumerator.meter.count(1)
            sums = [weighting.sum(value) for value in text.values]
            for modulus in MODULI:
                found = self._fitting(sums, modulus, len(choices))
                if found is not None:
                    yield from self._written(found, weighting.term(text), modulus)
                    return

    def _fitting(self, sums: Sequence[int], modulus: int, choices: int) -> str | None:
        """``rest``, ``missing`` or ``zero``: what of the sums the outputs are; None where nothing fits."""
        rests = [one % modulus for one in sums]
        outputs = self.enumerator.problem.outputs
        telling = sum(outputs) if not self._checks else len(outputs)
        if telling * math.log2(modulus) - math.log2(2 * choices * len(MODULI)) < ENOUGH:
            return None
        if not self._checks:
            return "zero" if [rest == 0 for rest in rests] == list(outputs) else None
        if rests == self._checks:
            return "rest"
        return "missing" if [-rest % modulus for rest in rests] == self._checks else None

    def _written(self, found: str, total: Term, modulus: int) -> Iterator[SolvedTerm]:
        rest = apply("modulo", apply("negate", total) if found == "missing" else total, number_constant(modulus, INT))
        problem = self.enumerator.problem
        term = rest
        if found == "zero":
            term = apply("equal", rest, number_constant(0, INT))
        elif problem.output_type == STR:
            term = apply("number_to_text", rest)
            if modulus > 10:
                term = apply("choose", apply("equal", rest, number_constant(10, INT)), Constant("X", STR), term)
        if self.operations.keys() >= set(operations_in(term)):
            turn = self.enumerator.cost + PATIENCE
            last = None if self._whole else tuple(output[-1] for output in problem.outputs)
            yield SolvedTerm(term, min(turn, price_of(term, self.enumerator.costs)), turn, last)


def _as_text(column: RowColumn) -> RowColumn:
    """A column of numbers as their digits: what a file has as a number may be a code."""
    if column.type == STR:
        return column
    return RowColumn(tuple(map(str, column.values)), apply("number_to_text", column.term), STR, column.cost)
