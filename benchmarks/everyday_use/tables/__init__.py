"""The tables, by kind, and which of them are kept aside until the end."""

from __future__ import annotations

from benchmarks.everyday_use.table import Table
from benchmarks.everyday_use.tables import dates, money, people

KINDS: dict[str, tuple[Table, ...]] = {
    "people": people.TABLES,
    "dates": dates.TABLES,
    "money": money.TABLES,
}
TABLES: tuple[Table, ...] = tuple(table for tables in KINDS.values() for table in tables)

KEPT: tuple[str, ...] = ()
"""Chosen before anything was measured; not looked at while something is built."""


def chosen(which: str) -> tuple[Table, ...]:
    """The tables that are ``open``, ``kept`` or ``all``."""
    return tuple(table for table in TABLES if which == "all" or (table.name in KEPT) == (which == "kept"))


def kind_of(table: Table) -> str:
    """The kind whose module has the table."""
    return next(kind for kind, tables in KINDS.items() if table in tables)
