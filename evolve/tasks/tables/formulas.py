"""Texts that a spreadsheet would take for a formula and run, as OWASP lists them for CSV."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from evolve.tasks.tables.columns import text_column
from evolve.tasks.tables.form import Cell

_PIECE = re.compile(
    r"""(?P<text>"[^"]*"|'[^']*')|\$?[A-Za-z]{1,3}(?P<row>\$?\d+)(?![\w.(!])"""
    r"""|(?P<number>\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)|(?P<name>[^\W\d][\w.]*)|(?P<sign>\S)"""
)
_PLAIN = re.compile(r"[\w .-]*")
_SIGNS = "=+-@\t\r\n＝＋－＠"
TEXT_PREFIX = "'"
"""Put before such a text, it makes spreadsheets take the cell as text."""


def formula_sign(cell: Cell) -> str:
    """The sign by which a spreadsheet would take a cell for a formula, or "". A number is none."""
    if not isinstance(cell, str) or not cell.startswith(tuple(_SIGNS)):
        return ""
    plain = cell.removeprefix("+").removeprefix("-")
    return "" if text_column([plain], loose=True, comma="decimal").is_number else cell[0]


@dataclass(frozen=True, kw_only=True)
class Formulas:
    """What a person's own formulas in a column consist of: another cell may be one where it has nothing else.

    Attributes:
        signs: With which they begin.
        parts: Names of functions, operators and texts in them; numbers and references to cells may be any.
        steps: How many lines below their own the rows lie that they refer to.
        rows: Rows that all of them refer to.
    """

    signs: frozenset[str] = frozenset()
    parts: frozenset[str] = frozenset()
    steps: frozenset[int] = frozenset()
    rows: frozenset[int] = frozenset()

    @classmethod
    def from_cells(cls, cells: Iterable[tuple[int, Cell]]) -> Formulas:
        """Of the cells of a column, each with its line; those that are no formulas do not count."""
        known = [(line, cell) for line, cell in cells if isinstance(cell, str) and formula_sign(cell)]
        rows = [_rows(cell) for _, cell in known]
        return cls(
            signs=frozenset(cell[0] for _, cell in known),
            parts=frozenset().union(*(_parts(cell) for _, cell in known)),
            steps=frozenset(row - line for (line, _), own in zip(known, rows, strict=True) for row in own),
            rows=frozenset.intersection(*rows) if len(rows) > 1 else frozenset(),
        )

    def allows_cell(self, cell: str) -> bool:
        """Whether a text that a spreadsheet would run is made of what the person's own are made of."""
        is_plain = cell[0] not in "=＝" and _PLAIN.fullmatch(cell[1:])  # such as a number of a telephone
        return cell[0] in self.signs and (bool(is_plain) or _parts(cell) <= self.parts)

    def is_elsewhere(self, cell: str, line: int) -> bool:
        """Whether it refers to a row that lies otherwise to its own line than those of the person's do."""
        return any(row - line not in self.steps and row not in self.rows for row in _rows(cell))


def _parts(formula: str) -> frozenset[str]:
    pieces = _PIECE.finditer(formula)
    return frozenset(one["text"] or (one["name"] or one["sign"] or "").upper() for one in pieces) - {""}


def _rows(formula: str) -> frozenset[int]:
    """The rows of its references that are no fixed ones."""
    found = (one["row"] for one in _PIECE.finditer(formula))
    return frozenset(int(row) for row in found if row and not row.startswith("$"))
