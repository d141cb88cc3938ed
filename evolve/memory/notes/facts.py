"""Reads facts out of sentences: subject and value, and when a sentence tells of a change that replaces another.

Two sentences of one key and different values cannot both be true now, so the newer replaces the older. Only forms in
which a subject has one value at a time are read: a copula or an assignment, a change to a value, and verbs such as
"lives in". What is not read has no key; it replaces nothing by it and is replaced by nothing.

The forms are English. Text in other languages keeps its notes side by side.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from evolve.runtime.retrieval import split_words

_OPENING = re.compile(
    r"^(?:(?:update|correction|fyi|heads up|reminder|note|news|change of plans?|breaking|edit)\s*[:,-]+\s*"
    r"|(?:actually|so|ok|okay|well|hey|hi|also|by the way|btw|please note|please|note|remember|it turns out)[,:]?\s+"
    r"(?:that\s+)?"
    r"|(?:as of|from|since|starting|effective)\s+(?:now on|now|today|tomorrow|yesterday|\w+day|(?:this|next|last) \w+"
    r"|\d[\w-]*|(?:in )?\w+ \d[\w-]*)\s*,\s*)",
    re.IGNORECASE,
)
_DEGREE = r"(?:now|currently|already|still|just|actually|officially|today|presently|really|again)"
_CHANGED = (
    r"(?:changed|moved|updated|set|switched|raised|lowered|increased|reduced|bumped|dropped|shifted|transferred"
    r"|corrected|cut|extended|reset|revised|adjusted|reassigned|rescheduled|postponed|pushed(?: back)?|brought forward"
    r"|went (?:up|down)|gone (?:up|down)|rose|risen|fell|fallen|grew|grown|handed over|migrated)"
)
_ENDS = re.compile(
    r"\s*(?:[,;]\s*(?:not|instead of|no longer|rather than|replacing|down from|up from|formerly|previously)\b.*"
    r"|\s+(?:instead(?: of .*)?|rather than .*|now|as of .*|from now on|these days|at the moment|starting .*"
    r"|effective .*|anymore|any more)|\s+\((?:was|formerly|previously)\b.*\))$",
    re.IGNORECASE,
)
_ADDS = re.compile(r"\balso\b|\b(?:too|as well|in addition)$", re.IGNORECASE)
"""What tells that something holds besides what was said before."""
_FORMS = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        # "the port of billing was changed from 80 to 90"
        rf"^(?P<key>.+?)\s+(?:(?:has|have|was|were|is|got|been|just|now|recently)\s+)*{_CHANGED}"
        r"(?:\s+from\s+.+?)?\s+to\s+(?P<value>.+)$",
        # "we moved the port of billing to 90"
        rf"^(?:\w+\s+)?(?:(?:has|have|had|just|recently|now)\s+)*{_CHANGED}\s+(?P<key>.+?)"
        r"(?:\s+from\s+.+?)?\s+to\s+(?P<value>.+)$",
        # "Dana is the new head of the Paris office"
        rf"^(?P<value>[^,]+?)\s+(?:is|are|becomes|became|has become|serves as|takes over as|took over as)\s+"
        rf"(?:{_DEGREE}\s+)*(?P<key>(?:the|our|my)\s+(?:new|current)\s+.+|[\w .-]+?'s?\s+(?:new|current)\s+.+)$",
        # "the port of billing is 90", "billing port = 90", "billing port: 90"
        rf"^(?P<key>.+?)(?:\s*(?:=|:)\s+|\s+(?:{_DEGREE}\s+)*(?:is|are|was|were|equals|will be|became|becomes"
        r"|has become|should be|must be|stands at|amounts to|has been)\s+"
        rf"(?:(?:{_DEGREE}|set to|set at|going to be|changed to|no longer|not)\s+)*)(?P<value>.+)$",
    )
)
_COPULAS = " is , are , was , were , equals , be , becomes , became , become , been , stands , amounts ,=,:"
_NEEDED = ((" to ",), (" to ",), (" new ", " current "), tuple(_COPULAS.split(",")))
"""Of each form something that a sentence must hold; to look for it is sooner done than to try the form."""
_VERB = rf"(?:{_DEGREE}\s+|has\s+|have\s+|no longer\s+)*"
_VERB_FORMS = (
    (r"lives? in|resides? in|settled in|(?:is|are|am) (?:now )?(?:based|living) in", "home"),
    (
        r"(?:works?|went to work) (?:at|for)|joined(?=\s+(?-i:[A-Z]))|(?:is|are|am) employed (?:by|at)"
        r"|started (?:working )?at",
        "employer",
    ),
    (r"works? as|(?:was|got) promoted to", "title"),
    (r"reports? to", "manager"),
    (r"drives?", "car"),
    (r"costs?", "price"),
    (r"listens? on|runs? on port", "port"),
    (r"goes by|(?:is|are|am|was) (?:re)?named|(?:is|are|am) called", "name"),
    (r"(?:is|are|am) married to|married", "spouse"),
    (r"stud(?:y|ies) at|(?:is|am) enrolled at", "school"),
    (r"belongs? to|(?:is|are) owned by", "owner"),
    (r"starts? at|begins? at", "start"),
    (r"ends? at|finishes at", "end"),
    (r"expires? (?:on|in)|(?:is|are) due (?:on|by)|(?:is|are) due", "due"),
    (r"takes? place (?:in|at)", "place"),
)
_VERBS = tuple(
    (re.compile(rf"^(?P<key>.+?)\s+{_VERB}(?:{verbs})\s+(?P<value>.+)$", re.IGNORECASE), name)
    for verbs, name in _VERB_FORMS
)
_ANY_VERB = re.compile(rf"\s(?:{'|'.join(verbs for verbs, _ in _VERB_FORMS)})\s", re.IGNORECASE)
"""Most sentences have none of them, and fifteen forms need not be tried."""
_CALLED = re.compile(r"^[Cc]all me (?P<name>[A-Z][\w'-]*(?: [A-Z][\w'-]*)?$|[\w'-]+(?: [\w'-]+)?(?= from now on\b))")
"""What the person who speaks is called, which "my name is Bo" says too; "call me tomorrow" does not."""
_SETTLED = re.compile(
    r"^(?P<key>I|We|[A-Z]\w+(?: [A-Z]\w+)?) (?:has |have |just )*(?:moved|relocated) to (?P<value>.+)$"
)
"""People move to places; deadlines and offices are moved to values, which the forms above read."""
_NAMES_FOR = {
    "residence": "home", "address": "home", "company": "employer", "boss": "manager", "job": "title", "role": "title",
    "wife": "spouse", "husband": "spouse", "vehicle": "car", "cost": "price", "deadline": "due", "expiry": "due",
}  # fmt: skip
_LEFT_OUT_TEXT = """
a an and are at be been by current currently did do does for from has have in is latest longer new no not now of
official officially on or s that the these this those to was were with
"""
_LEFT_OUT = frozenset(_LEFT_OUT_TEXT.split())
_OWN = frozenset(("i", "my", "mine", "our", "ours", "we", "us", "me"))
_NEGATION = re.compile(
    r"\b(?:not|no longer|never|isn't|aren't|doesn't|don't|wasn't|cannot|can't|won't|without)\b", re.I
)
_VAGUE = frozenset(("it", "he", "she", "they", "there", "his", "her", "their", "what", "who", "if", "when"))
_RELATED = re.compile(r"^(?P<relation>[a-z]{3,} (?:in|on|to|for|by|with|at|from|of|as)) (?P<value>.+)$")
_ATTRIBUTE = re.compile(r"'s\b|\bof\b")
_PROPER = re.compile(r"^(?:[A-Z]\w*\s*)+$")
_PREPOSITIONS = frozenset(("on", "in", "at", "by", "until", "from"))
_WHEN = re.compile(
    r"^(?:the\s+)?(?:(?:next|this)\s+\w+$|(?:mon|tues|wednes|thurs|fri|satur|sun)day\b|\d{4}-\d\d-\d\d"
    r"|\d{1,2}(?:st|nd|rd|th)?\s+(?:of\s+)?(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)\w*\b"
    r"|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)(?:uary|ruary|ch|il|e|y|ust|t?ember|ober)?(?:\s+\d.*)?$)",
    re.IGNORECASE,
)
"""A value that is a day."""
_SAYS_WHEN = frozenset(("date", "day", "due"))
_LONGEST = 160
"""Letters of a sentence that is read; a longer one says more than a value, and takes long to match."""
_MOST_KEY_WORDS = 9
_MOST_VALUE_WORDS = 10
"""What is longer describes; two descriptions of one thing may both be true."""


@dataclass(frozen=True)
class SentenceFact:
    """What one sentence says.

    Attributes:
        key: Stems of what it speaks of, whatever their order; the person who speaks stands as ``@``.
        value: Words of the value.
    """

    key: frozenset[str]
    value: tuple[str, ...]


def split_sentences(text: str) -> list[str]:
    """The sentences of a text, without what opens and ends them."""
    parts = (part.strip() for part in re.split(r"(?<=[.!?])\s+(?=[A-Z\"'(])|\n+", text.replace("\u2019", "'")))
    return [part for part in parts if part]


def read_fact(sentence: str) -> SentenceFact | None:
    """The fact that a sentence states; None where no form fits it, or what it speaks of is too vague."""
    plain = " ".join(sentence.split()).rstrip(" .!")
    if len(plain) > _LONGEST:
        return None
    while opened := _OPENING.match(plain):
        plain = plain[opened.end() :]
    if plain.endswith("?") or _ADDS.search(plain):
        return None
    negated = bool(_NEGATION.search(plain))
    if called := _CALLED.match(plain):
        return _fact(frozenset(("@", "name")), called["name"], negated)
    plain = _ENDS.sub("", plain)
    verbs = _VERBS if _ANY_VERB.search(plain) else ()
    for form, name in (*verbs, (_SETTLED, "home")):
        if found := form.match(plain):
            subject = word_stems(found["key"])
            return _fact(subject | {name} if subject else frozenset(), found["value"], negated)
    lower = plain.lower()
    for form, needed in zip(_FORMS, _NEEDED, strict=True):
        if any(word in lower for word in needed) and (found := form.match(plain)):
            return _stated(found["key"], found["value"], negated)
    return None


def adds_information(text: str) -> bool:
    """Whether a text tells of something besides what was said before, and so takes the place of nothing."""
    return bool(_ADDS.search(text.rstrip(" .!")))


def is_negated(text: str) -> bool:
    """Whether a text denies something."""
    return bool(_NEGATION.search(text.replace("\u2019", "'")))


def word_stems(text: str) -> frozenset[str]:
    """Stems of the words that matter; the person who speaks stands as ``@``."""
    return frozenset(map(word_stem, split_words(text.replace("'", " ")))) - {""}


def _stated(subject: str, value: str, negated: bool) -> SentenceFact | None:
    """The fact of a copula. What a bare thing is in lower case may be one of many things that it is."""
    key = word_stems(re.sub(rf"\b{_DEGREE}\b", " ", subject, flags=re.IGNORECASE))
    opening = split_words(value)[:1]
    bare = value.partition(" ")[2] if opening and opening[0] in _PREPOSITIONS else value
    if _WHEN.match(bare):
        return _fact((key - _SAYS_WHEN or key) | {"~when"}, bare, negated)  # "is on 3 May", "the date of it is 3 May"
    if opening and opening[0] in _PREPOSITIONS:
        key |= {f"~{opening[0]}"}  # "is in room four" and "is at the lake" may both be true
    elif related := _RELATED.match(value):
        key |= {f"~{related['relation']}"}
        value = related["value"]
    elif not _ATTRIBUTE.search(subject) and len(key) < 3 and key != {"@", "name"}:
        counted = any(char.isdigit() for char in value)
        # A proper name is many things at once, and so is what one word names.
        if not counted and (value.islower() or len(key) == 1 or _PROPER.match(subject)):
            return None
        key |= {"~number"} if counted else {"~name"}
    return _fact(key, value, negated)


def _fact(key: frozenset[str], value: str, negated: bool) -> SentenceFact | None:
    said = tuple(split_words(value))
    if not 0 < len(said) <= _MOST_VALUE_WORDS or not 1 < len(key) <= _MOST_KEY_WORDS or key & _VAGUE:
        return None
    return SentenceFact(key, ("not", *said) if negated else said)


@lru_cache(maxsize=50_000)
def word_stem(word: str) -> str:
    """The stem of a word, or the word that stands for it; "" where it is left out. Few words make up most texts."""
    if word in _OWN:
        return "@"
    if word in _LEFT_OUT and not word.isdigit():
        return ""
    root = word
    if len(word) > 4 and word.endswith("ies"):
        root = word[:-3] + "y"
    elif len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        root = word[:-1]
    return _NAMES_FOR.get(root, root)


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


def reports_change(new: str, old: str) -> bool:
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
    given_up = {word_stem(found[1].lower()) for found in _GIVEN_UP.finditer(new)} - {""}
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
    return [word_stem(word) for word in split_words(text.replace("'", " "))]
