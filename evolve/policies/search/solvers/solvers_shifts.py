"""Quarters and years that begin in another month than January."""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from evolve.policies.search.enumerator import Enumerator
from evolve.policies.search.programs.operations.dates import DATE_FORMAT, add_months
from evolve.policies.search.programs.terms import Constant, Term
from evolve.policies.search.programs.types import DATE, INT, STR
from evolve.policies.search.solvers.base import Column, SolvedTerm, apply, newest_values, number, price_of

MONTHS = tuple(sorted((m for m in range(-11, 12) if m), key=lambda m: (m % 3 != 0, abs(m))))
"""Months by which dates are shifted; those that move whole quarters first."""
DEAREST, PATIENCE = 6, 4
"""Price of the dearest date that is shifted, and levels to go on before a shifted one is taken."""


@dataclass
class Shifts:
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

    def _parts(self, column: Column, months: int) -> Iterator[tuple[list[Any], Term]]:
        days = _shifted(column, months)
        if not days:
            return
        date = apply("add_months", number(months, INT), column.term)
        quarter, year = apply("quarter_of", date), apply("year_of", date)
        if self.enumerator.problem.output_type == INT:
            yield [_quarter(day) for day in days], quarter
            yield [day.year for day in days], year
            return
        yield [str(_quarter(day)) for day in days], apply("number_to_text", quarter)
        for form in ("%Y", "%y"):
            yield [day.strftime(form) for day in days], apply("format_date", Constant(form, DATE_FORMAT), date)


def _shifted(column: Column, months: int) -> list[datetime.date]:
    try:
        return [add_months(months, day) for day in column.values]
    except (ValueError, OverflowError):
        return []


def _quarter(day: datetime.date) -> int:
    return (day.month + 2) // 3
