"""Solvers for ordered values: one label for each range with its bounds, and values moved by a fixed amount."""

from __future__ import annotations

import datetime
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from itertools import groupby, pairwise
from typing import Any

from evolve.policies.search.conditionals import is_far_fetched
from evolve.policies.search.enumerator import Enumerator
from evolve.policies.search.problem import SearchProblem
from evolve.policies.search.programs.operations.dates import DATE_FORMAT, add_months
from evolve.policies.search.programs.terms import Constant, Term
from evolve.policies.search.programs.types import BOOL, DATE, FLOAT, INT, STR, Type
from evolve.policies.search.solvers.base import (
    RowColumn,
    SolvedTerm,
    apply,
    count_distinct,
    newest_values,
    number_constant,
    price_of,
)
from evolve.policies.search.solvers.linear import count_digits, roundest_number

MOST_BANDS = 8
CUT_PRICE, MOST_CUTS = 4, 120
"""Price of the dearest value that is cut, and cuts in all."""
LESS = {INT: "less", FLOAT: "less_float", DATE: "is_before"}
"""The comparison of each ordered type."""
ENOUGH, PER_PRICE, DOUBTFUL = 2.0, 0.5, 1.5
"""Bits of evidence that bands need, how many more per price of the value, and how many may be missing at the end."""
NUMBER = re.compile(r"\d+")
PATIENCE, LAST = 5, 1_000
"""Levels to go on past the value's price before bands are taken: with enough evidence, and without."""


@dataclass
class ValueBins:
    """Looks for an ordered value along which the outputs change band by band."""

    enumerator: Enumerator
    found: int = 0

    def __post_init__(self) -> None:
        problem = self.enumerator.problem
        labels = problem.outputs
        self._kind: Type = problem.output_type
        self._counts = sorted(labels.count(label) for label in set(labels)) if self._is_label() else []
        # Bands that hold one row each would be a list of the answers.
        fewest = len(self._counts) + 2 if self._kind == STR else 2 * len(self._counts) - 1
        few = 2 <= len(self._counts) <= MOST_BANDS and len(labels) >= fewest and not _hold_numbers(problem)
        self._bits = _evidence(self._counts) if few else 0.0

    def _is_label(self) -> bool:
        return self._kind in (STR, INT, FLOAT, BOOL)

    def solutions(self) -> Iterator[SolvedTerm]:
        """Bands along the values of the newest level, as whole programs."""
        if self._bits < ENOUGH or self.found >= 3:
            return
        for column in newest_values(self.enumerator, INT, FLOAT, DATE):
            self.enumerator.meter.count(1)
            needed = ENOUGH + PER_PRICE * (column.cost - 1) + math.log2(len(self.enumerator.problem.input_types))
            short = needed + is_far_fetched(column.term) - self._bits
            # Numbers and truth values are more often computed than looked up.
            wait = PATIENCE if self._kind == STR else PATIENCE + 2
            turn = column.cost + wait if short <= 0 else LAST if short <= DOUBTFUL else None
            term = None if turn is None else self._along(column)
            if turn is not None and term is not None:
                self.found += 1
                yield SolvedTerm(term, price_of(term, self.enumerator.costs), turn)

    def bound_tests(self) -> Iterator[tuple[tuple[bool, ...], int, Term]]:
        """Comparisons of cheap values with a bound between neighbours: ``(values, price, term)``."""
        if self.enumerator.cost > CUT_PRICE or count_distinct(self.enumerator.problem.outputs) == 1:
            return
        for column in newest_values(self.enumerator, INT, FLOAT, DATE):
            values = sorted(set(column.values))
            gaps = list(pairwise(values))
            for gap in gaps[: MOST_CUTS // 4]:
                bounds = bounds_of([gap], column.type)
                if bounds is not None:
                    term = comparison_term(column, bounds[0][0], bounds[1])
                    above = values.index(gap[1])
                    below = set(values[:above])
                    tested = tuple((value in below) == bounds[1] for value in column.values)
                    yield tested, price_of(term, self.enumerator.costs), term

    def _along(self, column: RowColumn) -> Term | None:
        rows = sorted(zip(column.values, self.enumerator.problem.outputs, strict=True), key=lambda row: row[0])
        runs = [(label, [value for value, _ in run]) for label, run in groupby(rows, key=lambda row: row[1])]
        if len(runs) != len(self._counts):
            return None
        gaps = [(a[-1], b[0]) for (_, a), (_, b) in pairwise(runs)]
        if any(low == high for low, high in gaps):
            return None
        bounds = bounds_of(gaps, column.type)
        return None if bounds is None else self._chosen(column, [label for label, _ in runs], *bounds)

    def _chosen(self, column: RowColumn, labels: Sequence[Any], bounds: Sequence[Any], below: bool) -> Term:
        """``L1 if x < t1 else L2 if x < t2 else ...``, or from the top where the bounds belong below."""
        steps = list(zip(bounds, labels[:-1] if below else labels[1:], strict=True))
        rest = labels[-1] if below else labels[0]
        whole: Term = Constant(rest, self._kind)
        for bound, label in reversed(steps) if below else steps:
            test = comparison_term(column, bound, below)
            if self._kind == BOOL and isinstance(whole, Constant) and label != whole.value:
                whole = test if label else comparison_term(column, bound, below, negated=True)
            else:
                whole = apply("choose", test, Constant(label, self._kind), whole)
        return whole


def _hold_numbers(problem: SearchProblem) -> bool:
    """Whether two or more different outputs are texts that hold a number of their row, so that they are computed."""
    holding = {
        output
        for row, output in zip(problem.inputs, problem.outputs, strict=True)
        if isinstance(output, str) and not set(NUMBER.findall(output)).isdisjoint(NUMBER.findall(repr(row)))
    }
    return len(holding) >= 2


def comparison_term(column: RowColumn, bound: Any, below: bool, *, negated: bool = False) -> Term:
    """``x < bound``, or ``bound < x``."""
    limit: Term
    if column.type == DATE:
        limit = apply("parse_iso_date", Constant(bound.isoformat(), STR))
    else:
        limit = number_constant(bound, column.type)
    sides = (column.term, limit) if below else (limit, column.term)
    test = apply(LESS[column.type], *sides)
    return apply("choose", test, Constant(False, BOOL), Constant(True, BOOL)) if negated else test


def bounds_of(gaps: Sequence[tuple[Any, Any]], kind: Type) -> tuple[list[Any], bool] | None:
    """A bound in each gap between neighbours, and whether what equals it belongs above it: the rounder of the two."""
    choices = []
    for above in (True, False):
        bounds = [_bound(low, high, kind, above) for low, high in gaps]
        if None not in bounds:
            choices.append((sum(map(_roughness, bounds)), bounds, above))
    if not choices:
        return None
    _, bounds, above = min(choices, key=lambda choice: choice[0])
    return (bounds if kind == DATE else _evenly(bounds, gaps, above)), above


def _evenly(bounds: list[Any], gaps: Sequence[tuple[Any, Any]], above: bool) -> list[Any]:
    """Bounds with equal steps between them, where some two give the others and these are as round."""
    for first, second in zip(range(len(bounds)), range(1, len(bounds)), strict=False):
        step = bounds[second] - bounds[first]
        even = [bounds[first] + (place - first) * step for place in range(len(bounds))]
        inside = all((a < t <= b) if above else (a <= t < b) for t, (a, b) in zip(even, gaps, strict=True))
        if inside and sum(map(count_digits, even)) <= sum(map(count_digits, bounds)):
            return even
    return bounds


def _bound(low: Any, high: Any, kind: Type, above: bool) -> Any:
    if kind == DATE:
        return _first_day(low + timedelta(days=1), high) if above else _first_day(low, high - timedelta(days=1))
    value = roundest_number(low, high, with_low=not above, with_high=above)
    if value is None or (kind == INT and value != int(value)):
        value = high if above else low
    return int(value) if kind == INT else value


def _first_day(low: date, high: date) -> date:
    """The first day of a year, else of a quarter or a month, in a range; else its last day."""
    for months in (12, 3, 1):
        days = [date(y, m, 1) for y in range(low.year, high.year + 1) for m in range(1, 13) if (m - 1) % months == 0]
        inside = [day for day in days if low <= day <= high]
        if inside:
            return inside[-1]
    return high


def _roughness(bound: Any) -> int:
    if isinstance(bound, date):
        return (bound.day != 1) + (bound.month != 1)
    return count_digits(bound)


def _evidence(counts: Sequence[int]) -> float:
    """Bits: how unlikely it is that rows in any order of a value come band by band."""
    ways = math.factorial(sum(counts)) // math.prod(map(math.factorial, counts))
    return math.log2(ways / math.factorial(len(counts)))


MONTHS = tuple(sorted((m for m in range(-11, 12) if m), key=lambda m: (m % 3 != 0, abs(m))))
"""Months by which dates are shifted; those that move whole quarters first."""
DEAREST, PATIENCE = 6, 4
"""Price of the dearest date that is shifted, and levels to go on before a shifted one is taken."""


@dataclass
class MonthShifts:
    """Looks for a number of months after which quarter and year of a date are those of the outputs."""

    enumerator: Enumerator
    seen: set[tuple[Any, ...]] = field(default_factory=set)

    def solutions(self) -> Iterator[SolvedTerm]:
        """Whole programs for outputs that are numbers, and pieces of texts."""
        goal = self.enumerator.problem.output_type
        if goal not in (INT, STR) or self.enumerator.cost > DEAREST:
            return
        for column in newest_values(self.enumerator, DATE):
            self.seen |= {tuple(values) for values, _ in self._parts(column, 0)}
            choices = [list(self._parts(column, months)) for months in MONTHS]
            # The same months for quarter and year, where there are such.
            for parts in sorted(choices, key=lambda parts: -sum(self._is_shown(values) for values, _ in parts)):
                self.enumerator.meter.count(1)
                for values, term in parts:
                    if tuple(values) not in self.seen and self._is_shown(values):
                        self.seen.add(tuple(values))
                        price = price_of(term, self.enumerator.costs)
                        turn = min(price, self.enumerator.cost + PATIENCE)
                        yield SolvedTerm(term, turn, turn, None if goal == INT else tuple(values))

    def _is_shown(self, values: Sequence[Any]) -> bool:
        outputs = self.enumerator.problem.outputs
        if self.enumerator.problem.output_type == INT:
            return tuple(values) == outputs
        return all(value in output for value, output in zip(values, outputs, strict=True))

    def _parts(self, column: RowColumn, months: int) -> Iterator[tuple[list[Any], Term]]:
        days = _shifted(column, months)
        if not days:
            return
        date = apply("add_months", number_constant(months, INT), column.term)
        quarter, year = apply("quarter_of", date), apply("year_of", date)
        if self.enumerator.problem.output_type == INT:
            yield [_quarter(day) for day in days], quarter
            yield [day.year for day in days], year
            return
        yield [str(_quarter(day)) for day in days], apply("number_to_text", quarter)
        for form in ("%Y", "%y"):
            yield [day.strftime(form) for day in days], apply("format_date", Constant(form, DATE_FORMAT), date)


def _shifted(column: RowColumn, months: int) -> list[datetime.date]:
    try:
        return [add_months(months, day) for day in column.values]
    except (ValueError, OverflowError):
        return []


def _quarter(day: datetime.date) -> int:
    return (day.month + 2) // 3
