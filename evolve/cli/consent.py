"""How a person is asked for leave to call a function: what is called, with what, and what may come of it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from evolve.cli.output import counted

if TYPE_CHECKING:
    from evolve.workspace import CallQuestion, Consent

_LONGEST = 2_000
"""Characters of arguments that are shown unasked."""

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
    arguments = json.dumps(question.arguments, ensure_ascii=False, indent=1)
    long = len(arguments) > _LONGEST
    for line in lines_of(question, arguments[:_LONGEST] if long else arguments):
        tell(line)
    if long:
        tell(f"... and {len(arguments) - _LONGEST:,} characters more of its arguments: [m] shows them")
    while True:
        typed = ask(f"{ASKED}: ")
        if typed is None:
            return "no"
        word = typed.strip().lower()
        if word == "m" and long:
            tell(arguments[_LONGEST:])
        elif word in _ANSWERS:
            return _ANSWERS[word]


def lines_of(question: CallQuestion, arguments: str) -> Iterator[str]:
    """What the person has to know to decide."""
    function = question.function
    origin = f" of {function.source}" if function.source else ""
    yield f"the code wants to call {function.name}{origin}, which {question.does}"
    if function.description:
        yield f"it says of itself: {' '.join(function.description.split())[:300]}"
    yield f"with {arguments}"
    if question.read:
        yield f"this run has read from {', '.join(question.read)}: what was read there may leave this machine with it"
    before = f"{counted(question.allowed, 'call')} of it allowed in this run" if question.allowed else "its first call"
    yield f"{before}; at most {question.left} more can come"
