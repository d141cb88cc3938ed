"""The styles in which dates are written in the ``everyday`` suite: drawing, reading and writing."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta
from random import Random

from benchmarks.suites.everyday_build import Draw
from benchmarks.suites.everyday_words import MONTHS

STYLES: tuple[tuple[str, Callable[[date], str], int], ...] = (
    ("DD.MM.YYYY", lambda d: f"{d.day:02d}.{d.month:02d}.{d.year}", 2),
    ("MM/DD/YYYY", lambda d: f"{d.month:02d}/{d.day:02d}/{d.year}", 3),
    ("DD/MM/YYYY", lambda d: f"{d.day:02d}/{d.month:02d}/{d.year}", 2),
    ("YYYYMMDD", lambda d: f"{d.year}{d.month:02d}{d.day:02d}", 2),
    ("YYYY/MM/DD", lambda d: f"{d.year}/{d.month:02d}/{d.day:02d}", 1),
    ("D Month YYYY", lambda d: f"{d.day} {MONTHS[d.month - 1]} {d.year}", 4),
    ("Month D, YYYY", lambda d: f"{MONTHS[d.month - 1]} {d.day}, {d.year}", 5),
    ("DD-Mon-YY", lambda d: f"{d.day:02d}-{MONTHS[d.month - 1][:3]}-{d.year % 100:02d}", 5),
    ("D.M.YYYY without leading zeros", lambda d: f"{d.day}.{d.month}.{d.year}", 4),
    ("M/D/YY without leading zeros", lambda d: f"{d.month}/{d.day}/{d.year % 100:02d}", 5),
)
"""Name, writer and difficulty of each style; a style is called by its place in this tuple."""


def styled(number: int) -> Draw:
    """Dates written in one style; two-digit years are drawn from this century."""
    write = STYLES[number][1]

    def draw(rng: Random) -> tuple[str]:
        return (write(date(2001, 1, 1) + timedelta(days=rng.randint(0, 11_000))),)

    return draw


def read(text: str, number: int) -> date:
    """The date behind a text in one style; ``ValueError`` for any other style."""
    found = _parse(text, number)
    if STYLES[number][1](found) != text:
        raise ValueError(text)
    return found


def _parse(text: str, number: int) -> date:
    style = STYLES[number][0]
    if style == "YYYYMMDD":
        return date(int(text[:4]), int(text[4:6]), int(text[6:]))
    parts = text.replace(",", "").replace("/", " ").replace(".", " ").replace("-", " ").split()
    if style.startswith("M"):
        parts = [parts[1], parts[0], parts[2]]
    elif style.startswith("Y"):
        parts = parts[::-1]
    day, month, year = parts
    number_of_month = int(month) if month.isdigit() else [m[:3] for m in MONTHS].index(month[:3]) + 1
    return date(int(year) + (2000 if len(year) == 2 else 0), number_of_month, int(day))


def shown(text: str, number: int) -> str:
    """An ISO date in one style."""
    return STYLES[number][1](date.fromisoformat(text))
