"""Notes and what was worked out from them, each read when it is first asked for.

A question touches a few hundred of the notes, so a new process that makes all of a hundred thousand makes nearly all of
them for nothing.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Generic, TypeVar

from evolve.memory.notes.note import Note
from evolve.store import Value, value_of

V = TypeVar("V")

NoteRow = Mapping[str, Value]
"""A row of the record, with its number as ``seq``."""


def read_note(row: NoteRow) -> Note:
    """The note that a row of the record keeps."""
    return value_of(Note, {name: value for name, value in row.items() if value is not None})


class LateNotes(Mapping[str, Note]):
    """Notes by id in the order of the record; those given as rows are made when they are asked for."""

    def __init__(self, rows: Iterable[NoteRow] = ()) -> None:
        self._held: list[Note | NoteRow] = list(rows)
        self._names = [str(row["id"]) for row in self._held]  # type: ignore[index]
        self._places = {name: place for place, name in enumerate(self._names)}

    def __getitem__(self, name: str) -> Note:
        place = self._places[name]
        held = self._held[place]
        if not isinstance(held, Note):
            held = self._held[place] = read_note(held)
        return held

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
        return len(self._held)

    def append(self, note: Note) -> None:
        """Adds a note under a new id."""
        self._places[note.id] = len(self._held)
        self._names.append(note.id)
        self._held.append(note)

    def after(self, place: int) -> list[Note]:
        """All but the first so many."""
        return [self[name] for name in self._names[place:]]

    def name(self, place: int) -> str:
        """The id of a note by its place in the record."""
        return self._names[place]

    def column(self, name: str) -> Iterator[Value]:
        """One field of all notes, of some None for its default, without making them."""
        return (getattr(held, name) if isinstance(held, Note) else held[name] for held in self._held)


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
