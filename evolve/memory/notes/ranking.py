"""Which notes answer a question: words and vectors fused by score, with neighbours and times.

Notes that name the same person, file or tool lead to each other: a question whose answer takes two notes finds the
second by it.
"""

from __future__ import annotations

import heapq
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from evolve.core.episodes import Recalled
from evolve.memory.index import Hit
from evolve.memory.notes.conflicts import is_mentioned_again, values_of
from evolve.memory.notes.facts import word_stems
from evolve.memory.notes.name_graph import follow_names
from evolve.memory.notes.note import TRUST, Note
from evolve.memory.notes.superseded import ResolvedNotes
from evolve.memory.notes.times import asks_when, names_time, time_in_question
from evolve.runtime.retrieval import fuse_rankings, split_words

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


def _link_entities(
    book: ResolvedNotes, total: dict[str, float], question: str, share: float, fits: Callable[[str], bool]
) -> None:
    """Gives notes that name an entity of the best ones a share of their score.

    Only what the question does not name itself leads on, and only what few notes name. Where the question names
    somebody, it starts from notes that do.

    Args:
        total: Scores by id; changed.
        fits: Whether a note may be given at all.
    """
    asked = frozenset(split_words(question))
    anchors = frozenset(word for entity in extract_entities(question) for word in split_words(entity))
    raised: dict[str, float] = {}
    for name in sorted(total, key=lambda name: (-total[name], name))[:_FROM]:
        if anchors and anchors.isdisjoint(split_words(book.notes[name].text_with_speaker)):
            continue  # it is about somebody else
        for entity in sorted(extract_entities(book.notes[name].text))[:_ENTITIES]:
            if asked.issuperset(split_words(entity)):
                continue
            # the other notes that name an entity as it is written; none where too many have its words
            held = book.notes_with_stems(word_stems(entity), TRUST[book.notes[name].role], _LOOKED_AT)
            exact = re.compile(rf"(?<!\w){re.escape(entity)}(?!\w)")
            others = [other for other in held if other != name and exact.search(book.notes[other].text)]
            for other in others if len(others) <= _MOST else []:
                score = min(total.get(other, 0.0) + share * total[name], total[name] - _BEHIND)
                raised[other] = max(raised.get(other, total.get(other, 0.0)), score)
    fitting = [name for name in raised if name in total or fits(name)]
    fitting.sort(key=lambda name: (-raised[name], name))
    total.update((name, raised[name]) for name in fitting[:_ADDED])


def extract_entities(text: str) -> frozenset[str]:
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


LEXICAL_HITS = 200
VECTOR_HITS = 64
"""Candidates that each arm names at least; four times ``k`` if that is more."""
_NEAR = 0.3
"""Cosine by a trained encoder from which a note that shares no word with the question may answer it. Of 309 notes that
hashed words alone named on three public sets none was relevant, of 615 that were."""
_NARROW = 0.5
"""Share of the best score by words from which scores are stretched at the latest, beside a trained encoder. Where all
that was found shares a name with the question and no more, lengths would else decide, as if one note had all of its
words and another none. Hashed words tell such notes apart no better than lengths do."""
_ASSISTANT = 0.85
"""Factor of what an assistant said: its prose repeats the question and holds fewer facts."""
_FOLLOWED = 12
"""Notes among which later talk is looked for."""
_COMPARED = 64
"""Notes that are compared for being about the same; four times ``k`` if that is more."""
_BEFORE = 1e-6
_ROOT = 4
"""Letters by which forms of one word are alike."""
_NAME = re.compile(r"(?:[A-Z][\w-]{1,80})(?: [A-Z][\w-]{1,80})+")
_PAST = re.compile(
    r"\b(?:used to|previous(?:ly)?|before (?:that|this|it)|former(?:ly)?|original(?:ly)?|in the past|history|earlier"
    r"|at first|over time)\b",
    re.IGNORECASE,
)
"""A question with one of these may be about what no longer holds."""


@dataclass(frozen=True, kw_only=True)
class NoteQuestion:
    """What is asked of the notes.

    Attributes:
        environment: Notes of other kinds of work stay out; "" for any. So is ``family``.
        now: When it is asked; what was said later is not known.
        as_of: Whether ``now`` was given, so that notes after it are left out.
        told: Only what the person said. Episodes ask so: what a tool or a document says stands in no prompt as a note.
        past: Also notes that later ones replaced, marked as such.
    """

    text: str
    k: int
    now: float
    as_of: bool = False
    environment: str = ""
    family: str = ""
    told: bool = False
    past: bool = False


@dataclass(frozen=True, kw_only=True)
class RankingGains:
    """What counts beside words and vectors; without all of it the two arms are fused and no more.

    Attributes:
        beside: Share of the score of the better neighbour in its thread that a note gets: an answer stands beside its
            question.
        informed: Whether turns that say little are held back. They are near to every question.
        in_time: Added to what was said in the time that a question names.
        dated: Added to what names a time, where a question asks for one.
        linked: Share of the score of a note that one gets which names the same rare person, file or tool.
        named: Added to what speaks of a name that those of the question lead to; less with each step.
    """

    beside: float = 0.4
    informed: bool = True
    in_time: float = 0.5
    dated: float = 0.1
    linked: float = 0.4
    named: float = 0.5


_ALL = RankingGains()


@dataclass(frozen=True, kw_only=True)
class SearchArms:
    """Both ways of searching.

    Attributes:
        lexical: Scores by words of a text, of at most so many notes; of a person's own alone, or of all.
        nearest: So many notes whose vectors are nearest to the question; likewise. Where what others said is left out
            it must not crowd out the rest, or change how rare a word is.
        weight: Of nearness beside words at 1. Scores are fused: ranks lost ten points of recall.
    """

    lexical: Callable[[str, int, bool], Mapping[str, float]]
    nearest: Callable[[int, bool], Sequence[Hit]]
    weight: float


def rank_notes(
    book: ResolvedNotes, arms: SearchArms, asked: NoteQuestion, gains: RankingGains = _ALL
) -> list[Recalled]:
    """At most ``k`` notes, best first, equal scores by id."""
    if asked.k < 1 or not book.notes:
        return []
    until = asked.now if asked.as_of else None
    past = asked.past or bool(_PAST.search(asked.text))

    def standing(name: str) -> tuple[str, ...]:
        """The notes that answer for one that was found: itself, what replaced it, or both for a turn that is kept."""
        note = book.notes.get(name)
        if note is None or not _fits(note, asked):
            return ()
        holds = name if past else book.current_note(name, until)
        if not _fits(book.notes[holds], asked):
            holds = name
        # A conversation is asked for what was said in it, too.
        return (holds, name) if note.thread and not asked.told and holds != name else (holds,)

    own = asked.told and book.has_other_speakers
    by_words = _credited(arms.lexical(asked.text, max(LEXICAL_HITS, 4 * asked.k), own), standing)
    hits = arms.nearest(max(VECTOR_HITS, 4 * asked.k), own)
    near = _credited({hit.id: 1.0 - hit.distance for hit in hits}, standing)
    least = _NEAR if arms.weight >= 1.0 else math.inf
    near = {name: cosine for name, cosine in near.items() if cosine >= least or name in by_words}
    base = dict(fuse_rankings([(1.0, by_words), (arms.weight, near)], floors=[_NARROW if arms.weight >= 1.0 else 1.0]))
    total = _with_neighbours(book, base, lambda name: name in standing(name), gains.beside, own=asked.told)
    span, dated = time_in_question(asked.text, asked.now), asks_when(asked.text)
    factors = _information(book, total) if gains.informed else {}
    for name, score in total.items():
        note = book.notes[name]
        told = span is not None and span[0] <= note.at < span[1]
        factor = factors.get(name, 1.0) * (_ASSISTANT if note.role == "assistant" else 1.0)
        total[name] = score * factor + gains.in_time * told + gains.dated * (dated and names_time(note.text))
    if gains.linked:
        _link_entities(book, total, asked.text, gains.linked, lambda name: name in standing(name))
    by_names = follow_names(book, total, asked.text, gains.named, lambda name: name in standing(name), until)
    again = _spoken_of_again(book, total, asked.k)
    if not past and span is None:
        _let_follow(book, total, asked.text, again)
    later = {name: newer for name in total if (newer := book.replacement_of(name, until)) is not None}
    for name, newer in ((name, newer) for name, newer in later.items() if not past and newer.id in total):
        total[newer.id] = max(total[newer.id], total[name] + _BEFORE)
    best = sorted(total, key=lambda name: (-total[name], name))
    parts = {name: {"lexical": by_words.get(name, 0.0), "vector": near.get(name, 0.0)} for name in best[: asked.k]}
    return [
        _recalled(book.notes[name], total[name], scores, later.get(name), again.get(name), by_names.get(name, ""))
        for name, scores in parts.items()
    ]


def _fits(note: Note, asked: NoteQuestion) -> bool:
    if not (asked.as_of or asked.told or asked.environment or asked.family):
        return True
    if (asked.as_of and note.at > asked.now) or (asked.told and note.role != "user"):
        return False
    places = ((note.environment, asked.environment), (note.family, asked.family))
    return all(not own or not wanted or own == wanted for own, wanted in places)


def _credited(scores: Mapping[str, float], standing: Callable[[str], tuple[str, ...]]) -> dict[str, float]:
    """The scores of notes that hold; a change that is told in other words is found by the words of what it replaced."""
    found: dict[str, float] = {}
    for name, score in scores.items():
        for one in standing(name):
            found[one] = max(found.get(one, score), score)
    return found


def _with_neighbours(
    book: ResolvedNotes, base: Mapping[str, float], fits: Callable[[str], bool], share: float, *, own: bool
) -> dict[str, float]:
    beside: dict[str, float] = {}
    for name, score in base.items() if share else ():
        for other in book.thread_neighbours(name, own=own):
            beside[other] = max(beside.get(other, 0.0), score)
    total = dict(base)
    for name, score in beside.items():
        if name in base or fits(name):
            total[name] = total.get(name, 0.0) + share * score
    return total


def _information(book: ResolvedNotes, names: Iterable[str]) -> dict[str, float]:
    """A factor for each turn of a conversation, by the logarithm of the information of its words.

    It holds back what says less than the mean of what was found and raises nothing, so that length is no merit.
    """
    found = {name: math.log1p(book.information_weight(name)) for name in names if book.notes[name].thread}
    mean = sum(found.values()) / len(found) if found else 0.0
    return {name: min(1.0, said / mean) for name, said in found.items()} if mean else {}


def _spoken_of_again(book: ResolvedNotes, total: Mapping[str, float], k: int) -> Mapping[str, Note]:
    """The best of what was found that a later note among them is about the same as."""
    best = heapq.nsmallest(max(_COMPARED, 4 * k), total, key=lambda name: (-total[name], name))
    return is_mentioned_again(book.notes[name] for name in best)


def _let_follow(book: ResolvedNotes, total: dict[str, float], question: str, again: Mapping[str, Note]) -> None:
    """Puts later talk of what a note says before that note; both stay.

    A later note is such talk where it has the subject, which is the name or else the words that the question and the
    note share, and besides a word of the note that the question lacks: that is what the question asks for. So free
    wording that changes a value is told first without a guess at its verb, and a note that nobody came back to keeps
    its place however old it is. Turns of a conversation come back to what was said all the time and stay as they are.

    A later note that is about the same (``again``) comes first too, unless the question asks for the value that only
    the older one gives.
    """
    asked = word_stems(question) - {"@"}
    best = sorted(total, key=lambda name: (-total[name], name))[:_FOLLOWED]
    for name in sorted(best, key=lambda name: book.notes[name].at):
        old = book.notes[name]
        subject = asked & book.stems_of(name)
        names = [run for run in map(word_stems, _NAME.findall(old.text)) if run & subject]
        subject = frozenset().union(*names) or subject
        said = {word for word in book.stems_of(name) - subject if not _like(word, asked) and book.is_rare(word, name)}
        for other in best if subject and said else ():
            new, words = book.notes[other], book.stems_of(other)
            newer = new.at > old.at and TRUST[new.role] >= TRUST[old.role] and not (new.thread or old.thread)
            if newer and subject <= words and said & words:
                total[other] = max(total[other], total[name] + _BEFORE)
    for name in sorted(again, key=lambda name: book.notes[name].at):
        newest = again[name].id
        if asked & values_of(book.notes[name].text) <= book.stems_of(newest):
            total[newest] = max(total[newest], total[name] + _BEFORE)


def _like(word: str, asked: frozenset[str]) -> bool:
    """Whether the question has a word, in another form perhaps."""
    return any(word[:_ROOT] == other[:_ROOT] for other in asked)


def _recalled(
    note: Note, score: float, scores: Mapping[str, float], later: Note | None, again: Note | None, by_names: str
) -> Recalled:
    if by_names:
        reason = f"{by_names}: {note.author} noted it"
    elif scores["lexical"]:
        reason = "it shares words with the query"
    elif scores["vector"]:
        reason = "it is worded like the query"
    else:
        reason = f"it stands beside such a note in {note.thread}"
    status, mark = "", ""
    if later is not None:
        status, mark = "superseded", f"; replaced by note {later.id[:8]}{_on(later.date)}"
    elif again is not None:
        status, mark = "older", f"; older: {again.author} spoke of the same{_on(again.date)}"
    return Recalled(
        id=note.id,
        kind="note",
        text=note.text,
        score=score,
        scores=scores,
        why=f"{reason}{mark}" if by_names else f"{note.author} noted it and {reason}{mark}",
        author=note.author,
        status=status,
        provenance=note.provenance + mark,
        date=note.date,
    )


def _on(date: str) -> str:
    return f" on {date}" if date else ""
