"""How the cells of a column are read as values, and how values are written so that they look like its cells."""

from __future__ import annotations

import datetime
import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Context, Decimal
from typing import Literal

from evolve.core.reasons import Reason, reason
from evolve.tasks.tables.form import Cell, is_blank

LONGEST_NUMBER = 300
"""Digits; longer cells stay text."""
_LARGEST = 10**LONGEST_NUMBER
_FAR = 6
"""Digits behind the sign; noise has as many at least."""
_STYLES = (
    *((",", between) for between in ("", ".", " ", "\u00a0", "\u202f")),
    *((".", between) for between in ("", ",", "'", "\u2019")),
)
"""Decimal signs, and what stands between thousands: spreadsheets write the narrow blank in French, ’ in Switzerland."""
Comma = Literal["decimal", "thousands", ""]
_NUMERAL = re.compile(r"-?[0-9]+(?:[.,][0-9]+)*")
_EITHER_COMMA = re.compile(r"-?[1-9][0-9]{0,2},[0-9]{3}")
_DECIMAL_COMMA = re.compile(r"-?[0-9]+(?:\.[0-9]{3})*,[0-9]+")
_DECIMAL_POINT = re.compile(r"-?(?:[0-9]{1,3}(?:,[0-9]{3}){2,}|[0-9]{1,3}(?:,[0-9]{3})+\.[0-9]+|[0-9]+\.[0-9]{1,2})")
_ONE_SIGN = {
    ",": re.compile(r"-?(?:[0-9]+|[0-9]{1,3}(?:\.[0-9]{3})+),(?:[0-9]{1,2}|[0-9]{4,})"),
    ".": re.compile(r"-?(?:[0-9]+|[0-9]{1,3}(?:,[0-9]{3})+)\.(?:[0-9]{1,2}|[0-9]{4,})"),
}
"""Numbers in which a sign can be the decimal sign alone: three digits may be thousands."""
_ENOUGH = Context(prec=400)
_FITTING = 0.95
"""Share of cells that have to be numbers where those beside the examples are."""


def other_kind(value: Cell, column: ColumnKind) -> Reason:
    """That a value is of another kind than the cells of its column."""
    return reason("other_kind", kind=type(value).__name__, column=column.name)


@dataclass(frozen=True, kw_only=True)
class ColumnKind:
    """What the cells of a column are.

    Attributes:
        name: ``text``, ``int``, ``float``, ``date`` (ISO texts of a typed table), or ``any`` for values as they are.
        decimal: The decimal sign of its numbers.
        thousands: What stands between thousands, or "".
        decimals: How many digits every number has behind the sign; None where they differ.
        whole: Some numbers are written without any.
    """

    name: Literal["text", "int", "float", "date", "any"]
    decimal: str = "."
    thousands: str = ""
    decimals: int | None = None
    whole: bool = False

    @property
    def is_number(self) -> bool:
        """Whether its cells are numbers."""
        return self.name in ("int", "float")

    def read(self, cell: Cell) -> Cell:
        """The value of a cell; where it is none of this kind, the cell as it is."""
        if self.name == "text":
            return "" if cell is None else cell if isinstance(cell, str) else _as_text(cell)
        if self.name == "float" and isinstance(cell, int) and not isinstance(cell, bool):
            return _as_float(cell)
        if not self.is_number or not isinstance(cell, str):
            return cell
        if not cell.strip():
            return None
        number = self.parse_number(cell)
        return cell if number is None else number

    def parse_number(self, cell: str) -> int | float | None:
        """The number that a text is in this kind of column, or None."""
        if len(cell) > LONGEST_NUMBER or not _pattern(self.decimal, self.thousands).fullmatch(cell.strip()):
            usual = _canonical(cell, self.name) if self.decimal == "." and not self.thousands else None
            return usual if usual is not None else self._by_the_other_sign(cell.strip())
        plain = cell.strip().replace(self.thousands, "") if self.thousands else cell.strip()
        exact = Decimal(plain.replace(self.decimal, "."))
        if self.name == "int":
            return int(exact) if self.decimal not in plain else None
        if Decimal(repr(float(exact))) == exact:
            return float(exact)
        return int(exact) if exact == exact.to_integral_value() else None

    def _by_the_other_sign(self, cell: str) -> float | None:
        """The number of a cell whose decimal sign is another one than its column's, where only that can be meant."""
        other = "," if self.decimal == "." else "."
        if len(cell) > LONGEST_NUMBER or other not in cell or not _ONE_SIGN[other].fullmatch(cell):
            return None
        return float(cell.replace(self.decimal, "").replace(other, "."))

    def accepts_value(self, value: Cell) -> bool:
        """Whether a value that was read is of this kind."""
        if self.name == "int":
            return isinstance(value, int) and not isinstance(value, bool)
        if self.name == "float":
            return isinstance(value, int | float) and not isinstance(value, bool)
        return self.name == "any" or isinstance(value, str)

    def write(self, value: Cell) -> tuple[Cell, Reason | None]:
        """A cell of a delimited table for a value, and what is doubtful about it or None.

        The cell is None where the value cannot stand in one.
        """
        if isinstance(value, bool):
            return str(value), None if self.name == "any" else other_kind(value, self)
        if isinstance(value, int | float):
            if not math.isfinite(value) if isinstance(value, float) else abs(value) >= _LARGEST:
                return None, reason("too_many_digits", most=LONGEST_NUMBER)
            return self._number_text(value), self._doubt(value)
        if isinstance(value, str):
            return value, None if self._is_written_so(value) else other_kind(value, self)
        return None, reason("no_value") if value is None else reason("no_cell", kind=type(value).__name__)

    def _is_written_so(self, text: str) -> bool:
        """Whether a cell of this kind would have the same text."""
        number = self.parse_number(text) if self.is_number else None
        return not self.is_number or (number is not None and self._number_text(number) == text)

    def _doubt(self, value: int | float) -> Reason | None:
        if self.name in ("text", "date"):
            return other_kind(value, self)
        if self.name == "int" and value != int(value):
            return reason("fraction")
        if isinstance(value, float) and math.ulp(value) > 10.0 ** -(self.decimals or 0):
            return reason("inexact")
        return None

    def _number_text(self, value: int | float) -> str:
        text = self._digits(value)
        whole, point, rest = text.partition(".")
        if self.thousands:
            whole = f"{int(whole):,}".replace(",", self.thousands)
            whole = f"-{whole}" if text.startswith("-") and not whole.startswith("-") else whole
        return whole + point.replace(".", self.decimal) + rest

    def _digits(self, value: int | float) -> str:
        if self.decimals is not None:
            shown = Decimal(value) if isinstance(value, int) else _shown(value, self.decimals)
            return f"{shown.quantize(Decimal(1).scaleb(-self.decimals), ROUND_HALF_UP, _ENOUGH):f}"
        if isinstance(value, int):
            return str(value) if self.whole or self.name != "float" else f"{value}.0"
        if value.is_integer() and (self.name == "int" or (self.whole and abs(value) < 1e15)):
            return str(int(value))
        return repr(_without_noise(value))


def _as_float(value: int) -> int | float:
    """A whole number as a float, but for those that no float is equal to."""
    try:
        return float(value) if float(value) == value else value
    except OverflowError:
        return value


def _shown(value: float, decimals: int) -> Decimal:
    """The digits that are rounded as a person does: fifteen, as a spreadsheet shows, or all where these are too few."""
    shown = Decimal(f"{value:.15g}")
    return shown if shown.adjusted() + decimals < 14 else Decimal(repr(value))


def _without_noise(value: float) -> float:
    """A number without the last digits that sums of decimals leave and nobody wrote, such as those of 0.1 + 0.2.

    They stand far behind the sign, and the number is some units in the last place away from one with a few digits.
    """
    exact = Decimal(repr(value)).as_tuple()
    for digits, units in ((12, 16), (14, 2)):
        short = float(f"{value:.{digits}g}")
        noisy = len(exact.digits) > digits + 2 and int(exact.exponent) <= -_FAR
        if noisy and abs(short - value) <= units * math.ulp(value):
            return short
    return value


TEXT = ColumnKind(name="text")
ANY = ColumnKind(name="any")


def text_column(
    cells: Sequence[str], others: Sequence[str] = (), *, loose: bool = False, comma: Comma = ""
) -> ColumnKind:
    """The kind of a column of a delimited table.

    A column is numeric only if every cell survives the way to a number and back, so codes with leading zeros stay text.

    Args:
        cells: Those that decide.
        others: Further cells, of which a few may be of another kind; empty ones do not count.
        loose: Numbers with as many digits behind the sign in each cell, and those with signs between thousands, count
            as numbers too, since they are written again in the same way.
        comma: What a comma is where ``1,234`` does not say; see :func:`comma_of`. Where it is not known, such a column
            is text.
    """
    others = [cell for cell in others if not is_blank(cell)]
    if not cells or any(is_blank(cell) for cell in cells):
        return TEXT
    every = _numeric([*cells, *others], loose=loose, comma=comma)
    if every.is_number or not others:
        return every
    kind = _numeric(cells, loose=loose, comma=comma)
    odd = sum(kind.parse_number(cell) is None for cell in others)
    # Among numbers with decimals a single word is no reason to take all of them for texts, as one of few codes may be.
    if kind.is_number and odd <= max((1 - _FITTING) * len(others), kind.name == "float" and len(others) > 1):
        return kind
    return TEXT


def majority_kind(cells: Sequence[str], *, loose: bool = False, comma: Comma = "") -> ColumnKind:
    """The kind of a column of which no cells decide: numbers where nearly all are."""
    numbers = [cell for cell in cells if text_column([cell], loose=loose, comma=comma).is_number]
    return text_column(numbers, loose=loose, comma=comma) if numbers and len(numbers) >= _FITTING * len(cells) else TEXT


def comma_of(columns: Iterable[Sequence[str]], delimiter: str) -> Comma:
    """What a comma is in the numbers of a table, told by those of its columns that are numbers; by the delimiter where
    these say nothing: tables of programs with a decimal comma are separated by semicolons.
    """
    votes: set[Comma] = set()
    for column in columns:
        cells = [cell.strip() for cell in column if not is_blank(cell) and len(cell) <= LONGEST_NUMBER]
        if not all(map(_NUMERAL.fullmatch, cells)):
            continue
        commas = sum(bool(_DECIMAL_COMMA.fullmatch(cell) and not _EITHER_COMMA.fullmatch(cell)) for cell in cells)
        points = sum(bool(_DECIMAL_POINT.fullmatch(cell)) for cell in cells)
        if commas or points:
            votes.add("decimal" if commas > points else "thousands")
        elif any(map(_EITHER_COMMA.fullmatch, cells)):
            plain = {len(cell.lstrip("-")) > 3 for cell in cells if "," not in cell}
            votes |= {"decimal" if long else "thousands" for long in plain}
    if votes:
        return votes.pop() if len(votes) == 1 else ""
    return "thousands" if delimiter == "," else "decimal" if delimiter == ";" else ""


def _is_either(cells: Sequence[str], sign: str) -> bool:
    """Whether each sign may be a decimal sign and may stand between thousands, as in ``1,234``."""
    signed = [cell.strip().replace(sign, ",") for cell in cells if sign in cell]
    return bool(signed) and all(map(_EITHER_COMMA.fullmatch, signed))


def _numeric(cells: Sequence[str], *, loose: bool, comma: Comma) -> ColumnKind:
    if all(_canonical(cell, "int") is not None for cell in cells):
        return ColumnKind(name="int", whole=True)
    grouped = comma == "decimal" and _is_either(cells, ".")
    if not grouped and all(_canonical(cell, "float") is not None for cell in cells):
        whole = any("." not in cell and "e" not in cell for cell in cells)
        digits = {len(cell.partition(".")[2]) for cell in cells}
        fixed = len(digits) == 1 and not whole and digits != {1}
        return ColumnKind(name="float", whole=whole, decimals=digits.pop() if fixed else None)
    either = _is_either(cells, ",")
    if either and not comma:
        return TEXT
    for decimal, thousands in _STYLES:
        if (either and comma == "thousands" and decimal == ",") or (grouped and decimal == "."):
            continue
        kind = _styled(cells, decimal, thousands)
        if kind is not None and (loose or (decimal == "," and not thousands and kind.decimals is None)):
            return kind
    return _mostly_one_sign(cells, comma=comma) if loose else TEXT


def _mostly_one_sign(cells: Sequence[str], *, comma: Comma) -> ColumnKind:
    """The kind of numbers of which a few have another decimal sign than most, such as ``18,50`` among ``120.00``."""
    for sign in (",", "."):
        most = [cell for cell in cells if len(cell) > LONGEST_NUMBER or not _ONE_SIGN[sign].fullmatch(cell.strip())]
        if len(cells) / 2 < len(most) < len(cells):
            kind = _numeric(most, loose=True, comma=comma)
            if kind.name == "float" and kind.decimal != sign:
                return kind
    return TEXT


def _styled(cells: Sequence[str], decimal: str, thousands: str) -> ColumnKind | None:
    pattern = _pattern(decimal, thousands)
    parts = [pattern.fullmatch(cell.strip()) if len(cell) <= LONGEST_NUMBER else None for cell in cells]
    if not all(parts):
        return None
    style = ColumnKind(name="float", decimal=decimal, thousands=thousands)
    if any(style.parse_number(cell) is None for cell in cells):
        return None
    if thousands and not any(thousands in cell for cell in cells):
        return None
    digits = {len(part[1] or "") for part in parts if part}
    if digits == {0}:
        return ColumnKind(name="int", decimal=decimal, thousands=thousands, whole=True) if thousands else None
    decimals = digits.pop() if len(digits) == 1 else None
    return ColumnKind(
        name="float", decimal=decimal, thousands=thousands, decimals=decimals, whole=decimals is None and 0 in digits
    )


def _pattern(decimal: str, thousands: str) -> re.Pattern[str]:
    grouped = rf"|[1-9][0-9]{{0,2}}(?:{re.escape(thousands)}[0-9]{{3}})+" if thousands else ""
    plain = r"0|[1-9][0-9]{0,2}" if thousands else r"0|[1-9][0-9]*"
    return re.compile(rf"-?(?:{plain}{grouped})(?:{re.escape(decimal)}([0-9]+))?")


def _canonical(cell: str, name: str) -> int | float | None:
    """The number whose usual text a cell is."""
    if len(cell) > LONGEST_NUMBER or not cell.isascii():
        return None
    try:
        if str(int(cell)) == cell:
            return int(cell) if name == "int" else _as_float(int(cell))
    except ValueError:
        pass
    if name == "int":
        return None
    try:
        number = float(cell)
    except ValueError:
        return None
    return number if math.isfinite(number) and repr(number) == cell else None


def typed_column(cells: Iterable[Cell]) -> ColumnKind:
    """The kind of a column of a table whose cells have types: mixed with texts, all count as texts."""
    kinds = {type(cell) for cell in cells if not is_blank(cell)}
    if kinds <= {int}:
        return ColumnKind(name="int") if kinds else ANY
    if kinds <= {int, float}:
        return ColumnKind(name="float", whole=int in kinds)
    return TEXT if str in kinds and kinds <= {str, int, float, bool} else ANY


def iso_text(value: datetime.date | datetime.time) -> str:
    """A date, or a date with a time, as ISO text; midnight is not told."""
    if isinstance(value, datetime.datetime):
        if value.time() == datetime.time():
            return value.date().isoformat()
        return value.isoformat(sep=" ", timespec="seconds" if not value.microsecond else "auto")
    return value.isoformat()


def _as_text(cell: Cell) -> str:
    if isinstance(cell, bool):
        return str(cell).lower()
    return str(int(cell)) if isinstance(cell, float) and cell.is_integer() else str(cell)
