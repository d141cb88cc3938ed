"""Reads rows from the pages of a database file, without trusting its tables of contents.

For salvage: a damaged file may have lost its schema or the pages that lead to its rows, while the rows are whole.
Format: https://www.sqlite.org/fileformat2.html, sections 1.5 to 2.1.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass, field

_LEAF = 0x0D
_INDEX_PAGES = {0x0A: (8, 0), 0x02: (12, 4)}
"""Pages of indexes: where their cell pointers begin, and how many bytes stand before a cell's length."""
_SIZES = (512, 1024, 2048, 4096, 8192, 16384, 32768, 65536)
# Of serial types 0 to 6; there is none of five or seven bytes.
_INTEGER_BYTES = (0, 1, 2, 3, 4, 6, 8)
# Our widest table is far below; damaged bytes may claim any number.
_MOST_COLUMNS = 200

Stored = None | int | float | bytes | str


class _Unreadable(Exception):
    """The bytes at a place cannot be a row."""


@dataclass(frozen=True)
class PageFile:
    """A database file in memory.

    Attributes:
        size: Bytes per page.
        unused: Pages on the list of free pages; what stands in them was deleted.
    """

    data: bytes
    size: int = field(init=False)
    unused: frozenset[int] = field(init=False)

    def __post_init__(self) -> None:
        # The field has two bytes, so 1 stands for 65,536.
        stated = int.from_bytes(self.data[16:18], "big")
        size = 65536 if stated == 1 else stated
        # A file with a damaged header has the size that this version writes.
        object.__setattr__(self, "size", size if size in _SIZES and self.data[:16] == b"SQLite format 3\0" else 4096)
        object.__setattr__(self, "unused", frozenset(self._free_pages()))

    def records(self) -> Iterator[tuple[int, int, list[Stored]]]:
        """Page, row number and columns of whatever may be a row of some table, in order of pages.

        Nothing says that a row is whole or current; that is for its checksum to tell.
        """
        for number in range(1, len(self.data) // self.size + 1):
            if number not in self.unused:
                for rowid, columns in self._leaf(number):
                    yield number, rowid, columns

    def entries(self) -> Iterator[tuple[int, list[Stored]]]:
        """Page and columns of whatever may be an entry of some index; the last column is a row number."""
        for number in range(1, len(self.data) // self.size + 1):
            page = self._page(number)
            if number in self.unused or page[0] not in _INDEX_PAGES:
                continue
            begin, before = _INDEX_PAGES[page[0]]
            (count,) = struct.unpack_from(">H", page, 3)
            for place in range(min(count, (self.size - begin) // 2)):
                (offset,) = struct.unpack_from(">H", page, begin + 2 * place)
                try:
                    length, start = _varint(page, offset + before)
                    yield number, _columns(page[start : start + length])
                except (_Unreadable, IndexError, struct.error, UnicodeDecodeError):
                    continue  # damaged, or too long for its page

    def _page(self, number: int) -> bytes:
        if not 1 <= number <= len(self.data) // self.size:
            raise _Unreadable
        return self.data[(number - 1) * self.size : number * self.size]

    def _leaf(self, number: int) -> Iterator[tuple[int, list[Stored]]]:
        page = self._page(number)
        # The header of the file stands before that of its first page.
        start = 100 if number == 1 else 0
        if page[start] != _LEAF:
            return
        (count,) = struct.unpack_from(">H", page, start + 3)
        for place in range(min(count, (self.size - start - 8) // 2)):
            (offset,) = struct.unpack_from(">H", page, start + 8 + 2 * place)
            try:
                yield self._cell(page, offset)
            except (_Unreadable, IndexError, struct.error, UnicodeDecodeError):
                continue

    def _cell(self, page: bytes, offset: int) -> tuple[int, list[Stored]]:
        length, offset = _varint(page, offset)
        rowid, offset = _varint(page, offset)
        if length > len(self.data):
            raise _Unreadable
        return _signed(rowid), _columns(self._payload(page, offset, length))

    def _payload(self, page: bytes, offset: int, length: int) -> bytes:
        """The content of a row, with what of it lies in overflow pages."""
        # Section 1.6: what of a longer row stays on its page, and what goes on in overflow pages.
        largest = self.size - 35
        if length <= largest:
            return page[offset : offset + length]
        least = (self.size - 12) * 32 // 255 - 23
        local = least + (length - least) % (self.size - 4)
        local = local if local <= largest else least
        content = bytearray(page[offset : offset + local])
        (following,) = struct.unpack_from(">I", page, offset + local)
        while len(content) < length:
            more = self._page(following)
            (following,) = struct.unpack_from(">I", more)
            content += more[4 : 4 + length - len(content)]
        return bytes(content)

    def _free_pages(self) -> Iterator[int]:
        (trunk,) = struct.unpack_from(">I", self.data, 32) if len(self.data) >= 36 else (0,)
        seen: set[int] = set()
        # A damaged list may lead in a circle.
        while trunk and trunk not in seen:
            seen.add(trunk)
            try:
                page = self._page(trunk)
            except _Unreadable:
                return
            yield trunk
            following, count = struct.unpack_from(">2I", page)
            if count > self.size // 4 - 2:
                return
            yield from struct.unpack_from(f">{count}I", page, 8)
            trunk = following


def _columns(payload: bytes) -> list[Stored]:
    end, place = _varint(payload, 0)
    kinds: list[int] = []
    while place < end:
        kind, place = _varint(payload, place)
        kinds.append(kind)
        if len(kinds) > _MOST_COLUMNS:
            raise _Unreadable
    columns: list[Stored] = []
    for kind in kinds:
        value, place = _value(payload, place, kind)
        columns.append(value)
    if place != len(payload):
        raise _Unreadable
    return columns


def _value(payload: bytes, place: int, kind: int) -> tuple[Stored, int]:
    # Serial types: NULL, and the integers 0 and 1, which take no room.
    if kind in (0, 8, 9):
        return (None if kind == 0 else kind - 8), place
    if kind == 7:
        (number,) = struct.unpack_from(">d", payload, place)
        return number, place + 8
    if kind < 7:
        size = _INTEGER_BYTES[kind]
        return int.from_bytes(payload[place : place + size], "big", signed=True), place + size
    # 10 and 11 are for SQLite itself and never in a file.
    if kind < 12:
        raise _Unreadable
    size = (kind - 12) // 2
    piece = payload[place : place + size]
    if len(piece) != size:
        raise _Unreadable
    return (piece.decode("utf-8") if kind % 2 else piece), place + size


def _varint(data: bytes, place: int) -> tuple[int, int]:
    value = 0
    for step in range(9):
        byte = data[place + step]
        if step == 8:
            return value << 8 | byte, place + 9
        value = value << 7 | byte & 0x7F
        if not byte & 0x80:
            return value, place + step + 1
    raise _Unreadable


def _signed(number: int) -> int:
    return number - (1 << 64) if number >> 63 else number
