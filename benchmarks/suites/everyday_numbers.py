"""Everyday families about rounding, percentages, flags, counters, ranges and ratings."""

from __future__ import annotations

import math
from random import Random

from benchmarks.suites import everyday_draws as draws
from benchmarks.suites.everyday_build import Family, V

FLOAT = "(text: str) -> float"
INT = "(text: str) -> int"
BOOL = "(text: str) -> bool"


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


def _flag(rng: Random) -> tuple[str]:
    words = ("yes", "no", "Yes", "No", "Y", "N", "y", "n", "TRUE", "FALSE", "true", "false")
    return (draws.pad(rng, rng.choice(words)),)


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
)

FLAGS_AND_COUNTS = (
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
