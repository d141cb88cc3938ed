"""Families about durations: read, written in customary ways, and converted."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from datetime import time, timedelta

from benchmarks.suites.frame import Family, Fn, Kind, fixed
from evolve.core.episodes import Json

UNITS = (("day", 86_400), ("hour", 3600), ("minute", 60), ("second", 1))


def parts(seconds: int) -> list[tuple[str, int]]:
    """Days, hours, minutes and seconds that are not zero."""
    found = []
    for unit, length in UNITS:
        count, seconds = divmod(seconds, length)
        if count:
            found.append((unit, count))
    return found


def in_words(seconds: int) -> str:
    """Such as ``1 hour, 5 minutes``."""
    return ", ".join(f"{count} {unit}{'s' if count > 1 else ''}" for unit, count in parts(seconds))


def in_letters(seconds: int) -> str:
    """Such as ``1h 5m``."""
    return " ".join(f"{count}{unit[0]}" for unit, count in parts(seconds))


def in_iso(seconds: int) -> str:
    """Such as ``PT1H5M``."""
    days = "".join(f"{count}D" for unit, count in parts(seconds) if unit == "day")
    time = "".join(f"{count}{unit[0].upper()}" for unit, count in parts(seconds) if unit != "day")
    return f"P{days}{'T' if time else ''}{time}"


_STYLES: tuple[tuple[str, Fn], ...] = (
    ("write as hours, minutes and seconds, such as 1:05:09", lambda s: str(timedelta(seconds=s))),
    ("write with units of one letter, such as 1h 5m", in_letters),
    ("write in words, such as 1 hour, 5 minutes", in_words),
    ("write as an ISO duration, such as PT1H5M", in_iso),
)


def _seconds(rng: random.Random, notable: Sequence[Json]) -> tuple[Json, ...]:
    return (rng.choice((rng.randint(61, 3599), rng.randint(3600, 80_000), 60 * rng.randint(1, 900))),)


def _minutes(rng: random.Random, notable: Sequence[Json]) -> tuple[Json, ...]:
    return (rng.choice((rng.randint(1, 59), rng.randint(60, 1400), rng.randint(60, 1400), 60 * rng.randint(1, 20))),)


def _typed(rng: random.Random, notable: Sequence[Json]) -> tuple[Json, ...]:
    hours, minutes = rng.randint(1, 11), rng.randint(1, 59)
    return (rng.choice((f"{hours}h {minutes}m", f"{hours}h", f"{minutes}m", f"{hours} h {minutes} min")),)


def _read(text: str) -> int:
    words = text.replace("h", " h ").replace("min", "m").replace("m", " m ").split()
    return sum(int(n) * {"h": 3600, "m": 60}[unit] for n, unit in zip(words[::2], words[1::2], strict=True))


def _iso(rng: random.Random, notable: Sequence[Json]) -> tuple[Json, ...]:
    return (in_iso(rng.choice((60 * rng.randint(2, 900), rng.randint(61, 50_000)))),)


def _of_iso(fn: Fn) -> Fn:
    lengths = {unit[0].upper(): length for unit, length in UNITS}
    return lambda text: fn(sum(int(n) * lengths[unit] for n, unit in re.findall(r"(\d+)([DHMS])", text)))


def _on_twelve(minutes: int) -> str:
    return time(minutes // 60, minutes % 60).strftime("%I:%M %p")


def _of_minutes(fn: Fn) -> Fn:
    return lambda minutes: fn(60 * minutes)


def _of_text(fn: Fn) -> Fn:
    return lambda text: fn(_read(text))


def families() -> list[Family]:
    """Every family about durations."""
    sixty: tuple[str, Fn] = ("write as minutes and seconds, such as 65:09", lambda s: f"{s // 60}:{s % 60:02d}")
    clock: tuple[str, Fn] = ("write as a time of day, such as 08:05", lambda m: f"{m // 60:02d}:{m % 60:02d}")
    twelve: tuple[str, Fn] = ("write as a time of day on a twelve-hour clock, such as 08:05 PM", _on_twelve)
    return [
        *fixed("duration-of-seconds", 2, Kind(name="seconds", draw=_seconds), *_STYLES, sixty),
        *fixed(
            "duration-of-minutes",
            3,
            Kind(name="minutes", draw=_minutes),
            *((text, _of_minutes(fn)) for text, fn in _STYLES[1:]),
            clock,
            twelve,
        ),
        *fixed(
            "iso-duration-restyled",
            3,
            Kind(name="ISO duration", draw=_iso),
            *((text, _of_iso(fn)) for text, fn in _STYLES[:3]),
        ),
        *fixed(
            "duration-restyled",
            3,
            Kind(name="typed duration", draw=_typed),
            *((text, _of_text(fn)) for text, fn in _STYLES[:2]),
        ),
    ]
