"""Table families about columns of amounts, and text and number columns side by side."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any

from benchmarks.suites.everyday_build import Family, Program, V
from benchmarks.suites.tables_values import ROWS, Table

TABLE = ROWS.format("list[row]")
FLOAT = ROWS.format("float")
ROW = ROWS.format("row")


@dataclass(frozen=True, kw_only=True)
class Ledger:
    """A table of three columns: a name that may come twice, a place, and an amount.

    Attributes:
        family: Name of the family of tasks over it.
        name: Column of names.
        place: Column with few values.
        amount: Column of decimal numbers, no two alike.
        names: Values of the name column.
        places: Values of the place column.
        largest: Upper bound of the amounts.
    """

    family: str
    name: str
    place: str
    amount: str
    names: tuple[str, ...]
    places: tuple[str, ...]
    largest: int

    def draw(self, rng: Random) -> tuple[Table]:
        """A table of three to six rows."""
        count = rng.randint(3, 6)
        amounts = [cents / 4 for cents in rng.sample(range(4, 4 * self.largest), count)]
        columns = zip(rng.choices(self.names, k=count), rng.choices(self.places, k=count), amounts, strict=True)
        return ([dict(zip((self.name, self.place, self.amount), row, strict=True)) for row in columns],)


LEDGERS = (
    Ledger(
        family="invoice-rows",
        name="customer",
        place="branch",
        amount="total",
        names=("Solvex", "Harbor", "Atlas", "Monto", "Vireo", "Quill"),
        places=("Graz", "Bonn", "Lyon"),
        largest=900,
    ),
    Ledger(
        family="reading-rows",
        name="probe",
        place="hall",
        amount="value",
        names=("t1", "t2", "h1", "h2", "p1", "p2"),
        places=("hall", "lab", "store"),
        largest=60,
    ),
    Ledger(
        family="trip-rows",
        name="courier",
        place="zone",
        amount="distance",
        names=("Ana", "Cem", "Dora", "Finn", "Ida", "Lars"),
        places=("east", "west", "centre"),
        largest=400,
    ),
)


def _grouped(rows: Table, key: str) -> dict[str, Table]:
    groups: dict[str, Table] = {}
    for row in rows:
        groups.setdefault(row[key], []).append(row)
    return groups


def _members(t: Ledger) -> tuple[V, ...]:
    def v(level: int, text: str, program: Program, signature: str) -> V:
        return V(level, text.format(t=t), program, None, signature)

    amount: Callable[[dict[str, Any]], float] = lambda row: row[t.amount]  # noqa: E731
    return (
        v(1, "Add up the amounts in {t.amount}.", lambda rows: sum(map(amount, rows)), FLOAT),
        v(1, "Order the rows by {t.amount}, smallest first.", lambda rows: sorted(rows, key=amount), TABLE),
        v(1, "Order the rows by {t.amount}, largest first.", lambda rows: sorted(rows, key=amount)[::-1], TABLE),
        v(1, "Give the row with the largest {t.amount}.", lambda rows: max(rows, key=amount), ROW),
        v(1, "Give the row with the smallest {t.amount}.", lambda rows: min(rows, key=amount), ROW),
        v(1, "Order the rows by {t.name}.", lambda rows: sorted(rows, key=lambda r: r[t.name]), TABLE),
        v(1, "Group the rows by {t.place}.", lambda rows: _grouped(rows, t.place), ROWS.format("dict[str, list[row]]")),
        v(
            1,
            "Make a dictionary from {t.name} to its last row.",
            lambda rows: {r[t.name]: r for r in rows},
            ROWS.format("dict[str, row]"),
        ),
        v(
            2,
            "Add up {t.amount} by {t.place}.",
            lambda rows: {key: sum(map(amount, group)) for key, group in _grouped(rows, t.place).items()},
            ROWS.format("dict[str, float]"),
        ),
        v(
            2,
            "List the amounts by {t.place}.",
            lambda rows: {key: list(map(amount, group)) for key, group in _grouped(rows, t.place).items()},
            ROWS.format("dict[str, list[float]]"),
        ),
        v(2, "Give the mean of {t.amount}.", lambda rows: sum(map(amount, rows)) / len(rows), FLOAT),
        v(
            2,
            "Give the {t.name} with the largest {t.amount}.",
            lambda rows: max(rows, key=amount)[t.name],
            ROWS.format("str"),
        ),
    )


def _texts(rng: Random, count: int) -> list[str]:
    return rng.choices(("lamp", "desk", "mug", "rug", "vase", "Oslo", "Graz", "Bonn", "ink"), k=count)


def _two_columns(rng: Random) -> tuple[list[str], list[str]]:
    count = rng.randint(3, 6)
    return _texts(rng, count), _texts(rng, count)


def _texts_and_numbers(rng: Random) -> tuple[list[str], list[int]]:
    count = rng.randint(3, 5)
    names = rng.sample(("lamp", "desk", "mug", "rug", "vase", "sofa", "ink", "pen"), count)
    return names, rng.sample(range(1, 90), count)


def _amounts(rng: Random) -> tuple[list[float]]:
    return ([cents / 4 for cents in rng.sample(range(4, 900), rng.randint(3, 6))],)


def _prices(rng: Random) -> tuple[list[float]]:
    return ([cents / 8 for cents in rng.sample(range(80, 9000), rng.randint(3, 5))],)


def _median(numbers: list[float]) -> float:
    ordered, half = sorted(numbers), len(numbers) // 2
    return ordered[half] if len(numbers) % 2 else (ordered[half - 1] + ordered[half]) / 2


TWO = "(left: list[str], right: list[str]) -> {}"
NAMED = "(names: list[str], numbers: list[int]) -> {}"
FLOATS = "(amounts: list[float]) -> {}"

COLUMNS_SIDE_BY_SIDE = (
    Family(
        name="two-text-columns",
        draw=_two_columns,
        signature=TWO.format("list[str]"),
        variants=(
            V(
                2,
                "Count the cells that are also in the second column.",
                lambda xs, ys: len([x for x in xs if x in ys]),
                None,
                TWO.format("int"),
            ),
            V(1, "Drop what is also in the second column.", lambda xs, ys: [x for x in xs if x not in ys]),
            V(
                1,
                "Take cells in turn from both columns.",
                lambda xs, ys: [c for p in zip(xs, ys, strict=True) for c in p],
            ),
            V(
                1,
                "Pair the cells of both columns.",
                lambda xs, ys: [list(p) for p in zip(xs, ys, strict=True)],
                None,
                TWO.format("list[list[str]]"),
            ),
            V(
                1,
                "Make a dictionary from the first column to the second.",
                lambda xs, ys: dict(zip(xs, ys, strict=True)),
                None,
                TWO.format("dict[str, str]"),
            ),
            V(
                2,
                "Count the cells of both columns.",
                lambda xs, ys: dict(Counter(xs + ys)),
                None,
                TWO.format("dict[str, int]"),
            ),
        ),
    ),
    Family(
        name="names-and-numbers",
        draw=_texts_and_numbers,
        signature=NAMED.format("dict[str, int]"),
        variants=(
            V(
                2,
                "Make a dictionary from numbered names in capitals to numbers.",
                lambda xs, ns: {x.upper(): n for x, n in zip(xs, ns, strict=True)},
            ),
        ),
    ),
    Family(
        name="amount-column",
        draw=_amounts,
        signature=FLOATS.format("float"),
        variants=(
            V(1, "Add up the amounts.", sum),
            V(1, "Give the mean amount.", lambda xs: sum(xs) / len(xs)),
            V(1, "Give the median amount.", _median),
            V(
                2,
                "Give the mean amount with one decimal as text.",
                lambda xs: f"{sum(xs) / len(xs):.1f}",
                None,
                FLOATS.format("str"),
            ),
            V(2, "Give the difference of the largest and the smallest amount.", lambda xs: max(xs) - min(xs)),
            V(2, "Give the total with two decimals as text.", lambda xs: f"{sum(xs):.2f}", None, FLOATS.format("str")),
        ),
    ),
    Family(
        name="price-column",
        draw=_prices,
        signature=FLOATS.format("float"),
        variants=(
            V(
                2,
                "Give the median price with two decimals as text.",
                lambda xs: f"{_median(xs):.2f}",
                None,
                FLOATS.format("str"),
            ),
            V(
                2,
                "Write the total with commas between thousands.",
                lambda xs: f"{sum(xs):,.2f}",
                None,
                FLOATS.format("str"),
            ),
            V(
                1,
                "Round every price up to whole numbers.",
                lambda xs: [-int(-x // 1) for x in xs],
                None,
                FLOATS.format("list[int]"),
            ),
            V(
                1,
                "Drop the decimals of every price.",
                lambda xs: [int(x) for x in xs],
                None,
                FLOATS.format("list[int]"),
            ),
        ),
    ),
)

AMOUNTS = (
    *(Family(name=ledger.family, draw=ledger.draw, signature=TABLE, variants=_members(ledger)) for ledger in LEDGERS),
    *COLUMNS_SIDE_BY_SIDE,
)
