"""Whether two notes are about the same, so that the older one may not hold any more.

That is less than a contradiction, which :mod:`evolve.memory.notes.superseded` finds: tastes, habits and values in
lower case change in any words. So nothing is left out by it. The newer note comes first and the older one is marked.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import takewhile

from evolve.memory.notes.facts import adds_information, is_negated, split_sentences, word_stem
from evolve.memory.notes.note import TRUST, Note
from evolve.memory.notes.superseded import is_same_subject
from evolve.memory.notes.times import names_time
from evolve.runtime.retrieval import split_words

_LONGEST = 160
"""Letters of a note that is read: of a longer one, one sentence is not what it is about."""
_MOST_OF_ONE = 64
"""Notes with one subject that are compared, the newest; each is compared with each."""
_OLD_REST, _NEW_REST, _PREDICATES = 2, 3, 3
"""Words that the older and the newer note have for themselves, at most: what is said otherwise, and the value;
and how many in both together where only the predicate differs."""
_NO_MATTER = re.compile(
    r"\b(?:(?:do|does|did|is|are|was|were|has|have|had|could|would|should|wo|ca)n't|cannot|can|will|not|never|no longer"
    r"|no more|any ?more|anymore|now|nowadays|these days|lately|currently|at the moment|from now on|instead|actually"
    r"|really|very|please|usually|often|always|still|already|just|quite|since \w+|ever|any|every|each"
    r"|all|no|we|I|am|its?)\b",
    re.IGNORECASE,
)
"""Words that deny, grade, count or date a statement: what it is about is the same without them."""
_NONE = re.compile(r"\bno\b(?![ .]*\d)|\b(?:none|nobody|nothing|neither)\b", re.IGNORECASE)
"""Words that deny what they stand before, beside those that deny a verb."""
_ANSWER = re.compile(r"(?P<said>yes|yeah|yep|no|nope)\b(?:\s*(?P<stop>[,.:;!])|$)?\s*", re.IGNORECASE)
"""How a yes/no question is answered; before a stop it may open a statement, too."""
_ASKS = re.compile(r"(?:do|does|did|is|are|am|was|were|has|have|had|can|will)\s+", re.IGNORECASE)
"""With which such a question begins; the statement has it further behind, or not at all."""
_QUESTION_END = re.compile(r"(?<=\?)\s+")
_OWN = re.compile(r"\b(?:I|we|my|our)\b", re.IGNORECASE)
_MANY_TEXT = """
like likes love loves enjoy enjoys hate hates adore adores dislike dislikes avoid avoids know knows own owns buy bought
see saw seen visit visited went go read met meet collect collects collected play plays want wants need needs needed get
got sold sell ate eat eats made make makes wrote found find did do keep keeps
"""
_MANY = frozenset(map(word_stem, _MANY_TEXT.split()))
"""Verbs of which a person has many objects at once, so that another object says nothing of the first."""
_BROUGHT_TO = re.compile(
    r"^(?P<subject>.+?)\s+(?:(?:was|were|is|are|has|have|been|got|just)\s+)*(?:\w{3,}ed|gone|went)"
    r"(?: (?:over|up|down|back))? to\s+(?P<value>.+)$",
    re.IGNORECASE,
)
"""A subject that was brought to another value, by whatever verb."""
_PLACED = re.compile(r"\w\s+(?:in|on|at|by|with|from|for|to|of|under|near)\s+\w", re.IGNORECASE)

_NAMED = re.compile(r"[A-Z]")
_OF = re.compile(r"\b(?:of|for)(?: (?:the|a|an|our|my))?$")
_HAS = re.compile(r"\b(?:has|have|had)(?: (?:a|an|the|no))?$")
"""Before what a thing has, of which it has many: only of numbers a later one may stand in place of an earlier one."""
_OF_A_THING = re.compile(r"\b(?:the|a|an|our|my|their|his|her|of|for|in|on|at|to|with|from|by)$")


@dataclass(frozen=True)
class _Matter:
    """One sentence: the stems of what it is about, in order, whether it denies it, and its words without the rest."""

    stems: tuple[str, ...]
    denies: bool
    text: str
    is_own: bool = False
    """Whether it speaks of who says it."""
    subject: tuple[str, ...] = ()
    """Stems of what was brought to another value; () where nothing was."""
    shape: tuple[bool, ...] = ()
    """Whether its last words, the value, have digits and capitals."""

    @property
    def bag(self) -> frozenset[str]:
        """What it is about, whatever the order."""
        return frozenset(self.stems) - {"@"}


def is_mentioned_again(notes: Iterable[Note]) -> Mapping[str, Note]:
    """The notes that a later one is about the same as, by id, with the newest such note.

    Only notes that are trusted as much, for the same work, count; of what "I" say only the same person's.
    """
    by_subject: dict[tuple[object, ...], list[tuple[Note, _Matter]]] = {}
    for note in notes:
        for matter in _read(note.text):
            where = (note.author if matter.is_own else "", note.environment, note.family)
            # The same words in another order are about the same, whichever of them comes first.
            for subject in (matter.stems[0], matter.bag):
                by_subject.setdefault((subject, *where), []).append((note, matter))
    newest: dict[str, Note] = {}
    for group in by_subject.values():
        group.sort(key=lambda one: (one[0].at, one[0].seq))
        latest = group[-_MOST_OF_ONE:]
        for place, (old, before) in enumerate(latest):
            for new, after in reversed(latest[place + 1 :]):
                fits = new.at > old.at and TRUST[new.role] >= TRUST[old.role]
                if fits and is_same_subject(before.text, after.text) and _about_the_same(before, after):
                    known = newest.get(old.id)
                    newest[old.id] = new if known is None or new.at > known.at else known
                    break
    return newest


def values_of(text: str) -> frozenset[str]:
    """The stems that the sentences of a text end with, which tell the value as a rule."""
    return frozenset(matter.stems[-1] for matter in _read(text))


@lru_cache(maxsize=20_000)
def _read(text: str) -> tuple[_Matter, ...]:
    """What the sentences of a short text are about."""
    if len(text) > _LONGEST:
        return ()
    found = []
    for plain, denied in _statements(text):
        if adds_information(plain):
            continue
        own = ["@"] if _OWN.match(plain) else []
        about = _NO_MATTER.sub(" ", plain)
        stems = [word_stem(word) for word in split_words(about.replace("'", " "))]
        stems = [*own, *(one for one in stems if one not in ("", "@"))]
        if len(stems) > 1:
            brought = _BROUGHT_TO.match(" ".join(about.split()))
            found.append(
                _Matter(
                    stems=tuple(stems),
                    denies=denied or is_negated(plain) or bool(_NONE.search(plain)),
                    text=" ".join(about.split()),
                    is_own=bool(_OWN.search(plain)),
                    subject=tuple(filter(None, map(word_stem, split_words(brought["subject"])))) if brought else (),
                    shape=_shape(brought["value"] if brought else plain),
                )
            )
    return tuple(found)


def _statements(text: str) -> Iterator[tuple[str, bool]]:
    """What the sentences of a text state, and whether the answer to a question denies it.

    A question with a yes or no behind it states what it asks, in the order of a statement; any other states nothing.
    """
    asked = ""
    for sentence in (part for one in split_sentences(text) for part in _QUESTION_END.split(one)):
        plain = " ".join(sentence.split()).rstrip(" .!")
        answer = _ANSWER.match(plain)
        if answer is not None and (asked or answer["stop"]):
            plain = plain[answer.end() :]
            if asked:
                yield asked, answer["said"].lower().startswith("n")
        asked = _ASKS.sub("", plain.rstrip("? "), count=1) if plain.endswith("?") else ""
        if plain and not asked:
            yield plain, False


def _shape(text: str) -> tuple[bool, ...]:
    """Whether the last two words of a text have a digit, else whether they have a capital."""
    last = " ".join(text.split()[-2:])
    counted = any(map(str.isdigit, last))
    return counted, not counted and last != last.lower()


def _about_the_same(old: _Matter, new: _Matter) -> bool:
    """Whether one subject is spoken of otherwise: the same denied, another word for its predicate, or another value."""
    if old.bag == new.bag and len(old.bag) > 1:
        return old.denies != new.denies
    before, after = set(old.stems), set(new.stems)
    left, right, shared = before - after, after - before, before & after
    if left and new.subject and new.subject == old.stems[: len(new.subject)] and new.shape == old.shape:
        return len(left) <= _OLD_REST + 1
    if len(shared) < 2 and (shared == {"@"} or len(left) + len(right) > 2):
        return False
    if not left:  # all of it is said again: what counts is whether it is denied, or what is added
        return old.denies != new.denies or bool(right and len(right) <= _NEW_REST)
    if len(left) > _OLD_REST or len(right) > _NEW_REST:
        return False
    # The words with which both texts begin.
    pairs = zip(old.text.split(), new.text.split(), strict=False)
    begun = " ".join(one for one, _ in takewhile(lambda pair: pair[0].lower() == pair[1].lower(), pairs))
    if old.stems[-1] == new.stems[-1] and len(shared) > 1:
        # What differs is the predicate, and not who or which of several things is spoken of.
        named = all(_NAMED.match(matter.text[len(begun) :].lstrip()) for matter in (old, new))
        other = named or _OF_A_THING.search(begun) or names_time(old.stems[-1])
        return not other and len(left) + len(right) <= _PREDICATES
    return _gives_another_value(old, new, begun)


def _gives_another_value(old: _Matter, new: _Matter, begun: str) -> bool:
    """Whether two sentences that begin alike (``begun``) differ in a value of one or two words at their ends."""
    count = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(old.stems, new.stems, strict=False)))
    longest = max(len(old.stems), len(new.stems)) - count
    if old.denies != new.denies:
        return False  # what is denied of one value says nothing of another
    if min(len(old.stems), len(new.stems)) == count or longest > min(_OLD_REST, count):
        return False
    counted = old.shape[0] and new.shape[0]
    if old.stems[count - 1] in _MANY or old.stems[:count] == ("@",) or _OF.search(begun):
        return False
    if longest == 1 or (counted and _HAS.search(begun)):
        return counted or not _HAS.search(begun)
    # Two words that follow the subject itself are another predicate, unless a copula or a preposition leads to them.
    led = bool(begun) and word_stem(split_words(begun)[-1]) == ""
    return led and not all(_PLACED.search(matter.text[len(begun) :]) for matter in (old, new))
