"""The tables, by kind, and which of them are kept aside until the end."""

from __future__ import annotations

from benchmarks.everyday_use.table import Table
from benchmarks.everyday_use.tables import (
    codes,
    contact,
    dates,
    files,
    grades,
    money,
    numbers,
    people,
    products,
    texts,
    times,
)
from evolve.core.files import canonical_json, digest

KINDS: dict[str, tuple[Table, ...]] = {
    "people": people.TABLES,
    "dates": dates.TABLES,
    "times": times.TABLES,
    "money": money.TABLES,
    "numbers": numbers.TABLES,
    "grades": grades.TABLES,
    "codes": codes.TABLES,
    "contact": contact.TABLES,
    "texts": texts.TABLES,
    "files": files.TABLES,
    "products": products.TABLES,
}
TABLES: tuple[Table, ...] = tuple(table for tables in KINDS.values() for table in tables)

KEPT: tuple[str, ...] = (
    "user-from-name-and-year",
    "business-year-from-october",
    "period-as-text",
    "hours-of-shift",
    "minutes-of-spoken-duration",
    "amount-with-currency-first",
    "celsius-of-fahrenheit",
    "kilometres-of-miles",
    "sum-of-list-in-cell",
    "customer-tier",
    "paid-in-time",
    "reorder-by-stock",
    "isbn-check-digit",
    "stock-keeping-unit",
    "newer-version",
    "number-plate",
    "street-without-number",
    "american-phone-number",
    "german-phone-number-abroad",
    "address-in-one-line",
    "order-number-in-sentence",
    "text-in-brackets",
    "shortened-title",
    "tags-with-hash",
    "kind-of-file",
    "short-web-name",
    "message-of-log-line",
    "grams-of-weight",
    "total-of-order-line",
    "label-of-product",
)
"""Chosen before anything was measured; not looked at while something is built."""


def chosen(which: str) -> tuple[Table, ...]:
    """The tables that are ``open``, ``kept`` or ``all``."""
    return tuple(table for table in TABLES if which == "all" or (table.name in KEPT) == (which == "kept"))


def kind_of(table: Table) -> str:
    """The kind whose module has the table, or "" for one that was made elsewhere."""
    return next((kind for kind, tables in KINDS.items() if table in tables), "")


def frozen() -> str:
    """A digest of everything that a table is: it changes when a table, a pool or a drawing does."""
    whole = [[table.name, table.form, table.header, table.shown, table.truth] for table in TABLES]
    return digest(canonical_json([whole, KEPT]))
