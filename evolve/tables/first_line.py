"""Tells whether the first line of a delimited table names its columns or is a row like the others."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice, pairwise
from pathlib import Path
from typing import Literal

from evolve.tables.delimited import DelimitedTable
from evolve.tables.form import Cell, is_blank

FirstLine = Literal["names", "row", "unclear"]

_ROWS = 200
"""Rows that are looked at."""
_ENOUGH = 2
"""Cells below that have to be alike before they say what the one above them is."""
_NUMBER = re.compile(r"[-+]?\d[\d.,' ]*%?")
_RUNS = (("A", re.compile(r"[^\W\d_]+")), ("0", re.compile(r"\d+")))
_WORDS = re.compile(r"A[A ()_/#-]*\.?0?")
"""The form of words, with a number behind them or none, which names of columns have as well as cells."""
_UNUSUAL = re.compile(r"[@=+&|<>*~]|://")
"""Signs of addresses and the like, which names of columns seldom have."""
_YEAR = re.compile(r"(19|20)\d\d")


def first_line_of(path: Path, *, file: str) -> FirstLine:
    """What the first line of a delimited table is, as far as its cells tell.

    It names the columns where one of its cells is a word and no cell below is, such as ``date`` above ``2026-03-01``.
    It is a row where nothing says that and a cell of it has the form of those below, such as an address or an amount,
    or comes again among them, perhaps with another number, such as ``x-1`` above ``x-2``. It is unclear where a name is
    missing, stands there twice, or is a number.
    """
    table = DelimitedTable(path, file=file)
    first, others = table.columns, [record.cells for record in islice(table.records(), _ROWS)]
    told = [_told(cell, [row[index] for row in others]) for index, cell in enumerate(first)]
    if "names" in told or [*first] in others:  # files that were put together have it again in the middle
        return "names"
    filled = [cell for cell in first if cell]
    used = [index for index, cell in enumerate(first) if cell or not all(is_blank(row[index]) for row in others)]
    numbers = [int(cell) for cell in filled if cell.isascii() and cell.isdecimal()]
    counted = len(numbers) > _ENOUGH and {b - a for a, b in pairwise(numbers)} == {1}  # such as months
    if "row" in told and not counted:
        return "row"
    is_odd = len(set(filled)) < len(used) or any(map(_NUMBER.fullmatch, filled))
    return "unclear" if is_odd and others else "names"


def _told(cell: str, below: Sequence[Cell]) -> FirstLine:
    """What one cell of the first line says of it."""
    known = [other.strip() for other in below if not is_blank(other)]
    if not cell or len(known) < _ENOUGH:
        return "unclear"
    forms = {_form(other) for other in known}
    if (code := _numbered(cell)) and code in {_numbered(other) for other in known}:
        return "row"
    if _WORDS.fullmatch(_form(cell)):
        if not any(map(_WORDS.fullmatch, forms)):
            return "names"
        return "row" if cell in known and len(set(known)) > 1 else "unclear"
    if _YEAR.fullmatch(cell) and not all(map(_YEAR.fullmatch, known)):
        return "unclear"  # the year of a column of figures
    signs = set(_UNUSUAL.findall(cell))
    is_like = forms == {_form(cell)} or (signs and all(signs <= set(_UNUSUAL.findall(other)) for other in known))
    return "row" if is_like else "unclear"


def _numbered(cell: str) -> str:
    """A code with ``0`` for each number in it, such as ``x-0``; "" for a number alone and for a word without one."""
    code = re.sub(r"\d+", "0", cell)
    return code if code != cell and any(map(str.isalpha, cell)) else ""


def _form(cell: str) -> str:
    """The cell with ``A`` for each run of letters and ``0`` for each of digits; a number of any form is one form."""
    if "." in cell and _NUMBER.fullmatch(cell):
        cell = re.sub(r"^[-+]?[\d,' ]*", "0", cell)
    for sign, run in _RUNS:
        cell = run.sub(sign, cell)
    return cell
