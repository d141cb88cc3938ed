"""Reads SQLite's write-ahead log as bytes: it may hold commits that SQLite would pass over in silence.

SQLite reads a log up to the first frame whose checksum is wrong. That is right for the torn end of a power loss,
behind which nothing was ever acknowledged. It is wrong for a frame that was damaged later: every commit behind it
is gone without a word. Format: https://www.sqlite.org/fileformat2.html, section 4.
"""

from __future__ import annotations

import struct
from pathlib import Path
from typing import NamedTuple

# Magic, version, page size, number of the checkpoint, two salts, two checksums.
_HEADER = struct.Struct(">8I")
_MAGICS = (0x377F0682, 0x377F0683)
"""The second says that checksums are over big-endian words."""
_WORD = 0xFFFFFFFF


class _Frame(NamedTuple):
    """The header of a frame: page, size of the database after a commit else 0, two salts, two checksums."""

    page: int
    commit: int
    salts: tuple[int, int]
    sums: tuple[int, int]


class _Log:
    """A log's bytes, cut into frames of the page size."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        fields = _HEADER.unpack_from(data) if len(data) >= _HEADER.size else (0,) * 8
        self.big = fields[0] == _MAGICS[1]
        self.sums = (fields[6], fields[7])
        self.whole = fields[0] in _MAGICS and self.sums == _checksum(data[:24], (0, 0), big=self.big)
        # 4096 is what this version writes, for a header that is damaged.
        self.page = fields[2] if self.whole else 4096
        self.size = self.page + 24
        self.frames = [self._frame(number) for number in range(max(0, len(data) - _HEADER.size) // self.size)]
        first = self.frames[0].salts if self.frames else (0, 0)
        self.salts = (fields[4], fields[5]) if self.whole else first

    def _frame(self, number: int) -> _Frame:
        fields = struct.unpack_from(">6I", self.data, _HEADER.size + number * self.size)
        return _Frame(fields[0], fields[1], (fields[2], fields[3]), (fields[4], fields[5]))

    def checksum_of(self, number: int, before: tuple[int, int]) -> tuple[int, int]:
        """The checksum of a frame, which goes on from that of the frame before."""
        start = _HEADER.size + number * self.size
        # Of its own header only page and size are summed, not salts and sums; then the page.
        head = _checksum(self.data[start : start + 8], before, big=self.big)
        return _checksum(self.data[start + 24 : start + self.size], head, big=self.big)

    def sound_frames(self) -> int:
        """How many frames SQLite reads."""
        sums = self.sums
        for number, frame in enumerate(self.frames if self.whole else []):
            sums = self.checksum_of(number, sums)
            if frame.salts != self.salts or frame.sums != sums:
                return number
        return len(self.frames) if self.whole else 0


def log_of(database: Path) -> Path:
    """The log of a database."""
    return database.with_name(database.name + "-wal")


def hides_commits(path: Path) -> bool:
    """Whether the log holds commits that were acknowledged and that SQLite would not read.

    Behind a wrong frame there may be the rest of the transaction it belongs to. A frame behind that was written
    only after the transaction had been acknowledged.
    """
    log = _Log(path.read_bytes() if path.exists() else b"")
    wrong = log.sound_frames()
    # Other salts are left over from before the last checkpoint.
    own = [number for number in range(wrong, len(log.frames)) if log.frames[number].salts == log.salts]
    ends = [number for number in own if log.frames[number].commit]
    return bool(ends) and own[-1] > ends[0]


def bytes_with_log(database: Path) -> bytes:
    """The database's bytes with its log taken in; for salvage.

    Where the log holds acknowledged commits behind a wrong frame, all frames are taken, the wrong one included:
    rows carry seals of their own, which tell the damaged ones apart. Otherwise only what SQLite would read.
    """
    path = log_of(database)
    data = bytearray(database.read_bytes() if database.exists() else b"")
    log = _Log(path.read_bytes() if path.exists() else b"")
    end = len(log.frames) if hides_commits(path) else log.sound_frames()
    ends = [number for number in range(end) if log.frames[number].commit and log.frames[number].salts == log.salts]
    for number in range(ends[-1] + 1 if ends else 0):
        page, start = log.frames[number].page, _HEADER.size + number * log.size + 24
        if not 0 < page <= len(data) // log.page + len(log.frames):
            continue  # a page number that was damaged
        place = (page - 1) * log.page
        data.extend(bytes(max(0, place + log.page - len(data))))
        data[place : place + log.page] = log.data[start : start + log.page]
    return bytes(data)


def _checksum(data: bytes, before: tuple[int, int], *, big: bool) -> tuple[int, int]:
    first, second = before
    words = struct.unpack(f"{'>' if big else '<'}{len(data) // 4}I", data)
    for place in range(0, len(words), 2):
        first = (first + words[place] + second) & _WORD
        second = (second + words[place + 1] + first) & _WORD
    return first, second
