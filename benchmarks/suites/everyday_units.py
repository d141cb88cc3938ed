"""Everyday families about measures: a number with its unit, boxes, temperatures, file sizes."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from random import Random

from benchmarks.suites.everyday_build import Family, V

FLOAT = "(text: str) -> float"
INT = "(text: str) -> int"
BOOL = "(text: str) -> bool"
_METRIC = {"g": 1, "kg": 1000, "t": 1_000_000}
_SIZES = {"B": 1, "KB": 1024, "MB": 1024**2, "GB": 1024**3}
_CONVERSIONS = (
    ("km", "m", 1000),
    ("m", "cm", 100),
    ("h", "min", 60),
    ("days", "h", 24),
    ("mi", "km", 1.609344),
    ("ft", "m", 0.3048),
    ("in", "cm", 2.54),
    ("lb", "kg", 0.45359237),
    ("gal", "l", 3.785412),
    ("oz", "g", 28.34952),
    ("yd", "m", 0.9144),
)
_METRIC_PAIRS = (
    ("km", "m", 1000),
    ("kg", "g", 1000),
    ("l", "ml", 1000),
    ("t", "kg", 1000),
    ("m", "cm", 100),
    ("h", "min", 60),
)


def _measure(rng: Random) -> tuple[str]:
    count = rng.choice((rng.randint(2, 950), round(rng.uniform(1, 90), 1)))
    return (f"{count} {rng.choice(('kg', 'm', 'cm', 'l', 'mm'))}",)


def _tight_measure(rng: Random) -> tuple[str]:
    return (f"{rng.randint(2, 950)}{rng.choice(('kg', 'm', 'cm', 'l', 'mm'))}",)


def _in_unit(unit: str) -> Callable[[Random], tuple[str]]:
    def draw(rng: Random) -> tuple[str]:
        return (f"{round(rng.uniform(1, 80), 1)} {unit}",)

    return draw


def _mixed_mass(rng: Random) -> tuple[str]:
    unit = rng.choice(tuple(_METRIC))
    return (f"{rng.randint(2, 900)} {unit}",)


def _grams(text: str) -> int:
    count, unit = text.split()
    return int(count) * _METRIC[unit]


def _box(rng: Random) -> tuple[str]:
    return ("x".join(str(rng.randint(2, 60)) for _ in range(3)) + " cm",)


def _sides(text: str) -> list[int]:
    return [int(side) for side in text.split()[0].split("x")]


def _celsius(rng: Random) -> tuple[str]:
    return (f"{rng.choice((rng.randint(-2, 1), rng.randint(-20, 45), rng.randint(-20, 45)))}°C",)


def _fahrenheit(text: str) -> int:
    return round(int(text[:-2]) * 9 / 5 + 32)


def _file_size(rng: Random) -> tuple[str]:
    return (f"{rng.randint(1, 900)} {rng.choice(tuple(_SIZES))}",)


def _bytes(text: str) -> int:
    count, unit = text.split()
    return int(count) * _SIZES[unit]


def _converted() -> Iterator[V]:
    for source, target, factor in _CONVERSIONS:
        yield V(
            2,
            f"Turn {source} into {target} as a number, two places.",
            lambda s, factor=factor: round(float(s.split()[0]) * factor, 2),
            _in_unit(source),
        )


def _convert_written() -> Iterator[V]:
    for source, target, factor in _METRIC_PAIRS:
        yield V(
            4,
            f"Rewrite {source} as {target} with the unit.",
            lambda s, target=target, factor=factor: f"{round(float(s.split()[0]) * factor)} {target}",
            _in_unit(source),
        )


UNITS = (
    Family(
        name="unit-split",
        draw=_measure,
        variants=(
            V(2, "Give the number without the unit.", lambda s: float(s.split()[0]), None, FLOAT),
            V(
                3,
                "Put a blank between number and unit.",
                lambda s: "".join(c for c in s if c.isdigit()) + " " + "".join(c for c in s if c.isalpha()),
                _tight_measure,
            ),
            V(
                3,
                "Give the number in front of the unit.",
                lambda s: int("".join(c for c in s if c.isdigit())),
                _tight_measure,
                INT,
            ),
            V(2, "Write the unit in brackets.", lambda s: "{} ({})".format(*s.split())),
        ),
    ),
    Family(name="unit-convert", draw=_measure, signature=FLOAT, variants=tuple(_converted())),
    Family(name="unit-rewrite", draw=_measure, variants=tuple(_convert_written())),
    Family(
        name="unit-mixed",
        draw=_mixed_mass,
        signature=INT,
        branch=lambda s: s.split()[1],
        variants=(
            V(5, "Bring all masses to grams.", _grams),
            V(5, "Bring all masses to kilograms.", lambda s: _grams(s) / 1000, None, FLOAT),
            V(5, "Write all masses in grams with the unit.", lambda s: f"{_grams(s)} g", None, "(text: str) -> str"),
        ),
    ),
    Family(
        name="box-size",
        draw=_box,
        signature=INT,
        variants=(
            V(4, "Give the volume of the box.", lambda s: math.prod(_sides(s))),
            V(3, "Give the longest side.", lambda s: max(_sides(s))),
            V(3, "List the three sides.", _sides, None, "(text: str) -> list[int]"),
            V(
                4,
                "List the sides from long to short.",
                lambda s: sorted(_sides(s), reverse=True),
                None,
                "(text: str) -> list[int]",
            ),
            V(1, "Write blanks around each x.", lambda s: s.replace("x", " x "), None, "(text: str) -> str"),
            V(3, "Give the first side.", lambda s: _sides(s)[0]),
            V(4, "Give the sum of the sides.", lambda s: sum(_sides(s))),
        ),
    ),
    Family(
        name="temperature",
        draw=_celsius,
        signature=INT,
        variants=(
            V(2, "Give the temperature as a number.", lambda s: int(s[:-2])),
            V(4, "Turn Celsius into whole Fahrenheit.", _fahrenheit),
            V(
                5,
                "Rewrite Celsius as whole Fahrenheit with the unit.",
                lambda s: f"{_fahrenheit(s)}°F",
                None,
                "(text: str) -> str",
            ),
            V(3, "Answer whether it freezes (below 0).", lambda s: int(s[:-2]) < 0, None, BOOL),
        ),
    ),
    Family(
        name="file-size",
        draw=_file_size,
        signature=INT,
        branch=lambda s: s.split()[1],
        variants=(
            V(5, "Turn file sizes into bytes (1 KB = 1024 B).", _bytes),
            V(5, "Turn file sizes into kilobytes, three places.", lambda s: round(_bytes(s) / 1024, 3), None, FLOAT),
            V(4, "Answer whether the file is larger than 10 MB.", lambda s: _bytes(s) > 10 * 1024**2, None, BOOL),
        ),
    ),
)
