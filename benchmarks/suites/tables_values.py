"""Small tables to draw from: ten schemas of rows, dictionaries, and tables as lists of lists."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any

from benchmarks.suites.everyday_build import Program, V

TableRow = dict[str, Any]
Table = list[TableRow]

ROWS = "(rows: list[row]) -> {}"


@dataclass(frozen=True, kw_only=True)
class Schema:
    """One table: a label column without repeats, a group column, two whole-number columns.

    Attributes:
        label: Name of the column that tells rows apart.
        group: Name of the column with few values.
        a: Name of the first number column, drawn from ``a_range`` without repeats.
        b: Name of the second number column, drawn from ``b_range`` without repeats.
        labels: Values of the label column.
        groups: Values of the group column.
    """

    label: str
    group: str
    a: str
    b: str
    labels: tuple[str, ...]
    groups: tuple[str, str, str]
    a_range: tuple[int, int]
    b_range: tuple[int, int]

    def draw(self, rng: Random) -> tuple[Table]:
        """A table of three to six rows."""
        count = rng.randint(3, 6)
        columns = zip(
            rng.sample(self.labels, count),
            rng.choices(self.groups, k=count),
            self._numbers(rng, count),
            rng.sample(range(*self.b_range), count),
            strict=True,
        )
        return ([dict(zip((self.label, self.group, self.a, self.b), row, strict=True)) for row in columns],)

    def _numbers(self, rng: Random, count: int) -> list[int]:
        """Cells of ``a``, often with one at the threshold or just above it, so that examples can pin it down."""
        numbers = rng.sample(range(*self.a_range), count)
        edge = self.cut + rng.randint(0, 1)
        if rng.random() < 0.4 and edge not in numbers:
            numbers[rng.randrange(count)] = edge
        return numbers

    def draw_with_label(self, rng: Random) -> tuple[Table, str]:
        """A table and a label that occurs in it."""
        (rows,) = self.draw(rng)
        return rows, rng.choice(rows)[self.label]

    def draw_with_any_label(self, rng: Random) -> tuple[Table, str]:
        """A table and a label that occurs in it in half of the draws."""
        rows, label = self.draw_with_label(rng)
        present = {row[self.label] for row in rows}
        absent = [other for other in self.labels if other not in present]
        return rows, label if rng.random() < 0.5 else rng.choice(absent)

    def draw_with_group(self, rng: Random) -> tuple[Table, str]:
        """A table and one of the group values."""
        return self.draw(rng)[0], rng.choice(self.groups)

    def draw_with_number(self, rng: Random) -> tuple[Table, int]:
        """A table and a number from the range of the first number column."""
        return self.draw(rng)[0], rng.randrange(*self.a_range)

    def draw_gappy(self, rng: Random) -> tuple[Table]:
        """A table in which some cells of the first number column are None."""
        (rows,) = self.draw(rng)
        hole = rng.randrange(len(rows))
        return ([row | {self.a: None} if at == hole or rng.random() < 0.2 else row for at, row in enumerate(rows)],)

    def draw_pair(self, rng: Random) -> tuple[Table, Table]:
        """The table without its second number column, and that column in another table in another order."""
        (rows,) = self.draw(rng)
        left = [{key: row[key] for key in (self.label, self.group, self.a)} for row in rows]
        right = [{self.label: row[self.label], self.b: row[self.b]} for row in rng.sample(rows, len(rows))]
        return left, right

    @property
    def cut(self) -> int:
        """A round threshold in the middle of the first number column."""
        low, high = self.a_range
        step = 10 if high - low > 40 else 5
        return (low + high) // 2 // step * step


_NAMES = ("Ana", "Bo", "Cem", "Dora", "Eli", "Finn", "Gia", "Hal", "Ida", "Jun", "Kim", "Lars", "Mia", "Ned")
_THINGS = ("lamp", "chair", "mug", "desk", "rug", "shelf", "vase", "clock", "frame", "sofa", "bench", "stool")
_TOWNS = ("Aarhus", "Porto", "Leeds", "Graz", "Lyon", "Turin", "Gdansk", "Malmo", "Bergen", "Ghent", "Cork", "Bonn")
_WORKS = ("Tides", "Embers", "Northward", "Glass", "Harvest", "Signal", "Quarry", "Lantern", "Drift", "Maple", "Arc")

SCHEMAS = (
    Schema(
        label="item",
        group="category",
        a="qty",
        b="price",
        labels=_THINGS,
        groups=("home", "office", "garden"),
        a_range=(1, 40),
        b_range=(2, 95),
    ),
    Schema(
        label="name",
        group="team",
        a="age",
        b="salary",
        labels=_NAMES,
        groups=("sales", "support", "design"),
        a_range=(21, 66),
        b_range=(2100, 6900),
    ),
    Schema(
        label="city",
        group="country",
        a="visitors",
        b="hotels",
        labels=_TOWNS,
        groups=("north", "south", "island"),
        a_range=(100, 900),
        b_range=(3, 80),
    ),
    Schema(
        label="title",
        group="genre",
        a="pages",
        b="copies",
        labels=_WORKS,
        groups=("novel", "poetry", "essay"),
        a_range=(60, 700),
        b_range=(1, 50),
    ),
    Schema(
        label="player",
        group="club",
        a="goals",
        b="games",
        labels=_NAMES,
        groups=("Reds", "Blues", "Greens"),
        a_range=(0, 30),
        b_range=(5, 38),
    ),
    Schema(
        label="sensor",
        group="room",
        a="temp",
        b="battery",
        labels=("s1", "s2", "s3", "s4", "s5", "s6", "s7", "s8"),
        groups=("hall", "lab", "store"),
        a_range=(5, 45),
        b_range=(1, 100),
    ),
    Schema(
        label="film",
        group="kind",
        a="minutes",
        b="year",
        labels=_WORKS,
        groups=("drama", "comedy", "crime"),
        a_range=(70, 200),
        b_range=(1960, 2026),
    ),
    Schema(
        label="product",
        group="shop",
        a="stock",
        b="sold",
        labels=_THINGS,
        groups=("Mitte", "Hafen", "West"),
        a_range=(0, 120),
        b_range=(1, 90),
    ),
    Schema(
        label="student",
        group="class",
        a="maths",
        b="physics",
        labels=_NAMES,
        groups=("7a", "7b", "8a"),
        a_range=(20, 100),
        b_range=(20, 100),
    ),
    Schema(
        label="driver",
        group="region",
        a="km",
        b="hours",
        labels=_NAMES,
        groups=("east", "west", "centre"),
        a_range=(10, 400),
        b_range=(1, 30),
    ),
)


def each(
    level: int, text: str, make: Callable[[Schema], Program], signature: str, *, draw: str = "draw", step: int = 1
) -> tuple[V, ...]:
    """One variant for every ``step``-th schema.

    Args:
        level: Difficulty from 1 to 5.
        text: Instruction; ``{t.a}`` and the like name the schema's columns.
        make: Binds a program to a schema.
        signature: Signature grammar of tasks.
        draw: Name of the schema's method that draws arguments.
        step: 2 takes half of the schemas.
    """
    return tuple(
        V(level, text.format(t=schema), make(schema), getattr(schema, draw), signature) for schema in SCHEMAS[::step]
    )


def picked(rows: Table, column: str) -> list[Any]:
    """The cells of a column."""
    return [row[column] for row in rows]


def only(rows: Table, column: str, value: object) -> Table:
    """The rows whose cell equals ``value``."""
    return [row for row in rows if row[column] == value]


def over(rows: Table, column: str, limit: int) -> Table:
    """The rows whose cell is greater than ``limit``."""
    return [row for row in rows if row[column] > limit]


def ranked(rows: Table, column: str, *, down: bool = False) -> Table:
    """The rows in order of a column."""
    return sorted(rows, key=lambda row: row[column], reverse=down)


def mean(numbers: list[int]) -> float:
    """Rounded to two places; 0 for none."""
    return round(sum(numbers) / len(numbers), 2) if numbers else 0.0


def tally(rng: Random) -> tuple[dict[str, int]]:
    """A dictionary of three to six things and distinct numbers."""
    count = rng.randint(3, 6)
    return (dict(zip(rng.sample(_THINGS, count), rng.sample(range(1, 60), count), strict=True)),)


def two_tallies(rng: Random) -> tuple[dict[str, int], dict[str, int]]:
    """Two dictionaries that share some keys."""
    (first,), (second,) = tally(rng), tally(rng)
    shared = rng.choice(list(first))
    return first, second | {shared: rng.randint(1, 60)}


def code_book(rng: Random) -> tuple[dict[str, str]]:
    """A dictionary from town to a code that is not repeated."""
    count = rng.randint(3, 5)
    codes = rng.sample(("A1", "B2", "C3", "D4", "E5", "F6", "G7", "H8"), count)
    return (dict(zip(rng.sample(_TOWNS, count), codes, strict=True)),)


def matrix(rng: Random) -> tuple[list[list[int]]]:
    """Three to five rows of three or four numbers."""
    width = rng.randint(3, 4)
    numbers = rng.sample(range(1, 100), 20)
    return ([numbers[at * width : at * width + width] for at in range(rng.randint(3, 5))],)


def headed(rng: Random) -> tuple[list[list[Any]]]:
    """A header and two to four rows below it."""
    schema = rng.choice(SCHEMAS)
    (rows,) = schema.draw(rng)
    return ([list(rows[0]), *(list(row.values()) for row in rows[:4])],)


def text_rows(rng: Random) -> tuple[list[list[str]]]:
    """Rows of three text cells."""
    return ([[rng.choice(_NAMES), rng.choice(_TOWNS), rng.choice(_THINGS)] for _ in range(rng.randint(3, 5))],)
