"""When a note in free wording may replace another: it must tell of a change, and of a change of that very thing."""

from __future__ import annotations

import re
from itertools import pairwise

from evolve.memory.notes.facts import is_negated, stem
from evolve.runtime.retrieval import words

CHANGE = re.compile(
    r"\b(?:now|nowadays|no longer|no more|any ?more|instead|switched|changed|moved|replaced|replaces|became|becomes"
    r"|updated?|correction|actually|renamed|as of|from now on|new|postponed|rescheduled|extended|cancell?ed|raised"
    r"|lowered|increased|reduced|stopped|quit|gave up|took over|used to|dropped|went (?:up|down)|traded|swapped"
    r"|exchanged|abandoned|ditched|gave .{1,60}? (?:away|back)|(?:got|get|be|are|is) rid of|in favou?r of|in place of"
    r"|(?:takes?|took) (?:the place of|(?:its|his|her|their) place)|these days|turn(?:s|ed) out"
    r"|resigned|converted|transferred|formerly|previously|until recently|by now|lately|at present|rather than)\b",
    re.IGNORECASE,
)
"""What tells that something changed. Without it two notes that are alike are two notes."""
MAYBE = re.compile(
    r"\b(?:since|after|left|leaves|sold|lost|broke|closed|ended|retired|another|different|aside|tired of|prefers?"
    r"|from .{1,60}? to|recently)\b",
    re.IGNORECASE,
)
"""What may tell so; it counts where the two notes are more alike."""
_OTHER = re.compile(
    r"\b(?:switched|replaced (?:by|with)|replaces|traded|swapped|exchanged|in favou?r of|in place of|rather than"
    r"|instead|(?:takes?|took) (?:over|the place of|(?:its|his|her|their) place))\b",
    re.IGNORECASE,
)
"""What tells that one thing stands for another now."""
_GIVEN_UP = re.compile(
    r"\b(?:instead of|in place of|rather than|gave up|give up|ditched|abandoned|dropped|swapped|traded|exchanged|rid of"
    r"|switched from|no more)\s+(?:(?:the|a|an|any|his|her|their|our|my|its|old|on)\s+)*([\w-]+)",
    re.IGNORECASE,
)
_DENIAL = re.compile(r"\b(?:\w+n't|cannot|not|never|without|do|does|did|can)\b", re.IGNORECASE)
_CONTRAST = re.compile(r"\b(?:but|only)\b|[,;]", re.IGNORECASE)
_CLAUSES = re.compile(r"[,;:]|\b(?:and|but|so|because|since|after|where|while|when|from|for|over)\b", re.IGNORECASE)


def tells_a_change(new: str, old: str) -> bool:
    """Whether the new text tells of a change of what the old one says.

    What both say is no sign of a change between them. What the new one says was given up must be something that the old
    one names. Unless the new one tells that one thing stands for another, or denies one thing beside another, two more
    hold: where all that they share is one phrase, that is a subject, of which two things may be true; and where the new
    one names in one clause what the old one begins and ends with, it speaks of the same value.
    """
    cues, said_before = _cues(new), _cues(old)
    if not cues - said_before:
        return False
    before, after = _in_order(old), set(_in_order(new)) - {""}
    given_up = {stem(found[1].lower()) for found in _GIVEN_UP.finditer(new)} - {""}
    if given_up:
        return not given_up.isdisjoint(before)
    if _OTHER.search(new) or (is_negated(new) and _CONTRAST.search(new)):
        return True
    shared = [word in after for word in before]
    phrases = sum(here and not earlier for earlier, here in pairwise([False, *shared]))
    content = [word for word in before if word not in ("", "@")]
    return phrases > 1 and (bool(_CLAUSES.search(new)) or not {content[0], content[-1]} <= after)


def is_denial_of(new: str, old: str) -> bool:
    """Whether the new text, which denies something, denies what the old one says, and not the like of another case."""
    before, after = (set(_in_order(_DENIAL.sub(" ", text.replace("\u2019", "'")))) - {""} for text in (old, new))
    return not is_negated(old) and not (before - after and after - before)


def _cues(text: str) -> set[str]:
    return {found[0].lower() for form in (CHANGE, MAYBE) for found in form.finditer(text)}


def _in_order(text: str) -> list[str]:
    """The stems of a text in order, "" for words that do not matter."""
    return [stem(word) for word in words(text.replace("'", " "))]
