"""Families about times of day, timestamps and durations as texts and numbers."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta

from benchmarks.suites.frame import Family, Fn, Kind, fixed
from benchmarks.suites.strings_dates import a_day
from evolve.core.episodes import Json

TWELVE = "%I:%M %p"


def a_moment(rng: random.Random) -> datetime:
    """A moment to the second."""
    return datetime.combine(a_day(rng), datetime.min.time()) + timedelta(seconds=rng.randrange(86_400))


def written(style: str) -> Callable[[datetime], str]:
    """A writer of moments; without a zero before the hour of a twelve-hour clock."""
    return lambda moment: moment.strftime(style).lstrip("0" if style == TWELVE else "")


def _kind(style: str, *, count: int = 1, numbers: Sequence[int] = ()) -> Kind:
    """Moments in a style, followed by a number where there are numbers to choose from."""
    write = written(style)

    def draw(rng: random.Random, notable: Sequence[Json]) -> tuple[Json, ...]:
        start = a_moment(rng)
        later = start + timedelta(seconds=rng.choice((rng.randint(60, 7000), rng.randint(7000, 400_000))))
        return (*map(write, (start, later)[:count]), *((rng.choice(numbers),) if numbers else ()))

    return Kind(name=f"moment {style} {count} {len(numbers)}", draw=draw)


def _reading(style: str, fn: Callable[..., Json]) -> Fn:
    def run(*values: Json) -> Json:
        return fn(*(datetime.strptime(v, style) if isinstance(v, str) else v for v in values))

    return run


def _family(name: str, difficulty: int, kind: Kind, style: str, programs: Sequence[tuple[str, Fn]]) -> list[Family]:
    return fixed(name, difficulty, kind, *((text, _reading(style, fn)) for text, fn in programs))


def _minute(moment: datetime) -> int:
    return moment.hour * 60 + moment.minute


def _slot(minutes: int, style: str) -> Fn:
    """The time rounded down to a multiple of some minutes since midnight."""
    write = written(style)
    return lambda m: write(m.replace(hour=0, minute=0) + timedelta(minutes=_minute(m) // minutes * minutes))


_CLOCK: tuple[tuple[str, Fn], ...] = (
    ("give the minutes since midnight", _minute),
    ("give the minutes past the hour as a number", lambda m: m.minute),
    ("round down to the quarter of an hour and write as HH:MM", _slot(15, "%H:%M")),
)

_SLOTS: tuple[tuple[str, Fn], ...] = (
    ("round down to half an hour", _slot(30, "%H:%M")),
    ("round down to the quarter of an hour", _slot(15, "%H:%M")),
)

_CLOCK_SHIFTS: tuple[tuple[str, Fn], ...] = (
    ("give the time n minutes later as HH:MM", lambda m, n: (m + timedelta(minutes=n)).strftime("%H:%M")),
    (
        "give the time n minutes later on a twelve-hour clock with a leading zero",
        lambda m, n: (m + timedelta(minutes=n)).strftime("%I:%M %p"),
    ),
)

_CLOCK_SPANS: tuple[tuple[str, Fn], ...] = (
    ("count the minutes from the first time to the second, past midnight where need be",
     lambda a, b: (_minute(b) - _minute(a)) % 1440),
    ("tell whether the first time is earlier in the day", lambda a, b: _minute(a) < _minute(b)),
)  # fmt: skip

_MOMENT_SHIFTS: tuple[tuple[str, Fn], ...] = (
    ("give the ISO timestamp n hours later", lambda m, n: (m + timedelta(hours=n)).isoformat()),
    ("give the ISO date n hours later", lambda m, n: (m + timedelta(hours=n)).date().isoformat()),
)  # fmt: skip

_MOMENT_SPANS: tuple[tuple[str, Fn], ...] = (
    ("count the seconds between the timestamps", lambda a, b: int((b - a).total_seconds())),
)  # fmt: skip


def _zoned(rng: random.Random, notable: Sequence[Json]) -> tuple[Json, ...]:
    return (f"{a_moment(rng).isoformat()}{rng.choice(('+02:00', '+05:30', '-07:00', '-08:00', '+09:00', '+11:00'))}",)


def _in_utc(fn: Fn) -> Fn:
    return lambda text: fn(datetime.fromisoformat(text).astimezone(UTC).replace(tzinfo=None))


_ZONED: tuple[tuple[str, Fn], ...] = (
    ("write in universal time as an ISO timestamp", _in_utc(lambda m: m.isoformat())),
    ("name the weekday in universal time", _in_utc(lambda m: m.strftime("%A"))),
    ("write the time of day in universal time as HH:MM", _in_utc(lambda m: m.strftime("%H:%M"))),
    ("write the time of day in universal time on a twelve-hour clock", _in_utc(lambda m: m.strftime("%I:%M %p"))),
    ("give the hour in universal time as a number", _in_utc(lambda m: m.hour)),
)


def families() -> list[Family]:
    """Every family about times of day and timestamps."""
    iso, space, dotted, french = "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M:%S", "%H.%M", "%Hh%M"
    minutes, hours = (5, 10, 15, 20, 25, 35, 40, 45, 50, 75, 90, 125), (1, 2, 3, 5, 6, 8, 12, 18, 20, 36, 48)
    return [
        *_family("clock", 2, _kind(TWELVE), TWELVE, _CLOCK),
        *_family("clock-dotted", 3, _kind(dotted), dotted, _CLOCK[:1]),
        *_family("clock-french", 3, _kind(french), french, _CLOCK[:1]),
        *_family("clock-slot", 2, _kind("%H:%M"), "%H:%M", _SLOTS),
        *_family("clock-shift", 2, _kind("%H:%M", numbers=minutes), "%H:%M", _CLOCK_SHIFTS),
        *_family("clock-shift-twelve", 3, _kind(TWELVE, numbers=minutes), TWELVE, _CLOCK_SHIFTS[:1]),
        *_family("clock-span", 3, _kind(TWELVE, count=2), TWELVE, _CLOCK_SPANS),
        *_family("clock-span-full", 3, _kind("%H:%M", count=2), "%H:%M", _CLOCK_SPANS),
        *_family("clock-span-dotted", 3, _kind(dotted, count=2), dotted, _CLOCK_SPANS),
        *_family("timestamp-shift", 3, _kind(space, numbers=hours), space, _MOMENT_SHIFTS),
        *_family("timestamp-shift-iso", 3, _kind(iso, numbers=hours), iso, _MOMENT_SHIFTS),
        *_family("timestamp-span", 2, _kind(iso, count=2), iso, _MOMENT_SPANS),
        *_family("timestamp-span-minutes", 3, _kind("%Y-%m-%d %H:%M", count=2), "%Y-%m-%d %H:%M", _MOMENT_SPANS),
        *fixed("timestamp-zone", 3, Kind(name="zoned moment", draw=_zoned), *_ZONED),
    ]
