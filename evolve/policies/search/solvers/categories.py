"""Values of few kinds: what each of them stands for, as a table, and which rows have one of them, as a condition.

A table that only lists the rows would be right on any rows. What speaks for it is every row whose key another row has
as well: the more the outputs vary, the less likely it is that rows of one key agree by chance.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evolve.policies.search.conditionals import MIN_SUPPORT
from evolve.policies.search.enumerator import Enumerator
from evolve.policies.search.programs.operation import Operation
from evolve.policies.search.programs.terms import Constant, Input, Term
from evolve.policies.search.programs.types import BOOL, FLOAT, INT, STR, FrozenDict, Type, dict_of
from evolve.policies.search.solvers.base import RowColumn, SolvedTerm, apply, newest_values, price_of

DEAREST, MOST_KEYS, MOST_KINDS = 8, 12, 4
"""Price of the dearest key, keys of a table, and kinds that a condition tells apart."""
ENOUGH, OF_A_CELL, OF_A_PART = 2.0, 0.5, 1.0
"""Bits of evidence that a table needs, and how many more per price of its key: an input as it is but for its case and
blanks, or anything that is computed from one."""
PATIENCE, PER_KEY, COMPUTED, LAST = 5, 0.5, 4, 1_000
"""Levels to go on before a table is taken, how many more per key, and where the outputs are numbers; what is computed
from a cell is the key of a table where nothing else was found."""
CHEAP = 4
"""Price of a condition."""

Test = tuple[tuple[bool, ...], int, Term]


@dataclass
class Categories:
    """Looks for keys that decide the outputs, and makes conditions of inputs of few kinds."""

    enumerator: Enumerator
    operations: Mapping[str, Operation]
    found: int = 0

    def __post_init__(self) -> None:
        problem = self.enumerator.problem
        self._kind: Type = problem.output_type
        is_plain = self._kind in (STR, INT, FLOAT, BOOL)
        self._each = _surprise(problem.outputs) if is_plain and "get" in self.operations else 0.0

    def solutions(self) -> Iterator[SolvedTerm]:
        """Tables from keys of the newest level, as whole programs."""
        if not self._each or self.found >= 3 or self.enumerator.cost > DEAREST:
            return
        for column in newest_values(self.enumerator, STR, INT):
            self.enumerator.meter.count(1)
            is_cell = _is_cell(column, self.enumerator.problem.inputs)
            table = self._table(column, OF_A_CELL if is_cell else OF_A_PART)
            if table is not None:
                self.found += 1
                term = _look_up(column, table, self._kind)
                wait = PATIENCE + math.ceil(PER_KEY * len(table)) + COMPUTED * (self._kind in (INT, FLOAT))
                turn = column.cost + wait if is_cell else LAST
                yield SolvedTerm(term, price_of(term, self.enumerator.costs) + len(table), turn)

    def _table(self, column: RowColumn, per_price: float) -> dict[Any, Any] | None:
        outputs, keys = self.enumerator.problem.outputs, set(column.values)
        needed = ENOUGH + per_price * (column.cost - 1) + math.log2(len(self.enumerator.problem.input_types))
        if len(keys) > MOST_KEYS or (len(outputs) - len(keys)) * self._each < needed:
            return None
        table: dict[Any, Any] = {}
        agree = all(table.setdefault(key, out) == out for key, out in zip(column.values, outputs, strict=True))
        return table if agree else None

    def tests(self) -> Iterator[Test]:
        """``(values, price, term)`` of having one kind, for every kind of every input of few kinds, once."""
        problem = self.enumerator.problem
        if self.enumerator.cost > 1 or "get" not in self.operations:
            return
        for place, kind in enumerate(problem.input_types):
            values = tuple(row[place] for row in problem.inputs) if kind in (STR, INT) else ()
            kinds = Counter(values)
            # A value of one row alone belongs to no kind: others that no row shows may come.
            if 2 <= len(kinds) <= MOST_KINDS and min(kinds.values()) >= MIN_SUPPORT:
                column = RowColumn(values, Input(place), kind, 1)
                for one in list(kinds)[: len(kinds) if len(kinds) > 2 else 1]:
                    term = _look_up(column, {other: other == one for other in kinds}, BOOL)
                    yield tuple(value == one for value in values), CHEAP, term


def _look_up(column: RowColumn, table: Mapping[Any, Any], kind: Type) -> Term:
    """What a table has for a column; it has nothing for a key that no row shows."""
    is_text = column.type == STR
    key = column.term if is_text else apply("number_to_text", column.term)
    texts = FrozenDict({one if is_text else str(one): table[one] for one in sorted(table)})
    return apply("get", key, Constant(texts, dict_of(STR, kind)))


def _is_cell(column: RowColumn, inputs: Sequence[Sequence[Any]]) -> bool:
    """Whether a column is one of the inputs but for case and blanks."""
    columns = [[str(value).strip().casefold() for value in values] for values in zip(*inputs, strict=True)]
    return [str(value).strip().casefold() for value in column.values] in columns


def _surprise(outputs: Sequence[Hashable]) -> float:
    """Bits: how unlikely it is that two rows have the same output."""
    counts = Counter(outputs).values()
    return -math.log2(sum(count * count for count in counts) / sum(counts) ** 2)
