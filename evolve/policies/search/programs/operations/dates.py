"""Calendar dates: reading and writing them in many styles, their parts, and their arithmetic."""

from __future__ import annotations

import calendar
import datetime
import operator
import re

from evolve.policies.search.programs.operation import Operation, define
from evolve.policies.search.programs.terms import Constant
from evolve.policies.search.programs.types import BOOL, DATE, INT, STR, T, Type

DATE_FORMAT = Type("date_format")
"""A format in which dates are written."""

DAYS = Type("days")
"""A customary number of days."""


def operations() -> tuple[Operation, ...]:
    """Reading, writing, parts and arithmetic."""
    return (*_reading(), *_writing(), *_parts(), *_shifts(), *_differences(), *_bounds(), *_comparison())


def constants() -> tuple[tuple[Constant, int], ...]:
    """Formats to write and spans of days, each with its static cost."""
    spans = {1: (1, -1, 7, 30), 2: (-7, 14, 60, 90, -30), 3: (10, 28, 45, 120, 180, 365)}
    return (
        *((Constant(text, DATE_FORMAT), cost) for cost, texts in _formats().items() for text in texts),
        *((Constant(days, DAYS), cost) for cost, some in spans.items() for days in some),
    )


def _formats() -> dict[int, tuple[str, ...]]:
    """Formats to write, by static cost."""
    return {
        1: ("%Y", "%m", "%d", "%B", "%b", "%A"),
        2: ("%d/%m/%Y", "%m/%d/%Y", "%a", "%y"),
        3: (
            "%d.%m.%Y",
            "%Y%m%d",
            "%d-%m-%Y",
            "%m-%d-%Y",
            "%d %B %Y",
            "%B %d, %Y",
            "%d %b %Y",
            "%b %d, %Y",
            "%Y/%m/%d",
            "%d-%b-%Y",
            "%B %Y",
            "%Y-%m",
            "%m/%d/%y",
            "%d/%m/%y",
        ),
        4: (
            "%b %Y",
            "%A, %B %d, %Y",
            "%A, %d %B %Y",
            "%a %d %b %Y",
            "%m/%Y",
            "%d %B",
            "%B %d",
            "%d.%m.%y",
            "%j",
            "%b-%y",
            "%Y.%m.%d",
            "%d%m%Y",
            "%m%d%Y",
            "%G-W%V",
            "%d-%b-%y",
            "%y%m%d",
            "%m/%d",
            "%d/%m",
        ),
    }


def _reading() -> tuple[Operation, ...]:
    loose = (parse_loose_date,)
    return (
        define(
            "parse_iso_date",
            (STR,),
            DATE,
            "datetime.date.fromisoformat(a0)",
            function=datetime.date.fromisoformat,
            cost=2,
            scalar=True,
            noun="date",
        ),
        define(
            "parse_date_month_first",
            (STR,),
            DATE,
            "parse_loose_date(a0)",
            support=loose,
            cost=2,
            scalar=True,
            noun="date",
        ),
        define(
            "parse_date_day_first",
            (STR,),
            DATE,
            "parse_loose_date(a0, day_first=True)",
            support=loose,
            cost=2,
            scalar=True,
            noun="date",
        ),
    )


def _writing() -> tuple[Operation, ...]:
    return (
        define("format_date", (DATE_FORMAT, DATE), STR, "a1.strftime(a0)", cost=1, scalar=True, noun="formatted"),
        define(
            "iso_date",
            (DATE,),
            STR,
            "a0.isoformat()",
            function=datetime.date.isoformat,
            cost=1,
            scalar=True,
            noun="iso_date",
        ),
        define("day_to_text", (DATE,), STR, "str(a0.day)", cost=2, noun="day"),
        define("month_to_text", (DATE,), STR, "str(a0.month)", cost=2, noun="month"),
        define("month_name", (INT,), STR, "calendar.month_name[a0]", function=_month_name, cost=6),
    )


def _parts() -> tuple[Operation, ...]:
    date = (DATE,)
    return (
        define("year_of", date, INT, "a0.year", function=operator.attrgetter("year"), cost=2, scalar=True, noun="year"),
        define(
            "month_of", date, INT, "a0.month", function=operator.attrgetter("month"), cost=2, scalar=True, noun="month"
        ),
        define("day_of", date, INT, "a0.day", function=operator.attrgetter("day"), cost=2, scalar=True, noun="day"),
        define("quarter_of", date, INT, "(a0.month + 2) // 3", cost=2, scalar=True, noun="quarter"),
        define("weekday_of", date, INT, "a0.isoweekday()", function=datetime.date.isoweekday, cost=3),
        define("iso_week_of", date, INT, "a0.isocalendar().week", cost=3, noun="week"),
        define("day_of_year", date, INT, "a0.timetuple().tm_yday", cost=3),
        define("is_weekend", date, BOOL, "a0.weekday() >= 5", cost=2, scalar=True),
    )


def _shifts() -> tuple[Operation, ...]:
    moved = (INT, DATE)
    return (
        define("add_days", moved, DATE, "a1 + datetime.timedelta(days=a0)", cost=3, noun="date"),
        define("shift_days", (DAYS, DATE), DATE, "a1 + datetime.timedelta(days=a0)", cost=2, noun="date"),
        define("add_weeks", moved, DATE, "a1 + datetime.timedelta(weeks=a0)", cost=5, noun="date"),
        define("add_months", moved, DATE, "add_months(a0, a1)", support=(add_months,), cost=3, noun="date"),
        define("add_years", moved, DATE, "add_months(12 * a0, a1)", support=(add_months,), cost=5, noun="date"),
        define(
            "add_working_days",
            moved,
            DATE,
            "add_working_days(a0, a1)",
            support=(add_working_days,),
            function=_add_working_days,
            cost=5,
            noun="date",
        ),
    )


def _differences() -> tuple[Operation, ...]:
    two = (DATE, DATE)
    return (
        define("days_between", two, INT, "(a1 - a0).days", cost=2, noun="days"),
        define("months_between", two, INT, "12 * (a1.year - a0.year) + a1.month - a0.month", cost=4, noun="months"),
        define(
            "age_in_years",
            two,
            INT,
            "a1.year - a0.year - ((a1.month, a1.day) < (a0.month, a0.day))",
            cost=2,
            noun="age",
        ),
    )


def _bounds() -> tuple[Operation, ...]:
    date = (DATE,)
    return (
        define("start_of_month", date, DATE, "a0.replace(day=1)", cost=3, noun="start"),
        define(
            "end_of_month",
            date,
            DATE,
            "a0.replace(day=calendar.monthrange(a0.year, a0.month)[1])",
            cost=2,
            noun="end",
        ),
        define("start_of_week", date, DATE, "a0 - datetime.timedelta(days=a0.weekday())", cost=4, noun="monday"),
    )


def _comparison() -> tuple[Operation, ...]:
    two = (DATE, DATE)
    return (
        define("earlier", two, DATE, "min(a0, a1)", function=min, cost=4, commutative=True),
        define("later", two, DATE, "max(a0, a1)", function=max, cost=4, commutative=True),
        # Texts and lists, such as the numbers of a version, are compared where a solver says so: as many instances in
        # every search would cost it a part of its candidates.
        define("is_before", (T, T), BOOL, "a0 < a1", function=operator.lt, cost=3, scalar=True, over=(DATE,)),
    )


def parse_loose_date(text: str, day_first: bool = False) -> datetime.date:
    """The date in a text: 2021-03-05, 20210305, 5 March 2021, Mar 5th, 21 or, by ``day_first``, 5/3/21."""
    names = ["january", "february", "march", "april", "may", "june"]
    names += ["july", "august", "september", "october", "november", "december"]
    words = re.findall(r"[a-z]{3,}", text.lower())
    months = [i for word in words for i, name in enumerate(names, 1) if name.startswith(word)]
    numbers = re.findall(r"\d+", text)
    if months:
        day, year = numbers[:2] if len(numbers[0]) < 3 else numbers[1::-1]
        month = months[0]
    elif len(numbers[0]) == 8:
        year, month, day = numbers[0][:4], int(numbers[0][4:6]), numbers[0][6:]
    elif len(numbers[0]) == 4:
        year, month, day = numbers[0], int(numbers[1]), numbers[2]
    else:
        day, month = (numbers[0], int(numbers[1])) if day_first else (numbers[1], int(numbers[0]))
        year = numbers[2]
    if len(year) not in (2, 4):
        raise ValueError(f"no year in {text!r}")
    century = 0 if len(year) == 4 else 2000 if int(year) < 69 else 1900
    return datetime.date(int(year) + century, month, int(day))


def add_months(months: int, date: datetime.date) -> datetime.date:
    """The date some months later, on the month's last day where there is no such day."""
    years, month = divmod(date.month - 1 + months, 12)
    last = calendar.monthrange(date.year + years, month + 1)[1]
    return date.replace(year=date.year + years, month=month + 1, day=min(date.day, last))


def add_working_days(days: int, date: datetime.date) -> datetime.date:
    """The date some days from Monday to Friday later, or earlier for a negative number."""
    step = datetime.timedelta(days=1 if days > 0 else -1)
    while days:
        date += step
        if date.weekday() < 5:
            days -= step.days
    return date


def _month_name(number: int) -> str:
    # `month_name` has an empty text at 0 and counts negative numbers from the end.
    if number < 1:
        raise ValueError
    return calendar.month_name[number]


def _add_working_days(days: int, date: datetime.date) -> datetime.date:
    # It goes day by day, so a large number would take its time for every candidate.
    if abs(days) > 366:
        raise OverflowError
    return add_working_days(days, date)
