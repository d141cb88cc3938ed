"""What notes say of names, by note and by name, kept with what else is derived from notes.

A question looks its words up here. Where none is a name, that is all that names cost it.
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from evolve.memory.notes.cache import LateTable
from evolve.runtime.retrieval import split_words


@dataclass(frozen=True)
class NameStatement:
    """What one sentence says of two names.

    Attributes:
        left, right: The names as written.
        label: How they are related, in words; "" for two names of one person or thing.
        noun: Whether the label is what the right one is to the left one.
        stems: By what a question names the relation; none for another name.
        loose: Whether no form was read, so that the link counts only where a question names it.
        place: Which sentence of its note says so, from 0.
    """

    left: str
    right: str
    label: str = ""
    noun: bool = False
    stems: frozenset[str] = frozenset()
    loose: bool = False
    place: int = 0

    def __str__(self) -> str:
        if not self.label:
            return f"{self.left} is {self.right}"
        if self.loose:
            return f"{self.left} is named with {self.right}"
        return f"{self.left}'s {self.label} is {self.right}" if self.noun else f"{self.left} {self.label} {self.right}"

    def packed(self) -> list[Any]:
        """As it is kept."""
        return [self.left, self.right, self.label, self.noun, sorted(self.stems), self.loose, self.place]


def name_key(name: str) -> str:
    """By what a name is known, however it is written."""
    return " ".join(split_words(name))


def is_full_name(name: str) -> bool:
    """Whether a name has several words with a capital, of which a text may have one alone."""
    parts = name.split()
    return len(parts) > 1 and parts[0][:1].isupper() and parts[-1][:1].isupper() and len(parts[0].strip(".")) > 1


def short_names(key: str) -> tuple[str, ...]:
    """The keys of what a full name may be shortened to: first name, last name, initial and last name, initials."""
    words = key.split()
    return words[0], words[-1], f"{words[0][0]} {words[-1]}", "".join(word[0] for word in words)


class NameTable:
    """What notes say of names.

    Attributes:
        tables: What is to be kept.
    """

    def __init__(self) -> None:
        self._statements: LateTable[list[NameStatement]] = LateTable("statements", _unpacked, _packed)
        self._places: LateTable[array[int]] = LateTable("names", lambda _, content: array("I", content), array.tobytes)
        self.tables: Sequence[LateTable[Any]] = (self._statements, self._places)

    def add(self, note: str, place: int, statements: list[NameStatement]) -> None:
        """Takes in what a note says of names, which stands at this place in the record."""
        if not statements:
            return
        self._statements[note] = statements
        for key in {key for one in statements for name in (one.left, one.right) for key in _keys(name)}:
            self._places.entry_to_change(key, lambda: array("I")).append(place)

    def places(self, key: str) -> Sequence[int]:
        """The places of notes that say something of a name, or of a full name that it may stand for."""
        return self._places.find(key) or ()

    def statements(self, note: str) -> Sequence[NameStatement]:
        """What a note says of names."""
        return self._statements.find(note) or ()


def _keys(name: str) -> Iterator[str]:
    key = name_key(name)
    yield key
    if is_full_name(name):
        yield from short_names(key)


def _unpacked(_: str, content: str) -> list[NameStatement]:
    return [
        NameStatement(left, right, label, noun, frozenset(stems), loose, place)
        for left, right, label, noun, stems, loose, place in json.loads(content)
    ]


def _packed(statements: list[NameStatement]) -> str:
    return json.dumps([one.packed() for one in statements], ensure_ascii=False)
