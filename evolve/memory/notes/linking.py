"""Notes that name the same person, file or tool: a question whose answer takes two notes finds the second by it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from evolve.memory.notes.book import NoteBook
from evolve.memory.notes.facts import stems
from evolve.memory.notes.times import names_time
from evolve.retrieval import words

_FROM = 3
"""Notes, the best ones, whose entities are followed."""
_MOST = 4
"""Notes that name an entity beside the one that leads there, at most; what more of them name tells nothing."""
_ENTITIES = 12
"""Of one note, at most, so that a long one costs no more."""
_LOOKED_AT = 40
_BEHIND = 1e-6
"""What is led to comes after what leads there."""
_ADDED = 3
"""Notes that gain by it, at most, so that what was found by itself is not crowded out."""
_SHORTEST = 3
_LONGEST = 80
_EXACT = re.compile(
    r"`([^`\n]{2,80})`|((?<![\w.~/-])(?:[\w.~-]{0,80}/){1,20}[\w.-]{1,80}|\b[\w-]{1,80}\.[a-z]{1,5}\b(?!\.\w))"
)
"""Code spans, paths, and names of files; all bounded, as anybody's text is searched with it."""
_RUN = re.compile(r"\b[A-Z][\w-]+(?: [A-Z][\w-]+)*")
_BEFORE_OPENING = frozenset('.!?:;\n"(')


def link(book: NoteBook, total: dict[str, float], question: str, share: float, fits: Callable[[str], bool]) -> None:
    """Gives notes that name an entity of the best ones a share of their score.

    Only what the question does not name itself leads on, and only what few notes name. Where the question names
    somebody, it starts from notes that do.

    Args:
        total: Scores by id; changed.
        fits: Whether a note may be given at all.
    """
    asked = frozenset(words(question))
    anchors = frozenset(word for entity in entities(question) for word in words(entity))
    raised: dict[str, float] = {}
    for name in sorted(total, key=lambda name: (-total[name], name))[:_FROM]:
        if anchors and anchors.isdisjoint(words(book.notes[name].spoken)):
            continue  # it is about somebody else
        for entity in sorted(entities(book.notes[name].text))[:_ENTITIES]:
            if asked.issuperset(words(entity)):
                continue
            for other in _naming(book, entity, name):
                score = min(total.get(other, 0.0) + share * total[name], total[name] - _BEHIND)
                raised[other] = max(raised.get(other, total.get(other, 0.0)), score)
    fitting = [name for name in raised if name in total or fits(name)]
    fitting.sort(key=lambda name: (-raised[name], name))
    total.update((name, raised[name]) for name in fitting[:_ADDED])


def entities(text: str) -> frozenset[str]:
    """Names of people and things, single words of them too, paths and code spans of a text."""
    return frozenset(_exact(text)) | frozenset(_names(text))


def _exact(text: str) -> Iterator[str]:
    for found in _EXACT.finditer(text):
        yield (found[1] or found[2]).strip()


def _names(text: str) -> Iterator[str]:
    """Words with a capital; one that opens a sentence only as part of a longer name."""
    for run in _RUN.finditer(text):
        parts = run[0].split()
        if len(parts) == 1 and _opens(text, run.start()):
            continue
        yield from (part for part in parts if _SHORTEST <= len(part) <= _LONGEST and not names_time(part))


def _opens(text: str, at: int) -> bool:
    """Whether a sentence begins there."""
    while at > 0 and text[at - 1].isspace() and text[at - 1] != "\n":
        at -= 1
    return at == 0 or text[at - 1] in _BEFORE_OPENING


def _naming(book: NoteBook, entity: str, name: str) -> list[str]:
    """The other notes that name an entity as it is written; none where too many have its words."""
    held = book.holding(stems(entity), name, _LOOKED_AT)
    exact = re.compile(rf"(?<!\w){re.escape(entity)}(?!\w)")
    others = [other for other in held if other != name and exact.search(book.notes[other].text)]
    return others if len(others) <= _MOST else []
