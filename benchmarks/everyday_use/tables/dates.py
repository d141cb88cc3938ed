"""Dates as offices write them."""

from __future__ import annotations

import calendar
from datetime import date, timedelta

from benchmarks.everyday_use.pools import Rng, clock, day
from benchmarks.everyday_use.table import Table

MONTHS = tuple(calendar.month_name)
SHORT = tuple(calendar.month_abbr)
ISO = date.fromisoformat


def _german(text: str) -> date:
    number, month, year = map(int, text.split("."))
    return date(year, month, number)


def _loosely(rng: Rng) -> str:
    """A day such as 7.3.2024, without zeros in front."""
    one = day(rng)
    return f"{one.day}.{one.month}.{one.year}"


def _american(rng: Rng) -> str:
    one = day(rng)
    return f"{one.month}/{one.day}/{one.year}"


def _spelled(text: str) -> str:
    month, number, year = map(int, text.split("/"))
    return f"{number} {MONTHS[month]} {year}"


def _fiscal(text: str, *, starts: int) -> str:
    one = ISO(text)
    year = one.year + (one.month >= starts)
    return f"FY{year % 100} Q{(one.month - starts) % 12 // 3 + 1}"


def _october(one: date) -> tuple[int, int]:
    year = one.year - (one.month < 10)
    return year, (year + 1) % 100


def _month_end(text: str) -> str:
    one = ISO(text)
    return f"{text[:8]}{calendar.monthrange(one.year, one.month)[1]:02}"


def _age(born: str, today: str) -> str:
    one, other = ISO(born), ISO(today)
    return str(other.year - one.year - ((other.month, other.day) < (one.month, one.day)))


def _period(rng: Rng) -> tuple[str, str]:
    one = day(rng)
    return one.isoformat(), (one + timedelta(days=rng.choice((0, 1, 2, 5, 7, 14, 30, 45, 90, 200)))).isoformat()


def _named_month(rng: Rng) -> str:
    one = day(rng)
    return f"{one.day} {SHORT[one.month]} {one.year}"


def _of_named_month(text: str) -> str:
    number, month, year = text.split()
    return f"{year}-{SHORT.index(month):02}-{int(number):02}"


def _contract(rng: Rng) -> str:
    words = rng.choice(("Vertrag vom", "Nachtrag vom", "Angebot, Stand", "Kündigung zum"))
    return f"{words} {day(rng):%d.%m.%Y}"


TABLES = (
    Table(
        name="iso-to-german-date",
        columns="ID* | Date | Datum=",
        draw=lambda rng: day(rng).isoformat(),
        rule=lambda text: f"{ISO(text):%d.%m.%Y}",
        rows=30,
        given=6,
    ),
    Table(
        name="loose-german-date-to-iso",
        columns="Datum | Date=",
        draw=_loosely,
        rule=lambda text: _german(text).isoformat(),
        rows=36,
        given=8,
        cases=lambda text: tuple(len(part) for part in text.split(".")),
    ),
    Table(
        name="british-date-to-iso",
        columns="Paid on | Sort date= | Remark*",
        draw=lambda rng: f"{day(rng):%d/%m/%Y}",
        rule=lambda text: "-".join(reversed(text.split("/"))),
        rows=24,
        given=7,
        slip="transposed",
    ),
    Table(
        name="american-date-spelled",
        columns="Date | Long date=",
        draw=_american,
        rule=_spelled,
        rows=40,
        given=8,
    ),
    Table(
        name="weekday-of-date",
        columns="Shift date | Weekday=",
        draw=lambda rng: day(rng, 2024, 2024).isoformat(),
        rule=lambda text: calendar.day_name[ISO(text).weekday()],
        rows=35,
        given=9,
        scattered=True,
    ),
    Table(
        name="month-and-year",
        columns="Invoice date | Note* | Month=",
        draw=lambda rng: day(rng).isoformat(),
        rule=lambda text: f"{MONTHS[ISO(text).month]} {text[:4]}",
        rows=32,
        given=8,
    ),
    Table(
        name="calendar-quarter",
        columns="Booked | Quarter= | Owner*",
        draw=lambda rng: day(rng).isoformat(),
        rule=lambda text: f"Q{(ISO(text).month + 2) // 3} {text[:4]}",
        rows=28,
        given=8,
        cases=lambda text: (ISO(text).month + 2) // 3,
    ),
    Table(
        name="fiscal-quarter-from-april",
        columns="Booked | Period=",
        draw=lambda rng: day(rng).isoformat(),
        rule=lambda text: _fiscal(text, starts=4),
        rows=36,
        given=11,
        cases=lambda text: _fiscal(text, starts=4)[-2:],
    ),
    Table(
        name="payable-in-thirty-days",
        columns="Invoice date | Due=",
        draw=lambda rng: day(rng).isoformat(),
        rule=lambda text: (ISO(text) + timedelta(days=30)).isoformat(),
        rows=25,
        given=6,
        form="xlsx",
    ),
    Table(
        name="days-between",
        columns="No* | From | To | Days=",
        draw=_period,
        rule=lambda one, other: str((ISO(other) - ISO(one)).days),
        rows=26,
        given=6,
    ),
    Table(
        name="age-at-entry",
        columns="Born | Joined | Age=",
        draw=lambda rng: (day(rng, 1950, 2004).isoformat(), day(rng, 2022, 2024).isoformat()),
        rule=_age,
        rows=30,
        given=10,
        scattered=True,
    ),
    Table(
        name="iso-week",
        columns="Date | Week=",
        draw=lambda rng: day(rng).isoformat(),
        rule=lambda text: "{}-W{:02}".format(*ISO(text).isocalendar()[:2]),
        rows=24,
        given=8,
    ),
    Table(
        name="compact-date",
        columns="Stamp | Date=",
        draw=lambda rng: f"{day(rng):%Y%m%d}",
        rule=lambda text: f"{text[:4]}-{text[4:6]}-{text[6:]}",
        rows=20,
        given=5,
    ),
    Table(
        name="end-of-month",
        columns="Start | Last day=",
        draw=lambda rng: day(rng).isoformat(),
        rule=_month_end,
        rows=22,
        given=10,
    ),
    Table(
        name="weekend-or-not",
        columns="Date | Weekend=",
        draw=lambda rng: day(rng).isoformat(),
        rule=lambda text: "yes" if ISO(text).weekday() >= 5 else "no",
        rows=30,
        given=10,
        cases=lambda text: ISO(text).weekday() >= 5,
    ),
    Table(
        name="time-of-stamp",
        columns="ID* | Logged | Time=",
        draw=lambda rng: f"{day(rng)} {clock(rng)}:{rng.randrange(60):02}",
        rule=lambda text: text.split()[1][:5],
        rows=38,
        given=4,
    ),
    Table(
        name="named-month-to-iso",
        columns="Date | Sort date=",
        draw=_named_month,
        rule=_of_named_month,
        rows=30,
        given=10,
        slip="missing",
    ),
    Table(
        name="year-of-contract",
        columns="Dokument | Jahr=",
        draw=_contract,
        rule=lambda text: text[-4:],
        rows=18,
        given=5,
        form="excel-de",
    ),
    Table(
        name="business-year-from-october",
        columns="Date | Business year=",
        draw=lambda rng: f"{day(rng):%d.%m.%Y}",
        rule=lambda text: "{}/{:02}".format(*_october(_german(text))),
        rows=30,
        given=10,
        cases=lambda text: _german(text).month >= 10,
    ),
    Table(
        name="period-as-text",
        columns="ID* | From | To | Period=",
        draw=_period,
        rule=lambda one, other: f"{ISO(one):%d.%m.}-{ISO(other):%d.%m.%Y}",
        rows=24,
        given=6,
    ),
)
"""Twenty tables."""
