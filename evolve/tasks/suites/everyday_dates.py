"""Everyday families about dates, times and durations."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import date, timedelta
from random import Random

from evolve.tasks.suites import everyday_values as values
from evolve.tasks.suites.everyday_build import Draw, Family, V
from evolve.tasks.suites.everyday_values import DAYS, MONTHS

INT = "(text: str) -> int"
BOOL = "(text: str) -> bool"
DATES = "(start: str, end: str) -> {}"

_STYLES: tuple[tuple[str, Callable[[date], str], int], ...] = (
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
_BETWEEN = ((0, 1), (1, 0), (2, 3), (3, 2), (0, 4), (5, 0), (6, 2), (7, 4), (8, 3), (3, 6), (1, 5), (4, 7))
_DURATION_UNITS = {"h": 60, "m": 1, "d": 1440}


def _styled(number: int) -> Draw:
    """Dates written in one style; two-digit years are drawn from this century."""
    write = _STYLES[number][1]

    def draw(rng: Random) -> tuple[str]:
        return (write(date(2001, 1, 1) + timedelta(days=rng.randint(0, 11_000))),)

    return draw


def _read(number: int, text: str) -> date:
    """The date behind a text in one style; ``ValueError`` for any other style."""
    found = _parse(number, text)
    if _STYLES[number][1](found) != text:
        raise ValueError(text)
    return found


def _parse(number: int, text: str) -> date:
    style = _STYLES[number][0]
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


def _day(text: str) -> date:
    return date.fromisoformat(text)


def _shown(text: str, number: int) -> str:
    return _STYLES[number][1](_day(text))


def _plus(text: str, days: int) -> str:
    return (_day(text) + timedelta(days=days)).isoformat()


def _next_month(text: str) -> date:
    """The first day of the following month."""
    return (_day(text).replace(day=1) + timedelta(days=32)).replace(day=1)


def _fiscal(text: str, start: int) -> str:
    """The fiscal year that starts in month ``start`` and is named after the year it ends in."""
    day = _day(text)
    return f"FY{day.year + (day.month >= start)}"


def _gap(start: str, end: str) -> int:
    return (_day(end) - _day(start)).days


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


def _quarter(text: str) -> int:
    return (int(text[5:7]) + 2) // 3


def _length(rng: Random) -> tuple[int]:
    return (rng.choice((rng.randint(5, 59), rng.randint(60, 700), 60 * rng.randint(1, 9))),)


def _spoken_length(rng: Random) -> tuple[str]:
    """``1h 30m``, ``45m`` or ``2h``."""
    hours, minutes = rng.randint(1, 12), rng.randint(1, 59)
    return (rng.choice((f"{hours}h {minutes}m", f"{minutes}m", f"{hours}h")),)


def _spoken_minutes(text: str) -> int:
    return sum(int(part[:-1]) * _DURATION_UNITS[part[-1]] for part in text.split())


def _stamped_file(rng: Random) -> tuple[str]:
    day = values.day(rng)
    return (f"{rng.choice(values.TOPICS)}_{day.year}{day.month:02d}{day.day:02d}.{rng.choice(('csv', 'xlsx', 'pdf'))}",)


def _stamp_date(text: str) -> str:
    stamp = text.split("_")[1][:8]
    return f"{stamp[:4]}-{stamp[4:6]}-{stamp[6:]}"


def _to_iso() -> Iterator[V]:
    for number, (style, _, level) in enumerate(_STYLES):
        yield V(
            max(level, 3),
            f"Turn dates written {style} into ISO dates.",
            lambda s, number=number: _read(number, s).isoformat(),
            _styled(number),
        )


def _from_iso() -> Iterator[V]:
    for number, (style, _, level) in enumerate(_STYLES):
        yield V(level, f"Write the ISO date as {style}.", lambda s, number=number: _shown(s, number))


def _between() -> Iterator[V]:
    for source, target in _BETWEEN:
        yield V(
            4,
            f"Rewrite dates from {_STYLES[source][0]} to {_STYLES[target][0]}.",
            lambda s, source=source, target=target: _STYLES[target][1](_read(source, s)),
            _styled(source),
        )


DATE_FAMILIES = (
    Family(name="date-to-iso", draw=values.iso_date, variants=tuple(_to_iso())),
    Family(name="date-from-iso", draw=values.iso_date, variants=tuple(_from_iso())),
    Family(name="date-between-styles", draw=values.iso_date, variants=tuple(_between())),
    Family(
        name="date-part",
        draw=values.iso_date,
        variants=(
            V(1, "Give the year as a number.", lambda s: int(s[:4]), None, INT),
            V(2, "Give the month as a number.", lambda s: int(s[5:7]), None, INT),
            V(2, "Give the day of the month as a number.", lambda s: int(s[8:]), None, INT),
            V(1, "Give year and month.", lambda s: s[:7]),
            V(1, "Give month and day.", lambda s: s[5:]),
            V(2, "Give the two-digit year with an apostrophe.", lambda s: "'" + s[2:4]),
            V(2, "Write month/year.", lambda s: f"{s[5:7]}/{s[:4]}"),
            V(4, "Give the day of the year.", lambda s: _day(s).timetuple().tm_yday, None, INT),
            V(3, "Give the decade, such as 2010s.", lambda s: s[:3] + "0s"),
        ),
    ),
    Family(
        name="date-month-name",
        draw=values.iso_date,
        variants=(
            V(3, "Give the month's name.", lambda s: MONTHS[int(s[5:7]) - 1]),
            V(3, "Give the month's short name.", lambda s: MONTHS[int(s[5:7]) - 1][:3]),
            V(3, "Give the month's short name in capitals.", lambda s: MONTHS[int(s[5:7]) - 1][:3].upper()),
            V(4, "Write month name and year.", lambda s: f"{MONTHS[int(s[5:7]) - 1]} {s[:4]}"),
            V(4, "Write the period as Mon-YY.", lambda s: f"{MONTHS[int(s[5:7]) - 1][:3]}-{s[2:4]}"),
            V(4, "Write the day and the short month.", lambda s: f"{int(s[8:])} {MONTHS[int(s[5:7]) - 1][:3]}"),
        ),
    ),
    Family(
        name="date-quarter",
        draw=values.iso_date,
        branch=_quarter,
        variants=(
            V(3, "Give the quarter, Q1 to Q4.", lambda s: f"Q{_quarter(s)}"),
            V(4, "Write the quarter as 2024-Q1.", lambda s: f"{s[:4]}-Q{_quarter(s)}"),
            V(4, "Write the quarter as Q1/24.", lambda s: f"Q{_quarter(s)}/{s[2:4]}"),
            V(3, "Give the quarter as a number.", _quarter, None, INT),
            V(4, "Give the half of the year, H1 or H2.", lambda s: "H1" if int(s[5:7]) <= 6 else "H2"),
            V(5, "Give the first day of the quarter.", lambda s: f"{s[:4]}-{3 * _quarter(s) - 2:02d}-01"),
        ),
    ),
    Family(
        name="date-weekday",
        draw=values.iso_date,
        branch=lambda s: _day(s).weekday() >= 5,
        variants=(
            V(3, "Give the day of the week.", lambda s: DAYS[_day(s).weekday()]),
            V(3, "Give the short day of the week.", lambda s: DAYS[_day(s).weekday()][:3]),
            V(3, "Answer whether the day is on a weekend.", lambda s: _day(s).weekday() >= 5, None, BOOL),
            V(3, "Number the day of the week from 1 for Monday.", lambda s: _day(s).isoweekday(), None, INT),
            V(4, "Label the day weekend or weekday.", lambda s: "weekend" if _day(s).weekday() >= 5 else "weekday"),
            V(4, "Write the short day of the week before the date.", lambda s: f"{DAYS[_day(s).weekday()][:3]} {s}"),
            V(5, "Give the Monday of that week.", lambda s: _plus(s, -_day(s).weekday())),
        ),
    ),
    Family(
        name="date-shift",
        draw=values.iso_date,
        variants=(
            *(
                V(2, f"Give the date {days} days later.", lambda s, days=days: _plus(s, days))
                for days in (7, 10, 14, 30)
            ),
            V(2, "Give the day before.", lambda s: _plus(s, -1)),
            V(3, "Give the first day of the month.", lambda s: s[:8] + "01"),
            V(4, "Give the first day of the next month.", lambda s: _next_month(s).isoformat()),
            V(5, "Give the last day of the month.", lambda s: (_next_month(s) - timedelta(days=1)).isoformat()),
            V(3, "Give the first of January of that year.", lambda s: s[:4] + "-01-01"),
            V(4, "Give the payment date, 14 days later, as DD.MM.YYYY.", lambda s: _shown(_plus(s, 14), 0)),
        ),
    ),
    Family(
        name="date-fiscal-year",
        draw=values.iso_date,
        variants=tuple(
            V(
                5,
                f"Give the fiscal year; it starts in {MONTHS[start - 1]} and is named after its last year.",
                lambda s, start=start: _fiscal(s, start),
            )
            for start in (4, 7, 10)
        ),
        branch=lambda s: (int(s[5:7]) - 1) // 3,
    ),
    Family(
        name="date-difference",
        draw=values.two_dates,
        signature=DATES.format("int"),
        variants=(
            V(2, "Count the days from start to end.", _gap),
            V(3, "Count the days, the last one included.", lambda a, b: _gap(a, b) + 1),
            V(3, "Count the full weeks from start to end.", lambda a, b: _gap(a, b) // 7),
            V(3, "Write the span as start to end.", lambda a, b: f"{a} to {b}", None, DATES.format("str")),
            V(
                4,
                "Answer whether both days are in the same month.",
                lambda a, b: a[:7] == b[:7],
                lambda rng: _close_dates(rng),
                DATES.format("bool"),
            ),
            V(
                4,
                "Label the delivery late after 30 days, else on time.",
                lambda a, b: "late" if _gap(a, b) > 30 else "on time",
                lambda rng: _close_dates(rng),
                DATES.format("str"),
            ),
        ),
    ),
    Family(
        name="date-in-file-name",
        draw=_stamped_file,
        variants=(
            V(3, "Give the date in the file name as ISO.", _stamp_date),
            V(2, "Give the year in the file name.", lambda s: s.split("_")[1][:4]),
            V(1, "Give the subject before the date.", lambda s: s.split("_")[0]),
            V(
                4,
                "Put the ISO date in front: 2024-03-05 sales.csv",
                lambda s: f"{_stamp_date(s)} {s.split('_')[0]}.{s.split('.')[1]}",
            ),
            V(2, "Give the eight digits of the date.", lambda s: s.split("_")[1][:8]),
        ),
    ),
)

TIME_FAMILIES = (
    Family(
        name="timestamp-part",
        draw=values.timestamp,
        variants=(
            V(1, "Drop the seconds.", lambda s: s[:-3]),
            V(1, "Give hours and minutes.", lambda s: s[11:16]),
            V(1, "Write the timestamp with a T between date and time.", lambda s: s.replace(" ", "T")),
            V(3, "Write the timestamp in ISO form for UTC, with T and Z.", lambda s: s.replace(" ", "T") + "Z"),
            V(4, "Write DD.MM.YYYY HH:MM.", lambda s: f"{_shown(s[:10], 0)} {s[11:16]}"),
            V(3, "Round the timestamp down to the hour.", lambda s: s[:14] + "00"),
        ),
    ),
    Family(
        name="timestamp-utc",
        draw=values.utc_timestamp,
        variants=(
            V(3, "Write the UTC timestamp as date and time with a blank.", lambda s: s[:-1].replace("T", " ")),
            V(3, "Write date and HH:MM.", lambda s: s[:16].replace("T", " ")),
            V(1, "Give the date of the UTC timestamp.", lambda s: s[:10]),
            V(1, "Give the time of the UTC timestamp.", lambda s: s[11:19]),
            V(4, "Write MM/DD/YYYY HH:MM.", lambda s: f"{_shown(s[:10], 1)} {s[11:16]}"),
            V(
                4,
                "Make a compact stamp of digits with an underscore.",
                lambda s: s[:-1].replace("-", "").replace(":", "").replace("T", "_"),
            ),
        ),
    ),
    Family(
        name="time-twelve-hour",
        draw=values.twelve_hour,
        branch=lambda s: s[-2:],
        variants=(
            V(5, "Turn twelve-hour times into 24-hour times.", _twenty_four),
            V(5, "Turn 24-hour times into twelve-hour times.", _twelve, values.clock_time),
            V(3, "Write am and pm in lower case without the blank.", lambda s: s.replace(" ", "").lower()),
            V(5, "Give the hour of the day as a number from 0 to 23.", lambda s: int(_twenty_four(s)[:2]), None, INT),
        ),
    ),
    Family(
        name="time-to-number",
        draw=values.clock_time,
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
            V(4, "Turn HH:MM:SS into seconds.", _seconds, values.long_clock),
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
        draw=values.edge_clock,
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
        draw=values.shift,
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


def _close_dates(rng: Random) -> tuple[str, str]:
    """Two days that are near each other in half of the rows."""
    start = values.day(rng)
    gap = rng.choice((rng.randint(1, 12), rng.randint(20, 50), 30, 31))
    return (start.isoformat(), (start + timedelta(days=gap)).isoformat())


def _paid(minutes: int) -> int:
    return minutes - 30 if minutes > 360 else minutes
