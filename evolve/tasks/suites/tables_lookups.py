"""Table families about looking up, changing and choosing entries of dictionaries, and texts that hold tables."""

from __future__ import annotations

import csv
import json
from collections import Counter
from random import Random
from typing import Any
from urllib.parse import parse_qsl, unquote, urlencode

from evolve.tasks.suites.everyday_build import Family, V

STOCK = ("lamp", "desk", "mug", "rug", "vase", "sofa", "bench", "stool")
PLACES = ("Graz", "Bonn", "Lyon", "Cork", "Turin", "Porto")
CODES = ("A1", "B2", "C3", "D4", "E5", "F6")


def _stock(rng: Random) -> dict[str, int]:
    count = rng.randint(3, 5)
    return dict(zip(rng.sample(STOCK, count), rng.sample(range(1, 60), count), strict=True))


def _prices(rng: Random) -> dict[str, float]:
    return {key: value * 1.25 for key, value in _stock(rng).items()}


def _codes(rng: Random) -> dict[str, str]:
    count = rng.randint(3, 5)
    return dict(zip(rng.sample(PLACES, count), rng.sample(CODES, count), strict=True))


def _one(make: Any) -> Any:
    return lambda rng: (make(rng),)


def _with_key(make: Any, names: tuple[str, ...]) -> Any:
    """Draws a dictionary and a name that is in it in two draws of three."""

    def draw(rng: Random) -> tuple[Any, str]:
        table = make(rng)
        absent = [name for name in names if name not in table]
        return table, rng.choice(list(table)) if rng.random() < 0.66 else rng.choice(absent)

    return draw


def _with_own_key(make: Any) -> Any:
    def draw(rng: Random) -> tuple[Any, str]:
        table = make(rng)
        return table, rng.choice(list(table))

    return draw


def _with_names(make: Any, names: tuple[str, ...], *, known: bool) -> Any:
    """Draws a dictionary and three names, all of them in it where ``known``."""

    def draw(rng: Random) -> tuple[Any, list[str]]:
        table = make(rng)
        return table, rng.sample(list(table) if known else names, 3)

    return draw


def _two(rng: Random) -> tuple[dict[str, int], dict[str, int]]:
    return _stock(rng), _stock(rng)


def _without(table: dict[str, Any], key: str) -> dict[str, Any]:
    return {name: value for name, value in table.items() if name != key}


def _dictionary(name: str, kind: str, make: Any, names: tuple[str, ...], empty: Any) -> Family:
    """The questions that are asked of every dictionary."""
    one, own, any_ = _one(make), _with_own_key(make), _with_key(make, names)
    some = _with_names(make, names, known=False)
    table, keyed = f"(table: dict[str, {kind}]) -> ", f"(table: dict[str, {kind}], key: str) -> "
    listed = f"(table: dict[str, {kind}], keys: list[str]) -> "
    return Family(
        name=name,
        draw=one,
        variants=(
            V(1, "Drop the key.", _without, own, f"{keyed}dict[str, {kind}]"),
            V(1, "Tell whether the key is there.", lambda t, k: k in t, any_, keyed + "bool"),
            V(
                1,
                "Give the entry of the key, an empty one where it is missing.",
                lambda t, k: t.get(k, empty),
                any_,
                keyed + kind,
            ),
            V(1, "List the entries.", lambda t: list(t.values()), one, f"{table}list[{kind}]"),
            V(
                1,
                "Keep the given keys that are there.",
                lambda t, ks: {k: t[k] for k in ks if k in t},
                some,
                f"{listed}dict[str, {kind}]",
            ),
            V(1, "Order the keys by their entries.", lambda t: sorted(t, key=t.__getitem__), one, table + "list[str]"),
            V(
                2,
                "Order the keys by their entries, the largest first.",
                lambda t: sorted(t, key=t.__getitem__)[::-1],
                one,
                table + "list[str]",
            ),
            V(1, "Give the key of the largest entry.", lambda t: max(t, key=t.__getitem__), one, table + "str"),
            V(1, "Give the key of the smallest entry.", lambda t: min(t, key=t.__getitem__), one, table + "str"),
            V(
                2,
                "Write the keys in capitals.",
                lambda t: {k.upper(): v for k, v in t.items()},
                one,
                f"{table}dict[str, {kind}]",
            ),
        ),
    )


def _known(name: str, kind: str, make: Any) -> Family:
    """Questions about keys that are there."""
    own, many = _with_own_key(make), _with_names(make, (), known=True)
    return Family(
        name=name,
        draw=own,
        signature=f"(table: dict[str, {kind}], key: str) -> {kind}",
        variants=(
            V(1, "Give the entry of the key.", lambda t, k: t[k]),
            V(
                1,
                "List the entries of the keys.",
                lambda t, ks: [t[k] for k in ks],
                many,
                f"(table: dict[str, {kind}], keys: list[str]) -> list[{kind}]",
            ),
        ),
    )


NUMBERS = "(table: dict[str, {}]) -> {}"
PAIRS = "(first: dict[str, int], second: dict[str, int]) -> dict[str, int]"

CHANGED = (
    Family(
        name="stock-changed",
        draw=_one(_stock),
        signature=NUMBERS.format("int", "dict[str, int]"),
        variants=(
            V(2, "Add one to every entry.", lambda t: {k: v + 1 for k, v in t.items()}),
            V(2, "Keep the even entries.", lambda t: {k: v for k, v in t.items() if v % 2 == 0}),
            V(2, "Turn the sign of every entry.", lambda t: {k: -v for k, v in t.items()}),
            V(1, "Add up the entries.", lambda t: sum(t.values()), None, NUMBERS.format("int", "int")),
        ),
    ),
    Family(
        name="prices-changed",
        draw=_one(_prices),
        signature=NUMBERS.format("float", "float"),
        variants=(
            V(1, "Add up the prices.", lambda t: sum(t.values())),
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
                lambda rng: (dict(list(_prices(rng).items())[:3]),),
            ),
        ),
    ),
    Family(
        name="codes-changed",
        draw=_one(_codes),
        signature=NUMBERS.format("str", "dict[str, str]"),
        variants=(
            V(1, "Swap keys and codes.", lambda t: {v: k for k, v in t.items()}),
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
        variants=(
            V(1, "Merge both, the second wins.", lambda a, b: {**a, **b}),
            V(2, "Merge both and add entries of the same key.", lambda a, b: dict(Counter(a) + Counter(b))),
            V(2, "Merge both, the first wins.", lambda a, b: {**b, **a}),
        ),
    ),
)


def _translated(rng: Random) -> tuple[dict[str, str], list[str]]:
    table = _codes(rng)
    return table, rng.choices((*table, "none", "all"), k=rng.randint(3, 5))


def _query(rng: Random) -> tuple[str]:
    return ("&".join(f"{k}={v}" for k, v in {**_codes(rng), "page": rng.randint(1, 9)}.items()),)


def _settings(mark: str, between: str) -> Any:
    return lambda rng: (between.join(f"{k}{mark}{v}" for k, v in _codes(rng).items()),)


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
            V(1, "Read a line of CSV with a quoted cell.", lambda s: _read(s)[0], _line, TEXT.format("list[str]")),
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

LOOKUPS = (
    _dictionary("stock-entries", "int", _stock, STOCK, 0),
    _dictionary("price-entries", "float", _prices, STOCK, 0.0),
    _dictionary("code-entries", "str", _codes, PLACES, ""),
    _known("stock-known", "int", _stock),
    _known("price-known", "float", _prices),
    _known("code-known", "str", _codes),
    *CHANGED,
    *TEXTS,
)
