"""Table families about the entries of a dictionary: one by its key, several, in order, renamed."""

from __future__ import annotations

from collections.abc import Iterable
from random import Random
from typing import Any

from benchmarks.suites.everyday_build import Family, V

STOCK = ("lamp", "desk", "mug", "rug", "vase", "sofa", "bench", "stool")
PLACES = ("Graz", "Bonn", "Lyon", "Cork", "Turin", "Porto")
CODES = ("A1", "B2", "C3", "D4", "E5", "F6")


def stock(rng: Random) -> dict[str, int]:
    """Three to five things with distinct whole numbers."""
    count = rng.randint(3, 5)
    return dict(zip(rng.sample(STOCK, count), rng.sample(range(1, 60), count), strict=True))


def prices(rng: Random) -> dict[str, float]:
    """Three to five things with distinct amounts."""
    return {key: value * 1.25 for key, value in stock(rng).items()}


def codes(rng: Random) -> dict[str, str]:
    """Three to five towns with distinct codes."""
    count = rng.randint(3, 5)
    return dict(zip(rng.sample(PLACES, count), rng.sample(CODES, count), strict=True))


def one(make: Any) -> Any:
    """Draws of a single argument."""
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


def _without(table: dict[str, Any], key: str) -> dict[str, Any]:
    return {name: value for name, value in table.items() if name != key}


STOCKED = "(table: dict[str, int]{}) -> {}"
PRICED = "(table: dict[str, float]{}) -> {}"
CODED = "(table: dict[str, str]{}) -> {}"
KEY, KEYS = ", key: str", ", keys: list[str]"


def _ordered(table: dict[str, Any]) -> list[str]:
    return sorted(table, key=table.__getitem__)


def _chosen(table: dict[str, Any], keys: list[str]) -> dict[str, Any]:
    return {key: table[key] for key in keys if key in table}


def _joined(cells: Iterable[str]) -> str:
    return ", ".join(cells)


_own_stock, _own_price, _own_code = _with_own_key(stock), _with_own_key(prices), _with_own_key(codes)
_any_stock, _any_code = _with_key(stock, STOCK), _with_key(codes, PLACES)
_many_stock = _with_names(stock, STOCK, known=True)
_many_price = _with_names(prices, STOCK, known=True)
_many_code = _with_names(codes, PLACES, known=True)
_some_stock, _some_code = _with_names(stock, STOCK, known=False), _with_names(codes, PLACES, known=False)

ENTRIES = (
    Family(
        name="stock-entries",
        draw=one(stock),
        variants=(
            V(1, "Give the entry of the key.", lambda t, k: t[k], _own_stock, STOCKED.format(KEY, "int")),
            V(1, "Drop the key.", _without, _own_stock, STOCKED.format(KEY, "dict[str, int]")),
            V(1, "Tell whether the key is there.", lambda t, k: k in t, _any_stock, STOCKED.format(KEY, "bool")),
            V(
                1,
                "List the entries of the keys.",
                lambda t, ks: [t[k] for k in ks],
                _many_stock,
                STOCKED.format(KEYS, "list[int]"),
            ),
            V(1, "Keep the given keys that are there.", _chosen, _some_stock, STOCKED.format(KEYS, "dict[str, int]")),
            V(
                1,
                "Order the keys by their entries, the largest first.",
                lambda t: _ordered(t)[::-1],
                None,
                STOCKED.format("", "list[str]"),
            ),
            V(
                2,
                "Give the key of the largest entry in capitals.",
                lambda t: _ordered(t)[-1].upper(),
                None,
                STOCKED.format("", "str"),
            ),
            V(
                2,
                "Give the key of the smallest entry in capitals.",
                lambda t: _ordered(t)[0].upper(),
                None,
                STOCKED.format("", "str"),
            ),
        ),
    ),
    Family(
        name="price-entries",
        draw=one(prices),
        variants=(
            V(
                2,
                "Write the price of the key with two decimals.",
                lambda t, k: f"{t[k]:.2f}",
                _own_price,
                PRICED.format(KEY, "str"),
            ),
            V(2, "Count the entries without the key.", lambda t, k: len(t) - 1, _own_price, PRICED.format(KEY, "int")),
            V(
                2,
                "Add up the prices of the keys.",
                lambda t, ks: sum(t[k] for k in ks),
                _many_price,
                PRICED.format(KEYS, "float"),
            ),
            V(2, "Give the two cheapest keys.", lambda t: _ordered(t)[:2], None, PRICED.format("", "list[str]")),
            V(2, "Give the two dearest keys.", lambda t: _ordered(t)[::-1][:2], None, PRICED.format("", "list[str]")),
            V(
                2,
                "Give the first three letters of the dearest key.",
                lambda t: _ordered(t)[-1][:3],
                None,
                PRICED.format("", "str"),
            ),
            V(
                2,
                "Give the first three letters of the cheapest key.",
                lambda t: _ordered(t)[0][:3],
                None,
                PRICED.format("", "str"),
            ),
            V(
                2,
                "Write the first three letters of every key.",
                lambda t: {k[:3]: v for k, v in t.items()},
                None,
                PRICED.format("", "dict[str, float]"),
            ),
        ),
    ),
    Family(
        name="code-entries",
        draw=one(codes),
        variants=(
            V(
                2,
                "Give the code of the key in small letters.",
                lambda t, k: t[k].lower(),
                _own_code,
                CODED.format(KEY, "str"),
            ),
            V(
                2,
                "List the keys without the given one.",
                lambda t, k: [x for x in t if x != k],
                _own_code,
                CODED.format(KEY, "list[str]"),
            ),
            V(2, "Tell whether the key is missing.", lambda t, k: k not in t, _any_code, CODED.format(KEY, "bool")),
            V(2, "Write the codes with commas.", lambda t: _joined(t.values()), None, CODED.format("", "str")),
            V(
                2,
                "Write the codes of the keys with commas.",
                lambda t, ks: _joined(t[k] for k in ks),
                _many_code,
                CODED.format(KEYS, "str"),
            ),
            V(
                2,
                "List the codes of the keys that are there.",
                lambda t, ks: list(_chosen(t, ks).values()),
                _some_code,
                CODED.format(KEYS, "list[str]"),
            ),
            V(
                2,
                "Count the keys that are there.",
                lambda t, ks: len(_chosen(t, ks)),
                _some_code,
                CODED.format(KEYS, "int"),
            ),
            V(
                2,
                "Write the keys in the order of their codes, with commas.",
                lambda t: _joined(_ordered(t)),
                None,
                CODED.format("", "str"),
            ),
            V(
                2,
                "Write the keys from the last code to the first, with commas.",
                lambda t: _joined(_ordered(t)[::-1]),
                None,
                CODED.format("", "str"),
            ),
            V(
                2,
                "Give the key of the last code in small letters.",
                lambda t: _ordered(t)[-1].lower(),
                None,
                CODED.format("", "str"),
            ),
            V(
                2,
                "Give the key of the first code in small letters.",
                lambda t: _ordered(t)[0].lower(),
                None,
                CODED.format("", "str"),
            ),
            V(
                2,
                "Write the keys in small letters.",
                lambda t: {k.lower(): v for k, v in t.items()},
                None,
                CODED.format("", "dict[str, str]"),
            ),
        ),
    ),
)
