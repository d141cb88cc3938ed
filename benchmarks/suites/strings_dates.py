"""Families about calendar dates as texts: periods, due dates, and spans between two dates."""

from __future__ import annotations

import calendar
import random
from collections.abc import Callable, Sequence
from datetime import date, datetime, timedelta

from benchmarks.suites.frame import Family, Fn, Kind, fixed
from evolve.core.episodes import Json

ISO = "%Y-%m-%d"
EUROPEAN = "%d/%m/%Y"


def a_day(rng: random.Random) -> date:
    """A day of the years 2012 to 2027, often near the end of a month."""
    day = date(2012, 1, 1) + timedelta(days=rng.randrange(5800))
    return last_of_month(day) if rng.random() < 0.15 else day


def last_of_month(day: date) -> date:
    """The last day of the month."""
    return day.replace(day=calendar.monthrange(day.year, day.month)[1])


def months_later(day: date, months: int) -> date:
    """The day some months later, the month's last where there is no such day."""
    years, month = divmod(day.month - 1 + months, 12)
    first = date(day.year + years, month + 1, 1)
    return first.replace(day=min(day.day, last_of_month(first).day))


def working_days_later(day: date, days: int) -> date:
    """The day some days from Monday to Friday later."""
    while days:
        day += timedelta(days=1)
        days -= day.weekday() < 5
    return day


def full_years(born: date, day: date) -> int:
    """The age on a day."""
    return day.year - born.year - ((day.month, day.day) < (born.month, born.day))


def _one(style: str) -> Kind:
    def draw(rng: random.Random, notable: Sequence[Json]) -> tuple[Json, ...]:
        return (a_day(rng).strftime(style),)

    return Kind(name=f"date {style}", draw=draw)


def _with_number(style: str) -> Kind:
    def draw(rng: random.Random, notable: Sequence[Json]) -> tuple[Json, ...]:
        return a_day(rng).strftime(style), rng.choice((1, 2, 3, 4, 5, 6, 7, 10, 12, 14, 15, 20, 21, 30))

    return Kind(name=f"date {style}, number", draw=draw)


def _two(style: str) -> Kind:
    def draw(rng: random.Random, notable: Sequence[Json]) -> tuple[Json, ...]:
        start = a_day(rng)
        end = start + timedelta(
            days=rng.choice(
                (rng.randint(1, 40), rng.randint(41, 400), rng.randint(2000, 14_000), rng.randint(2000, 14_000))
            )
        )
        return start.strftime(style), end.strftime(style)

    return Kind(name=f"date {style}, later date", draw=draw)


def _unordered(style: str) -> Kind:
    def draw(rng: random.Random, notable: Sequence[Json]) -> tuple[Json, ...]:
        return a_day(rng).strftime(style), a_day(rng).strftime(style)

    return Kind(name=f"date {style}, date", draw=draw)


def _reading(style: str, fn: Callable[..., Json], dates: int) -> Fn:
    """The function over texts whose first arguments are dates written in a style."""

    def run(*texts: str) -> Json:
        days = [datetime.strptime(text, style).date() for text in texts[:dates]]
        return fn(*days, *texts[dates:])

    return run


def _family(name: str, difficulty: int, kind: Kind, style: str, programs: Sequence[tuple[str, Fn]]) -> list[Family]:
    dates = kind.name.count("date")
    return fixed(name, difficulty, kind, *((text, _reading(style, fn, dates)) for text, fn in programs))


_PERIODS: tuple[tuple[str, Fn], ...] = (
    ("give the last day of the month as an ISO date", lambda d: last_of_month(d).isoformat()),
    ("give the Monday of that week as an ISO date", lambda d: (d - timedelta(days=d.weekday())).isoformat()),
    ("give the number of the ISO week", lambda d: d.isocalendar().week),
    ("give the number of the day in the year", lambda d: d.timetuple().tm_yday),
    ("give the number of the weekday, 1 for Monday", lambda d: d.isoweekday()),
    ("count the days to the end of the month", lambda d: (last_of_month(d) - d).days),
)

_PARTS: tuple[tuple[str, Fn], ...] = (
    ("give the year as a number", lambda d: d.year),
    ("give the month as a number", lambda d: d.month),
    ("give the day of the month as a number", lambda d: d.day),
)

_WRITTEN_PERIODS: tuple[tuple[str, Fn], ...] = (
    ("name the weekday of the first day of the month", lambda d: d.replace(day=1).strftime("%A")),
    ("write the ISO week, such as W07", lambda d: f"W{d.isocalendar().week:02d}"),
)

_SHIFTS: tuple[tuple[str, Fn], ...] = (
    ("give the ISO date n days later", lambda d, n: (d + timedelta(days=n)).isoformat()),
    ("give the ISO date n weeks later", lambda d, n: (d + timedelta(weeks=n)).isoformat()),
    ("give the ISO date n months later", lambda d, n: months_later(d, n).isoformat()),
    ("give the ISO date n years later", lambda d, n: months_later(d, 12 * n).isoformat()),
    ("give the ISO date n working days later", lambda d, n: working_days_later(d, n).isoformat()),
)

_WRITTEN_SHIFTS: tuple[tuple[str, Fn], ...] = (
    ("name the month n weeks later", lambda d, n: (d + timedelta(weeks=n)).strftime("%B")),
    ("name the weekday n years later", lambda d, n: months_later(d, 12 * n).strftime("%A")),
    ("name the weekday n months later", lambda d, n: months_later(d, n).strftime("%A")),
    ("name the weekday n working days later", lambda d, n: working_days_later(d, n).strftime("%A")),
)

_SPANS: tuple[tuple[str, Fn], ...] = (
    ("count the months from the month of the first date to that of the second",
     lambda a, b: 12 * (b.year - a.year) + b.month - a.month),
    ("give the age in full years on the second date", full_years),
)  # fmt: skip

_ORDERS: tuple[tuple[str, Fn], ...] = (
    ("give the earlier date as an ISO date", lambda a, b: min(a, b).isoformat()),
    ("give the later date as an ISO date", lambda a, b: max(a, b).isoformat()),
    ("tell whether the first date is before the second", lambda a, b: a < b),
)


def families() -> list[Family]:
    """Every family about dates."""
    iso, european, american = _one(ISO), _one("%d.%m.%Y"), _one("%m/%d/%Y")
    return [
        *_family("period", 2, iso, ISO, _PERIODS),
        *_family("period-european", 3, european, "%d.%m.%Y", (*_PERIODS[:-1], _WRITTEN_PERIODS[0], *_PARTS)),
        *_family("period-written", 3, iso, ISO, _WRITTEN_PERIODS),
        *_family("period-american", 3, american, "%m/%d/%Y", (_PERIODS[1], _WRITTEN_PERIODS[0], _PARTS[2])),
        *_family("due-date", 2, _with_number(ISO), ISO, _SHIFTS),
        *_family("due-date-european", 3, _with_number(EUROPEAN), EUROPEAN, (*_SHIFTS[:5], *_WRITTEN_SHIFTS)),
        *_family("date-span", 2, _two(ISO), ISO, _SPANS),
        *_family("date-span-european", 3, _two(EUROPEAN), EUROPEAN, _SPANS),
        *_family("date-span-american", 3, _two("%m/%d/%Y"), "%m/%d/%Y", _SPANS),
        *_family("date-order-named", 3, _unordered("%d %b %Y"), "%d %b %Y", _ORDERS),
        *_family("date-order", 3, _unordered("%d.%m.%Y"), "%d.%m.%Y", _ORDERS),
        *_family("date-order-american", 3, _unordered("%m/%d/%Y"), "%m/%d/%Y", _ORDERS),
    ]
