"""The notes of a record: found by words, vectors, threads and times.

Their table is written one by one, read once and then only what is new.
"""

from __future__ import annotations

import math
import sqlite3
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from hashlib import sha256
from itertools import islice
from typing import TYPE_CHECKING

from evolve.core.episodes import Recalled
from evolve.core.errors import UsageError
from evolve.core.files import canonical_json, clean_text, digest
from evolve.core.store import Database, Value
from evolve.memory.encoding import WordEncoder
from evolve.memory.index import Hit
from evolve.memory.notes.cache import COLUMNS, UNSOUND, WORTH_KEEPING, KeptNotes, LateNotes, read_note
from evolve.memory.notes.note import TRUST, Note
from evolve.memory.notes.superseded import ResolvedNotes
from evolve.memory.record_index import DerivedIndex, IndexFactory, exact_distances, open_exact_index
from evolve.runtime.retrieval import WordIndex

if TYPE_CHECKING:
    from evolve.memory.notes.ranking import NoteQuestion
    from evolve.runtime.retrieval import Embedder


_DELETIONS = "memory.deletions"
"""Counts deletions of notes, by which a process sees those of others."""
_OPTIONAL = ("role", "thread", "source", "environment", "family")


def _note_id(note: Note, *, dated: bool) -> str:
    """An id by content; with the time where the same words said at another time are another note."""
    said = [note.author, note.text]
    more = [str(getattr(note, name)) for name in _OPTIONAL]
    where = more if more != ["user", "", "", "", ""] else []
    return digest(canonical_json([*said, *where, *([note.at] if dated else [])]))[:32]


def _write_note(db: Database, note: Note) -> bool:
    """Keeps a note; one whose id is there already stays as it is, and False is given."""
    row: dict[str, Value] = {"kind": "note", "id": note.id, "text": note.text, "author": note.author, "at": note.at}
    row.update((name, getattr(note, name) or None) for name in _OPTIONAL)
    db.delete("memory_forgotten_notes", {"id": _of_words(note.text)})  # said again, it is meant
    return db.insert("memory_statements", row, key=("kind", "id"))


def _delete_notes(db: Database, notes: Sequence[Note], at: float) -> None:
    """Deletes notes. Of their words only a digest stays."""
    with db.transaction():
        for note in notes:
            db.delete("memory_statements", {"kind": "note", "id": note.id})
            db.insert("memory_forgotten_notes", {"id": _of_words(note.text), "at": at}, key="id")
        db.set_meta(_DELETIONS, str(_deletions(db) + 1))


def _of_words(text: str) -> str:
    return digest(clean_text(text.strip()))


class NoteReader:
    """Keeps a :class:`ResolvedNotes` in step with the record, reading only what is new.

    Args:
        kept: What an earlier process worked out.

    Attributes:
        round: Rises whenever the book was begun anew; what was derived from an earlier one is void.
    """

    def __init__(self, db: Database, kept: KeptNotes) -> None:
        self._db = db
        self._kept = kept
        self._book: ResolvedNotes | None = None
        self._last = 0
        self._deletions = 0
        self.round = 0

    def read_book(self) -> ResolvedNotes:
        """The book as the record is now.

        Raises:
            RecordDamaged: A row does not match its checksum.
        """
        with self._db.read_snapshot():
            return self._read()

    def _read(self) -> ResolvedNotes:
        book = self._book
        if book is None:
            book = self._book = self._begun()
        # Numbers of rows, as clocks jump.
        if book.notes and not self._in_step(book):
            self.restart()
            return self._read()
        for note in map(
            read_note, self._db.rows("memory_statements", f"{_NOTES} AND seq > ?", parameters=[self._last])
        ):
            self._last = note.seq
            book.add(note)
        return book

    def restart(self) -> None:
        """Reads everything anew when it is asked for next."""
        self._book, self._last = None, 0
        self.round += 1

    @property
    def is_whole(self) -> bool:
        """Whether no note that was read has been deleted since, by whatever process."""
        if self._book is None or not self._book.notes:
            return True
        with self._db.read_snapshot():
            return self._in_step(self._book)

    def save_cache(self) -> None:
        """Stores what was worked out, where that is worth a file."""
        if self._book is not None and len(self._book.notes) >= self._kept.count + WORTH_KEEPING:
            self._book.save_results(self._kept.connection)
            found = self._db.columns(f"{_SEALED} AND seq <= ? ORDER BY seq", [self._last])
            self._kept.write(len(found[0]), _digest(found))

    def _begun(self) -> ResolvedNotes:
        """A book of the notes that were worked out before, or an empty one."""
        book = ResolvedNotes()
        self._deletions = _deletions(self._db)
        self._kept.read()
        if self._kept.count:
            # Unverified, as opening the record has checked each row, and the digest says that these are the same.
            names = ", ".join(COLUMNS)
            rows = f"SELECT seq, checksum, {names} FROM memory_statements WHERE {_NOTES} ORDER BY seq LIMIT ?"
            found = self._db.columns(rows, [self._kept.count])
            if self._kept.speaks_of(_digest(found[:2])):
                try:
                    book.read_from(LateNotes(found[2:]), self._kept.connection)
                except UNSOUND:
                    self._kept.discard_file()
                    return ResolvedNotes()
                self._last = int(str(found[0][-1]))
        return book

    def _in_step(self, book: ResolvedNotes) -> bool:
        # After a transaction that was rolled back the numbers are used again for other notes.
        last = self._db.query("SELECT id FROM memory_statements WHERE seq = ?", [self._last])
        same = bool(last) and last[0]["id"] == next(reversed(book.notes))
        return same and self._deletions == _deletions(self._db)


_NOTES = "+kind = 'note'"
"""Read by number: the index of ids would have SQLite look at every note for the few that are new."""
_SEALED = f"SELECT seq, checksum FROM memory_statements WHERE {_NOTES}"


def _deletions(db: Database) -> int:
    """How many times notes were deleted."""
    return int(db.get_meta(_DELETIONS) or "0")


def _digest(sealed: Sequence[Sequence[Value]]) -> str:
    """Of which rows these are and what they say, as their checksums have it."""
    return sha256("\n".join(" ".join(map(str, column)) for column in sealed).encode()).hexdigest()


_OWN = {"role": "user"}
_FEW = 256
"""Notes that are taken in anew at the next question where the index does not hold just them."""


class NoteRepository:
    """Writes and finds notes.

    Args:
        index: Opens the stored index of vectors; called at the first question.
        kept: What earlier processes worked out from the notes.
        clock: Seconds since the epoch.
    """

    def __init__(
        self,
        db: Database,
        index: IndexFactory,
        embedder: Embedder,
        *,
        kept: KeptNotes | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._db = db
        self._clock = clock
        self._encoder = WordEncoder(embedder)
        self._index = DerivedIndex(index, self._encoder)
        self._kept = kept or KeptNotes(None)
        self._reader = NoteReader(db, self._kept)
        self._words: _SpokenWords | None = None
        self._round = 0

    def add(self, note: Note) -> Note:
        """Keeps a note, dated now where it has no time; gives it as it was kept.

        The same words of the same speaker in the same place are kept once, unless something else replaced them since.

        Raises:
            UsageError: It has no text, an unknown role, no real time, or an id under which other words stand.
        """
        if not note.text.strip():
            raise UsageError("a note needs some text", hint='evolve memory note "TEXT"')
        if note.role not in TRUST:
            raise UsageError(f"no role {note.role!r}", hint=f"one of {', '.join(TRUST)}")
        if not math.isfinite(note.at):
            raise UsageError(f"{note.at} is no time")
        dated = bool(note.at)
        # As the record keeps it; a lone surrogate is no text there.
        note = replace(note, text=clean_text(note.text.strip()), author=clean_text(note.author))
        note = replace(note, at=note.at or self._clock())
        with self._db.transaction():
            if not note.id:
                note = replace(note, id=_note_id(note, dated=dated))
                book = self.read_book()
                if note.id in book.notes and book.replacement_of(note.id) is not None:
                    note = replace(note, id=_note_id(note, dated=True))
            _write_note(self._db, note)
            kept = self.read_book().notes[note.id]
        if (kept.text, kept.author) != (note.text, note.author):
            raise UsageError(f"another note has the id {note.id!r}", hint="give another id, or none")
        return kept

    def forget(self, names: Sequence[str]) -> None:
        """Deletes notes with all that was worked out from them; what one of them had replaced holds again."""
        book = self.read_book()
        self._catch_up(book)
        gone = [book.notes[name] for name in names]
        # Before the record: words of a note stand in what was kept, and it is made anew without harm.
        self._kept.discard_file()
        _delete_notes(self._db, gone, self._clock())
        self._reader.restart()
        left = self.read_book()
        self._index.remove(names, left.notes)
        self._words, self._round = None, self._reader.round

    def was_forgotten(self, text: str) -> bool:
        """Whether a note of these words was deleted, and they were not noted again since."""
        return bool(self._db.rows("memory_forgotten_notes", {"id": _of_words(text)}))

    def read_book(self) -> ResolvedNotes:
        """All notes as the record is now."""
        return self._reader.read_book()

    def recall(self, asked: NoteQuestion) -> list[Recalled]:
        """The notes that answer a question, best first."""
        try:
            return self._recall(asked)
        except UNSOUND:
            if not self._kept.count:
                raise
            # Of what was kept most is read only when it is asked for; what is wrong without it as well is an error.
            self._kept.discard_file()
            self._reader.restart()
            return self._recall(asked)

    def _recall(self, asked: NoteQuestion) -> list[Recalled]:
        book = self.read_book()
        if not book.notes:
            return []
        from evolve.memory.notes.ranking import SearchArms, rank_notes  # its patterns take time to compile

        words = self._catch_up(book)
        vector = self._encoder.encode([((), asked.text)])[0]
        arms = SearchArms(
            lexical=words.scores,
            nearest=lambda count, own: self._index.query(vector, count, _OWN if own else None),
            weight=self._encoder.weight,
        )
        return rank_notes(book, arms, asked)

    def index_differences(self) -> tuple[set[str], set[str]]:
        """Notes that the stored index lacks although it says it has them, and those the record does not have.

        The index is brought up to date then.
        """
        book = self.read_book()
        if len(book.notes) <= _FEW:
            return set(), set()
        found = self._index.index_differences(book.notes, 0)
        self._catch_up(book)
        return found

    def reindex(self) -> None:
        """Fills the stored index anew from the record."""
        self._kept.discard_file()
        self._reader.restart()
        notes = self.read_book().notes
        if len(notes) > _FEW:
            self._index.rebuild(notes, 0)

    def close(self) -> None:
        """Brings the stored index up to date and frees it; closing twice is no error."""
        self._index.close()
        words, self._words = self._words, None
        if self._reader.is_whole:
            if words is not None and self._round == self._reader.round:
                words.keep()
            self._reader.save_cache()
        self._reader.restart()
        self._kept.close()

    def _catch_up(self, book: ResolvedNotes) -> _SpokenWords:
        if self._round != self._reader.round:
            self._words, self._round = None, self._reader.round
            self._index.restart()
        if self._words is None:
            self._words = _SpokenWords(book.notes, self._kept.connection)
        self._index.catch_up(book.notes, 0)
        return self._words


class _SpokenWords:
    """Notes found by words: among all, and among a person's own with how rare each word is there.

    Args:
        notes: In the order of the record; only longer from one question to the next.
        kept: Where the indexes are.
    """

    def __init__(self, notes: LateNotes, kept: sqlite3.Connection) -> None:
        self.notes = notes
        self._kept = kept
        self._indexes: dict[bool, WordIndex] = {}
        self._taken: dict[bool, int] = {}

    def scores(self, text: str, limit: int, own: bool) -> dict[str, float]:
        """Scores above zero by id, best first."""
        if own not in self._indexes:
            found = self._kept.execute("SELECT content FROM entries WHERE kind = 'taken' AND key = ?", (str(own),))
            taken = self._taken[own] = (found.fetchone() or (0,))[0]
            roles = zip(islice(self.notes, taken), self.notes.column("role"), strict=False)
            ids = [name for name, role in roles if not own or role in (None, "user")]
            table = f"words_{own}".lower()
            if taken and self._kept.execute(f"SELECT count(*) FROM {table}_docsize").fetchone()[0] != len(ids):
                raise ValueError("not the index that was stored")
            self._indexes[own] = WordIndex(self._kept, table, ids)
        fresh = self.notes.notes_after(self._taken[own])
        self._taken[own] = len(self.notes)
        self._indexes[own].add({note.id: note.text_with_speaker for note in fresh if not own or note.role == "user"})
        return self._indexes[own].scores(text, limit)

    def keep(self) -> None:
        """Notes down how far the indexes are."""
        rows = [(str(own), taken) for own, taken in self._taken.items()]
        self._kept.executemany("INSERT OR REPLACE INTO entries (kind, key, content) VALUES ('taken', ?, ?)", rows)


def recall_notes(notes: Sequence[Note], embedder: Embedder, asked: NoteQuestion) -> list[Recalled]:
    """Those of a few notes outside of a record that answer a question, best first; nothing of them is kept."""
    if not notes:
        return []
    from evolve.memory.notes.ranking import SearchArms, rank_notes

    book, encoder = ResolvedNotes(notes), WordEncoder(embedder)
    index, words = open_exact_index(notes, encoder), _SpokenWords(book.notes, KeptNotes(None).connection)
    vector = encoder.encode([((), asked.text)])[0]

    def nearest(count: int, own: bool) -> list[Hit]:
        names = sorted(hit.id for hit in index.query(vector, count, _OWN if own else None))
        return exact_distances(names, index.vectors(names), vector)

    return rank_notes(book, SearchArms(lexical=words.scores, nearest=nearest, weight=encoder.weight), asked)
