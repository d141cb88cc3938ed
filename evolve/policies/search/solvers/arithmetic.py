"""Arithmetic with numbers that no list holds: rates, prices per unit, conversions, shares of two columns."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import combinations

from evolve.policies.search.conditionals import is_far_fetched
from evolve.policies.search.enumerator import Enumerator, near_values
from evolve.policies.search.programs.evaluation import evaluate
from evolve.policies.search.programs.operation import EVALUATION_ERRORS, Operation
from evolve.policies.search.programs.operations.text_numbers import FACTOR, constants
from evolve.policies.search.programs.terms import Constant, Term, operations_in
from evolve.policies.search.programs.types import FLOAT, INT
from evolve.policies.search.solvers.base import (
    FIRST,
    RowColumn,
    SolvedTerm,
    apply,
    newest_values,
    number_constant,
    price_of,
)
from evolve.policies.search.solvers.linear import LinearFormula, Span, lines, surplus_digits
from evolve.policies.search.solvers.targets import TargetNumber, targets_of

DEAREST, DEAREST_OF_TWO = 12, 4
"""Price of a value up to which lines through it are looked for: by itself, and with another."""
INPUTS = 3
"""Price up to which two values are the inputs themselves, whose product or ratio may be all."""
MOST_COLUMNS = 8
"""Columns that are taken two by two."""
ENOUGH, PER_PRICE = 2.0, 0.3
"""Digits that the rows must show beyond those taken from them, and how many more per price of the columns."""
PATIENCE, PLAIN = 2, 3
"""Levels to go on before a line is taken, and digits above which each is one more."""
ROUNDED = 4
"""Levels more for a rounded whole number."""
STEPS, STEPPED = {"floor_divide", "whole_units", "floor_to", "ceil_to", "round_to_nearest"}, 4
"""What goes up in steps is on a line with much that does so too; levels more for it."""
MOST_LINES = 3


@dataclass
class Arithmetic:
    """Looks for numbers that lead from what the search has computed to the outputs."""

    enumerator: Enumerator
    operations: Mapping[str, Operation]
    found: int = 0
    columns: list[RowColumn] = field(default_factory=list)
    done: set[Term] = field(default_factory=set)

    def __post_init__(self) -> None:
        self._targets = targets_of(self.enumerator.problem)

    def solutions(self) -> Iterator[SolvedTerm]:
        """Whole programs and pieces of the outputs from the values of the newest level."""
        if not self._targets or self.found >= MOST_LINES or self.enumerator.cost > DEAREST:
            return
        for column in newest_values(self.enumerator, INT, FLOAT):
            for target in self._targets:
                self.enumerator.meter.count(1)
                yield from self._single(column, target)
            if column.cost <= DEAREST_OF_TWO and len(self.columns) < MOST_COLUMNS:
                for other in self.columns:
                    for target in self._targets:
                        yield from self._of_two(column, other, target)
                self.columns.append(column)
        if self.enumerator.cost == 1:
            yield from self._of_three()

    def _of_three(self) -> Iterator[SolvedTerm]:
        """A product of two inputs, with a line on a third: an amount by its quantity, price and rate."""
        for first, second in combinations(self.columns, 2):
            values = tuple(x * y for x, y in zip(first.values, second.values, strict=True))
            term = apply("multiply_floats", _as_float(first), _as_float(second))
            product = RowColumn(values, term, FLOAT, first.cost + second.cost)
            for other in self.columns:
                if other not in (first, second):
                    for target in self._targets:
                        yield from self._of_two(product, other, target)

    def _single(self, column: RowColumn, target: TargetNumber) -> Iterator[SolvedTerm]:
        for line in lines(column.values, target.spans):
            if line.is_identity or _writes_before(line, column.values):
                continue
            if self._is_enough(target.spans, line, column.cost):
                whole = _whole_line(line, column.term) if column.type == INT else None
                yield from self._first(target, _line(line, _as_float(column)), line, whole)
                return

    def _of_two(self, column: RowColumn, other: RowColumn, target: TargetNumber) -> Iterator[SolvedTerm]:
        cost = column.cost + other.cost
        for a, b in ((column, other), (other, column)):
            self.enumerator.meter.count(2)
            if 0 not in a.values:
                spans = [_over(span, value) for span, value in zip(target.spans, a.values, strict=True)]
                for line in lines(b.values, spans)[:1]:
                    if self._is_enough(target.spans, line, cost) and not (line.is_identity and cost > INPUTS):
                        term = apply("multiply_floats", _as_float(a), _line(line, _as_float(b)))
                        yield from self._first(target, term, line)
            if 0 not in b.values:
                ratios = [x / y for x, y in zip(a.values, b.values, strict=True)]
                ratio = RowColumn(tuple(ratios), apply("divide", _as_float(a), _as_float(b)), FLOAT, cost)
                for line in lines(ratios, target.spans)[:1]:
                    if self._is_enough(target.spans, line, cost) and not (line.is_identity and cost > INPUTS):
                        yield from self._first(target, _share(line, a, b, ratio), line)

    def _is_enough(self, spans: Sequence[Span], line: LinearFormula, cost: int) -> bool:
        return surplus_digits(spans, line) >= ENOUGH + PER_PRICE * (cost - 1)

    def _first(
        self, target: TargetNumber, value: Term, line: LinearFormula, whole: Term | None = None
    ) -> Iterator[SolvedTerm]:
        """The plainest way to write the value that gives what the outputs hold."""
        for term in target.writing_terms(value, whole):
            if term in self.done or not self.operations.keys() >= set(operations_in(term)):
                continue
            self.enumerator.meter.count(1)
            if self._gives(term, target.wanted):
                self.done.add(term)
                self.found += 1
                price = price_of(term, self.enumerator.costs)
                turn = max(FIRST, self.enumerator.cost + PATIENCE) + max(0, line.digits - PLAIN)
                turn += math.ceil(is_far_fetched(value)) + STEPPED * (not STEPS.isdisjoint(operations_in(value)))
                turn += line.is_identity
                # Whole numbers are more often divided than multiplied by a fraction and rounded.
                turn += ROUNDED * (self.enumerator.problem.output_type == INT and term != whole)
                if target.is_whole:
                    yield SolvedTerm(term, price, turn)
                else:
                    yield SolvedTerm(term, min(price, turn), turn, target.wanted)
                return

    def _gives(self, term: Term, wanted: Sequence[object]) -> bool:
        try:
            return all(
                near_values(evaluate(term, row, self.operations), value)
                for row, value in zip(self.enumerator.problem.inputs, wanted, strict=True)
            )
        except EVALUATION_ERRORS:
            return False


@cache
def _customary() -> frozenset[float]:
    return frozenset(constant.value for constant, _ in constants() if constant.type == FACTOR)


def _as_float(column: RowColumn) -> Term:
    """A column of numbers as floats."""
    return apply("to_float", column.term) if column.type == INT else column.term


def _line(line: LinearFormula, term: Term) -> Term:
    size = abs(line.factor)
    falls = line.factor < 0
    if falls and line.before:
        term = apply("subtract_floats", number_constant(-line.before, FLOAT), term)
    else:
        term = _plus(term, line.before)
    if size != 1:
        usual = size in _customary()
        term = (
            apply("multiply_by", Constant(size, FACTOR), term)
            if usual
            else apply("multiply_floats", term, number_constant(size, FLOAT))
        )
    if line.divisor != 1:
        usual = line.divisor in _customary()
        term = (
            apply("divide_by", Constant(line.divisor, FACTOR), term)
            if usual
            else apply("divide", term, number_constant(line.divisor, FLOAT))
        )
    if not falls or line.before:
        return _plus(term, line.after)
    return apply("subtract_floats", number_constant(line.after, FLOAT), term)


def _writes_before(line: LinearFormula, values: Sequence[float]) -> bool:
    """Whether a line only writes digits before a number: 490000000000 and ten digits are a text, and no sum."""
    return line.factor == line.divisor and abs(line.after) > 10 * max(map(abs, values)) > 0 and line.after > 1_000_000


def _whole_line(line: LinearFormula, term: Term) -> Term | None:
    """The line in whole numbers, where all of its own are whole."""
    parts = (line.factor, line.before, line.after)
    if line.divisor != 1 or any(part != int(part) for part in parts):
        return None
    for operation, part in (("add", line.before), ("multiply", line.factor), ("add", line.after)):
        if part < 0 and operation == "add":
            term = apply("subtract", term, number_constant(-part, INT))
        elif part != (operation == "multiply"):
            term = apply(operation, term, number_constant(part, INT))
    return term


def _plus(term: Term, offset: float) -> Term:
    if not offset:
        return term
    operation = "add_floats" if offset > 0 else "subtract_floats"
    return apply(operation, term, number_constant(abs(offset), FLOAT))


def _share(line: LinearFormula, part: RowColumn, whole: RowColumn, ratio: RowColumn) -> Term:
    """A line on the ratio of two columns; with the factor 100, a percentage."""
    if line.factor == 100 and line.divisor == 1 and not line.before:
        return _plus(apply("percentage", _as_float(part), _as_float(whole)), line.after)
    return _line(line, ratio.term)


def _over(span: Span, value: float) -> Span:
    ends = sorted((span[0] / value, span[1] / value))
    return ends[0], ends[1]
