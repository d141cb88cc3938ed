"""Families about numbers as texts: amounts in several notations, Roman numerals, other bases, and labels."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence

from benchmarks.suites import strings_words as words
from benchmarks.suites.frame import Family, Fn, Kind, fixed
from evolve.core.episodes import Json

_ROMAN = ((1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC"), (50, "L"), (40, "XL"), (10, "X"),
          (9, "IX"), (5, "V"), (4, "IV"), (1, "I"))  # fmt: skip
_MAGNITUDES = {"k": 1000, "M": 1_000_000}


def roman(number: int) -> str:
    """A number in Roman numerals."""
    text = ""
    for value, letters in _ROMAN:
        count, number = divmod(number, value)
        text += letters * count
    return text


def from_roman(text: str) -> int:
    """The number of Roman numerals."""
    return next(n for n in range(1, 4000) if roman(n) == text)


def ordinal(number: int) -> str:
    """Such as ``1st``."""
    ending = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


def _european(rng: random.Random, notable: Sequence[Json]) -> tuple[Json, ...]:
    amount = rng.choice((rng.randint(100, 99_999), rng.randint(100_000, 9_999_999))) / 100
    text = f"{amount:,.2f}".translate(str.maketrans(",.", ".,"))
    return (rng.choice((text, f"{text} €", f"-{text}")),)


def _read_european(text: str) -> float:
    return float(re.sub(r"[^\d,-]", "", text).replace(",", "."))


def _american(rng: random.Random, notable: Sequence[Json]) -> tuple[Json, ...]:
    amount = rng.choice((rng.randint(100, 99_999), rng.randint(100_000, 9_999_999))) / 100
    return (f"{amount:,.2f}",)


def _either(rng: random.Random, notable: Sequence[Json]) -> tuple[Json, ...]:
    (text,) = rng.choice((_american, _european))(rng, notable)
    return (text.strip("-€ "),)


def _read_either(text: str) -> float:
    last = max(text.rfind(","), text.rfind("."))
    return float(re.sub(r"\D", "", text[:last]) + "." + text[last + 1 :])


def _magnitude(rng: random.Random, notable: Sequence[Json]) -> tuple[Json, ...]:
    number = rng.choice((rng.randint(1, 99), rng.randint(11, 99) / 10))
    return (f"{number}{rng.choice(('k', 'k', '', 'M'))}" if number < 10 else f"{number}{rng.choice(('k', ''))}",)


def _read_magnitude(text: str) -> float:
    factor = _MAGNITUDES.get(text[-1], 1)
    return round(float(text.rstrip("kM")) * factor, 6)


def _size(rng: random.Random, notable: Sequence[Json]) -> tuple[Json, ...]:
    return (f"{rng.choice((rng.randint(1, 90), rng.randint(2, 18) / 2))} {rng.choice(('B', 'KB', 'KB', 'KiB'))}",)


def _number(low: int, high: int) -> Kind:
    return Kind(name=f"number {low}-{high}", draw=lambda rng, notable: (rng.randint(low, high),))


def _decimal(rng: random.Random, notable: Sequence[Json]) -> tuple[Json, ...]:
    places = rng.choice((0, 1, 2, 3))
    number = rng.choice((rng.randint(1, 9999), 10 * rng.randint(1, 900)))
    return (f"{number / 10**places:.{rng.choice((2, 3))}f}",)


def _shortest(text: str) -> str:
    return text.rstrip("0").rstrip(".")


def _measured(rng: random.Random, notable: Sequence[Json]) -> tuple[Json, ...]:
    low, high = sorted((rng.randint(1, 99) / 2, rng.randint(1, 900) / 4))
    unit = rng.choice(("kg", "m", "l", "cm"))
    return (rng.choice((f"{low} to {high} {unit}", f"{words.word(rng)} {low} {unit}, {high} {unit}")),)


def _figures(text: str) -> list[float]:
    return [float(x) for x in re.findall(r"\d+(?:\.\d+)?", text)]


def _coordinates(rng: random.Random, notable: Sequence[Json]) -> tuple[Json, ...]:
    return (f"({rng.randint(100, 8000) / 100}, {rng.randint(100, 17_000) / 100})",)


def _coded(fmt: str, low: int, high: int) -> Kind:
    return Kind(name=f"number as {fmt}", draw=lambda rng, notable: (format(rng.randint(low, high), fmt),))


def _answer(rng: random.Random, notable: Sequence[Json]) -> tuple[Json, ...]:
    return (rng.choice(("yes", "Yes", "no", "No", "Y", "N", "true", "False", "TRUE", "n", "y", "false", "1", "0")),)


def _truth(text: str) -> bool:
    return text.lower() in {"yes", "y", "true", "1"}


_EUROPEAN: tuple[tuple[str, Fn], ...] = (
    ("read the European amount", _read_european),
    ("swap commas and points", lambda s: s.translate(str.maketrans(",.", ".,"))),
    ("write the European amount with one decimal", lambda s: f"{_read_european(s):.1f}"),
)
_EITHER: tuple[tuple[str, Fn], ...] = (
    ("read American and European amounts", _read_either),
    ("write American and European amounts as plain numbers with two decimals", lambda s: f"{_read_either(s):.2f}"),
)
_MAGNITUDE: tuple[tuple[str, Fn], ...] = (("read numbers such as 1.5k", _read_magnitude),)
_SIZES: tuple[tuple[str, Fn], ...] = (
    ("give the size in bytes, a KB or KiB having 1024", lambda s: float(s.split()[0]) * (1024 if "K" in s else 1)),
)
_WRITTEN: tuple[tuple[str, Fn], ...] = (
    ("write in Roman numerals", roman),
    ("write as an ordinal, such as 1st", ordinal),
    ("write in words for a chapter: Chapter and Roman numerals", lambda n: f"Chapter {roman(n)}"),
    ("write as a place, such as 1st place", lambda n: f"{ordinal(n)} place"),
    ("write Roman numerals in small letters", lambda n: roman(n).lower()),
)
_CENTURIES: tuple[tuple[str, Fn], ...] = (("write the year in Roman numerals", roman),)
_FROM_ROMAN: tuple[tuple[str, Fn], ...] = (
    ("read the Roman numerals", from_roman),
    ("give the number after the Roman numerals", lambda s: from_roman(s) + 1),
)
_SHORT: tuple[tuple[str, Fn], ...] = (
    ("drop zeros at the end of the decimals", _shortest),
    ("drop zeros at the end of the decimals and write kg behind", lambda s: f"{_shortest(s)} kg"),
)
_MEASURED: tuple[tuple[str, Fn], ...] = (
    ("give the numbers", _figures),
    ("add the numbers", lambda s: sum(_figures(s))),
)
_TRUTHS: tuple[tuple[str, Fn], ...] = (("read as true or false", _truth),)


def families() -> list[Family]:
    """Every family about numbers as texts."""
    numerals = Kind(name="Roman numerals", draw=lambda rng, notable: (roman(rng.randint(1, 150)),))
    book = Kind(name="part", draw=lambda rng, notable: (f"Part {roman(rng.randint(1, 40))}",))
    last: Fn = lambda s: from_roman(s.split()[1])  # noqa: E731
    return [
        *fixed("european-amount", 3, Kind(name="European amount", draw=_european), *_EUROPEAN),
        *fixed("either-amount", 4, Kind(name="either amount", draw=_either), *_EITHER),
        *fixed("magnitude", 3, Kind(name="magnitude", draw=_magnitude), *_MAGNITUDE),
        *fixed("size", 4, Kind(name="size", draw=_size), *_SIZES),
        *fixed("number-written", 3, _number(1, 90), *_WRITTEN),
        *fixed("century", 4, _number(1400, 2060), *_CENTURIES),
        *fixed("roman-numerals", 3, numerals, *_FROM_ROMAN),
        *fixed("part-of-a-book", 4, book, ("give the number of the part", last)),
        *fixed("decimals", 2, Kind(name="decimal text", draw=_decimal), *_SHORT),
        *fixed("measures", 3, Kind(name="measures", draw=_measured), *_MEASURED),
        *fixed("hexadecimal", 3, _coded("X", 1, 4000), ("read the hexadecimal number", lambda s: int(s, 16))),
        *fixed("binary", 3, _coded("b", 1, 255), ("read the binary number", lambda s: int(s, 2))),
        *fixed("octal", 3, _coded("o", 8, 4000), ("read the octal number", lambda s: int(s, 8))),
        *fixed("coordinates", 3, Kind(name="coordinates", draw=_coordinates), *_MEASURED),
        *fixed("yes-or-no", 3, Kind(name="answer", draw=_answer), *_TRUTHS),
    ]  # fmt: skip
