"""Notes and what was worked out from them, each read when it is first asked for.

A question touches a few hundred of the notes, so a new process that makes all of a hundred thousand makes nearly all of
them for nothing.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields
from itertools import chain
from typing import Any, Generic, TypeVar

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

    def after(self, place: int) -> list[Note]:
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
        unpack: An entry from its key and what :meth:`keep` stored.
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

    def changing(self, key: str, fresh: Callable[[], V]) -> V:
        """The entry, which the caller is about to change; a fresh one where there is none."""
        value = self.find(key)
        if value is None:
            value = self[key] = fresh()
        self._changed.add(key)
        return value

    def keep(self, kept: sqlite3.Connection) -> None:
        """Stores what changed since."""
        changed = ((self._kind, key, self._pack(self[key])) for key in sorted(self._changed))
        kept.executemany("INSERT OR REPLACE INTO entries (kind, key, content) VALUES (?, ?, ?)", changed)
        self._changed.clear()


SCHEMA = "CREATE TABLE entries (kind TEXT, key TEXT, content, PRIMARY KEY (kind, key))"
_READ = "SELECT content FROM entries WHERE kind = ? AND key = ?"
