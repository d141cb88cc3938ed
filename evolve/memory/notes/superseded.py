"""All notes of a record, and which of them a later one replaced.

Which note is replaced is worked out from what was said and when, and is no part of the record: nothing is lost, and a
question may be asked of any time. What was worked out is kept beside the index (:mod:`evolve.memory.notes.cache`), so
that a new process need not do it again. A global preference for what is newer would lose facts that never changed, so
age plays no part.
"""

from __future__ import annotations

import json
import math
import re
import sqlite3
from array import array
from bisect import insort
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from evolve.memory.notes.cache import LateNotes, LateTable
from evolve.memory.notes.name_table import NameTable
from evolve.memory.notes.note import TRUST, Note

if TYPE_CHECKING:
    from evolve.memory.notes.facts import SentenceFact

_NAME = re.compile(r"(?:[A-Z][\w-]+)(?: [A-Z][\w-]+)*")
_FULL_NAME = re.compile(r"[A-Z][a-z][\w-]{0,80}(?: [A-Z][a-z][\w-]{0,80})+")
_PLAIN = re.compile(
    r"(?:We|The|My|Our|They|This|That|He|She|It|From|As|In|On|At|For|A|An|There|Update|Correction|Now)\b"
)
"""Words that open a sentence with a capital and are no name."""
_ALIKE = 0.45
"""Share of the information of what it replaces that a change has, at least."""
_LIKELY = 0.55
"""The same, where the new note only may tell of a change."""
_DENIED = 0.75
"""The same, where nothing tells of a change and the new note only denies what the old one says."""
_MARGIN = 0.1
"""By which it must exceed the next best: a change that may concern two facts replaces neither."""
_FEW, _RARE = 4, 0.1
_STILL = 0.5
"""Share of a weight that words keep at least until they are weighed again."""


@dataclass
class _Said:
    """One note as the book keeps it."""

    note: Note
    facts: tuple[SentenceFact, ...]
    whole: bool
    """Whether facts are all that it says."""
    words: frozenset[str]
    later: list[str] = field(default_factory=list)
    """What replaced it in free wording."""

    def packed(self) -> str:
        """As it is kept; what the record has is left out."""
        facts = [[sorted(fact.key), fact.value] for fact in self.facts]
        return json.dumps([facts, self.whole, sorted(self.words), self.later], ensure_ascii=False)


_Stated = tuple[float, int, str, int]
"""One fact of a note: when it was said, its place in the record, the note, and which of its facts."""


class ResolvedNotes:
    """Notes by id, in the order of the record, with what replaced them."""

    def __init__(self, notes: Iterable[Note] = ()) -> None:
        self.notes = LateNotes()
        self.names = NameTable()
        self._said: LateTable[_Said] = LateTable("said", self._unpacked, _Said.packed)
        self._facts: LateTable[list[_Stated]] = LateTable("fact", _stated, json.dumps)
        """By what is spoken of and for which work, in order of time."""
        self._words = {
            trust: LateTable(f"word-{trust}", lambda _, content: array("I", content), array.tobytes)
            for trust in sorted(set(TRUST.values()))
        }
        """By trust, then by stem: what others say must not weigh in what a person's own notes come to."""
        self._held: dict[int, Counter[str]] = {trust: Counter() for trust in self._words}
        """In how many notes each stem is, likewise: asked far more often than in which."""
        self._weighed = array("d")
        """Of each note's words, when it was last weighed; it changes slowly as notes come."""
        self._counts: Counter[int] = Counter()
        self._weights: dict[int, _Weights] = {}
        self._threads: dict[tuple[str, bool], list[str]] = {}
        """By name and whether only a person's own notes count; the places in them likewise."""
        self._places: dict[tuple[str, bool], int] = {}
        self._doubtful: set[str] = set()
        """Notes of which something may have been replaced; of most there is nothing to ask."""
        for note in notes:
            self.add(note)

    def read_from(self, notes: LateNotes, kept: sqlite3.Connection) -> None:
        """Begins with these notes and what :meth:`save_results` stored when the book held just them.

        Raises:
            ValueError: It is not what was stored; so may be any other of :data:`evolve.memory.notes.cache.UNSOUND`.
        """
        self.notes = notes
        for table in self._tables():
            table.read_from(kept)
        state = dict(kept.execute("SELECT key, content FROM entries WHERE kind = 'state'"))
        self._weighed, self._doubtful = array("d", state["weights"]), set(json.loads(state["doubtful"]))
        self._held = {int(trust): Counter(held) for trust, held in json.loads(state["held"]).items()}
        stored = kept.execute("SELECT count(*) FROM entries WHERE kind = 'said'").fetchone()[0]
        taken = [count for (count,) in kept.execute("SELECT content FROM entries WHERE kind = 'taken'")]
        if (
            {len(notes)} != {len(self._weighed), stored}
            or not all(type(count) is int and 0 <= count <= len(notes) for count in taken)
            or self._held.keys() != self._words.keys()
            or not all(type(count) is int for held in self._held.values() for count in held.values())
        ):
            raise ValueError("not what a book stored")
        self._counts.update(TRUST[str(role or "user")] for role in notes.column("role"))
        for name, thread, role in zip(notes, notes.column("thread"), notes.column("role"), strict=True):
            if thread:
                self._enter(name, str(thread), str(role or "user"))

    def save_results(self, kept: sqlite3.Connection) -> None:
        """Stores what was worked out since it was last kept."""
        for table in self._tables():
            table.save_changes(kept)
        state = [
            ("weights", self._weighed.tobytes()),
            ("doubtful", json.dumps(sorted(self._doubtful))),
            ("held", json.dumps(self._held)),
        ]
        kept.executemany("INSERT OR REPLACE INTO entries (kind, key, content) VALUES ('state', ?, ?)", state)

    def add(self, note: Note) -> None:
        """Takes in a note that was said last, as far as the record goes; its time may be any."""
        # Here, because its many patterns take time to compile and most commands read no note.
        from evolve.memory.notes.facts import read_fact, split_sentences, word_stems
        from evolve.memory.notes.name_statements import read_names

        sentences = split_sentences(note.text)
        stated = [read_fact(sentence) for sentence in sentences]
        facts = tuple(fact for fact in stated if fact is not None)
        said = _Said(note, _own(facts, note.author), len(facts) == len(stated), word_stems(note.text))
        groups = [self._facts.entry_to_change(_fact_key(said, place), list) for place in range(len(facts))]
        # What is said in a conversation comes back to the same words all the time and changes nothing by them.
        if len(stated) == 1 and not note.thread:
            self._replace_alike(said, groups)
        for place, group in enumerate(groups):
            if group:
                self._doubtful.update((group[0][2], note.id))
            insort(group, (*_when(note), note.id, place))
        self._said[note.id] = said
        postings = self._words[TRUST[note.role]]
        self._held[TRUST[note.role]].update(said.words)
        for word in said.words:
            postings.entry_to_change(word, _no_places).append(len(self.notes))
        self.names.add(note.id, len(self.notes), read_names(sentences, note.author))
        self.notes.append(note)
        self._weighed.append(0.0)
        self._counts[TRUST[note.role]] += 1
        if note.thread:
            self._enter(note.id, note.thread, note.role)

    def replacement_of(self, name: str, now: float | None = None) -> Note | None:
        """The note that replaced this one by then; None where it still holds, in part at least."""
        if name not in self._doubtful:
            return None
        said = self._said[name]
        # Asked again, as it may come from a file; that what replaces is the later one also ends each chain.
        later = (self.notes[later] for later in said.later if later in self.notes)
        fit = (note for note in later if _may_replace(note, said.note) and _when(note) > _when(said.note))
        whole = next((note for note in fit if now is None or note.at <= now), None)
        if whole is not None or not (said.whole and said.facts):
            return whole
        by_fact = [self._replaced(said, place, now) for place in range(len(said.facts))]
        notes = [note for note in by_fact if note is not None]
        return max(notes, key=_when) if len(notes) == len(by_fact) else None

    def is_in_force(self, name: str, sentence: int, now: float | None = None) -> bool:
        """Whether a note and that sentence of it hold by then."""
        if name not in self._doubtful:
            return True
        from evolve.memory.notes.facts import read_fact, split_sentences

        said, sentences = self._said[name], split_sentences(self.notes[name].text)
        place = sum(read_fact(one) is not None for one in sentences[:sentence])
        replaced = read_fact(sentences[sentence]) is not None and self._replaced(said, place, now) is not None
        return not replaced and self.replacement_of(name, now) is None

    def current_note(self, name: str, now: float | None = None) -> str:
        """The note that holds in place of this one by then: itself, or the last of those that replaced it."""
        while (later := self.replacement_of(name, now)) is not None:
            name = later.id
        return name

    def stems_of(self, name: str) -> frozenset[str]:
        """The stems of a note that matter."""
        return self._said[name].words

    def is_rare(self, word: str, name: str) -> bool:
        """Whether few of the notes that are trusted as this one is, or more, have a stem, so that it tells a subject.

        What others say is not counted, as they could make any word common.
        """
        levels = [level for level in self._held if level >= TRUST[self.notes[name].role]]
        count = sum(self._counts[level] for level in levels)
        return sum(self._held[level][word] for level in levels) <= max(_FEW, _RARE * count)

    def information_weight(self, name: str) -> float:
        """How much a note says: the weights of its words summed, by how rare they are among what is as trusted."""
        level = TRUST[self.notes[name].role]
        count = self._counts[level]
        if level not in self._weights or self._weights[level].count != count:
            self._weights[level] = _Weights(self._held[level], count)
        # Exact, as the order of a set differs from process to process.
        return math.fsum(map(self._weights[level].__getitem__, self._said[name].words))

    def notes_with_stems(self, stems: frozenset[str], trust: int, most: int) -> list[str]:
        """The notes that have all of these stems and are trusted so; none where each stem is in more."""
        rarest = min(sorted(stems), key=self._held[trust].__getitem__, default="")
        if self._held[trust][rarest] > most:
            return []
        found = map(self.notes.name, self._words[trust].find(rarest) or ())
        return [other for other in found if stems <= self.stems_of(other)]

    def thread_neighbours(self, name: str, *, own: bool = False) -> tuple[str, ...]:
        """The notes before and after this one in its thread; ``own``: as if only the person had said something there.

        Whoever guesses the name of a thread could put a note between a question and its answer.
        """
        if (name, own) not in self._places:
            return ()
        thread, place = self._threads[self.notes[name].thread, own], self._places[name, own]
        return (*thread[max(0, place - 1) : place], *thread[place + 1 : place + 2])

    def _tables(self) -> list[LateTable[Any]]:
        return [self._said, self._facts, *self._words.values(), *self.names.tables]

    def _enter(self, name: str, thread: str, role: str) -> None:
        for own in (False, True) if role == "user" else (False,):
            held = self._threads.setdefault((thread, own), [])
            self._places[name, own] = len(held)
            held.append(name)

    def _unpacked(self, name: str, content: str) -> _Said:
        from evolve.memory.notes.facts import SentenceFact

        facts, whole, words, later = json.loads(content)
        read = tuple(SentenceFact(frozenset(key), tuple(value)) for key, value in facts)
        return _Said(self.notes[name], read, whole, frozenset(words), later)

    def _replaced(self, said: _Said, place: int, now: float | None) -> Note | None:
        """The newest note by then that says otherwise of one fact."""
        for at, seq, name, elsewhere in reversed(self._facts[_fact_key(said, place)]):
            if (at, seq) <= _when(said.note):
                return None
            other = self._said[name]
            known = now is None or other.note.at <= now
            if (
                known
                and _when(other.note) > _when(said.note)
                and _contradicts(other.facts[elsewhere], said.facts[place])
                and _may_replace(other.note, said.note)
            ):
                return other.note
        return None

    @property
    def has_other_speakers(self) -> bool:
        """Whether anybody but the person said something."""
        return self._counts.total() > self._counts[TRUST["user"]]

    def _replace_alike(self, said: _Said, groups: Iterable[list[_Stated]]) -> None:
        """Free wording: replaces the one note that it tells a change of, or denies, among those of each trust.

        Not where it gives a value of what notes as trusted gave one of (``groups``): that is replaced by its fact.
        """
        from evolve.memory.notes.facts import CHANGE, MAYBE, is_negated

        text = said.note.text
        changes = _ALIKE if CHANGE.search(text) else _LIKELY if MAYBE.search(text) else 0.0
        if not (changes or is_negated(text)):
            return
        for level, postings in self._words.items():
            spoken_of = (TRUST[self.notes[stated[2]].role] >= level for group in groups for stated in group)
            if level > TRUST[said.note.role] or any(spoken_of):
                continue
            scored = self._alike(said, changes, postings, _Weights(self._held[level], self._counts[level]))
            if scored and (len(scored) == 1 or scored[0][0] - scored[1][0] >= _MARGIN):
                old = scored[0][2].note.id
                scored[0][2].later.append(said.note.id)
                self._said[old] = scored[0][2]
                self._doubtful.add(old)

    def _alike(
        self, said: _Said, changes: float, postings: LateTable[array[int]], weights: _Weights
    ) -> list[tuple[float, int, _Said]]:
        """The notes that a change may concern, by the share of their words' weight that it has."""
        from evolve.memory.notes.facts import is_denial_of, reports_change

        least = changes or _DENIED
        shared: dict[int, float] = {}
        for word in sorted(said.words):
            weight = weights[word]
            for place in postings.find(word) or ():
                shared[place] = shared.get(place, 0.0) + weight
        scored: list[tuple[float, int, _Said]] = []
        for place, weight in shared.items():
            # Most share a common word and no more, and need not be weighed.
            if weight < (least - _MARGIN) * _STILL * self._weighed[place]:
                continue
            other = self._said[self.notes.name(place)]
            self._weighed[place] = max(math.fsum(map(weights.__getitem__, other.words)), 1e-9)
            share = weight / self._weighed[place]
            text = other.note.text
            may = share >= least - _MARGIN and (
                reports_change(said.note.text, text) if changes else is_denial_of(said.note.text, text)
            )
            if may and self._open_to(said, other):
                scored.append((share, other.note.seq, other))
        scored.sort(key=lambda item: (-item[0], -item[1]))
        return scored if scored and scored[0][0] >= least else []

    def _open_to(self, said: _Said, other: _Said) -> bool:
        old, new = other.note, said.note
        same_place = (old.environment, old.family) == (new.environment, new.family)
        if not is_same_subject(old.text, new.text):
            return False
        return same_place and _when(old) < _when(new) and _may_replace(new, old) and not self.replacement_of(old.id)


class _Weights(dict[str, float]):
    """The inverse document frequency of each stem that is asked for."""

    def __init__(self, held: Counter[str], count: int) -> None:
        self._held, self.count = held, count

    def __missing__(self, word: str) -> float:
        weight = self[word] = math.log(2 + self.count / (1 + self._held[word]))
        return weight


def _fact_key(said: _Said, place: int) -> str:
    return json.dumps([said.note.environment, said.note.family, *sorted(said.facts[place].key)])


def _stated(_: str, content: str) -> list[_Stated]:
    return [(at, seq, name, place) for at, seq, name, place in json.loads(content)]


def _no_places() -> array[int]:
    return array("I")


def _own(facts: Iterable[SentenceFact], author: str) -> tuple[SentenceFact, ...]:
    """The facts with the person who speaks in place of ``@``: what two people call mine are two things."""
    return tuple(
        replace(fact, key=frozenset(f"@{author}" if word == "@" else word for word in fact.key)) for fact in facts
    )


def _contradicts(new: SentenceFact, old: SentenceFact) -> bool:
    # That something is not so speaks against what said so and nothing else.
    if new.value[0] == "not":
        return new.value[1 : 1 + len(old.value)] == old.value
    return new.value != old.value


def is_same_subject(one: str, other: str) -> bool:
    """Whether two texts may speak of one subject: not where each has full names and they share no word of them."""
    full = [set(" ".join(_FULL_NAME.findall(text)).split()) for text in (one, other)]
    if all(full) and not full[0] & full[1]:
        return False
    first, second = _NAME.match(one), _NAME.match(other)
    if first is None or second is None or _PLAIN.match(first[0]) or _PLAIN.match(second[0]):
        return True
    return first[0] in other or second[0] in one


def _when(note: Note) -> tuple[float, int]:
    return note.at, note.seq


def _may_replace(new: Note, old: Note) -> bool:
    return TRUST[new.role] >= TRUST[old.role]


def superseded_notes(book: ResolvedNotes, now: float | None = None) -> Mapping[str, Note]:
    """The notes that were replaced by then, by id, with what replaced them."""
    found = ((name, book.replacement_of(name, now)) for name in book.notes)
    return {name: note for name, note in found if note is not None}
