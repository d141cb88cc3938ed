"""Table families about looking up, changing and choosing entries of dictionaries, and texts that hold tables."""

from __future__ import annotations

import csv
import json
from random import Random
from typing import Any
from urllib.parse import parse_qsl, unquote, urlencode

from benchmarks.suites.everyday_build import Family, V
from benchmarks.suites.tables_entries import ENTRIES, PLACES, STOCK, codes, one, prices, stock


def _two(rng: Random) -> tuple[dict[str, int], dict[str, int]]:
    return stock(rng), stock(rng)


NUMBERS = "(table: dict[str, {}]) -> {}"
PAIRS = "(first: dict[str, int], second: dict[str, int]) -> dict[str, int]"

CHANGED = (
    Family(
        name="stock-changed",
        draw=one(stock),
        signature=NUMBERS.format("int", "dict[str, int]"),
        variants=(
            V(2, "Add one to every entry.", lambda t: {k: v + 1 for k, v in t.items()}),
            V(2, "Keep the even entries.", lambda t: {k: v for k, v in t.items() if v % 2 == 0}),
            V(2, "Turn the sign of every entry.", lambda t: {k: -v for k, v in t.items()}),
        ),
    ),
    Family(
        name="prices-changed",
        draw=one(prices),
        signature=NUMBERS.format("float", "float"),
        variants=(
            V(
                2,
                "Write the total with two decimals.",
                lambda t: f"{sum(t.values()):.2f}",
                None,
                NUMBERS.format("float", "str"),
            ),
            V(2, "Give the mean of the prices.", lambda t: sum(t.values()) / len(t)),
            V(
                2,
                "Give the median of two or more prices, the middle one of three.",
                lambda t: sorted(t.values())[1],
                lambda rng: (dict(list(prices(rng).items())[:3]),),
            ),
        ),
    ),
    Family(
        name="codes-changed",
        draw=one(codes),
        signature=NUMBERS.format("str", "dict[str, str]"),
        variants=(
            V(2, "Write the codes in small letters.", lambda t: {k: v.lower() for k, v in t.items()}),
            V(
                2,
                "Write as key=code with semicolons.",
                lambda t: ";".join(f"{k}={v}" for k, v in t.items()),
                None,
                NUMBERS.format("str", "str"),
            ),
            V(
                2,
                "Write as key: code with commas.",
                lambda t: ", ".join(f"{k}: {v}" for k, v in t.items()),
                None,
                NUMBERS.format("str", "str"),
            ),
            V(2, "Write as the query of a link.", urlencode, None, NUMBERS.format("str", "str")),
            V(2, "Write as JSON.", json.dumps, None, NUMBERS.format("str", "str")),
        ),
    ),
    Family(
        name="two-stocks",
        draw=_two,
        signature=PAIRS,
        variants=(),
    ),
)


def _translated(rng: Random) -> tuple[dict[str, str], list[str]]:
    table = codes(rng)
    return table, rng.choices((*table, "none", "all"), k=rng.randint(3, 5))


def _query(rng: Random) -> tuple[str]:
    return ("&".join(f"{k}={v}" for k, v in {**codes(rng), "page": rng.randint(1, 9)}.items()),)


def _settings(mark: str, between: str) -> Any:
    return lambda rng: (between.join(f"{k}{mark}{v}" for k, v in codes(rng).items()),)


def _escaped(rng: Random) -> tuple[str]:
    some = rng.sample((*STOCK, "50%20off", "a%26b", "caf%C3%A9", "1%2F2"), 3)
    return ("%20".join(some),)


def _line(rng: Random) -> tuple[str]:
    quoted = f'"{rng.choice(PLACES)}, {rng.choice(STOCK)}"'
    cells = [rng.choice(STOCK), quoted, str(rng.randint(1, 99))]
    rng.shuffle(cells)
    return (",".join(cells),)


def _lines(mark: str) -> Any:
    def draw(rng: Random) -> tuple[str]:
        rows = [mark.join(("item", "place"))]
        rows += [mark.join((rng.choice(STOCK), rng.choice(PLACES))) for _ in range(rng.randint(1, 3))]
        return ("\n".join(rows),)

    return draw


def _quoted_lines(rng: Random) -> tuple[str]:
    rows = [f'"{rng.choice(PLACES)}, {rng.choice(PLACES)}",{rng.choice(STOCK)}' for _ in range(rng.randint(1, 3))]
    return ("\n".join(["place,item", *rows]),)


def _grid(rng: Random) -> tuple[list[list[str]]]:
    return ([[rng.choice(STOCK), rng.choice(PLACES)] for _ in range(rng.randint(2, 4))],)


def _read(text: str) -> list[list[str]]:
    return list(csv.reader(text.splitlines()))


def _cells(text: str, mark: str) -> list[list[str]]:
    return [line.split(mark) for line in text.splitlines()]


TEXT = "(text: str) -> {}"
GRID = "(rows: list[list[str]]) -> str"

TEXTS = (
    Family(
        name="settings-text",
        draw=_query,
        signature=TEXT.format("dict[str, str]"),
        variants=(
            V(1, "Read the query of a link.", lambda s: dict(parse_qsl(s))),
            V(
                1,
                "Read pairs such as key=value; in a line.",
                lambda s: dict(p.split("=") for p in s.split(";")),
                _settings("=", ";"),
            ),
            V(
                1,
                "Read pairs such as key:value, in a line.",
                lambda s: dict(p.split(":") for p in s.split(",")),
                _settings(":", ","),
            ),
            V(1, "Decode the escapes of a link.", unquote, _escaped, TEXT.format("str")),
            V(
                2,
                "Decode the escapes of a link and write it in capitals.",
                lambda s: unquote(s).upper(),
                _escaped,
                TEXT.format("str"),
            ),
        ),
    ),
    Family(
        name="table-text",
        draw=_lines(";"),
        signature=TEXT.format("list[list[str]]"),
        variants=(
            V(1, "Read lines of cells with semicolons.", lambda s: _cells(s, ";")),
            V(1, "Read lines of cells with bars.", lambda s: _cells(s, "|"), _lines("|")),
            V(1, "Read lines of CSV with quoted cells.", _read, _quoted_lines),
            V(2, "Give the last cell of a line of CSV.", lambda s: _read(s)[0][-1], _line, TEXT.format("str")),
            V(
                2,
                "Give the last line of CSV as cells.",
                lambda s: _read(s)[-1],
                _quoted_lines,
                TEXT.format("list[str]"),
            ),
        ),
    ),
    Family(
        name="table-written",
        draw=_grid,
        signature=GRID,
        variants=(
            V(1, "Write the rows as lines with semicolons.", lambda rows: "\n".join(map(";".join, rows))),
            V(1, "Write the rows as lines with commas.", lambda rows: "\n".join(map(",".join, rows))),
            V(2, "Write the rows as lines with bars.", lambda rows: "\n".join(map(" | ".join, rows))),
            V(
                2,
                "Write the rows in capitals as lines with commas.",
                lambda rows: "\n".join(map(",".join, rows)).upper(),
            ),
        ),
    ),
    Family(
        name="records-of-text",
        draw=_lines(";"),
        signature=TEXT.format("list[row]"),
        variants=(
            V(
                1,
                "Replace known names by their codes.",
                lambda t, xs: [t.get(x, x) for x in xs],
                _translated,
                "(codes: dict[str, str], names: list[str]) -> list[str]",
            ),
        ),
    ),
)

LOOKUPS = (*ENTRIES, *CHANGED, *TEXTS)
