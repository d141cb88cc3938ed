"""What a task is to bring forth, such as a mail or tests, and for which of it a wish is meant.

A wish that was said of a mail is meant for mails, whatever they are about, and seldom for the report on the same topic.
The lexicon is small and English. What it lacks is named by the noun that a task asks to be written, and of what is not
known nothing follows: there the words of both tasks decide.
"""

from __future__ import annotations

import re
from functools import lru_cache

CODE = "code"
"""A kind so wide that two tasks of it need common words besides."""

_LEXICON_TEXT = """
mails: mail mails e-mail e-mails email emails newsletter newsletters
letters: letter letters
reports: report reports briefing briefings
summaries: summary summaries abstract abstracts synopsis digest recap
minutes: minutes protocol
tables: table tables spreadsheet spreadsheets
slides: slides slide deck presentation presentations
articles: article articles post posts blog essay essays column
messages: message messages tweet tweets announcement announcements
commit messages: commit-message commit-messages
pull requests: pull-request pull-requests
tests: test tests testcase testcases unittest unittests
documentation: documentation docs readme docstring docstrings manual guide tutorial
changelogs: changelog changelogs release-notes
invoices: invoice invoices
offers: offer offers quotation quotations
contracts: contract contracts
translations: translation translations
agendas: agenda agendas
poems: poem poems
speeches: speech speeches toast
code: code function functions script scripts program programs class classes module modules method methods bug parser
"""
_LEXICON = {
    word: kind
    for line in _LEXICON_TEXT.strip().splitlines()
    for kind, _, listed in [line.partition(":")]
    for word in listed.split()
}
_DOUBLE = re.compile(r"\b(commit|pull|release)[ -](messages?|requests?|notes)\b", re.IGNORECASE)
_BY_VERB = {
    **dict.fromkeys(("mail", "email", "e-mail"), "mails"),
    **dict.fromkeys(("summarise", "summarize", "recap"), "summaries"),
    **dict.fromkeys(("tabulate",), "tables"),
    **dict.fromkeys(("translate",), "translations"),
    **dict.fromkeys(("document",), "documentation"),
    **dict.fromkeys(("test",), "tests"),
    **dict.fromkeys(("fix", "refactor", "implement", "debug", "mend", "rename", "port", "optimise", "optimize"), CODE),
}
_OF_CODE_ALONE = frozenset(("refactor", "implement", "debug"))
"""Verbs that are said of code, whatever it is about: "refactor the report generator"."""
_MAKE = (
    "write|draft|compose|prepare|create|make|produce|generate|send|give|put together|design|build|add|rewrite|revise"
    "|shorten|improve|update|edit|polish|need|want|change"
)
_ASKED = re.compile(
    rf"^\W*(?:(?:please|now|then|could you|can you|would you|i|we|let us|let's)\s+)*"
    rf"(?P<verb>{_MAKE}|{'|'.join(_BY_VERB)})\b\s*(?:(?:me|us|him|her|them)\s+)?(?P<what>[^.;:!?\n]*)",
    re.IGNORECASE,
)
_PHRASE_ENDS = re.compile(
    r",|\b(?:to|for|about|on|that|which|who|with|of|in|from|saying|telling|so|and|by|as|at|where|when|how|why)\b",
    re.IGNORECASE,
)
_PARTS = re.compile(r"[.;!?]\s+|\n+|,?\s+(?:and then|and|then|plus|as well as)\s+", re.IGNORECASE)
_WHERE = re.compile(r"^(?:in|of|on)\s+(?:the|this|my|our|your)\s+([\w-]+)\s*$", re.IGNORECASE)
_FILE = re.compile(r"\S*[/.]\w+\b|`[^`]*`")
_WORD = re.compile(r"[^\W\d_][\w-]*")
_VAGUE = frozenset(
    [
        "it",
        "this",
        "that",
        "one",
        "thing",
        "change",
        "changes",
        "file",
        "files",
        "list",
        "line",
        "lines",
        "version",
        "something",
        "points",
        "text",
    ]
)

_SCOPE = re.compile(r"\b(?:in|for)\s+(?:(?:all|any|every|each|the|my|our|such|your)\s+)*((?:[\w-]+\s+)?[\w-]+)", re.I)
_DENIES = re.compile(r"\b(?:not|no|never|don't|dont|without|avoid|leave|hands off)\b", re.IGNORECASE)
_PLACES = "project|repo|repository|folder|codebase|workspace|team|company|house|language|kind|sort|type|way|is|was|are"
_VERBS = "should|must|needs?|has|could|would|can|will|looks?|reads?|sounds?|seems?|does|did|isn't|wasn't|and|or|but"
_THIS = re.compile(rf"\b(?:(this|these)\s+(?!(?:{_PLACES}|{_VERBS})\b)(\w+)|here(?!\s+we\b)|for now|just now)\b", re.I)
_BEFORE_A_NOUN = re.compile(r"\b(?:in|for|on|to|of|with|at|from)\s+$", re.IGNORECASE)
_GENERAL = re.compile(
    r"\b(?:al{1,2}ways?|never|every(?:time|where)?|each|all|(?:in )?general(?:ly)?|from now on|in (?:the )?future)\b",
    re.I,
)


@lru_cache(maxsize=2_000)
def artifact_kind(task: str) -> str:
    """What a task is to bring forth: a kind of the lexicon, ``~noun`` for another noun, "" where nothing tells."""
    plain = _FILE.sub(" ", _DOUBLE.sub(r"\1-\2", task))
    asked = _ASKED.match(plain)
    if asked is None:
        return next(iter(_known(plain)), "")
    verb, what = asked["verb"].lower(), asked["what"]
    ends = _PHRASE_ENDS.search(what)
    phrase = what[: ends.start()] if ends else what
    rest = what[ends.start() :] if ends else ""
    placed = _WHERE.match(rest)
    named = _known(phrase)[-1:] or (_known(placed[1]) if placed else [])
    if verb in _OF_CODE_ALONE or (verb in _BY_VERB and (_BY_VERB[verb] != CODE or not named)):
        return _BY_VERB[verb]
    if named:
        return named[0]
    nouns = [word.lower() for word in _WORD.findall(phrase)]
    return f"~{nouns[-1].removesuffix('s')}" if nouns and nouns[-1] not in _VAGUE else ""


def kinds_asked(task: str) -> frozenset[str]:
    """What a task is to bring forth by each of its parts, such as a mail and a report."""
    return frozenset(map(artifact_kind, (task, *_PARTS.split(task)))) - {""}


def is_known(kind: str) -> bool:
    """Whether a kind is of the lexicon, so that another of the lexicon is another kind of work."""
    return bool(kind) and not kind.startswith("~")


@lru_cache(maxsize=2_000)
def kinds_meant(wish: str) -> frozenset[str]:
    """The kinds for which a wish says that it is meant, as in "no bullet points in mails"; none where it does not."""
    plain = _FILE.sub(" ", _DOUBLE.sub(r"\1-\2", wish))  # docs/changes.md is no kind of work
    found = {kind for scope in _SCOPE.finditer(plain) for kind in _known(scope[1])}
    return frozenset(found - {CODE})


@lru_cache(maxsize=2_000)
def kinds_named(wish: str) -> frozenset[str]:
    """The kinds that a wish speaks of, unless it tells to leave something alone."""
    return frozenset() if _DENIES.search(wish) else frozenset(_known(_DOUBLE.sub(r"\1-\2", wish)))


def is_once(wish: str) -> bool:
    """Whether a wish is meant for the one task that it was said of: "this mail", "this time", "here"."""
    return bool(_THIS.search(wish)) and not _GENERAL.search(wish)


def is_mixed(wish: str) -> bool:
    """Whether a part of such a wish names no task, as in "leave the kiosk out this month and round crates up"."""
    parts = [part for part in _PARTS.split(wish) if len(_WORD.findall(part)) > 2]
    return is_once(wish) and not all(_THIS.search(part) for part in parts)


def generalise_wish(wish: str) -> str:
    """The words of such a wish as they hold for later tasks too."""

    one = "any" if _DENIES.search(wish) else "every"

    def wider(found: re.Match[str]) -> str:
        this, noun = found[1], found[2]
        if not this or noun.lower() in ("time", "once"):
            return ""
        if noun.lower() in _LEXICON or _BEFORE_A_NOUN.search(wish[: found.start()]):
            return f"{one if this.lower() == 'this' else 'all'} {noun}"
        return "it" if noun.lower() in ("one", "ones") else f"it {noun}"

    return re.sub(r"\s+(?=[,.;!?]|$)", "", " ".join(_THIS.sub(wider, wish).split())).lstrip(",;: ")


def _known(text: str) -> list[str]:
    found = (word.lower() for word in _WORD.findall(text))
    return [_LEXICON[word] for word in found if word in _LEXICON]
