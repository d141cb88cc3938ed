"""Everyday families about timestamps, times of day, durations and shifts."""

from __future__ import annotations

from random import Random

from benchmarks.suites import everyday_draws as draws
from benchmarks.suites.everyday_build import Family, V
from benchmarks.suites.everyday_date_styles import shown

INT = "(text: str) -> int"
BOOL = "(text: str) -> bool"
_DURATION_UNITS = {"h": 60, "m": 1, "d": 1440}


def _minutes(text: str) -> int:
    """Minutes since midnight of ``HH:MM``."""
    hours, minutes = text.split(":")[:2]
    return int(hours) * 60 + int(minutes)


def _seconds(text: str) -> int:
    return _minutes(text) * 60 + int(text.split(":")[2])


def _twenty_four(text: str) -> str:
    """``2:05 PM`` as ``14:05``."""
    clock, half = text.split()
    hour, minute = clock.split(":")
    return f"{int(hour) % 12 + (12 if half == 'PM' else 0):02d}:{minute}"


def _twelve(text: str) -> str:
    hour, minute = text.split(":")
    return f"{(int(hour) - 1) % 12 + 1}:{minute} {'AM' if int(hour) < 12 else 'PM'}"


def _part_of_day(text: str) -> str:
    hour = int(text[:2])
    return "night" if hour < 6 else "morning" if hour < 12 else "afternoon" if hour < 18 else "evening"


def _length(rng: Random) -> tuple[int]:
    return (rng.choice((rng.randint(5, 59), rng.randint(60, 700), 60 * rng.randint(1, 9))),)


def _spoken_length(rng: Random) -> tuple[str]:
    """``1h 30m``, ``45m`` or ``2h``."""
    hours, minutes = rng.randint(1, 12), rng.randint(1, 59)
    return (rng.choice((f"{hours}h {minutes}m", f"{minutes}m", f"{hours}h")),)


def _spoken_minutes(text: str) -> int:
    return sum(int(part[:-1]) * _DURATION_UNITS[part[-1]] for part in text.split())


def _paid(minutes: int) -> int:
    return minutes - 30 if minutes > 360 else minutes


TIMES = (
    Family(
        name="timestamp-part",
        draw=draws.timestamp,
        variants=(
            V(1, "Drop the seconds.", lambda s: s[:-3]),
            V(1, "Give hours and minutes.", lambda s: s[11:16]),
            V(1, "Write the timestamp with a T between date and time.", lambda s: s.replace(" ", "T")),
            V(3, "Write the timestamp in ISO form for UTC, with T and Z.", lambda s: s.replace(" ", "T") + "Z"),
            V(4, "Write DD.MM.YYYY HH:MM.", lambda s: f"{shown(s[:10], 0)} {s[11:16]}"),
            V(3, "Round the timestamp down to the hour.", lambda s: s[:14] + "00"),
        ),
    ),
    Family(
        name="timestamp-utc",
        draw=draws.utc_timestamp,
        variants=(
            V(3, "Write the UTC timestamp as date and time with a blank.", lambda s: s[:-1].replace("T", " ")),
            V(3, "Write date and HH:MM.", lambda s: s[:16].replace("T", " ")),
            V(1, "Give the date of the UTC timestamp.", lambda s: s[:10]),
            V(1, "Give the time of the UTC timestamp.", lambda s: s[11:19]),
            V(4, "Write MM/DD/YYYY HH:MM.", lambda s: f"{shown(s[:10], 1)} {s[11:16]}"),
            V(
                4,
                "Make a compact stamp of digits with an underscore.",
                lambda s: s[:-1].replace("-", "").replace(":", "").replace("T", "_"),
            ),
        ),
    ),
    Family(
        name="time-twelve-hour",
        draw=draws.twelve_hour,
        branch=lambda s: s[-2:],
        variants=(
            V(5, "Turn twelve-hour times into 24-hour times.", _twenty_four),
            V(5, "Turn 24-hour times into twelve-hour times.", _twelve, draws.clock_time),
            V(3, "Write am and pm in lower case without the blank.", lambda s: s.replace(" ", "").lower()),
            V(5, "Give the hour of the day as a number from 0 to 23.", lambda s: int(_twenty_four(s)[:2]), None, INT),
        ),
    ),
    Family(
        name="time-to-number",
        draw=draws.clock_time,
        signature=INT,
        variants=(
            V(3, "Turn HH:MM into minutes.", _minutes),
            V(
                4,
                "Turn HH:MM into decimal hours, two places.",
                lambda s: round(_minutes(s) / 60, 2),
                None,
                "(text: str) -> float",
            ),
            V(4, "Turn HH:MM:SS into seconds.", _seconds, draws.long_clock),
            V(3, "Give the minutes left until the full hour.", lambda s: 60 - int(s[3:])),
            V(2, "Give the minutes past the hour.", lambda s: int(s[3:])),
            V(4, "Give the minutes left until midnight.", lambda s: 1440 - _minutes(s)),
        ),
    ),
    Family(
        name="duration-write",
        draw=_length,
        signature="(minutes: int) -> str",
        branch=lambda n: (n >= 60, n % 60 == 0),
        variants=(
            V(4, "Write the minutes as 1h 30m.", lambda n: f"{n // 60}h {n % 60}m"),
            V(4, "Write the minutes as HH:MM.", lambda n: f"{n // 60:02d}:{n % 60:02d}"),
            V(
                2,
                "Turn minutes into decimal hours, two places.",
                lambda n: round(n / 60, 2),
                None,
                "(minutes: int) -> float",
            ),
            V(2, "Turn minutes into seconds.", lambda n: n * 60, None, "(minutes: int) -> int"),
            V(2, "Give the full hours.", lambda n: n // 60, None, "(minutes: int) -> int"),
            V(
                5,
                "Write 45 min below one hour, else 1:30 h.",
                lambda n: f"{n} min" if n < 60 else f"{n // 60}:{n % 60:02d} h",
            ),
            V(4, "Write the minutes as an ISO duration such as PT1H30M.", lambda n: f"PT{n // 60}H{n % 60}M"),
        ),
    ),
    Family(
        name="duration-read",
        draw=_spoken_length,
        signature=INT,
        branch=lambda s: ("h" in s, "m" in s),
        variants=(
            V(5, "Turn durations such as 1h 30m into minutes.", _spoken_minutes),
            V(5, "Turn durations such as 1h 30m into seconds.", lambda s: 60 * _spoken_minutes(s)),
            V(
                5,
                "Turn durations such as 1h 30m into HH:MM.",
                lambda s: f"{_spoken_minutes(s) // 60:02d}:{_spoken_minutes(s) % 60:02d}",
                None,
                "(text: str) -> str",
            ),
            V(
                4,
                "Give the hours in front of the h, 0 where there is none.",
                lambda s: int(s.split("h")[0]) if "h" in s else 0,
            ),
        ),
    ),
    Family(
        name="time-of-day",
        draw=draws.edge_clock,
        branch=_part_of_day,
        variants=(
            V(
                5,
                "Name the part of the day: night before 6, morning, afternoon from 12, evening from 18.",
                _part_of_day,
            ),
            V(3, "Answer whether the time is before noon.", lambda s: int(s[:2]) < 12, None, BOOL),
            V(4, "Answer whether the office (9 to 17) is open.", lambda s: 9 <= int(s[:2]) < 17, None, BOOL),
            V(4, "Label the time AM or PM.", lambda s: "AM" if int(s[:2]) < 12 else "PM"),
            V(3, "Give the full hour as HH:00.", lambda s: s[:3] + "00"),
        ),
    ),
    Family(
        name="time-shift-length",
        draw=draws.shift,
        signature="(start: str, end: str) -> int",
        variants=(
            V(4, "Count the minutes from start to end.", lambda a, b: _minutes(b) - _minutes(a)),
            V(
                4,
                "Give the length in decimal hours, two places.",
                lambda a, b: round((_minutes(b) - _minutes(a)) / 60, 2),
                None,
                "(start: str, end: str) -> float",
            ),
            V(
                5,
                "Give the length as H:MM.",
                lambda a, b: "{}:{:02d}".format(*divmod(_minutes(b) - _minutes(a), 60)),
                None,
                "(start: str, end: str) -> str",
            ),
            V(
                5,
                "Count the paid minutes: the length without a break of 30 minutes when it is over 6 hours.",
                lambda a, b: _paid(_minutes(b) - _minutes(a)),
            ),
            V(2, "Write the shift as start-end.", lambda a, b: f"{a}-{b}", None, "(start: str, end: str) -> str"),
        ),
        branch=lambda a, b: _minutes(b) - _minutes(a) > 360,
    ),
)
