"""Keeps tasks and the words of others out of prompts.

A proposed text may share no eight words in a row and no thirty characters with any task of any split, and hold no
longer value of its rows. The guard holds digests of these pieces only, so held-out text is neither in it nor in what it
says. Pieces that belong to everybody are common: those of the prompts that ship, and those that stand in many groups.
What the gate looks for once more in a whole variant is in :mod:`evolve.trials.gate.leakage`.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from evolve.core.episodes import Json
from evolve.runtime.retrieval.text_overlap import line_digest, one_line, word_run_digests
from evolve.tasks import Task

WORDS = 8
CHARACTERS = 30
"""Fewer words than the gate's 13: here a false alarm costs one proposal, and the next says it in other words."""

# Shorter values stand in many sentences that have nothing to do with the task; digits make a value more telling.
_VALUE = 12
_VALUE_WITH_DIGIT = 8
# A piece that stands in this many groups, and in this share of all, is of the language and not of a task.
_COMMON_GROUPS = 5
_COMMON_SHARE = 0.2
_COPIED_WORDS = 6

_ADDRESS = re.compile(r"\w+://|\bwww\.|\b[\w.+-]+@[\w-]+\.\w")
_COMMAND = re.compile(
    r"\b(?:curl|wget|sudo|chmod|rm\s+-\w|os\.system|subprocess|__import__|eval\s*\(|exec\s*\(|exfiltrat\w*|base64"
    r"|passwords?|credentials?|secrets?|api[ _-]?keys?|tokens? of the user)\b",
    re.IGNORECASE,
)
_TAKEOVER = re.compile(
    r"\b(?:ignore|disregard|forget|override|bypass)\b.{0,30}\b(?:instructions?|rules?|prompts?|above|previous|earlier"
    r"|checks?|tests?|verifier)\b|\bsystem prompt\b|\bfrom now on\b|\byou are now\b",
    re.IGNORECASE,
)


def unsafe_reason(text: str) -> str:
    """Why a text must not stand in a prompt whatever it is about, or "".

    It must hold no address, no command of a shell or for secrets, and nothing that sets other rules aside. Such words
    are easily avoided by whoever knows them; what keeps useless and harmful items out is the gate.
    """
    # Full-width letters and ligatures would pass the patterns otherwise.
    flat = unicodedata.normalize("NFKC", text)
    for pattern, why in (
        (_ADDRESS, "it holds an address"),
        (_COMMAND, "it holds a command or asks for secrets"),
        (_TAKEOVER, "it sets other rules aside"),
    ):
        if pattern.search(flat):
            return why
    return ""


@dataclass(frozen=True, kw_only=True)
class LeakGuard:
    """Digests of what may not be copied.

    Attributes:
        pieces: Digests of word and character pieces of tasks and of their longer values.
    """

    pieces: frozenset[bytes] = frozenset()
    values: frozenset[bytes] = field(default_factory=frozenset)
    lengths: tuple[int, ...] = ()

    def leak_in(self, text: str) -> str:
        """Why the text may not be used, or ""; held-out text is not quoted."""
        flat = one_line(text)
        if self.pieces & word_run_digests(text, WORDS, CHARACTERS):
            return f"it shares {WORDS} words in a row or {CHARACTERS} characters with a task"
        for length in self.lengths:
            if any(line_digest(flat[at : at + length]) in self.values for at in range(len(flat) - length + 1)):
                return "it holds a value of a task"
        return ""


def guard_of(tasks: Iterable[Task], *, common: Sequence[str] = ()) -> LeakGuard:
    """The guard over tasks of all splits.

    Args:
        common: Texts whose pieces may be used by anybody, such as the prompts that ship.
    """
    groups: dict[str, set[bytes]] = {}
    values: set[str] = set()
    for task in tasks:
        groups.setdefault(task.group, set()).update(word_run_digests(task.instruction, WORDS, CHARACTERS))
        values.update(flat for flat in map(one_line, _texts_of(task)) if _is_telling(flat))
    shared = Counter(piece for pieces in groups.values() for piece in pieces)
    often = max(_COMMON_GROUPS, _COMMON_SHARE * len(groups))
    free = {piece for text in common for piece in word_run_digests(text, WORDS, CHARACTERS)}
    guarded = {piece for piece, count in shared.items() if count < often} - free
    guarded.update(piece for value in values for piece in word_run_digests(value, WORDS, CHARACTERS))
    ours = " ".join(map(one_line, common))
    # Of longer values every run of characters is among the pieces already.
    short = {value for value in values if len(value) <= CHARACTERS and value not in ours}
    return LeakGuard(
        pieces=frozenset(guarded - free),
        values=frozenset(map(line_digest, short)),
        lengths=tuple(sorted({len(value) for value in short})),
    )


def copied_reason(text: str, data: Sequence[str], *, common: Sequence[str] = ()) -> str:
    """Why a text seems to be taken over from data, or "".

    What programs print and others write may hold orders. A proposal that shares six words in a row or thirty
    characters with it repeats it, where it should say what follows from it.
    """
    free = {piece for source in common for piece in word_run_digests(source, _COPIED_WORDS, CHARACTERS)}
    taken = {piece for source in data for piece in word_run_digests(source, _COPIED_WORDS, CHARACTERS)} - free
    if taken & word_run_digests(text, _COPIED_WORDS, CHARACTERS):
        return f"it shares {_COPIED_WORDS} words in a row or {CHARACTERS} characters with quoted data"
    return ""


def _texts_of(task: Task) -> Iterator[str]:
    yield task.tests
    for row in (*task.examples, *task.verify, *task.hidden):
        for value in (*row.input, row.output):
            yield from _leaves(value)


def _leaves(value: Json) -> Iterator[str]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield str(key)
            yield from _leaves(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _leaves(inner)
    elif value is not None and not isinstance(value, bool):
        yield str(value)


def _is_telling(flat: str) -> bool:
    least = _VALUE_WITH_DIGIT if any(sign.isdigit() for sign in flat) else _VALUE
    return len(flat) >= least
