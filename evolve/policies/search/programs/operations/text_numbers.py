"""Numbers in texts: reading the usual notations, writing them, rounding and units."""

from __future__ import annotations

import decimal
import re

from evolve.policies.search.programs.operation import MAX_INT, Operation, define
from evolve.policies.search.programs.terms import Constant
from evolve.policies.search.programs.types import BOOL, FLOAT, INT, STR, Type, list_of

FLOAT_FORMAT = Type("float_format")
"""A format specification for floats, such as ``,.2f``."""

INTEGER_FORMAT = Type("integer_format")
"""A format specification for integers, such as ``04d``."""

DECIMALS = Type("decimals")
"""A number of decimal places."""

BASE = Type("base")
"""The base of a positional notation."""

UNIT = Type("unit")
"""An integer by which units are converted or numbers rounded, such as 60 or 100."""

FACTOR = Type("factor")
"""A float by which units are converted or numbers rounded, such as 2.54 or 0.25."""


def operations() -> tuple[Operation, ...]:
    """Reading, writing, rounding and converting."""
    return (*_reading(), *_writing(), *_rounding(), *_units(), *_truth())


def constants() -> tuple[tuple[Constant, int], ...]:
    """Formats, decimal places, bases, units and factors, each with its static cost."""
    return tuple(
        (Constant(value, kind), cost)
        for kind, by_cost in (
            (FLOAT_FORMAT, _FLOAT_FORMATS),
            (INTEGER_FORMAT, _INTEGER_FORMATS),
            (DECIMALS, {1: (2,), 2: (0, 1), 3: (3,), 4: (4,)}),
            (BASE, {2: (16, 2), 4: (8,)}),
            (UNIT, _UNITS),
            (FACTOR, _FACTORS),
            (FLOAT, {4: (0.0, 1.0, 100.0), 5: (2.0, 10.0, 0.5), 7: (32.0, 1000.0, 273.15)}),
        )
        for cost, values in by_cost.items()
        for value in values
    )


_FLOAT_FORMATS = {
    1: (".2f",),
    2: (".1f", ".0f", ",.2f"),
    3: (".3f", ",.0f", "g", ".0%", ".1%"),
    4: (".4f", ",.1f", ".2%", ",", ",g", "+.2f", "+.1f"),
    6: (".5f", ".6f", ".2e", ".1e", ".3g", "05.2f", "06.2f", "05.1f"),
}
_INTEGER_FORMATS = {
    1: ("02d", ","),
    2: ("03d", "04d"),
    3: ("05d", "06d", "x", "b", "+d"),
    4: ("08d", "X", "02x", "08b", "_", "o", "07d", "010d"),
    6: ("02X", "04x", "04b", "#x", "016b"),
}
_UNITS = {2: (10, 60, 100, 1000), 3: (5, 24, 7, 12, 3600), 4: (15, 20, 25, 30, 50, 365, 500, 1024, 86400, 1_000_000)}
_FACTORS = {
    2: (100.0, 1000.0, 60.0),
    3: (10.0, 0.5, 3600.0, 24.0, 12.0, 1024.0, 1.8, 2.54),
    4: (0.05, 0.25, 0.1, 5.0, 7.0, 25.0, 50.0, 365.0, 1_000_000.0, 1.609344, 0.45359237, 0.3048, 3.6, 28.349523125),
    6: (4.184, 3.785411784, 0.9144, 25.4, 30.48, 9.80665, 0.01, 2.0),
}


def _reading() -> tuple[Operation, ...]:
    text = (STR,)
    return (
        define("parse_integer", text, INT, "int(a0)", function=_integer, cost=2, scalar=True, noun="number"),
        define("parse_float", text, FLOAT, "float(a0)", function=_float, cost=2, scalar=True, noun="number"),
        define(
            "parse_amount", text, FLOAT, "parse_amount(a0)", support=(parse_amount,), cost=3, scalar=True, noun="amount"
        ),
        define(
            "parse_european_amount",
            text,
            FLOAT,
            'parse_amount(a0.translate(str.maketrans(",.", ".,", " ")))',
            support=(parse_amount,),
            cost=4,
            noun="amount",
        ),
        define(
            "parse_mixed_amount",
            text,
            FLOAT,
            "parse_mixed_amount(a0)",
            support=(parse_amount, parse_mixed_amount),
            cost=6,
            noun="amount",
        ),
        define(
            "parse_magnitude", text, FLOAT, "parse_magnitude(a0)", support=(parse_magnitude,), cost=5, noun="amount"
        ),
        define("parse_size", text, FLOAT, "parse_size(a0)", support=(parse_size,), cost=6, noun="size"),
        define("parse_in_base", (BASE, STR), INT, "int(a1, a0)", function=_in_base, cost=6),
        define("parse_roman", text, INT, "parse_roman(a0)", support=(parse_roman,), cost=6),
        define(
            "integers_in",
            text,
            list_of(INT),
            r"[int(number) for number in re.findall(r'-?\d+', a0)]",
            function=lambda text: tuple(map(_integer, re.findall(r"-?\d+", text))),
            cost=4,
            noun="numbers",
        ),
        define(
            "floats_in",
            text,
            list_of(FLOAT),
            r"[float(number) for number in re.findall(r'-?\d+(?:\.\d+)?', a0)]",
            cost=5,
            noun="numbers",
        ),
    )


def _writing() -> tuple[Operation, ...]:
    return (
        define(
            "format_float",
            (FLOAT_FORMAT, FLOAT),
            STR,
            "format(a1, a0)",
            function=_format,
            cost=1,
            scalar=True,
            noun="formatted",
        ),
        define(
            "format_integer",
            (INTEGER_FORMAT, INT),
            STR,
            "format(a1, a0)",
            function=_format,
            cost=2,
            scalar=True,
            noun="formatted",
        ),
        define(
            "float_to_shortest_text",
            (FLOAT,),
            STR,
            'format(a0, ".10f").rstrip("0").rstrip(".")',
            cost=3,
            function=lambda number: f"{_sensible(number):.10f}".rstrip("0").rstrip("."),
            noun="shortest",
        ),
        define("swap_separators", (STR,), STR, 'a0.translate(str.maketrans(",.", ".,"))', cost=5, noun="swapped"),
        define("ordinal", (INT,), STR, "ordinal(a0)", support=(ordinal,), cost=3, scalar=True),
        define("to_roman", (INT,), STR, "to_roman(a0)", support=(to_roman,), cost=5),
    )


def _rounding() -> tuple[Operation, ...]:
    return (
        define("round_decimals", (DECIMALS, FLOAT), FLOAT, "round(a1, a0)", cost=2, scalar=True, noun="rounded"),
        define(
            "round_half_up",
            (DECIMALS, FLOAT),
            FLOAT,
            "round_half_up(a0, a1)",
            support=(round_half_up,),
            cost=3,
            noun="rounded",
        ),
        define("floor_to", (UNIT, INT), INT, "a1 // a0 * a0", cost=5, scalar=True),
        define("ceil_to", (UNIT, INT), INT, "-(-a1 // a0) * a0", cost=6),
        define("round_to_nearest", (UNIT, INT), INT, "(a1 + a0 // 2) // a0 * a0", cost=6),
    )


def _units() -> tuple[Operation, ...]:
    return (
        define("multiply_by", (FACTOR, FLOAT), FLOAT, "a1 * a0", function=_times, cost=3, scalar=True),
        define("divide_by", (FACTOR, FLOAT), FLOAT, "a1 / a0", function=_over, cost=3, scalar=True),
        define("times_unit", (UNIT, INT), INT, "a1 * a0", function=_times_unit, cost=4, scalar=True),
        define("whole_units", (UNIT, INT), INT, "a1 // a0", cost=4, scalar=True),
        define("rest_of_units", (UNIT, INT), INT, "a1 % a0", cost=4, scalar=True),
        define("in_units", (UNIT, INT), FLOAT, "a1 / a0", cost=4),
        define("percentage", (FLOAT, FLOAT), FLOAT, "100 * a0 / a1", function=_percentage, cost=4, scalar=True),
        define("integer_ratio", (INT, INT), FLOAT, "a0 / a1", cost=6),
    )


def _truth() -> tuple[Operation, ...]:
    return (define("parse_truth", (STR,), BOOL, "parse_truth(a0)", support=(parse_truth,), cost=6, scalar=True),)


def parse_amount(text: str) -> float:
    """The first number in a text such as ``$1,234.50``, ``(12.00)`` or ``-7%``; commas group thousands alone."""
    match = re.search(r"\d{1,3}(?:['’ \u00a0\u202f]\d{3})+(?:\.\d+)?\b|\d+(?:,\d+)*(?:\.\d+)?|\.\d+", text)
    number = match.group() if match else ""
    if match is None or ("," in number and not re.match(r"[1-9]\d{0,2}(,\d{2,3})*,\d{3}(?!,|\d)", number)):
        raise ValueError(f"no number in {text!r}")
    value = float(re.sub(r"[,'’ \u00a0\u202f]", "", number))
    before, after = text[: match.start()], text[match.end() :].strip()
    negative = re.search(r"(^|[\s$€£¥])[-−(]\s?[$€£¥]?\s?$", before) is not None or after == "-"
    return -value if negative else value


def parse_mixed_amount(text: str) -> float:
    """The first amount in a text, where its last separator is the decimal one unless it groups thousands."""
    match = re.search(r"\d[\d.,'’ \u00a0\u202f]*", text)
    number = match.group() if match else ""
    comma, dot = number.rfind(","), number.rfind(".")
    grouped = dot < 0 and re.fullmatch(r"\d{1,3}(,\d{3})+\D*", number)
    if comma > dot and not grouped:
        text = text.translate(str.maketrans(",.", ".,"))
    return parse_amount(text)


def parse_magnitude(text: str) -> float:
    """The number in a text such as ``1.2K``, ``$3M`` or ``2.5 billion``."""
    match = re.search(r"(-?\d[\d,]*(?:\.\d+)?)\s*([A-Za-z]?)", text)
    if match is None:
        raise ValueError(f"no number in {text!r}")
    powers = {"": 0, "k": 3, "m": 6, "b": 9, "g": 9, "t": 12}
    return round(float(match[1].replace(",", "")) * 10.0 ** powers[match[2].lower()], 6)


def parse_size(text: str) -> float:
    """Bytes in a text such as ``1.5 MB`` or ``512 KiB``; every prefix is a power of 1024."""
    match = re.search(r"(\d+(?:\.\d+)?)\s*([KMGTP]?)i?B?", text, re.IGNORECASE)
    if match is None:
        raise ValueError(f"no size in {text!r}")
    return float(match[1]) * 1024.0 ** " KMGTP".index(match[2].upper() or " ")


def parse_roman(text: str) -> int:
    """The value of a Roman numeral."""
    values = [{"I": 1, "V": 5, "X": 10, "L": 50, "C": 100, "D": 500, "M": 1000}[char] for char in text.upper()]
    if not values:
        raise ValueError("no numeral")
    pairs = zip(values, [*values[1:], 0], strict=True)
    return sum(-value if value < following else value for value, following in pairs)


def to_roman(number: int) -> str:
    """A number from 1 to 3999 as a Roman numeral."""
    if not 0 < number < 4000:
        raise ValueError(f"no Roman numeral for {number}")
    numerals = ["M", "CM", "D", "CD", "C", "XC", "L", "XL", "X", "IX", "V", "IV", "I"]
    text = ""
    for value, numeral in zip([1000, 900, 500, 400, 100, 90, 50, 40, 10, 9, 5, 4, 1], numerals, strict=True):
        text += numeral * (number // value)
        number %= value
    return text


def ordinal(number: int) -> str:
    """The English ordinal of a number, such as ``1st``, ``22nd`` or ``13th``."""
    suffix = "th" if 10 <= abs(number) % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(abs(number) % 10, "th")
    return f"{number}{suffix}"


def round_half_up(decimals: int, number: float) -> float:
    """A number rounded as in school: halves away from zero, judged on its first twelve digits."""
    if not abs(number) < 1e15:
        raise ValueError("too large to round")
    step = decimal.Decimal(1).scaleb(-decimals)
    return float(decimal.Decimal(f"{number:.12g}").quantize(step, decimal.ROUND_HALF_UP))


def parse_truth(text: str) -> bool:
    """Whether a text says yes."""
    word = text.strip().lower()
    if word in {"yes", "y", "true", "t", "1", "on"}:
        return True
    if word in {"no", "n", "false", "f", "0", "off"}:
        return False
    raise ValueError(f"neither yes nor no: {text!r}")


def _integer(text: str) -> int:
    return _in_base(10, text)


def _in_base(base: int, text: str) -> int:
    number = int(text, base)
    if -MAX_INT < number < MAX_INT:
        return number
    raise OverflowError


def _sensible(number: float) -> float:
    if -1e15 < number < 1e15:
        return number
    raise OverflowError


def _float(text: str) -> float:
    return _sensible(float(text))


def _format(specification: str, number: float) -> str:
    return format(number, specification)


def _times(factor: float, number: float) -> float:
    return _sensible(number * factor)


def _over(factor: float, number: float) -> float:
    return _sensible(number / factor)


def _times_unit(unit: int, number: int) -> int:
    if -MAX_INT < number * unit < MAX_INT:
        return number * unit
    raise OverflowError


def _percentage(part: float, whole: float) -> float:
    return _sensible(100 * part / whole)
