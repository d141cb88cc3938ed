"""The table of notes: written one by one, read once and then only what is new."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256

from evolve.files import canonical_json, clean_text, digest
from evolve.memory.notes.book import NoteBook
from evolve.memory.notes.kept import UNSOUND, WORTH_KEEPING, KeptNotes
from evolve.memory.notes.late import COLUMNS, LateNotes, read_note
from evolve.memory.notes.note import Note
from evolve.store import Database, Value

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
    db.delete("memory_forgotten_notes", {"id": _of_words(note.text)})  # said again, it is meant
    return db.insert("memory_notes", row, key="id")


def delete_notes(db: Database, notes: Sequence[Note], at: float) -> None:
    """Deletes notes. Of their words only a digest stays."""
    with db.transaction():
        for note in notes:
            db.delete("memory_notes", {"id": note.id})
            db.insert("memory_forgotten_notes", {"id": _of_words(note.text), "at": at}, key="id")


def was_forgotten(db: Database, text: str) -> bool:
    """Whether a note of these words was deleted, and the words not noted again since."""
    return bool(db.rows("memory_forgotten_notes", {"id": _of_words(text)}))


def _of_words(text: str) -> str:
    return digest(clean_text(text.strip()))


class NoteReader:
    """Keeps a :class:`NoteBook` in step with the record, reading only what is new.

    Args:
        kept: What an earlier process worked out.

    Attributes:
        round: Rises whenever the book was begun anew; what was derived from an earlier one is void.
    """

    def __init__(self, db: Database, kept: KeptNotes) -> None:
        self._db = db
        self._kept = kept
        self._book: NoteBook | None = None
        self._last = 0
        self.round = 0

    def book(self) -> NoteBook:
        """The book as the record is now.

        Raises:
            RecordDamaged: A row does not match its checksum.
        """
        book = self._book
        if book is None:
            book = self._book = self._begun()
        # Numbers of rows, as clocks jump.
        fresh = self._db.query("SELECT id, rowid AS seq FROM memory_notes WHERE rowid > ? ORDER BY rowid", [self._last])
        if book.notes and not self._in_step(book, len(fresh)):
            self.restart()
            return self.book()
        seqs = {str(row["id"]): int(str(row["seq"])) for row in fresh}
        for row in self._db.rows("memory_notes", "rowid > ?", parameters=[self._last]) if seqs else ():
            self._last = seqs[str(row["id"])]
            book.add(read_note({**row, "seq": self._last}))
        return book

    def restart(self) -> None:
        """Reads everything anew when it is asked for next."""
        self._book, self._last = None, 0
        self.round += 1

    def keep(self) -> None:
        """Stores what was worked out, where that is worth a file."""
        if self._book is not None and len(self._book.notes) >= self._kept.count + WORTH_KEEPING:
            self._book.keep(self._kept.connection)
            found = self._db.columns(f"{_SEALED} WHERE rowid <= ? ORDER BY rowid", [self._last])
            self._kept.write(len(found[0]), _digest(found))

    def _begun(self) -> NoteBook:
        """A book of the notes that were worked out before, or an empty one."""
        book = NoteBook()
        self._kept.read()
        if self._kept.count:
            # Unverified, as opening the record has checked each row, and the digest says that these are the same.
            names = ", ".join("rowid" if name == "seq" else name for name in COLUMNS)
            rows = f"SELECT rowid, checksum, {names} FROM memory_notes ORDER BY rowid LIMIT ?"
            found = self._db.columns(rows, [self._kept.count])
            if self._kept.speaks_of(_digest(found[:2])):
                try:
                    book.read_from(LateNotes(found[2:]), self._kept.connection)
                except UNSOUND:
                    self._kept.drop()
                    return NoteBook()
                self._last = int(str(found[0][-1]))
        return book

    def _in_step(self, book: NoteBook, fresh: int) -> bool:
        # Deleted or rolled back since: then there are fewer, or another one has the last number. All are counted, as
        # for that the small index of ids is enough.
        found = self._db.query(
            "SELECT (SELECT id FROM memory_notes WHERE rowid = ?) AS name, count(*) AS n FROM memory_notes",
            [self._last],
        )[0]
        return found["name"] == next(reversed(book.notes)) and found["n"] == len(book.notes) + fresh


_SEALED = "SELECT rowid, checksum FROM memory_notes"


def _digest(sealed: Sequence[Sequence[Value]]) -> str:
    """Of which rows these are and what they say, as their checksums have it."""
    return sha256("\n".join(" ".join(map(str, column)) for column in sealed).encode()).hexdigest()
