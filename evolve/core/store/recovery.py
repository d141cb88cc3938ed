"""Recovers what a damaged database file still holds, whatever became of its schema and its structure.

A row's checksum covers its table's name, so a whole row found on any page says where it belongs.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field

from evolve.core.store import migrations as schema
from evolve.core.store.checksums import Row, broken_rows, row_checksum, row_name, sealed_tables, structural_faults
from evolve.core.store.migrations import Migration
from evolve.core.store.raw_pages import SalvagedPages, Stored

_INDEX_FAULTS = ("missing from index", "wrong # of entries in index", "non-unique entry in index")


@dataclass(frozen=True, kw_only=True)
class TableLayout:
    """How a table stores its rows.

    Attributes:
        alias: The column that is the row number, or "".
        reals: Columns that hold whole numbers as integers and give them back as floats.
        keys: Columns of each unique index.
    """

    name: str
    columns: tuple[str, ...]
    alias: str
    reals: frozenset[str]
    keys: tuple[tuple[str, ...], ...]

    def row_from_stored(self, rowid: int, stored: Sequence[Stored]) -> Row:
        # Columns that a migration added later are missing in older rows.
        values = [*stored, *[None] * (len(self.columns) - len(stored))]
        row: Row = dict(zip(self.columns, values, strict=True))
        for name in self.reals:
            value = row[name]
            row[name] = float(value) if isinstance(value, int) else value
        if self.alias:
            row[self.alias] = rowid
        return row


@dataclass
class RecoveredRows:
    """What the damaged file still holds.

    Attributes:
        rows: Whole rows by table and row number.
        broken: Names of rows that are there and not whole.
        whole: Tables of which no row can be missing.
        counters: The highest row number ever given, by table.
    """

    rows: dict[str, dict[int, Row]] = field(default_factory=dict)
    broken: dict[str, dict[int, str]] = field(default_factory=dict)
    whole: frozenset[str] = frozenset()
    counters: dict[str, int] = field(default_factory=dict)


def _applied(pages: SalvagedPages, changes: Sequence[Migration]) -> list[Migration]:
    """The migrations that the damaged file had seen, as far as it says.

    Raises:
        WorkspaceError: When a newer version wrote it.
    """
    ours = {(item.package, item.number) for item in changes}
    noted: dict[int, set[tuple[str, int]]] = {}
    for page, _, columns in pages.rows:
        if len(columns) == 2 and isinstance(columns[0], str) and isinstance(columns[1], int):
            noted.setdefault(page, set()).add((columns[0], columns[1]))
    seen: set[tuple[str, int]] = set()
    for on_page in noted.values():
        seen |= on_page if on_page & ours else set()
    # A newer version has seen all of ours; where one of ours is missing, an unknown one is that one, damaged.
    if ours < seen:
        raise schema.from_newer(f"the damaged record, with {' '.join(map(str, min(seen - ours)))},")
    last = {item.package: item.number for item in changes if (item.package, item.number) in seen}
    return [item for item in changes if item.number <= last.get(item.package, item.number)]


def best_schema(pages: SalvagedPages, every: Sequence[Migration]) -> list[Migration]:
    """The migrations under which most rows are whole: those it says it has seen, which may be damaged too, or all.

    Raises:
        WorkspaceError: When a newer version wrote the file.
    """
    noted = _applied(pages, every)

    def whole_rows(changes: Sequence[Migration]) -> int:
        with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
            schema.migrate(connection, changes)
            tables = tables_of(connection)
        return sum(any(_is_whole(table, rowid, stored) for table in tables) for _, rowid, stored in pages.rows)

    return noted if noted == list(every) or whole_rows(noted) >= whole_rows(every) else list(every)


def tables_of(connection: sqlite3.Connection) -> list[TableLayout]:
    """Every table with sealed rows."""
    return [table_of(connection, name) for name in sealed_tables(connection)]


def table_of(connection: sqlite3.Connection, name: str) -> TableLayout:
    """How one table stores its rows, as SQLite describes it."""
    columns = connection.execute(f"PRAGMA table_info({name})").fetchall()
    keys = [column for column in columns if column[5]]
    # Such a column is the row number itself and is stored as NULL.
    alias = keys[0][1] if len(keys) == 1 and keys[0][2].upper() == "INTEGER" else ""
    return TableLayout(
        name=name,
        columns=tuple(column[1] for column in columns),
        alias=alias,
        reals=frozenset(column[1] for column in columns if column[2].upper() == "REAL"),
        keys=tuple(
            tuple(column[2] for column in connection.execute(f"PRAGMA index_info({index[1]})"))
            for index in connection.execute(f"PRAGMA index_list({name})").fetchall()
            if index[2]
        ),
    )


def recover_rows(pages: SalvagedPages, tables: Sequence[TableLayout]) -> RecoveredRows:
    """Sorts every record of the file by the table whose seal it carries."""
    remains = RecoveredRows(rows={table.name: {} for table in tables}, broken={table.name: {} for table in tables})
    names = {table.name for table in tables if table.alias}
    doubtful: list[tuple[int, int, list[Stored]]] = []
    owner: dict[int, TableLayout] = {}
    for page, rowid, stored in pages.rows:
        # A row of sqlite_sequence, which counts the numbers that AUTOINCREMENT gave.
        if len(stored) == 2 and stored[0] in names and isinstance(stored[1], int):
            remains.counters[str(stored[0])] = stored[1]
        table = next((candidate for candidate in tables if _is_whole(candidate, rowid, stored)), None)
        if table is None:
            doubtful.append((page, rowid, stored))
        else:
            owner[page] = table
            remains.rows[table.name].setdefault(rowid, table.row_from_stored(rowid, stored))
    for page, rowid, stored in doubtful:
        table = owner.get(page)  # a page holds rows of one table
        if table is not None and rowid not in remains.rows[table.name]:
            remains.broken[table.name][rowid] = _row_label(table, rowid, stored)
    remains.whole = _whole_tables(pages, remains)
    _note_rows_of_indexes(pages, tables, remains)
    return remains


def _note_rows_of_indexes(pages: SalvagedPages, tables: Sequence[TableLayout], remains: RecoveredRows) -> None:
    """Names rows that only an index still knows of."""
    entries: dict[int, list[list[Stored]]] = {}
    for page, columns in pages.entries:
        entries.setdefault(page, []).append(columns)
    unique = [(table, key) for table in tables for key in table.keys]
    for on_page in entries.values():
        for table, key in unique:
            rows = remains.rows[table.name]
            if any(_is_entry(columns, rows, key) for columns in on_page):  # a page holds entries of one index
                for *values, rowid in (columns for columns in on_page if len(columns) == len(key) + 1):
                    if isinstance(rowid, int) and rowid not in rows:
                        name = f"{table.name} row {', '.join(map(str, values))}"
                        remains.broken[table.name].setdefault(rowid, name)
                break


def _is_entry(columns: Sequence[Stored], rows: Mapping[int, Row], key: tuple[str, ...]) -> bool:
    row = rows.get(columns[-1]) if len(columns) == len(key) + 1 and isinstance(columns[-1], int) else None
    return row is not None and [row[name] for name in key] == list(columns[:-1])


def _is_whole(table: TableLayout, rowid: int, stored: Sequence[Stored]) -> bool:
    place = table.columns.index("checksum")
    if not place < len(stored) <= len(table.columns):
        return False
    seal = stored[place]
    if not isinstance(seal, str) or len(seal) != 64:
        return False
    row = table.row_from_stored(rowid, stored)
    try:
        return seal == row_checksum(table.name, row)
    except (ValueError, OverflowError):  # NaN and the like, which no row of ours holds
        return False


def _row_label(table: TableLayout, rowid: int, stored: Sequence[Stored]) -> str:
    if table.alias or not stored or isinstance(stored[0], bytes):
        return f"{table.name} row {rowid}"
    return f"{table.name} row {stored[0]!s}"


def _whole_tables(pages: SalvagedPages, remains: RecoveredRows) -> frozenset[str]:
    """Tables that SQLite reads to the end and that hold, by its count, exactly the rows found."""
    # A database in memory has no log, so the header must not speak of one.
    data = pages.data[:18] + b"\1\1" + pages.data[20:]
    try:
        with closing(sqlite3.connect(":memory:")) as connection:
            connection.deserialize(data)
            sound = all(any(kind in fault for kind in _INDEX_FAULTS) for fault in structural_faults(connection))
            whole = [table for table in remains.rows if _reads_whole(connection, table, remains)]
            return frozenset(whole if sound else ())
    except (sqlite3.Error, OverflowError):
        return frozenset()


def _reads_whole(connection: sqlite3.Connection, table: str, remains: RecoveredRows) -> bool:
    """Whether SQLite reads the whole table; rows that it reads and that are not whole are named."""
    try:
        for row in broken_rows(connection, table):
            rowid = int(str(row["_rowid_"]))
            if rowid not in remains.rows[table]:
                remains.broken[table].setdefault(rowid, row_name(connection, table, row))
        (count,) = connection.execute(f"SELECT count(*) FROM {table} NOT INDEXED").fetchone()
    except (sqlite3.Error, UnicodeDecodeError):
        return False
    return not remains.broken[table] and bool(count == len(remains.rows[table]))
