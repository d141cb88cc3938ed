"""The table of notes: written one by one, read once and then only what is new."""

from __future__ import annotations

from evolve.files import canonical_json, digest
from evolve.memory.notes.book import NoteBook
from evolve.memory.notes.note import Note
from evolve.store import Database, Migration, Value, value_of

NOTES = Migration(
    "memory",
    5,
    """
    ALTER TABLE memory_notes ADD COLUMN role TEXT;
    ALTER TABLE memory_notes ADD COLUMN thread TEXT;
    ALTER TABLE memory_notes ADD COLUMN source TEXT;
    ALTER TABLE memory_notes ADD COLUMN environment TEXT;
    ALTER TABLE memory_notes ADD COLUMN family TEXT
    """,
)
"""Columns that older notes leave empty; the table itself is one of the memory's first."""

_OPTIONAL = ("role", "thread", "source", "environment", "family")


def note_id(note: Note, *, dated: bool) -> str:
    """An id by content; with the time where the same words said at another time are another note."""
    said = [note.author, note.text]
    more = [str(getattr(note, name)) for name in _OPTIONAL]
    where = more if more != ["user", "", "", "", ""] else []
    return digest(canonical_json([*said, *where, *([note.at] if dated else [])]))[:32]


def write_note(db: Database, note: Note) -> bool:
    """Keeps a note; one whose id is there already stays as it is, and False is given."""
    row: dict[str, Value] = {"id": note.id, "text": note.text, "author": note.author, "at": note.at}
    row.update((name, getattr(note, name) or None) for name in _OPTIONAL)
    return db.insert("memory_notes", row, key="id")


class NoteReader:
    """Keeps a :class:`NoteBook` in step with the record, reading only what is new."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._book = NoteBook()
        self.round = 0
        """Rises whenever the book was begun anew; what was derived from an earlier one is void."""

    def book(self) -> NoteBook:
        """The book as the record is now.

        Raises:
            RecordDamaged: A row does not match its checksum.
        """
        last = self._book.said[-1] if self._book.said else None
        after = last.seq if last is not None else 0
        # Numbers of rows, as clocks jump.
        fresh = self._db.query("SELECT id, rowid AS seq FROM memory_notes WHERE rowid > ? ORDER BY rowid", [after])
        if last is not None and not self._in_step(last, len(fresh)):
            self._book = NoteBook()
            self.round += 1
            return self.book()
        seqs = {str(row["id"]): int(str(row["seq"])) for row in fresh}
        for row in self._db.rows("memory_notes", "rowid > ?", parameters=[after]) if seqs else ():
            given = {name: value for name, value in row.items() if value is not None}
            self._book.add(value_of(Note, given, seq=seqs[str(row["id"])]))
        return self._book

    def _in_step(self, last: Note, fresh: int) -> bool:
        # Deleted or rolled back since: then there are fewer, or another one has the last number. All are counted, as
        # for that the small index of ids is enough.
        found = self._db.query(
            "SELECT (SELECT id FROM memory_notes WHERE rowid = ?) AS name, count(*) AS n FROM memory_notes", [last.seq]
        )[0]
        return found["name"] == last.id and found["n"] == len(self._book.said) + fresh
