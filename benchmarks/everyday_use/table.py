"""What a table is: columns, rows, which cells of the target are filled, and the rule that is true for every row."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from benchmarks.everyday_use import pools

Form = Literal["csv", "excel-de", "excel-de-bom", "excel-quoted", "excel-utf16", "xlsx"]
Slip = Literal["", "missing", "doubled", "transposed"]
Cells = tuple[str, ...]
Draw = Callable[[random.Random], Cells | str] | Sequence[Cells | str]

NUMBER = re.compile(r"-?(0|[1-9]\d*)(\.\d+)?")
TRIES = 60
"""Draws of a row until one has inputs that are not there yet."""


@dataclass(frozen=True, kw_only=True)
class Table:
    """One table. All cells are text as a person sees it, with a point for decimals.

    Attributes:
        columns: Names in order; ``=`` after one marks the target, ``*`` one that does not matter.
        draw: Draws the cells of a row that matter, in the order of their columns; or the rows themselves.
        rule: The true cell of the target from these cells.
        given: How many rows have the target filled.
        scattered: Whether these stand anywhere; else they are the first.
        cases: What tells kinds of rows apart, where whoever fills the first cells takes care to show each kind.
        slip: How one of the filled cells is mistyped, or "".
        form: How the file is saved.
    """

    name: str
    columns: str
    draw: Draw
    rule: Callable[..., str]
    rows: int = 24
    given: int = 6
    scattered: bool = False
    cases: Callable[..., object] | None = None
    slip: Slip = ""
    form: Form = "csv"

    @cached_property
    def specs(self) -> tuple[str, ...]:
        return tuple(part.strip() for part in self.columns.split("|"))

    @cached_property
    def header(self) -> Cells:
        return tuple(spec.rstrip("=*") for spec in self.specs)

    @cached_property
    def target(self) -> int:
        """Place of the target among the columns."""
        return next(place for place, spec in enumerate(self.specs) if spec.endswith("="))

    @property
    def in_middle(self) -> bool:
        return self.target < len(self.specs) - 1

    @property
    def named(self) -> bool:
        """Whether another column has blank cells too, so that the target has to be named."""
        columns = zip(*(cells for cells in self.whole), strict=True)
        return any(not all(column) for place, column in enumerate(columns) if place != self.target)

    @cached_property
    def drawn(self) -> tuple[Cells, ...]:
        """The cells that matter, row by row; rows that show the cases come first unless they are scattered."""
        rng = random.Random(f"everyday use: {self.name}")
        if not callable(self.draw):
            return tuple(_cells(row) for row in self.draw)
        found: list[Cells] = []
        for _ in range(self.rows):
            row = _cells(self.draw(rng))
            for _ in range(TRIES):
                if row not in found:
                    break
                row = _cells(self.draw(rng))
            found.append(row)
        if self.cases is None or self.scattered:
            return tuple(found)
        first = set(self._shown(found, rng))
        return tuple(found[place] for place in sorted(range(len(found)), key=lambda place: place not in first))

    @cached_property
    def filled(self) -> tuple[int, ...]:
        """Places of the rows whose target is filled, in order."""
        if not self.scattered:
            return tuple(range(self.given))
        return tuple(self._shown(self.drawn, random.Random(f"filled: {self.name}")))

    def _shown(self, rows: Sequence[Cells], rng: random.Random) -> list[int]:
        """Places of ``given`` rows; two of every case as far as there is room."""
        order = list(range(len(rows)))
        if self.scattered:
            rng.shuffle(order)
        if self.cases is not None:
            seen: Counter[object] = Counter()
            nth = {}
            for place in order:
                case = self.cases(*rows[place])
                nth[place] = seen[case]
                seen[case] += 1
            order.sort(key=lambda place: nth[place] if nth[place] < 2 else 2)
        return sorted(order[: self.given])

    @cached_property
    def truth(self) -> Cells:
        """The right cell of the target, row by row."""
        return tuple(self.rule(*cells) for cells in self.drawn)

    @cached_property
    def typo(self) -> tuple[int, str] | None:
        """Place of the row whose filled cell is mistyped, and what stands there."""
        if not self.slip:
            return None
        rng = random.Random(f"slip: {self.name}")
        for _ in range(TRIES):
            place = rng.choice(self.filled)
            wrong = mistyped(self.truth[place], self.slip, rng)
            if not same(wrong, self.truth[place]):
                return place, wrong
        raise ValueError(f"{self.name} has no filled cell with room for a slip")

    @cached_property
    def whole(self) -> tuple[Cells, ...]:
        """Every row with every column, the target as it should be."""
        rng = random.Random(f"aside: {self.name}")
        aside = {place: pools.aside(self.header[place]) for place, spec in enumerate(self.specs) if spec.endswith("*")}
        rows = []
        for number, (cells, truth) in enumerate(zip(self.drawn, self.truth, strict=True), start=1):
            left = iter(cells)
            rows.append(
                tuple(
                    truth if place == self.target else aside[place](rng, number) if place in aside else next(left)
                    for place in range(len(self.specs))
                )
            )
        return tuple(rows)

    @cached_property
    def shown(self) -> tuple[Cells, ...]:
        """The table as it is given: the target blank where it is to be filled, with the typo."""
        filled = set(self.filled)
        rows = [list(row) for row in self.whole]
        for place, row in enumerate(rows):
            if place not in filled:
                row[self.target] = ""
        if self.typo is not None:
            rows[self.typo[0]][self.target] = self.typo[1]
        return tuple(tuple(row) for row in rows)

    @cached_property
    def blank(self) -> tuple[int, ...]:
        """Places of the rows that are to be filled."""
        filled = set(self.filled)
        return tuple(place for place in range(len(self.whole)) if place not in filled)

    def inputs(self, place: int) -> Cells:
        """All cells of a row but the target's."""
        row = self.shown[place]
        return (*row[: self.target], *row[self.target + 1 :])


def _cells(row: Cells | str) -> Cells:
    return (row,) if isinstance(row, str) else tuple(row)


def mistyped(text: str, slip: Slip, rng: random.Random) -> str:
    """The text with one slip of the hand in it, never at the first character; the same where there is no room."""
    places = list(range(1, len(text) - 1)) if slip == "transposed" else list(range(1, len(text)))
    if slip == "transposed":
        places = [place for place in places if text[place] != text[place + 1]]
    else:
        places = [place for place in places if text[place].isalnum()]
    if not places:
        return text
    place = rng.choice(places)
    if slip == "missing":
        return text[:place] + text[place + 1 :]
    if slip == "doubled":
        return text[: place + 1] + text[place:]
    return text[:place] + text[place + 1] + text[place] + text[place + 2 :]


def same(one: str, other: str) -> bool:
    """Whether two cells say the same: the same text after trimming, or equal numbers."""
    one, other = one.strip(), other.strip()
    if one == other:
        return True
    if NUMBER.fullmatch(one) and NUMBER.fullmatch(other):
        a, b = float(one), float(other)
        return abs(a - b) <= 1e-9 * max(1.0, abs(a), abs(b))
    return False
