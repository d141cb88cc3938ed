"""Prices, tax, discounts and amounts in text."""

from __future__ import annotations

from decimal import Decimal

from benchmarks.everyday_use.pools import Rng, amount, cents, half_up, plain
from benchmarks.everyday_use.table import Table

D = Decimal
CURRENCIES = ("EUR", "USD", "CHF", "GBP")


def _grouped(rng: Rng) -> str:
    return f"{D(cents(rng, rng.choice((90, 900, 9_000, 90_000, 2_000_000)))):,.2f}"


def _german(rng: Rng) -> str:
    return "EUR " + _grouped(rng).translate(str.maketrans(",.", ".,"))


def _booked(rng: Rng) -> str:
    value = _grouped(rng)
    return f"({value})" if rng.random() < 0.4 else value


def _unbooked(text: str) -> str:
    bare = text.strip("()").replace(",", "")
    return f"-{bare}" if text.startswith("(") else bare


def _sale(rng: Rng) -> tuple[str, str]:
    return amount(rng, 80), str(rng.choice((1, 1, 2, 3, 5, 10, 12, 25, 100)))


def _cost_and_price(rng: Rng) -> tuple[str, str]:
    cost = D(rng.randint(5, 400))
    return str(cost), plain(cost + rng.choice((1, 2, 5, 10, 20, 50)))


TABLES = (
    Table(
        name="net-to-gross",
        columns="No* | Net | Gross=",
        draw=amount,
        rule=lambda net: plain(half_up(D(net) * D("1.19"))),
        rows=30,
        given=7,
    ),
    Table(
        name="net-to-gross-with-decimal-comma",
        columns="Kunde* | Netto | Brutto=".replace("Kunde*", "Company*"),
        draw=cents,
        rule=lambda net: f"{half_up(D(net) * D('1.19'))}",
        rows=26,
        given=8,
        form="excel-de",
    ),
    Table(
        name="gross-to-net-reduced-rate",
        columns="Gross | Net= | Remark*",
        draw=lambda rng: plain(half_up(D(amount(rng, 60)) * D("1.07"))),
        rule=lambda gross: plain(half_up(D(gross) / D("1.07"))),
        rows=24,
        given=8,
    ),
    Table(
        name="price-times-quantity",
        columns="Price | Qty | Total=",
        draw=_sale,
        rule=lambda price, count: plain(D(price) * D(count)),
        rows=34,
        given=6,
        slip="doubled",
    ),
    Table(
        name="fifteen-percent-off",
        columns="List price | Sale price=",
        draw=amount,
        rule=lambda price: plain(half_up(D(price) * D("0.85"))),
        rows=28,
        given=6,
        scattered=True,
    ),
    Table(
        name="discount-of-column",
        columns="Price | Discount % | To pay=",
        draw=lambda rng: (amount(rng), str(rng.choice((0, 0, 5, 10, 15, 20, 25, 50)))),
        rule=lambda price, off: plain(half_up(D(price) * (100 - D(off)) / 100)),
        rows=30,
        given=8,
        form="xlsx",
    ),
    Table(
        name="plain-number-of-grouped",
        columns="Amount | Number=",
        draw=_grouped,
        rule=lambda text: text.replace(",", ""),
        rows=30,
        given=8,
        cases=lambda text: text.count(","),
    ),
    Table(
        name="plain-number-of-german-amount",
        columns="Betrag | Amount=",
        draw=_german,
        rule=lambda text: text[4:].replace(".", "").replace(",", "."),
        rows=25,
        given=8,
        cases=lambda text: text.count("."),
    ),
    Table(
        name="dollar-amount",
        columns="Amount | Shown= | Note*",
        draw=lambda rng: plain(D(_grouped(rng).replace(",", ""))),
        rule=lambda number: f"${D(number):,.2f}",
        rows=30,
        given=9,
        cases=lambda number: D(number) >= 1000,
    ),
    Table(
        name="commission-with-minimum",
        columns="Owner* | Sales | Commission=",
        draw=lambda rng: str(rng.randint(1, 200) * 50),
        rule=lambda sales: plain(max(D(sales) * D("0.05"), D(50))),
        rows=26,
        given=10,
        cases=lambda sales: D(sales) < 1000,
    ),
    Table(
        name="shipping-by-order-value",
        columns="Order value | Shipping=",
        draw=lambda rng: cents(rng, 120),
        rule=lambda value: "0.00" if D(value) >= 50 else "4.90",
        rows=34,
        given=10,
        cases=lambda value: D(value) >= 50,
    ),
    Table(
        name="negative-in-brackets",
        columns="Booked | Value=",
        draw=_booked,
        rule=_unbooked,
        rows=28,
        given=8,
        cases=lambda text: text.startswith("("),
        slip="missing",
    ),
    Table(
        name="currency-of-amount",
        columns="Price | Currency=",
        draw=lambda rng: f"{amount(rng)} {rng.choice(CURRENCIES)}",
        rule=lambda text: text.split()[1],
        rows=22,
        given=4,
        form="excel-utf16",
    ),
    Table(
        name="cents-to-euros",
        columns="Cents | Euros=",
        draw=lambda rng: str(rng.choice((rng.randint(0, 99), rng.randint(100, 99_999), 100 * rng.randint(1, 99)))),
        rule=lambda text: f"{D(text) / 100:.2f} €",
        rows=25,
        given=7,
    ),
    Table(
        name="tax-share-of-gross",
        columns="Gross | Tax=",
        draw=cents,
        rule=lambda gross: f"{half_up(D(gross) - D(gross) / D('1.2'))}",
        rows=24,
        given=8,
    ),
    Table(
        name="margin-in-percent",
        columns="Cost | Price | Margin=",
        draw=_cost_and_price,
        rule=lambda cost, price: f"{half_up((D(price) - D(cost)) / D(price) * 100, 1)}%",
        rows=26,
        given=8,
    ),
    Table(
        name="amount-with-currency-first",
        columns="No* | Amount | Shown=",
        draw=lambda rng: f"{amount(rng)} {rng.choice(CURRENCIES)}",
        rule=lambda text: f"{text.split()[1]} {D(text.split()[0]):.2f}",
        rows=28,
        given=8,
        slip="transposed",
    ),
)
"""Seventeen tables."""
