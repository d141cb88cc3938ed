"""Reads when a question asks about: "last week", "in March", "on 2024-05-03"."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from itertools import pairwise

_MONTHS = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)
_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_DATE = re.compile(r"\b(\d{4})-(\d{2})-(\d{2})\b")
_NAMED = re.compile(
    rf"\b(?:(\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?)?({'|'.join(_MONTHS)})(?:\s+(\d{{1,2}})(?:st|nd|rd|th)?\b(?!\d))?"
    r"(?:,?\s+(\d{4}))?\b",
    re.IGNORECASE,
)
_YEAR = re.compile(r"\b(?:in|of|during)\s+((?:19|20)\d{2})\b", re.IGNORECASE)
_AGO = re.compile(r"\b(\d+|an?|one|two|three|four|five|six|ten)\s+(day|week|month|year)s?\s+ago\b", re.IGNORECASE)
_NUMBERS = {"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "ten": 10}
_RELATIVE = re.compile(
    rf"\b(?:(today|yesterday)|(this|last|past)\s+(week|month|year|weekend|{'|'.join(_DAYS)}))\b", re.IGNORECASE
)
_WHEN = re.compile(
    r"^\W*(?:(?:\w+,? )?when|(?:on |in |since |until )?(?:what|which) (?:day|date|week|month|year|time)|how long)\b",
    re.IGNORECASE,
)
_TIME = re.compile(
    rf"\b(?:{'|'.join(_MONTHS)}|(?:{'|'.join(_DAYS)})s?|today|yesterday|tomorrow|tonight|weekend|ago"
    r"|(?:this|last|past|next|previous) (?:day|night|morning|week|month|year|spring|summer|autumn|fall|winter)"
    r"|\d{4}-\d\d-\d\d|(?:19|20)\d\d|\d{1,2}(?:st|nd|rd|th))\b",
    re.IGNORECASE,
)
_SPANS = {"day": 1, "week": 7, "month": 30, "year": 365}

Span = tuple[float, float]
"""From when until before when, in seconds since the epoch."""


def time_in_question(question: str, now: float) -> Span | None:
    """The time that a question names, in local time; None where it names none.

    Args:
        now: When it is asked.
    """
    today = datetime.fromtimestamp(now).replace(hour=0, minute=0, second=0, microsecond=0)
    try:
        found = _absolute(question, today) or _relative(question, today)
        return (found[0].timestamp(), found[1].timestamp()) if found else None
    except (ValueError, OverflowError, OSError):  # the 31st of February, or a year before time is counted
        return None


def asks_when(question: str) -> bool:
    """Whether a question asks for a time."""
    return bool(_WHEN.search(question))


def names_time(text: str) -> bool:
    """Whether a text names a day or another time, as what tells when something was does."""
    return any(found[0] != "may" for found in _TIME.finditer(text))


def _absolute(question: str, today: datetime) -> tuple[datetime, datetime] | None:
    if date := _DATE.search(question):
        start = datetime(*map(int, date.groups()))  # type: ignore[arg-type]
        return start, start + timedelta(days=1)
    for found in _NAMED.finditer(question):
        before, name, after, year = found.groups()
        # "may" is a verb as a rule, unless a number or "in" stands beside it.
        if name.lower() == "may" and not (
            before or after or year or re.search(r"\b[Ii]n $", question[: found.start()])
        ):
            continue
        month = _MONTHS.index(name.lower()) + 1
        start = datetime(int(year or today.year), month, int(before or after or 1))
        if not year and start > today:  # people ask what was
            start = start.replace(year=start.year - 1)
        return start, (start + timedelta(days=1)) if before or after else _next_month(start)
    if year_named := _YEAR.search(question):
        year_number = int(year_named[1])
        return datetime(year_number, 1, 1), datetime(year_number + 1, 1, 1)
    return None


def _relative(question: str, today: datetime) -> tuple[datetime, datetime] | None:
    if ago := _AGO.search(question):
        count, unit = _NUMBERS.get(ago[1].lower()) or int(ago[1]), ago[2].lower()
        start = today - timedelta(days=count * _SPANS[unit])
        slack = timedelta(days=_SPANS[unit] // 2)
        return start - slack, start + slack + timedelta(days=1)
    found = _RELATIVE.search(question)
    if found is None:
        return None
    day, which, unit = (part.lower() if part else "" for part in found.groups())
    if day:
        start = today - timedelta(days=day == "yesterday")
        return start, start + timedelta(days=1)
    return _unit(unit, today, this=which == "this")


def _unit(unit: str, today: datetime, *, this: bool) -> tuple[datetime, datetime]:
    monday = today - timedelta(days=today.weekday())
    if unit in _DAYS:
        start = today - timedelta(days=(today.weekday() - _DAYS.index(unit)) % 7 or 7)
        return start, start + timedelta(days=1)
    starts = {
        "week": [monday - timedelta(days=7), monday, monday + timedelta(days=7)],
        "weekend": [monday - timedelta(days=2), monday + timedelta(days=5), monday + timedelta(days=12)],
        "month": [(today.replace(day=1) - timedelta(days=1)).replace(day=1), today.replace(day=1), _next_month(today)],
        "year": [datetime(today.year + offset, 1, 1) for offset in (-1, 0, 1)],
    }[unit]
    start, end = list(pairwise(starts))[this]
    return (start, start + timedelta(days=2)) if unit == "weekend" else (start, end)


def _next_month(day: datetime) -> datetime:
    return (day.replace(day=1) + timedelta(days=32)).replace(day=1)
