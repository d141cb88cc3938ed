"""Everyday families about calendar dates: their styles, parts, neighbours and differences."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta
from random import Random

from benchmarks.suites import everyday_draws as draws
from benchmarks.suites.everyday_build import Family, V
from benchmarks.suites.everyday_date_styles import STYLES, read, shown, styled
from benchmarks.suites.everyday_words import DAYS, MONTHS, TOPICS

INT = "(text: str) -> int"
BOOL = "(text: str) -> bool"
TWO_DATES = "(start: str, end: str) -> {}"
_BETWEEN = ((0, 1), (1, 0), (2, 3), (3, 2), (0, 4), (5, 0), (6, 2), (7, 4), (8, 3), (3, 6), (1, 5), (4, 7))


def _day(text: str) -> date:
    return date.fromisoformat(text)


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


def _quarter(text: str) -> int:
    return (int(text[5:7]) + 2) // 3


def _stamped_file(rng: Random) -> tuple[str]:
    day = draws.day(rng)
    return (f"{rng.choice(TOPICS)}_{day.year}{day.month:02d}{day.day:02d}.{rng.choice(('csv', 'xlsx', 'pdf'))}",)


def _stamp_date(text: str) -> str:
    stamp = text.split("_")[1][:8]
    return f"{stamp[:4]}-{stamp[4:6]}-{stamp[6:]}"


def _to_iso() -> Iterator[V]:
    for number, (style, _, level) in enumerate(STYLES):
        yield V(
            max(level, 3),
            f"Turn dates written {style} into ISO dates.",
            lambda s, number=number: read(s, number).isoformat(),
            styled(number),
        )


def _from_iso() -> Iterator[V]:
    for number, (style, _, level) in enumerate(STYLES):
        yield V(level, f"Write the ISO date as {style}.", lambda s, number=number: shown(s, number))


def _between() -> Iterator[V]:
    for source, target in _BETWEEN:
        yield V(
            4,
            f"Rewrite dates from {STYLES[source][0]} to {STYLES[target][0]}.",
            lambda s, source=source, target=target: STYLES[target][1](read(s, source)),
            styled(source),
        )


DATES = (
    Family(name="date-to-iso", draw=draws.iso_date, variants=tuple(_to_iso())),
    Family(name="date-from-iso", draw=draws.iso_date, variants=tuple(_from_iso())),
    Family(name="date-between-styles", draw=draws.iso_date, variants=tuple(_between())),
    Family(
        name="date-part",
        draw=draws.iso_date,
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
        draw=draws.iso_date,
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
        draw=draws.iso_date,
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
        draw=draws.iso_date,
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
        draw=draws.iso_date,
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
            V(4, "Give the payment date, 14 days later, as DD.MM.YYYY.", lambda s: shown(_plus(s, 14), 0)),
        ),
    ),
    Family(
        name="date-fiscal-year",
        draw=draws.iso_date,
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
        draw=draws.two_dates,
        signature=TWO_DATES.format("int"),
        variants=(
            V(2, "Count the days from start to end.", _gap),
            V(3, "Count the days, the last one included.", lambda a, b: _gap(a, b) + 1),
            V(3, "Count the full weeks from start to end.", lambda a, b: _gap(a, b) // 7),
            V(3, "Write the span as start to end.", lambda a, b: f"{a} to {b}", None, TWO_DATES.format("str")),
            V(
                4,
                "Answer whether both days are in the same month.",
                lambda a, b: a[:7] == b[:7],
                lambda rng: _close_dates(rng),
                TWO_DATES.format("bool"),
            ),
            V(
                4,
                "Label the delivery late after 30 days, else on time.",
                lambda a, b: "late" if _gap(a, b) > 30 else "on time",
                lambda rng: _close_dates(rng),
                TWO_DATES.format("str"),
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


def _close_dates(rng: Random) -> tuple[str, str]:
    """Two days that are near each other in half of the rows."""
    start = draws.day(rng)
    gap = rng.choice((rng.randint(1, 12), rng.randint(20, 50), 30, 31))
    return (start.isoformat(), (start + timedelta(days=gap)).isoformat())
