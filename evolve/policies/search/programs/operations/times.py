"""Times of day, moments and durations."""

from __future__ import annotations

import datetime
import math
import operator
import re

from evolve.policies.search.programs.operation import Operation, define, natural
from evolve.policies.search.programs.operations.text_numbers import UNIT
from evolve.policies.search.programs.terms import Constant
from evolve.policies.search.programs.types import BOOL, DATE, DATETIME, INT, STR, Type

TIME = Type("time")
"""A time of day, a :class:`datetime.time`."""

TIME_FORMAT = Type("time_format")
"""A format in which times of day are written."""


def operations() -> tuple[Operation, ...]:
    """Times of day, moments without a time zone, and durations in seconds."""
    return (*_times(), *_moments(), *_moment_arithmetic(), *_clock_durations(), *_spelled_durations())


def constants() -> tuple[tuple[Constant, int], ...]:
    """Formats of times of day, each with its static cost."""
    times = {
        1: ("%H:%M", "%I:%M %p", "%H:%M:%S"),
        2: ("%H", "%M", "%I", "%p", "%I:%M%p", "%S"),
        4: ("%I:%M:%S %p", "%H%M", "%I %p", "%I%p", "%H.%M", "%Hh%M"),
    }
    return tuple((Constant(text, TIME_FORMAT), cost) for cost, texts in times.items() for text in texts)


def _times() -> tuple[Operation, ...]:
    return (
        define("parse_time", (STR,), TIME, "parse_time(a0)", support=(parse_time,), cost=2, scalar=True, noun="time"),
        define("format_time", (TIME_FORMAT, TIME), STR, "a1.strftime(a0)", cost=1, scalar=True, noun="formatted"),
        define(
            "hour_of", (TIME,), INT, "a0.hour", function=operator.attrgetter("hour"), cost=2, scalar=True, noun="hour"
        ),
        define("minute_of", (TIME,), INT, "a0.minute", function=operator.attrgetter("minute"), cost=2, noun="minute"),
        define("minutes_of_time", (TIME,), INT, "a0.hour * 60 + a0.minute", cost=2, noun="minutes"),
        define("time_of_minutes", (INT,), TIME, "datetime.time(a0 // 60, a0 % 60)", cost=4, noun="time"),
        define("add_minutes", (INT, TIME), TIME, "add_minutes(a0, a1)", support=(add_minutes,), cost=3, noun="time"),
        define(
            "minutes_between",
            (TIME, TIME),
            INT,
            "(a1.hour * 60 + a1.minute - a0.hour * 60 - a0.minute) % 1440",
            cost=2,
            noun="minutes",
        ),
        define("floor_time", (UNIT, TIME), TIME, "floor_time(a0, a1)", support=(floor_time,), cost=2, noun="time"),
        define("is_earlier", (TIME, TIME), BOOL, "a0 < a1", function=operator.lt, cost=3),
    )


def _moments() -> tuple[Operation, ...]:
    moment = (DATETIME,)
    return (
        define(
            "parse_moment",
            (STR,),
            DATETIME,
            "datetime.datetime.fromisoformat(a0).replace(tzinfo=None)",
            cost=2,
            scalar=True,
            noun="moment",
        ),
        define(
            "parse_moment_as_utc", (STR,), DATETIME, "parse_as_utc(a0)", support=(parse_as_utc,), cost=4, noun="moment"
        ),
        define(
            "iso_moment", moment, STR, "a0.isoformat()", function=datetime.datetime.isoformat, cost=1, noun="formatted"
        ),
        define(
            "date_part", moment, DATE, "a0.date()", function=datetime.datetime.date, cost=1, scalar=True, noun="date"
        ),
        define(
            "time_part", moment, TIME, "a0.time()", function=datetime.datetime.time, cost=1, scalar=True, noun="time"
        ),
    )


def _moment_arithmetic() -> tuple[Operation, ...]:
    two = (DATETIME, DATETIME)
    return (
        define("epoch_seconds", (DATETIME,), INT, "calendar.timegm(a0.timetuple())", cost=2, noun="seconds"),
        define(
            "moment_of_epoch",
            (INT,),
            DATETIME,
            "datetime.datetime(1970, 1, 1) + datetime.timedelta(seconds=a0)",
            cost=4,
            noun="moment",
        ),
        define("seconds_between", two, INT, "int((a1 - a0).total_seconds())", cost=2, noun="seconds"),
        define("add_hours", (INT, DATETIME), DATETIME, "a1 + datetime.timedelta(hours=a0)", cost=4, noun="moment"),
    )


def _clock_durations() -> tuple[Operation, ...]:
    """Reading any duration; writing one with colons."""
    return (
        define(
            "parse_duration",
            (STR,),
            INT,
            "parse_duration(a0)",
            support=(parse_duration,),
            cost=3,
            scalar=True,
            noun="seconds",
        ),
        define(
            "format_duration",
            (INT,),
            STR,
            "str(datetime.timedelta(seconds=a0))",
            function=lambda seconds: str(datetime.timedelta(seconds=natural(seconds))),
            cost=3,
            scalar=True,
            noun="formatted",
        ),
        define(
            "base_sixty",
            (INT,),
            STR,
            "base_sixty(a0)",
            support=(base_sixty,),
            function=lambda number: base_sixty(natural(number)),
            cost=3,
            noun="formatted",
        ),
    )


def _spelled_durations() -> tuple[Operation, ...]:
    """Writing a duration with the names of its units."""
    return (
        define(
            "duration_in_units",
            (INT,),
            STR,
            "duration_in_units(a0)",
            support=(duration_in_units,),
            function=lambda seconds: duration_in_units(natural(seconds)),
            cost=4,
            noun="formatted",
        ),
        define(
            "duration_in_words",
            (INT,),
            STR,
            "duration_in_words(a0)",
            support=(duration_in_words,),
            function=lambda seconds: duration_in_words(natural(seconds)),
            cost=6,
            noun="formatted",
        ),
        define(
            "iso_duration",
            (INT,),
            STR,
            "iso_duration(a0)",
            support=(iso_duration,),
            function=lambda seconds: iso_duration(natural(seconds)),
            cost=5,
            noun="formatted",
        ),
    )


def parse_time(text: str) -> datetime.time:
    """The first time of day in a text, such as 15:04, 3:04:05 pm, 3 PM or 15h04."""
    match = re.search(r"(\d{1,2})(?:[:.h](\d{2})(?:[:.](\d{2}))?\s*([AaPp]\.?[Mm])?|\s*([AaPp]\.?[Mm]))", text)
    if match is None:
        raise ValueError(f"no time in {text!r}")
    hour, half = int(match[1]), (match[4] or match[5] or "").lower()[:1]
    if half and not 1 <= hour <= 12:
        raise ValueError(f"no hour {hour} on a twelve-hour clock")
    if half:
        hour = hour % 12 + (12 if half == "p" else 0)
    return datetime.time(hour, int(match[2] or 0), int(match[3] or 0))


def add_minutes(minutes: int, time: datetime.time) -> datetime.time:
    """The time of day some minutes later, past midnight where need be."""
    hour, minute = divmod((time.hour * 60 + time.minute + minutes) % 1440, 60)
    return time.replace(hour=hour, minute=minute)


def floor_time(minutes: int, time: datetime.time) -> datetime.time:
    """The time of day rounded down to a multiple of some minutes since midnight."""
    total = (time.hour * 60 + time.minute) // minutes * minutes
    return datetime.time(total // 60, total % 60)


def parse_as_utc(text: str) -> datetime.datetime:
    """The moment of an ISO 8601 text in universal time; without an offset it is taken to be so already."""
    moment = datetime.datetime.fromisoformat(text)
    offset = moment.utcoffset() or datetime.timedelta()
    return moment.replace(tzinfo=None) - offset


def parse_duration(text: str) -> int:
    """Seconds in a duration such as 2h 15m, 1 hour 30 minutes, 1:30:00, 4:05 (minutes first) or PT1H30M."""
    units = {"w": 604800, "d": 86400, "h": 3600, "m": 60, "s": 1}
    if len(text) > 1_000:  # looking for parts takes time that grows with the square of a run of digits
        raise ValueError("too long for a duration")
    if re.fullmatch(r"\d+(:\d{1,2}){1,2}", text.strip()):
        seconds = 0
        for part in text.split(":"):
            seconds = seconds * 60 + int(part)
        return seconds
    rest = text.strip().lower().removeprefix("p").replace("t", " ") if text.strip()[:1] in "pP" else text.lower()
    parts = re.findall(r"(\d+(?:\.\d+)?)\s*(w|d|h|m(?!s|il|o)|s)", rest)
    if not parts:
        raise ValueError(f"no duration in {text!r}")
    return round(math.fsum(float(number) * units[unit] for number, unit in parts))


def base_sixty(number: int) -> str:
    """Minutes as hours and minutes, or seconds as minutes and seconds, such as ``2:05``."""
    return f"{number // 60}:{number % 60:02d}"


def duration_in_units(seconds: int) -> str:
    """A duration with one-letter units, such as ``2h 15m``; units that are zero are left out."""
    parts = []
    for unit, length in (("d", 86400), ("h", 3600), ("m", 60), ("s", 1)):
        count, seconds = divmod(seconds, length)
        if count:
            parts.append(f"{count}{unit}")
    return " ".join(parts) or "0s"


def duration_in_words(seconds: int) -> str:
    """A duration in English words, such as ``1 hour, 5 minutes``; units that are zero are left out."""
    parts = []
    for unit, length in (("day", 86400), ("hour", 3600), ("minute", 60), ("second", 1)):
        count, seconds = divmod(seconds, length)
        if count:
            parts.append(f"{count} {unit}{'s' if count > 1 else ''}")
    return ", ".join(parts) or "0 seconds"


def iso_duration(seconds: int) -> str:
    """A duration in ISO 8601, such as ``PT2H15M`` or ``P1DT1S``."""
    days, rest = divmod(seconds, 86400)
    units = (("H", rest // 3600), ("M", rest // 60 % 60), ("S", rest % 60))
    time = "".join(f"{count}{unit}" for unit, count in units if count)
    if not days and not time:
        return "PT0S"
    return "P" + (f"{days}D" if days else "") + (f"T{time}" if time else "")
