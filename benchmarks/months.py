"""Jobs that people do every month, with tables drawn by seed: the columns stay, the rows are others.

Beside the column that decides stand others that do not. A few rows of a later month are unlike all of the first one,
such as a name of three words among names of two.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

FILLED_FIRST = 7
"""Rows of the first month that are filled."""
_UNLIKE = 0.06
"""How often a later row is unlike those of the first month."""
_STRANGE = ("n/a", "tbd", "-", "?", "12", "see mail", "2026", "unknown", "see above, please", "0")
_SHARE = 0.4

_FIRST = ("Ada", "Alan", "Grace", "Barbara", "Donald", "Edsger", "John", "Frances", "Tony", "Margaret", "Emmy", "Kurt")
_LAST = (
    "Lovelace",
    "Turing",
    "Hopper",
    "Liskov",
    "Knuth",
    "Dijkstra",
    "Backus",
    "Allen",
    "Hoare",
    "Hamilton",
    "Noether",
)
_MIDDLE = ("van", "de la", "Maria", "J.")
_HOSTS = ("example.com", "mail.org", "initech.net", "acme.dev")
_WORDS = ("sales", "budget", "team", "plan", "cost", "stock", "notes", "order", "travel", "rent", "paper", "fuel")
_CITIES = ("Bonn", "Lyon", "Turin", "Porto", "Gent", "Graz", "Oslo", "Riga", "Brno", "Cork")
_TEAMS = ("red", "blue", "green", "amber")
_UNITS = ("kg", "m", "h", "l")


@dataclass(frozen=True, kw_only=True)
class Job:
    """One kind of table.

    Attributes:
        columns: Names of the deciding column and of the wanted one.
        given: Draws a cell; told whether it is to be unlike those of the first month.
        wanted: What belongs beside it.
    """

    name: str
    columns: tuple[str, str]
    given: Callable[[random.Random, bool], str]
    wanted: Callable[[str], str]


def _name(rng: random.Random, unlike: bool) -> str:
    middle = f" {rng.choice(_MIDDLE)}" if unlike else ""
    return f"{rng.choice(_FIRST)}{middle} {rng.choice(_LAST)}"


def _mail(rng: random.Random, unlike: bool) -> str:
    name = f"{rng.choice(_FIRST)}.{rng.choice(_LAST)}".lower()
    return f"{name}{rng.randint(2, 9) if unlike else ''}@{rng.choice(_HOSTS)}"


def _day(rng: random.Random, unlike: bool) -> str:
    del unlike
    return f"{rng.randint(2019, 2026)}-{rng.randint(1, 12):02}-{rng.randint(1, 28):02}"


def _order(rng: random.Random, unlike: bool) -> str:
    return f"{rng.choice('ABCDEFGH')}{rng.choice('KLMNOP')}-{rng.randint(2021, 2026)}-{rng.randint(100, 99999):05}" + (
        "/b" if unlike else ""
    )


def _path(rng: random.Random, unlike: bool) -> str:
    folder = f"{rng.choice(_CITIES).lower()}/{rng.randint(2019, 2026)}"
    return f"{folder}/{rng.choice(_WORDS)}_{rng.randint(1, 12):02}{'.old' if unlike else ''}.xlsx"


def _amount(rng: random.Random, unlike: bool) -> str:
    return f"{rng.randint(1, 999)}.{rng.randint(0, 99):02} {rng.choice(_UNITS)}{' net' if unlike else ''}"


def _phrase(rng: random.Random, unlike: bool) -> str:
    return (
        f"{rng.choice(_WORDS)} {'(' if unlike else ''}{rng.choice(_CITIES)}{')' if unlike else ''} {rng.choice(_WORDS)}"
    )


def _day_first(day: str) -> str:
    return ".".join(reversed(day.split("-")))


JOBS = (
    Job(name="initial", columns=("name", "short"), given=_name, wanted=lambda t: f"{t[0]}. {t.split()[-1]}"),
    Job(name="listed", columns=("name", "listed"), given=_name, wanted=lambda t: f"{t.split()[-1]}, {t.split()[0]}"),
    Job(name="login", columns=("name", "login"), given=_name, wanted=lambda t: t.split()[-1].lower()),
    Job(name="surname", columns=("person", "surname"), given=_name, wanted=lambda t: t.split()[-1].upper()),
    Job(name="printed", columns=("day", "printed"), given=_day, wanted=_day_first),
    Job(name="month", columns=("day", "month"), given=_day, wanted=lambda t: f"{t[5:7]}/{t[:4]}"),
    Job(name="year", columns=("date", "year"), given=_day, wanted=lambda t: f"FY {t[:4]}"),
    Job(name="order", columns=("order", "number"), given=_order, wanted=lambda t: t.split("-")[2].split("/")[0]),
    Job(name="site", columns=("order", "site"), given=_order, wanted=lambda t: t[:2].lower()),
    Job(name="host", columns=("mail", "host"), given=_mail, wanted=lambda t: t.split("@")[1]),
    Job(name="user", columns=("mail", "user"), given=_mail, wanted=lambda t: t.split("@")[0]),
    Job(name="title", columns=("path", "title"), given=_path, wanted=lambda t: t.split("/")[-1].split(".")[0].upper()),
    Job(name="file", columns=("path", "file"), given=_path, wanted=lambda t: t.split("/")[-1]),
    Job(name="unit", columns=("amount", "unit"), given=_amount, wanted=lambda t: t.split()[1]),
    Job(name="place", columns=("text", "place"), given=_phrase, wanted=lambda t: t.split()[1].strip("()")),
)


@dataclass(frozen=True, kw_only=True)
class Pair:
    """The tables of two months.

    Attributes:
        header: Names of the columns, the wanted one among them.
        march: Rows as a person has them, all cells filled.
        april: The same of the next month.
        target: Place of the wanted column.
    """

    job: str
    header: tuple[str, ...]
    march: tuple[tuple[str, ...], ...]
    april: tuple[tuple[str, ...], ...]
    target: int

    def shown(self, rows: Sequence[Sequence[str]], filled: int) -> list[list[str]]:
        """A table as it is given: the first rows are filled, the others blank."""
        return [
            list(self.header),
            *(
                [cell if n < filled or place != self.target else "" for place, cell in enumerate(row)]
                for n, row in enumerate(rows)
            ),
        ]


def drawn(seed: int, number: int) -> Pair:
    """A pair of tables."""
    rng = random.Random(f"{seed}/{number}")
    job = rng.choice(JOBS)
    others = rng.sample([("team", _TEAMS), ("city", _CITIES), ("topic", _WORDS)], rng.randint(0, 2))
    names = [job.columns[0], *(name for name, _ in others)]
    rng.shuffle(names)
    header = (*names, job.columns[1])
    pools = dict(others)
    seen: set[str] = set()

    def row(*, unlike: bool) -> tuple[str, ...]:
        given = job.given(rng, unlike)
        while given in seen:
            given = job.given(rng, unlike)
        seen.add(given)
        cells = [given if name == job.columns[0] else rng.choice(pools[name]) for name in names]
        return (*cells, job.wanted(given))

    march = tuple(row(unlike=False) for _ in range(FILLED_FIRST + 3))
    # those that are given are like the others, as a person fills the first rows of a table
    april = tuple(row(unlike=n > 1 and rng.random() < _UNLIKE) for n in range(rng.randint(8, 14)))
    return Pair(job=job.name, header=header, march=march, april=april, target=len(names))


def with_strange_cells(pair: Pair, seed: int, number: int) -> Pair:
    """The pair with other things in the deciding column of some rows of the later month, for which no cell is right."""
    rng, at = random.Random(f"strange {seed}/{number}"), pair.header.index(_deciding(pair))

    def changed(place: int, row: tuple[str, ...]) -> tuple[str, ...]:
        if place < 2 or rng.random() >= _SHARE:  # the first ones may be given
            return row
        cells = [*row]
        cells[at], cells[pair.target] = rng.choice(_STRANGE), ""
        return tuple(cells)

    return replace(pair, april=tuple(changed(place, row) for place, row in enumerate(pair.april)))


def _deciding(pair: Pair) -> str:
    return next(job.columns[0] for job in JOBS if job.name == pair.job)
