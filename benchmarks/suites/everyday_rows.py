"""Everyday families about single table rows: a dictionary of columns in, one new column out."""

from __future__ import annotations

from random import Random
from typing import Any

from benchmarks.suites import everyday_draws as draws
from benchmarks.suites.everyday_build import Family, V
from benchmarks.suites.everyday_words import CITIES, COMPANIES, FIRST, LAST, PRODUCTS, STATES, STREET_KINDS, STREETS

ROW = "(row: row) -> {}"
TEXT = "(row: dict[str, str]) -> str"
_STR, _INT, _FLOAT, _BOOL = (ROW.format(kind) for kind in ("str", "int", "float", "bool"))
_RATES = {"standard": 20, "reduced": 5}

TableRow = dict[str, Any]


def _person(rng: Random) -> tuple[TableRow]:
    first, last = draws.person(rng)
    row = {"first": first, "last": last, "city": rng.choice(CITIES), "company": rng.choice(COMPANIES)}
    return (row,)


def _order(rng: Random) -> tuple[TableRow]:
    return (
        {
            "item": rng.choice(PRODUCTS),
            "qty": rng.randint(1, 12),
            "price": round(rng.uniform(2, 90), 2),
            "rate": rng.choice(tuple(_RATES)),
        },
    )


def _stock(rng: Random) -> tuple[TableRow]:
    need = rng.randint(5, 40)
    stock = rng.choice((0, need, need + rng.randint(1, 30), rng.randint(1, need)))
    return ({"item": rng.choice(PRODUCTS), "stock": stock, "minimum": need},)


def _place(rng: Random) -> tuple[TableRow]:
    return (
        {
            "street": f"{rng.choice(STREETS)} {rng.choice(STREET_KINDS)}",
            "number": str(rng.randint(1, 200)),
            "zip": draws.digits(rng, 5),
            "city": rng.choice(CITIES),
            "state": rng.choice(STATES),
        },
    )


def _marks(rng: Random) -> tuple[TableRow]:
    return (
        {
            "name": rng.choice(FIRST),
            "maths": rng.randint(20, 99),
            "physics": rng.randint(20, 99),
            "essay": rng.randint(20, 99),
        },
    )


def _invoice(rng: Random) -> tuple[TableRow]:
    return (
        {
            "id": rng.randint(1, 4000),
            "date": draws.day(rng).isoformat(),
            "net": rng.randint(20, 5000),
            "paid": rng.random() < 0.5,
        },
    )


def _contact(rng: Random) -> tuple[TableRow]:
    first, last = draws.person(rng)
    mail = f"{first}@{draws.host(rng)}".lower() if rng.random() < 0.6 else ""
    phone = draws.digits(rng, 8) if rng.random() < 0.6 else ""
    return ({"name": f"{first} {last}", "email": mail, "phone": phone},)


def _account(rng: Random) -> tuple[TableRow]:
    return ({"in": rng.randint(100, 9000), "out": rng.randint(100, 9000), "owner": rng.choice(LAST)},)


def _scores(row: TableRow) -> dict[str, int]:
    return {name: value for name, value in row.items() if name != "name"}


def _total(row: TableRow) -> float:
    return float(row["qty"] * row["price"])


def _state(row: TableRow) -> str:
    return "sold out" if row["stock"] == 0 else "reorder" if row["stock"] < row["minimum"] else "ok"


def _reach(row: TableRow) -> str:
    return str(row["email"] or row["phone"] or "none")


ROWS = (
    Family(
        name="row-person",
        draw=_person,
        signature=TEXT,
        variants=(
            V(2, "Give the full name of the row.", lambda r: f"{r['first']} {r['last']}"),
            V(3, "Give Last, First of the row.", lambda r: f"{r['last']}, {r['first']}"),
            V(
                4,
                "Give the staff address first.last@company.com.",
                lambda r: f"{r['first']}.{r['last']}@{r['company']}.com".lower(),
            ),
            V(3, "Write name (city).", lambda r: f"{r['first']} {r['last']} ({r['city']})"),
            V(1, "Give the city of the row.", lambda r: r["city"]),
            V(2, "Give the company in capitals.", lambda r: r["company"].upper()),
            V(
                4,
                "Give the login: first initial and last name, lower case.",
                lambda r: (r["first"][0] + r["last"]).lower(),
            ),
            V(3, "Give the initials of the row's person.", lambda r: r["first"][0] + r["last"][0]),
            V(
                4,
                "Write F. Last, Company with a capital.",
                lambda r: f"{r['first'][0]}. {r['last']}, {r['company'].title()}",
            ),
        ),
    ),
    Family(
        name="row-order",
        draw=_order,
        signature=_FLOAT,
        branch=lambda r: (r["rate"], _total(r) >= 200),
        variants=(
            V(3, "Give quantity times price, rounded to cents.", lambda r: round(_total(r), 2)),
            V(3, "Give the total with 20 % tax, rounded to cents.", lambda r: round(_total(r) * 1.2, 2)),
            V(1, "Give the quantity.", lambda r: r["qty"], None, _INT),
            V(1, "Give the price.", lambda r: r["price"]),
            V(3, "Write quantity x item.", lambda r: f"{r['qty']} x {r['item']}", None, _STR),
            V(4, "Write item: total with two decimals.", lambda r: f"{r['item']}: {_total(r):.2f}", None, _STR),
            V(
                5,
                "Give the total; 10 % off from 200 on; rounded to cents.",
                lambda r: round(_total(r) * (0.9 if _total(r) >= 200 else 1), 2),
            ),
            V(4, "Give the tax rate: 20 for standard, 5 for reduced.", lambda r: _RATES[r["rate"]], None, _INT),
            V(
                5,
                "Give the total with the tax of its rate (20 or 5 %), rounded to cents.",
                lambda r: round(_total(r) * (100 + _RATES[r["rate"]]) / 100, 2),
            ),
            V(4, "Answer whether the order is large: total 200 or more.", lambda r: _total(r) >= 200, None, _BOOL),
            V(4, "Add 4.90 shipping to the total, rounded to cents.", lambda r: round(_total(r) + 4.9, 2)),
        ),
    ),
    Family(
        name="row-stock",
        draw=_stock,
        signature=_STR,
        branch=_state,
        variants=(
            V(5, "Label the row sold out, reorder (below the minimum) or ok.", _state),
            V(4, "Answer whether the stock is below the minimum.", lambda r: r["stock"] < r["minimum"], None, _BOOL),
            V(
                4,
                "Give how many are missing to the minimum, 0 if none.",
                lambda r: max(0, r["minimum"] - r["stock"]),
                None,
                _INT,
            ),
            V(3, "Give stock minus minimum.", lambda r: r["stock"] - r["minimum"], None, _INT),
            V(3, "Write item: stock.", lambda r: f"{r['item']}: {r['stock']}"),
            V(
                5,
                "Write ITEM! when sold out, else the item.",
                lambda r: r["item"].upper() + "!" if r["stock"] == 0 else r["item"],
            ),
        ),
    ),
    Family(
        name="row-address",
        draw=_place,
        signature=TEXT,
        variants=(
            V(2, "Write number and street.", lambda r: f"{r['number']} {r['street']}"),
            V(2, "Write street and number.", lambda r: f"{r['street']} {r['number']}"),
            V(
                4,
                "Write the full address in one line.",
                lambda r: f"{r['number']} {r['street']}, {r['city']}, {r['state']} {r['zip']}",
            ),
            V(3, "Write zip and city.", lambda r: f"{r['zip']} {r['city']}"),
            V(3, "Write City, ST.", lambda r: f"{r['city']}, {r['state']}"),
            V(3, "Write CITY in capitals and the zip in brackets.", lambda r: f"{r['city'].upper()} ({r['zip']})"),
            V(1, "Give the zip code of the row.", lambda r: r["zip"]),
            V(
                4,
                "Make the place key state-zip-number in lower case.",
                lambda r: f"{r['state']}-{r['zip']}-{r['number']}".lower(),
            ),
        ),
    ),
    Family(
        name="row-marks",
        draw=_marks,
        signature=_INT,
        variants=(
            V(3, "Give the sum of the three marks.", lambda r: sum(_scores(r).values())),
            V(3, "Give the best mark.", lambda r: max(_scores(r).values())),
            V(3, "Give the worst mark.", lambda r: min(_scores(r).values())),
            V(4, "Give the mean mark, one place.", lambda r: round(sum(_scores(r).values()) / 3, 1), None, _FLOAT),
            V(
                5,
                "Name the subject with the best mark, the first where several are.",
                lambda r: max(_scores(r), key=lambda name: r[name]),
                None,
                _STR,
            ),
            V(4, "Answer whether all marks are at least 40.", lambda r: min(_scores(r).values()) >= 40, None, _BOOL),
            V(3, "Write name: maths mark.", lambda r: f"{r['name']}: {r['maths']}", None, _STR),
            V(
                4,
                "Label pass when the sum is 180 or more, else fail.",
                lambda r: "pass" if sum(_scores(r).values()) >= 180 else "fail",
                None,
                _STR,
            ),
            V(2, "Give the difference of maths and physics.", lambda r: r["maths"] - r["physics"]),
        ),
    ),
    Family(
        name="row-invoice",
        draw=_invoice,
        signature=_STR,
        branch=lambda r: r["paid"],
        variants=(
            V(4, "Write the invoice number INV-0042.", lambda r: f"INV-{r['id']:04d}"),
            V(
                5,
                "Write the invoice number 2024-0042 with the year of the row.",
                lambda r: f"{r['date'][:4]}-{r['id']:04d}",
            ),
            V(4, "Label the invoice paid or open.", lambda r: "paid" if r["paid"] else "open"),
            V(4, "Give what is still to pay: 0 when paid.", lambda r: 0 if r["paid"] else r["net"], None, _INT),
            V(2, "Give the month of the invoice as YYYY-MM.", lambda r: r["date"][:7]),
            V(
                3,
                "Give the gross amount with 19 % tax, rounded to cents.",
                lambda r: round(r["net"] * 1.19, 2),
                None,
                _FLOAT,
            ),
            V(2, "Answer whether the invoice is still open.", lambda r: not r["paid"], None, _BOOL),
        ),
    ),
    Family(
        name="row-contact",
        draw=_contact,
        signature=TEXT,
        branch=lambda r: (r["email"] != "", r["phone"] != ""),
        variants=(
            V(5, "Give the e-mail, else the phone, else none.", _reach),
            V(
                4,
                "Count the empty cells of the row.",
                lambda r: sum(v == "" for v in r.values()),
                None,
                "(row: dict[str, str]) -> int",
            ),
            V(
                5,
                "Name the channel: mail, phone or none.",
                lambda r: "mail" if r["email"] else "phone" if r["phone"] else "none",
            ),
            V(
                4,
                "Answer whether the row is complete.",
                lambda r: all(r.values()),
                None,
                "(row: dict[str, str]) -> bool",
            ),
            V(2, "Give the first name of the contact.", lambda r: r["name"].split()[0]),
            V(4, "Give the domain of the e-mail or an empty cell.", lambda r: r["email"].partition("@")[2]),
        ),
    ),
    Family(
        name="row-account",
        draw=_account,
        signature=_INT,
        branch=lambda r: r["in"] > r["out"],
        variants=(
            V(2, "Give in minus out.", lambda r: r["in"] - r["out"]),
            V(4, "Label the account plus or minus.", lambda r: "plus" if r["in"] > r["out"] else "minus", None, _STR),
            V(3, "Give the larger of in and out.", lambda r: max(r["in"], r["out"])),
            V(3, "Give the difference without sign.", lambda r: abs(r["in"] - r["out"])),
            V(4, "Write OWNER: balance.", lambda r: f"{r['owner'].upper()}: {r['in'] - r['out']}", None, _STR),
            V(2, "Give the turnover: in plus out.", lambda r: r["in"] + r["out"]),
            V(
                4,
                "Give out as a percentage of in, one place.",
                lambda r: round(100 * r["out"] / r["in"], 1),
                None,
                _FLOAT,
            ),
        ),
    ),
)
