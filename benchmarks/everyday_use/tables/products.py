"""Products, orders, packs and measures."""

from __future__ import annotations

import re
from decimal import Decimal

from benchmarks.everyday_use.pools import (
    COLOURS,
    COMPANIES,
    PRODUCTS,
    SIZES,
    Rng,
    amount,
    cents,
    day,
    half_up,
    plain,
)
from benchmarks.everyday_use.table import Table

D = Decimal


def _order_line(rng: Rng) -> str:
    return f"{rng.choice((1, 2, 3, 10, 12, 100))} x {rng.choice(PRODUCTS)} @ {cents(rng, 30)}"


def _line_total(text: str) -> str:
    count, rest = text.split(" x ", 1)
    return f"{D(count) * D(rest.split(' @ ')[1]):.2f}"


def _pack(rng: Rng) -> str:
    return f"{rng.choice((1, 4, 6, 10, 12, 24))}x{rng.choice((50, 200, 250, 330, 500, 750, 1000))}ml"


def _weight(rng: Rng) -> str:
    if rng.random() < 0.5:
        return f"{rng.choice((5, 50, 200, 250, 500, 750, 900))} g"
    return f"{plain(D(rng.randint(1, 60)) / rng.choice((1, 2, 4, 10)))} kg"


def _grams(text: str) -> str:
    number, unit = text.split()
    return plain(D(number) * (1000 if unit == "kg" else 1))


def _box(rng: Rng) -> str:
    return " x ".join(str(rng.randint(2, 120)) for _ in range(3)) + " cm"


def _volume(text: str) -> str:
    one, two, three = map(int, re.findall(r"\d+", text))
    return str(one * two * three)


def _invoice(rng: Rng) -> str:
    return f"INV-{day(rng).year}-{rng.randint(1, 9999):04} / {rng.choice(COMPANIES)}"


TABLES = (
    Table(
        name="label-of-product",
        columns="Product | Colour | Size | Label=",
        draw=lambda rng: (rng.choice(PRODUCTS), rng.choice(COLOURS), rng.choice(SIZES)),
        rule=lambda product, colour, size: f"{product} ({colour}, {size})",
        rows=36,
        given=4,
    ),
    Table(
        name="total-of-order-line",
        columns="No* | Line | Total=",
        draw=_order_line,
        rule=_line_total,
        rows=24,
        given=8,
        slip="missing",
    ),
    Table(
        name="millilitres-of-pack",
        columns="Pack | Content=",
        draw=_pack,
        rule=lambda text: "{} ml".format(int(text.split("x")[0]) * int(text[:-2].split("x")[1])),
        rows=26,
        given=7,
    ),
    Table(
        name="grams-of-weight",
        columns="Weight | Grams= | Remark*",
        draw=_weight,
        rule=_grams,
        rows=30,
        given=10,
        cases=lambda text: text.split()[1],
    ),
    Table(
        name="volume-of-box",
        columns="Box | Volume=",
        draw=_box,
        rule=_volume,
        rows=20,
        given=6,
    ),
    Table(
        name="customer-of-invoice",
        columns="Document | Customer=",
        draw=_invoice,
        rule=lambda text: text.split(" / ")[1],
        rows=28,
        given=5,
        scattered=True,
    ),
    Table(
        name="price-per-piece",
        columns="Pack price | Pieces | Per piece=",
        draw=lambda rng: (amount(rng, 200), str(rng.choice((1, 2, 4, 5, 8, 10, 20)))),
        rule=lambda price, pieces: plain(half_up(D(price) / D(pieces))),
        rows=24,
        given=8,
        slip="transposed",
    ),
)
"""Seven tables."""
