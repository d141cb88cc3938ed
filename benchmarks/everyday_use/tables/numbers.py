"""Shares, units, rounding and sums."""

from __future__ import annotations

from decimal import Decimal

from benchmarks.everyday_use.pools import Rng, half_up, plain
from benchmarks.everyday_use.table import Table

D = Decimal


def _part_and_whole(rng: Rng) -> tuple[str, str]:
    whole = rng.choice((8, 12, 20, 25, 40, 60, 120, 250))
    return str(rng.randint(0, whole)), str(whole)


def _two_years(rng: Rng) -> tuple[str, str]:
    before = rng.randint(10, 900) * 10
    return str(before), str(before + rng.randint(-before // 20, before // 10) * 5)


def _growth(before: str, after: str) -> str:
    return f"{half_up((D(after) - D(before)) / D(before) * 100, 1):+}%"


def _one_decimal(rng: Rng, low: int, high: int) -> str:
    return plain(D(rng.randint(low * 10, high * 10)) / 10)


def _ordinal(text: str) -> str:
    number = int(text)
    last = "th" if 10 <= number % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{last}"


def _listed(rng: Rng) -> str:
    return "; ".join(str(rng.randint(0, 60)) for _ in range(rng.randint(1, 5)))


TABLES = (
    Table(
        name="share-in-percent",
        columns="ID* | Answered | Asked | Share=",
        draw=_part_and_whole,
        rule=lambda part, whole: f"{half_up(D(part) / D(whole) * 100, 0)}%",
        rows=28,
        given=8,
        slip="doubled",
    ),
    Table(
        name="growth-with-sign",
        columns="2023 | 2024 | Change=",
        draw=_two_years,
        rule=_growth,
        rows=26,
        given=9,
        cases=lambda before, after: D(after) >= D(before),
    ),
    Table(
        name="pounds-of-kilograms",
        columns="kg | lb=",
        draw=lambda rng: _one_decimal(rng, 0, 150),
        rule=lambda text: plain(half_up(D(text) * D("2.20462"), 1)),
        rows=24,
        given=8,
    ),
    Table(
        name="celsius-of-fahrenheit",
        columns="Branch* | Fahrenheit | Celsius=",
        draw=lambda rng: str(rng.randint(-30, 120)),
        rule=lambda text: plain(half_up((D(text) - 32) * 5 / 9, 1)),
        rows=30,
        given=8,
        scattered=True,
    ),
    Table(
        name="kilometres-of-miles",
        columns="No* | Meilen | Kilometer=",
        draw=lambda rng: _one_decimal(rng, 1, 400),
        rule=lambda text: plain(half_up(D(text) * D("1.609"))),
        rows=22,
        given=7,
        form="excel-de-bom",
    ),
    Table(
        name="mean-of-three",
        columns="Jan | Feb | Mar | Mean=",
        draw=lambda rng: tuple(str(3 * rng.randint(0, 60) + offset) for offset in rng.choice(((0, 1, 2), (0, 0, 0)))),
        rule=lambda *months: plain(D(sum(map(int, months))) / 3),
        rows=24,
        given=6,
    ),
    Table(
        name="ordinal-number",
        columns="Owner* | Place | Shown=",
        draw=lambda rng: str(rng.choice((rng.randint(1, 12), rng.randint(1, 40), rng.randint(90, 125)))),
        rule=_ordinal,
        rows=36,
        given=11,
        cases=lambda text: _ordinal(text)[-2:],
    ),
    Table(
        name="sum-of-list-in-cell",
        columns="Pieces | Sum=",
        draw=_listed,
        rule=lambda text: str(sum(map(int, text.split("; ")))),
        rows=25,
        given=6,
        cases=lambda text: text.count(";"),
    ),
)
"""Eight tables."""
