"""The file of what was worked out from notes: their facts, what replaced them, and the index of their words.

It is derived data. It is used only where it is as it was written, was written by the code that would work it out now,
and speaks of the very rows that the record has; else it is dropped and made anew. It is read whole and written whole,
so a process that is killed leaves it as it was before, and the notes since then are worked out again.
"""

from __future__ import annotations

import json
import os
import pkgutil
import sqlite3
import stat
import zlib
from hashlib import sha256
from importlib import metadata
from pathlib import Path

from evolve.core.files import canonical_json, write_atomic, write_failure
from evolve.memory.notes.notes_late import SCHEMA

WORTH_KEEPING = 256
"""Notes that came since the file was written; fewer are worked out anew sooner than the file is written."""
_MAGIC = b"SQLite format 3\0"
_NOTES = ("book.py", "changing.py", "facts.py", "kept.py", "late.py", "note.py", "shelf.py")
_CODE = (
    *(("evolve.memory.notes", name) for name in _NOTES),
    *(("evolve.runtime.retrieval", name) for name in ("lexical.py", "word_index.py")),
)
"""Files of which each change may change what is worked out."""
UNSOUND = (sqlite3.Error, ValueError, TypeError, LookupError, AttributeError, RecursionError)
"""What reading of a file comes to that has the right checksum and was not written by this code."""


class KeptNotes:
    """An SQLite database in memory whose content outlives the process.

    Args:
        path: The file; None for none.
        read_only: The file is read and never written.

    Attributes:
        connection: To the database.
        count: Notes that the file spoke of when it was read; 0 where there is none of use.
    """

    def __init__(self, path: Path | None, *, read_only: bool = False) -> None:
        self._path, self._read_only = path, read_only
        self.count = 0
        self._digest = ""
        self.connection = _new()

    def read(self) -> None:
        """Begins anew with what the file has, where it is sound and of this code."""
        self._begin()
        try:
            content = _content(self._path) if self._path is not None else b""
        except OSError:
            return
        rest = memoryview(content)[9:]  # views, as it may be large
        if content[:9] != b"%08x\n" % zlib.crc32(rest):
            return
        end = content.find(b"\n", 9)
        try:
            head = json.loads(content[9:end])
        except (ValueError, RecursionError):
            return
        if not isinstance(head, dict) or head.get("code") != code_digest():
            return
        count, digest, database = head.get("count"), head.get("digest"), memoryview(content)[end + 1 :]
        if type(count) is int and count > 0 and isinstance(digest, str) and database[: len(_MAGIC)] == _MAGIC:
            self.connection.deserialize(database)
            self.count, self._digest = count, digest

    def speaks_of(self, digest: str) -> bool:
        """Whether it was made from the rows of this digest; if not it is dropped, and what was deleted with it."""
        if digest == self._digest:
            return True
        self.drop()
        return False

    def drop(self) -> None:
        """Begins anew without the file, which is removed."""
        self._begin()
        if self._path is not None and not self._read_only:
            try:
                self._path.unlink(missing_ok=True)
            except OSError as error:
                if self._path.is_dir():  # nothing of notes is in it
                    return
                raise write_failure(self._path, error) from error

    def write(self, count: int, digest: str) -> None:
        """Replaces the file; what is there and is no regular file stays, as then nothing is kept.

        Args:
            count: Notes that it speaks of.
            digest: Of their rows.

        Raises:
            WorkspaceError: It cannot be written.
        """
        if self._path is None or self._read_only or (self._path.exists() and not self._path.is_file()):
            return
        head = canonical_json({"code": code_digest(), "count": count, "digest": digest})
        rest = head.encode() + b"\n" + self.connection.serialize()
        write_atomic(self._path, b"%08x\n" % zlib.crc32(rest) + rest)
        self.count, self._digest = count, digest

    def _begin(self) -> None:
        self.close()
        self.connection, self.count, self._digest = _new(), 0, ""

    def close(self) -> None:
        """Frees its memory; closing twice is no error."""
        self.connection.close()


def code_digest() -> str:
    """A digest of the code that works things out, so that what other code made is not used."""
    try:
        parts = [pkgutil.get_data(*name) or b"" for name in _CODE]
    except OSError:  # installed without its sources
        parts = [metadata.version("evolve-learn").encode()]
    return sha256(b"\0".join([*parts, sqlite3.sqlite_version.encode()])).hexdigest()


def _content(path: Path) -> bytes:
    """What a file has; none where that is no regular file, such as a pipe, of which reading might never end.

    Raises:
        OSError: It cannot be read.
    """
    if not path.is_file():
        return b""
    with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as stream:
        # It may have been replaced since; to open a pipe would wait for its other end.
        return stream.read() if stat.S_ISREG(os.fstat(stream.fileno()).st_mode) else b""


def _new() -> sqlite3.Connection:
    # A workspace is closed from other threads than the one that recalled; its own lock keeps them apart.
    connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    connection.execute(SCHEMA)
    return connection
