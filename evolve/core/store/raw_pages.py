"""Reads rows from the pages of a database file, without trusting its tables of contents.

For salvage: a damaged file may have lost its schema or the pages that lead to its rows, while the rows are whole.
SQLite reads them, in a copy with another schema, in which every page is a table of its own.
Format: https://www.sqlite.org/fileformat2.html, section 1.6.
"""

from __future__ import annotations

import sqlite3
import struct
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass

_ROWS, _ENTRIES, _INNER_ENTRIES = 0x0D, 0x0A, 0x02
"""The first byte of a page with rows of a table, and of one with entries of an index, at its end or within."""
_HEADER = 8
"""Bytes of such a page before its cell pointers; a page within an index has four more, and before each entry."""
_SIZES = (512, 1024, 2048, 4096, 8192, 16384, 32768, 65536)
# More than any table of ours has.
_COLUMNS = ", ".join(f"c{number}" for number in range(40))

Stored = None | int | float | bytes | str


@dataclass(frozen=True, kw_only=True)
class SalvagedPages:
    """What stands on the pages of a file. Nothing says that a row is whole or current; its checksum tells that.

    Attributes:
        data: The file.
        rows: Page, row number and columns of whatever may be a row of some table, without NULLs at the end.
        entries: Page and columns of whatever may be an entry of some index; the last column is a row number.
    """

    data: bytes
    rows: Sequence[tuple[int, int, list[Stored]]]
    entries: Sequence[tuple[int, list[Stored]]]


def read_pages(data: bytes) -> SalvagedPages:
    """Reads every page of a database file but the first, which belongs to SQLite's own table of contents."""
    # The field has two bytes, so 1 stands for 65,536.
    stated = int.from_bytes(data[16:18], "big")
    size = 65536 if stated == 1 else stated
    # A file with a damaged header has the size that this version writes.
    size = size if size in _SIZES and data[:16] == b"SQLite format 3\0" else 4096
    pages = [_as_leaf(data[start : start + size]) for start in range(size, len(data) - size + 1, size)]
    found = {place: place for place, page in enumerate(pages) if page[0] in (_ROWS, _ENTRIES)}
    contents = sorted(_contents(pages, found), key=lambda item: item[0])
    rows = [(place, columns[0], columns[1:]) for place, columns in contents if pages[place][0] == _ROWS]
    return SalvagedPages(
        data=data,
        rows=[(place, rowid, columns) for place, rowid, columns in rows if isinstance(rowid, int)],
        entries=[(place, columns) for place, columns in contents if pages[place][0] == _ENTRIES],
    )


def _contents(pages: Sequence[bytes], places: Mapping[int, int]) -> Iterator[tuple[int, list[Stored]]]:
    torn: list[tuple[int, bytes]] = []
    with closing(_database(pages, places)) as connection:
        for number, place in places.items():
            rowid = "rowid, " if pages[number][0] == _ROWS else ""
            try:
                found = connection.execute(f"SELECT {rowid}* FROM p{number}").fetchall()
            except sqlite3.DatabaseError:
                torn += ((place, cell) for cell in _cells(pages[number]))
                continue
            for row in found:
                yield place, list(row[: max(at for at, value in enumerate((0, *row)) if value is not None)])
    if torn:
        alone = {len(pages) + number: place for number, (place, _) in enumerate(torn)}
        yield from _contents([*pages, *(cell for _, cell in torn)], alone)


def _database(pages: Sequence[bytes], tables: Mapping[int, int]) -> sqlite3.Connection:
    """A database of the pages, after a first one of its own; of some each is the table ``p<number>``."""
    connection = sqlite3.connect(":memory:", isolation_level=None)
    if not pages:
        return connection
    connection.execute(f"PRAGMA page_size={len(pages[0])}")
    connection.execute("PRAGMA user_version=1")  # writes the first page
    first = connection.serialize()
    count = (len(pages) + 1).to_bytes(4, "big")
    connection.deserialize(b"".join([first[:28], count, first[32:], *pages]))
    connection.text_factory = lambda text: text.decode("utf-8", "replace")
    connection.execute("PRAGMA writable_schema=ON")
    connection.execute("BEGIN")
    for number in tables:
        # An index is stored as such a table is.
        end = ")" if pages[number][0] == _ROWS else ", PRIMARY KEY (c0)) WITHOUT ROWID"
        sql = f"CREATE TABLE p{number} ({_COLUMNS}{end}"
        name = f"p{number}"
        connection.execute("INSERT INTO sqlite_master VALUES ('table', ?, ?, ?, ?)", (name, name, number + 2, sql))
    connection.execute("COMMIT")
    connection.execute("PRAGMA writable_schema=RESET")
    return connection


def _as_leaf(page: bytes) -> bytes:
    """The page; of one within an index its own entries alone, without the pages that it leads to."""
    if page[0] != _INNER_ENTRIES:
        return page
    pointers = [(pointer + 4) & 0xFFFF for pointer in _pointers(page, _HEADER + 4)]
    cells = struct.pack(f">{len(pointers)}H", *pointers)
    return bytes([_ENTRIES]) + page[1:_HEADER] + cells + page[_HEADER + len(cells) :]


def _cells(page: bytes) -> Iterator[bytes]:
    """Pages with one cell each of a page that cannot be read as a whole."""
    pointers = _pointers(page, _HEADER)
    for pointer in pointers if len(pointers) > 1 else ():
        yield page[:3] + struct.pack(">H", 1) + page[5:_HEADER] + struct.pack(">H", pointer) + page[_HEADER + 2 :]


def _pointers(page: bytes, start: int) -> tuple[int, ...]:
    (count,) = struct.unpack_from(">H", page, 3)
    return struct.unpack_from(f">{min(count, (len(page) - start) // 2)}H", page, start)
