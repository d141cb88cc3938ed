"""Times of day, durations and hours worked."""

from __future__ import annotations

import re
from decimal import Decimal

from benchmarks.everyday_use.pools import Rng, clock, half_up, plain
from benchmarks.everyday_use.table import Table


def _minutes(text: str) -> int:
    hours, minutes = text.split(":")
    return 60 * int(hours) + int(minutes)


def _shift(rng: Rng) -> tuple[str, str]:
    start = rng.choice((6, 7, 8, 9, 12, 13)) * 60 + rng.choice((0, 0, 15, 30, 45))
    end = start + rng.choice((60, 120, 240, 270, 435, 480, 510, 525))
    return f"{start // 60}:{start % 60:02}", f"{end // 60}:{end % 60:02}"


def _twelve(text: str) -> str:
    hours, minutes = text.split(":")
    return f"{int(hours) % 12 or 12}:{minutes} {'AM' if int(hours) < 12 else 'PM'}"


def _spoken(rng: Rng) -> str:
    hours, minutes = rng.randint(0, 12), rng.choice((0, 5, 10, 15, 30, 45, 50))
    if hours and minutes:
        return f"{hours}h {minutes}m"
    return f"{hours}h" if hours else f"{minutes}m"


def _spoken_minutes(text: str) -> str:
    hours, minutes = re.search(r"(\d+)h", text), re.search(r"(\d+)m", text)
    return str(60 * int(hours[1] if hours else 0) + int(minutes[1] if minutes else 0))


def _daytime(text: str) -> str:
    hour = int(text[:2])
    return "night" if hour < 6 else "morning" if hour < 12 else "afternoon" if hour < 18 else "evening"


TABLES = (
    Table(
        name="minutes-as-hours",
        columns="No* | Minutes | Duration=",
        draw=lambda rng: str(rng.choice((0, 5, 45, 60, 90, 120, rng.randint(1, 59), rng.randint(61, 600)))),
        rule=lambda text: f"{int(text) // 60}:{int(text) % 60:02} h",
        rows=30,
        given=8,
    ),
    Table(
        name="minutes-of-duration",
        columns="Duration | Minutes=",
        draw=lambda rng: f"{rng.randint(0, 12)}:{rng.choice((0, 5, 15, 30, 45, rng.randrange(60))):02}",
        rule=lambda text: str(_minutes(text)),
        rows=26,
        given=7,
        slip="missing",
    ),
    Table(
        name="hours-of-shift",
        columns="Owner* | Start | End | Hours=",
        draw=_shift,
        rule=lambda start, end: plain(half_up(Decimal(_minutes(end) - _minutes(start)) / 60)),
        rows=32,
        given=8,
    ),
    Table(
        name="twelve-hour-clock",
        columns="Time | Shown=",
        draw=clock,
        rule=_twelve,
        rows=36,
        given=9,
        cases=lambda text: (int(text[:2]) < 12, int(text[:2]) in (0, 12)),
    ),
    Table(
        name="minutes-of-spoken-duration",
        columns="Remark* | Spent | Minutes=",
        draw=_spoken,
        rule=_spoken_minutes,
        rows=28,
        given=9,
        cases=lambda text: ("h" in text, "m" in text),
    ),
    Table(
        name="part-of-day",
        columns="Called at | Part of day=",
        draw=clock,
        rule=_daytime,
        rows=40,
        given=12,
        cases=_daytime,
    ),
)
"""Six tables."""
