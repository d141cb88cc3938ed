"""Everyday families about numbers, percentages, units and flags."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from random import Random

from evolve.tasks.suites import everyday_values as values
from evolve.tasks.suites.everyday_build import Family, V

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


def _any_number(rng: Random) -> tuple[float]:
    return (round(rng.uniform(1, 500), 3),)


def _share(rng: Random) -> tuple[float]:
    return (round(rng.uniform(0.01, 0.99), 3),)


def _percent(rng: Random) -> tuple[str]:
    return (f"{round(rng.uniform(1, 99), rng.choice((0, 1)))}{rng.choice(('%', ' %'))}".replace(".0", ""),)


def _part_total(rng: Random) -> tuple[int, int]:
    total = rng.randint(20, 900)
    return (rng.randint(1, total), total)


def _signed_percent(old: int, new: int) -> str:
    return f"{100 * (new - old) / old:+.1f}%"


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


def _flag(rng: Random) -> tuple[str]:
    words = ("yes", "no", "Yes", "No", "Y", "N", "y", "n", "TRUE", "FALSE", "true", "false")
    return (values.pad(rng, rng.choice(words)),)


def _yes(text: str) -> bool:
    return text.strip().lower() in ("yes", "y", "true")


def _ordinal(n: int) -> str:
    suffix = "th" if 10 <= n % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(n % 10, "th")
    return f"{n}{suffix}"


def _counter(rng: Random) -> tuple[int]:
    return (rng.choice((rng.randint(1, 9), rng.randint(10, 99), rng.randint(100, 999))),)


def _place_number(rng: Random) -> tuple[int]:
    return (rng.choice((rng.randint(1, 3), rng.randint(4, 30), rng.randint(21, 23), rng.randint(31, 112))),)


def _interval(rng: Random) -> tuple[str]:
    low = rng.randint(1, 60)
    return (f"{low}-{low + rng.randint(2, 40)}",)


def _ends(text: str) -> list[int]:
    return [int(end) for end in text.split("-")]


def _rating(rng: Random) -> tuple[str]:
    return (f"{rng.randint(1, 5)}/5 ({rng.randint(3, 900)} reviews)",)


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


NUMBERS = (
    Family(
        name="number-round",
        draw=_any_number,
        signature="(x: float) -> float",
        variants=(
            V(1, "Round to two places.", lambda x: round(x, 2)),
            V(1, "Round to one place.", lambda x: round(x, 1)),
            V(1, "Round to a whole number.", lambda x: round(x), None, "(x: float) -> int"),
            V(1, "Round down to a whole number.", lambda x: math.floor(x), None, "(x: float) -> int"),
            V(1, "Round up to a whole number.", lambda x: math.ceil(x), None, "(x: float) -> int"),
            V(3, "Round to the nearest 5.", lambda x: 5 * round(x / 5), None, "(x: float) -> int"),
            V(3, "Round to the nearest 10.", lambda x: 10 * round(x / 10), None, "(x: float) -> int"),
            V(3, "Round down to halves.", lambda x: math.floor(2 * x) / 2),
            V(2, "Give the part behind the point, three places.", lambda x: round(x % 1, 3)),
        ),
    ),
    Family(
        name="percent-read",
        draw=_percent,
        signature=FLOAT,
        variants=(
            V(3, "Turn percentages into shares between 0 and 1.", lambda s: round(float(s.rstrip(" %")) / 100, 4)),
            V(2, "Give the number before the percent sign.", lambda s: float(s.rstrip(" %"))),
            V(4, "Give the rest to 100 %.", lambda s: round(100 - float(s.rstrip(" %")), 1)),
            V(
                3,
                "Write the percentage with exactly one decimal.",
                lambda s: f"{float(s.rstrip(' %')):.1f}%",
                None,
                "(text: str) -> str",
            ),
        ),
        branch=lambda s: (" " in s, "." in s),
    ),
    Family(
        name="percent-write",
        draw=_share,
        signature="(share: float) -> str",
        variants=(
            V(2, "Write the share as a percentage with one decimal.", lambda x: f"{100 * x:.1f}%"),
            V(3, "Write the share as a whole percentage with a blank.", lambda x: f"{round(100 * x)} %"),
            V(
                2,
                "Turn the share into a percentage number, one decimal.",
                lambda x: round(100 * x, 1),
                None,
                "(share: float) -> float",
            ),
            V(3, "Write the rest to one as a percentage with one decimal.", lambda x: f"{100 - 100 * x:.1f}%"),
            V(
                4,
                "Write the share as a percentage with a decimal comma.",
                lambda x: f"{100 * x:.1f} %".replace(".", ","),
            ),
        ),
    ),
    Family(
        name="percent-of",
        draw=_part_total,
        signature="(part: int, total: int) -> str",
        variants=(
            V(3, "Write the part of the total as a percentage, one decimal.", lambda a, b: f"{100 * a / b:.1f}%"),
            V(
                2,
                "Give the part of the total as a share, three places.",
                lambda a, b: round(a / b, 3),
                None,
                "(part: int, total: int) -> float",
            ),
            V(4, "Write the change from the first to the second with sign, one decimal.", _signed_percent),
            V(2, "Write part of total.", lambda a, b: f"{a} of {b}"),
            V(
                3,
                "Give what is missing to the total in percent, one decimal.",
                lambda a, b: round(100 * (b - a) / b, 1),
                None,
                "(part: int, total: int) -> float",
            ),
            V(4, "Write part/total (percent) with a whole percentage.", lambda a, b: f"{a}/{b} ({100 * a // b}%)"),
        ),
    ),
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
    Family(
        name="flag",
        draw=_flag,
        signature=BOOL,
        branch=lambda s: s.strip(),
        variants=(
            V(3, "Turn yes, y and true in any casing into true, the rest into false.", _yes),
            V(4, "Bring all flags to Yes or No.", lambda s: "Yes" if _yes(s) else "No", None, "(text: str) -> str"),
            V(4, "Turn the flags into 1 and 0.", lambda s: 1 if _yes(s) else 0, None, INT),
            V(
                3,
                "Give the first letter of the flag in capitals.",
                lambda s: s.strip()[0].upper(),
                None,
                "(text: str) -> str",
            ),
        ),
    ),
    Family(
        name="number-pad",
        draw=_counter,
        signature="(n: int) -> str",
        variants=(
            *(
                V(2, f"Write the number with {width} digits.", lambda n, width=width: f"{n:0{width}d}")
                for width in (3, 4, 6)
            ),
            V(2, "Write the number with a leading hash.", lambda n: f"#{n}"),
            V(3, "Write the invoice number INV-0042.", lambda n: f"INV-{n:04d}"),
            V(3, "Write the order number 2024/0042.", lambda n: f"2024/{n:04d}"),
            V(5, "Write the number as an ordinal such as 1st.", _ordinal, _place_number),
            V(
                4,
                "Write 1 item or 5 items.",
                lambda n: f"{n} item" if n == 1 else f"{n} items",
                lambda rng: (rng.choice((1, 1, rng.randint(2, 60))),),
            ),
        ),
        branch=lambda n: n if n < 4 else _ordinal(n)[-2:] if n < 24 else len(str(n)) + 100,
    ),
    Family(
        name="interval",
        draw=_interval,
        signature=INT,
        variants=(
            V(3, "Give the middle of the range.", lambda s: sum(_ends(s)) / 2, None, FLOAT),
            V(2, "Give the lower end.", lambda s: _ends(s)[0]),
            V(2, "Give the upper end.", lambda s: _ends(s)[1]),
            V(3, "Give the width of the range.", lambda s: _ends(s)[1] - _ends(s)[0]),
            V(1, "Write the range with the word to.", lambda s: s.replace("-", " to "), None, "(text: str) -> str"),
            V(
                4,
                "Write between low and high.",
                lambda s: "between {} and {}".format(*_ends(s)),
                None,
                "(text: str) -> str",
            ),
        ),
    ),
    Family(
        name="rating",
        draw=_rating,
        signature=INT,
        variants=(
            V(2, "Give the rating as a number.", lambda s: int(s[0])),
            V(3, "Give the number of reviews.", lambda s: int(s.split("(")[1].split()[0])),
            V(3, "Give the rating in percent.", lambda s: int(s[0]) * 20),
            V(4, "Draw the rating with stars.", lambda s: "*" * int(s[0]), None, "(text: str) -> str"),
            V(
                4,
                "Draw five places, stars first and dots for the rest.",
                lambda s: ("*" * int(s[0])).ljust(5, "."),
                None,
                "(text: str) -> str",
            ),
        ),
    ),
)
