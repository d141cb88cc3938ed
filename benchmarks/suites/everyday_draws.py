"""Draws the rows of the ``everyday`` suite: columns as in exports of a shop, a staff list or a web server.

A function that gives :data:`Args` draws the positional arguments of one row; the others draw parts of it.
"""

from __future__ import annotations

from datetime import date, timedelta
from random import Random

from benchmarks.suites.everyday_words import (
    CITIES,
    COMPANIES,
    COUNTRIES,
    FIRST,
    LAST,
    MIDDLE,
    PRODUCTS,
    STATES,
    STREET_KINDS,
    STREETS,
    TITLES,
    TLDS,
    TOPICS,
)

Args = tuple[object, ...]


def pad(rng: Random, text: str) -> str:
    """``text`` with the stray blanks of hand-typed cells."""
    return " " * rng.choice((0, 0, 1, 2)) + text + " " * rng.choice((0, 0, 1, 3))


def digits(rng: Random, count: int) -> str:
    """``count`` random digits, the first one not zero."""
    return str(rng.randint(1, 9)) + "".join(str(rng.randint(0, 9)) for _ in range(count - 1))


def person(rng: Random) -> tuple[str, str]:
    return rng.choice(FIRST), rng.choice(LAST)


def full_name(rng: Random) -> Args:
    """``Maria Jensen``."""
    return (" ".join(person(rng)),)


def long_name(rng: Random) -> Args:
    """Two or three names, the middle one spelled out."""
    first, last = person(rng)
    middle = (rng.choice(MIDDLE),) if rng.random() < 0.5 else ()
    return (" ".join((first, *middle, last)),)


def three_names(rng: Random) -> Args:
    first, last = person(rng)
    return (f"{first} {rng.choice(MIDDLE)} {last}",)


def last_first(rng: Random) -> Args:
    """``Jensen, Maria``."""
    first, last = person(rng)
    return (f"{last}, {first}",)


def messy_name(rng: Random) -> Args:
    """A name in arbitrary casing with stray blanks."""
    first, last = person(rng)
    style = rng.choice((str.lower, str.upper, str.swapcase, str.title))
    return (pad(rng, style(first) + " " * rng.choice((1, 1, 2, 3)) + style(last)),)


def titled_name(rng: Random) -> Args:
    """A name that carries a title in two of three rows."""
    title = rng.choice(TITLES) + " " if rng.random() < 0.66 else ""
    return (title + " ".join(person(rng)),)


def first_and_last(rng: Random) -> Args:
    return person(rng)


def name_list(rng: Random) -> Args:
    """``Maria Jensen; Tomas Berg`` with two to four people."""
    return ("; ".join(" ".join(person(rng)) for _ in range(rng.randint(2, 4))),)


def host(rng: Random) -> str:
    return f"{rng.choice(COMPANIES)}.{rng.choice(TLDS)}"


def email(rng: Random) -> Args:
    """``maria.jensen@acme.com``."""
    first, last = person(rng)
    return (f"{first}.{last}@".lower() + host(rng),)


def tagged_email(rng: Random) -> Args:
    """An address that may carry digits or a ``+tag``."""
    first, last = person(rng)
    tail = rng.choice(("", str(rng.randint(1, 99)), "+" + rng.choice(TOPICS)))
    return (f"{first[0]}{last}{tail}@".lower() + host(rng),)


def messy_email(rng: Random) -> Args:
    """An address as it comes out of a mail client."""
    (text,) = email(rng)
    address = str(text)
    styled = rng.choice((address, address.upper(), address.title(), f"<{address}>", f"mailto:{address}"))
    return (pad(rng, styled),)


def url(rng: Random) -> Args:
    """An address with a path of one to three parts and, often, a query."""
    www = rng.choice(("", "www."))
    words = rng.sample(TOPICS + PRODUCTS, rng.randint(1, 3))
    return (f"{rng.choice(('http', 'https'))}://{www}{host(rng)}/" + "/".join(words),)


def query_url(rng: Random) -> Args:
    parts = [f"id={rng.randint(10, 9999)}", f"page={rng.randint(1, 40)}", f"q={rng.choice(PRODUCTS)}"]
    rng.shuffle(parts)
    return (f"https://{host(rng)}/{rng.choice(TOPICS)}?" + "&".join(parts),)


def domain(rng: Random) -> Args:
    return (rng.choice(("", "shop.", "www.", "api.")) + host(rng),)


def phone(rng: Random) -> Args:
    """A ten-digit number in one of the usual spellings."""
    a, b, c = digits(rng, 3), digits(rng, 3), digits(rng, 4)
    return (rng.choice((f"({a}) {b}-{c}", f"{a}-{b}-{c}", f"{a}.{b}.{c}", f"{a} {b} {c}", f"{a}{b}{c}")),)


def plain_phone(rng: Random) -> Args:
    return (digits(rng, 10),)


def dashed_phone(rng: Random) -> Args:
    return (f"{digits(rng, 3)}-{digits(rng, 3)}-{digits(rng, 4)}",)


def world_phone(rng: Random) -> Args:
    """``+49 30 1234567``."""
    return (f"+{rng.choice((1, 33, 44, 47, 49, 351, 420))} {digits(rng, rng.choice((2, 3)))} {digits(rng, 7)}",)


def extension_phone(rng: Random) -> Args:
    """A dashed number, with an extension in two of three rows."""
    (text,) = dashed_phone(rng)
    return (f"{text}" + (f" x{digits(rng, rng.choice((2, 3)))}" if rng.random() < 0.66 else ""),)


def address(rng: Random) -> Args:
    """``12 Oak Street, Salem, OR 97301``."""
    street = f"{rng.randint(1, 980)} {rng.choice(STREETS)} {rng.choice(STREET_KINDS)}"
    return (f"{street}, {rng.choice(CITIES)}, {rng.choice(STATES)} {digits(rng, 5)}",)


def street_line(rng: Random) -> Args:
    return (f"{rng.randint(1, 980)} {rng.choice(STREETS)} {rng.choice(STREET_KINDS)}",)


def unit_street(rng: Random) -> Args:
    """A street line, with a flat number in two of three rows."""
    flat = f", Apt {rng.randint(1, 40)}{rng.choice('ABCD')}" if rng.random() < 0.66 else ""
    return (f"{street_line(rng)[0]}{flat}",)


def zip_city(rng: Random) -> Args:
    return (f"{digits(rng, 5)} {rng.choice(CITIES)}",)


def zip_code(rng: Random) -> Args:
    """Five digits, with a four-digit suffix in half of the rows."""
    return (digits(rng, 5) + (f"-{digits(rng, 4)}" if rng.random() < 0.5 else ""),)


def place(rng: Random) -> Args:
    """``Bergen (Norway)``."""
    return (f"{rng.choice(CITIES)} ({rng.choice(COUNTRIES)})",)


def day(rng: Random) -> date:
    """A day between 1998 and 2031; small days and months are as likely as large ones."""
    return date(1998, 1, 1) + timedelta(days=rng.randint(0, 12_400))


def iso_date(rng: Random) -> Args:
    return (day(rng).isoformat(),)


def two_dates(rng: Random) -> Args:
    """Two ISO dates, the later one second."""
    start = day(rng)
    return (start.isoformat(), (start + timedelta(days=rng.randint(1, 400))).isoformat())


def clock(rng: Random) -> str:
    return f"{rng.randint(0, 23):02d}:{rng.randint(0, 59):02d}"


def timestamp(rng: Random) -> Args:
    return (f"{day(rng).isoformat()} {clock(rng)}:{rng.randint(0, 59):02d}",)


def utc_timestamp(rng: Random) -> Args:
    return (f"{day(rng).isoformat()}T{clock(rng)}:{rng.randint(0, 59):02d}Z",)


def clock_time(rng: Random) -> Args:
    return (clock(rng),)


def edge_clock(rng: Random) -> Args:
    """Times of day, often at the start or the end of an hour at which labels change."""
    edge = rng.choice(("05:59", "06:00", "08:59", "09:00", "11:59", "12:00", "16:59", "17:00", "17:59", "18:00"))
    return (edge if rng.random() < 0.4 else clock(rng),)


def long_clock(rng: Random) -> Args:
    return (f"{clock(rng)}:{rng.randint(0, 59):02d}",)


def twelve_hour(rng: Random) -> Args:
    return (f"{rng.randint(1, 12)}:{rng.randint(0, 59):02d} {rng.choice(('AM', 'PM'))}",)


def shift(rng: Random) -> Args:
    """Start and end of a shift on one day."""
    start = rng.randint(300, 1000)
    end = start + rng.randint(20, 420)
    return (f"{start // 60:02d}:{start % 60:02d}", f"{end // 60:02d}:{end % 60:02d}")
