"""How a person is asked for leave to call a function: what is called, with what, and what may come of it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from evolve.cli.render.output import counted

if TYPE_CHECKING:
    from evolve.workspace import CallQuestion, Consent

_LONGEST, _LONGEST_PART, _MOST_PARTS = 2_000, 400, 24
"""Characters of all arguments that are shown unasked, of one that is shown among them, and how many of these."""

_BLANKS = re.compile(r"[\s\u2800\u3164\u115f\u1160\uffa0]{4,}")
"""Blanks that push what follows to where a line of the terminal begins."""

_ANSWERS: dict[str, Consent] = {
    "y": "once",
    "yes": "once",
    "a": "run",
    "all": "run",
    "n": "no",
    "no": "no",
    "": "no",
    "v": "never",
    "never": "never",
}

ASKED = "allow it? [y]es, [a]ll calls of it in this run, [n]o, ne[v]er in this run"


def asked_for_consent(question: CallQuestion, tell: Callable[[str], None], ask: Callable[[str], str | None]) -> Consent:
    """Puts the question until it is answered; nothing said is no.

    Args:
        tell: Shows a line; what it shows of arguments and descriptions comes from outside.
        ask: Gives what is typed, or None where nobody answers.
    """
    whole = json.dumps(question.arguments, ensure_ascii=False, indent=1)
    shown = shown_arguments(question.arguments)
    for line in lines_of(question, shown):
        tell(line)
    if shown != whole:
        tell(f"these are not all of its {len(whole):,} characters: [m] shows them as they are")
    while True:
        typed = ask(f"{ASKED}: ")
        if typed is None:
            return "no"
        word = typed.strip().lower()
        if word == "m" and shown != whole:
            tell(whole)
        elif word in _ANSWERS:
            return _ANSWERS[word]


def shown_arguments(arguments: Mapping[str, Any]) -> str:
    """The arguments; where they are long, both ends of each, so that none is out of sight behind a long one.

    Runs of blanks are told by their length.
    """
    whole = json.dumps(arguments, ensure_ascii=False, indent=1)
    if len(whole) > _LONGEST:
        lines = [f"{_short(_text(name))}: {_short(_text(arguments[name]))}" for name in arguments]
        if len(lines) > _MOST_PARTS:
            half = _MOST_PARTS // 2
            lines = [*lines[:half], f"... {len(lines) - 2 * half} more arguments ...", *lines[-half:]]
        whole = "\n ".join(["{", *lines]) + "\n}"
    return "\n".join(line[: _indent(line)] + _narrow(line[_indent(line) :]) for line in whole.split("\n"))


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _short(text: str) -> str:
    half = _LONGEST_PART // 2
    cut = f"{text[:half]} ... {len(text) - 2 * half:,} characters left out ... {text[-half:]}"
    return text if len(text) <= _LONGEST_PART else cut


def _indent(line: str) -> int:
    return min(len(line) - len(line.lstrip(" ")), 40)


def _narrow(text: str) -> str:
    return _BLANKS.sub(lambda blanks: f" ({len(blanks[0])} blanks) ", text)


def lines_of(question: CallQuestion, arguments: str) -> Iterator[str]:
    """What the person has to know to decide."""
    function = question.function
    origin = f" of {function.source}" if function.source else ""
    yield f"the code wants to call {function.name}{origin}, which {question.does}"
    if function.description:
        yield f"it says of itself: {_narrow(' '.join(function.description.split()))[:300]}"
    yield f"with {arguments}"
    if question.read:
        yield f"careful: this run has read from {', '.join(question.read)}, and that may leave this machine with it"
    before = f"{counted(question.allowed, 'call')} of it allowed in this run" if question.allowed else "its first call"
    if question.alike:
        yield f"careful: {counted(question.alike, 'call')} with these very arguments went before"
    yield f"{before}; at most {question.left} more can come"
