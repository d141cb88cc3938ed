"""What was worked out from notes, kept in a file of derived data and read when it is first asked for.

It is derived data. It is used only where it is as it was written, was written by the code that would work it out now,
and speaks of the very rows that the record has; else it is dropped and made anew. It is read whole and written whole,
so a process that is killed leaves it as it was before, and the notes since then are worked out again.

A question touches a few hundred of the notes, so a new process that makes all of a hundred thousand makes nearly all of
them for nothing.
"""

from __future__ import annotations

import json
import os
import pkgutil
import sqlite3
import stat
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields
from hashlib import sha256
from importlib import metadata
from itertools import chain
from pathlib import Path
from typing import Any, Generic, TypeVar

from evolve.core.files import canonical_json, write_atomic, write_failure
from evolve.core.store import Value, value_of
from evolve.memory.notes.note import Note

V = TypeVar("V")

NoteRow = Mapping[str, Value]
"""A row of the record, with its number as ``seq``."""

COLUMNS = tuple(field.name for field in fields(Note))
"""Those of a note's row, under the names that :class:`Note` has for them."""


def read_note(row: NoteRow) -> Note:
    """The note that a row of the record keeps."""
    return value_of(Note, {name: value for name, value in row.items() if value is not None})


class LateNotes(Mapping[str, Note]):
    """Notes by id in the order of the record, each made when it is first asked for.

    Args:
        columns: What the record has of them, in the order of :data:`COLUMNS`.
    """

    def __init__(self, columns: Sequence[Sequence[Value]] = ()) -> None:
        self._columns = dict(zip(COLUMNS, columns, strict=False))
        self._names = [str(name) for name in self._columns.get("id", ())]
        self._places = {name: place for place, name in enumerate(self._names)}
        self._made: dict[str, Note] = {}

    def __getitem__(self, name: str) -> Note:
        note = self._made.get(name)
        if note is None:
            place = self._places[name]
            row = {column: values[place] for column, values in self._columns.items()}
            note = self._made[name] = read_note(row)
        return note

    def get(self, name: str, default: Any = None) -> Any:
        """The note, or the default."""
        return self[name] if name in self._places else default

    def __contains__(self, name: object) -> bool:
        return name in self._places

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __reversed__(self) -> Iterator[str]:
        return reversed(self._places)

    def __len__(self) -> int:
        return len(self._names)

    def append(self, note: Note) -> None:
        """Adds a note under a new id."""
        self._places[note.id] = len(self._names)
        self._names.append(note.id)
        self._made[note.id] = note

    def notes_after(self, place: int) -> list[Note]:
        """All but the first so many."""
        return [self[name] for name in self._names[place:]]

    def name(self, place: int) -> str:
        """The id of a note by its place in the record."""
        return self._names[place]

    def column(self, name: str) -> Iterator[Value]:
        """One field of all notes, of some None for its default, without making them."""
        given = self._columns.get(name, ())
        return chain(given, (getattr(self._made[later], name) for later in self._names[len(given) :]))


class LateTable(dict[str, V], Generic[V]):
    """Entries by key that are unpacked when they are first asked for; it knows which of them changed.

    Args:
        kind: Tells its entries from those of other tables.
        unpack: An entry from its key and what :meth:`save_changes` stored.
        pack: What is stored of an entry.
    """

    def __init__(self, kind: str, unpack: Callable[[str, Any], V], pack: Callable[[V], str | bytes]) -> None:
        super().__init__()
        self._kind, self._unpack, self._pack = kind, unpack, pack
        self._changed: set[str] = set()
        self._kept: sqlite3.Connection | None = None

    def read_from(self, kept: sqlite3.Connection) -> None:
        """Where entries are that were not set here."""
        self._kept = kept

    def __missing__(self, key: str) -> V:
        found = self._kept and self._kept.execute(_READ, (self._kind, key)).fetchone()
        if not found:
            raise KeyError(key)
        value = self._unpack(key, found[0])
        super().__setitem__(key, value)
        return value

    def __setitem__(self, key: str, value: V) -> None:
        super().__setitem__(key, value)
        self._changed.add(key)

    def find(self, key: str) -> V | None:
        """The entry, or None."""
        try:
            return self[key]
        except KeyError:
            return None

    def entry_to_change(self, key: str, fresh: Callable[[], V]) -> V:
        """The entry, which the caller is about to change; a fresh one where there is none."""
        value = self.find(key)
        if value is None:
            value = self[key] = fresh()
        self._changed.add(key)
        return value

    def save_changes(self, kept: sqlite3.Connection) -> None:
        """Stores what changed since."""
        changed = ((self._kind, key, self._pack(self[key])) for key in sorted(self._changed))
        kept.executemany("INSERT OR REPLACE INTO entries (kind, key, content) VALUES (?, ?, ?)", changed)
        self._changed.clear()


SCHEMA = "CREATE TABLE entries (kind TEXT, key TEXT, content, PRIMARY KEY (kind, key))"
_READ = "SELECT content FROM entries WHERE kind = ? AND key = ?"


WORTH_KEEPING = 256
"""Notes that came since the file was written; fewer are worked out anew sooner than the file is written."""
_MAGIC = b"SQLite format 3\0"
_NOTES = (
    *("cache.py", "facts.py", "name_statements.py", "name_table.py", "note.py", "repository.py", "superseded.py"),
    "times.py",
)
_CODE = (
    *(("evolve.memory.notes", name) for name in _NOTES),
    *(("evolve.runtime.retrieval", name) for name in ("lexical.py",)),
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
        if not isinstance(head, dict) or head.get("code") != _code_digest():
            return
        count, digest, database = head.get("count"), head.get("digest"), memoryview(content)[end + 1 :]
        if type(count) is int and count > 0 and isinstance(digest, str) and database[: len(_MAGIC)] == _MAGIC:
            self.connection.deserialize(database)
            self.count, self._digest = count, digest

    def speaks_of(self, digest: str) -> bool:
        """Whether it was made from the rows of this digest; if not it is dropped, and what was deleted with it."""
        if digest == self._digest:
            return True
        self.discard_file()
        return False

    def discard_file(self) -> None:
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
        head = canonical_json({"code": _code_digest(), "count": count, "digest": digest})
        rest = head.encode() + b"\n" + self.connection.serialize()
        write_atomic(self._path, b"%08x\n" % zlib.crc32(rest) + rest)
        self.count, self._digest = count, digest

    def _begin(self) -> None:
        self.close()
        self.connection, self.count, self._digest = _new(), 0, ""

    def close(self) -> None:
        """Frees its memory; closing twice is no error."""
        self.connection.close()


def _code_digest() -> str:
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
