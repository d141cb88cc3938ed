"""What a finished run suggests to remember, before a person has said anything to it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

SuggestionKind = Literal["tests", "place", "rule", "repeated", "mistake", "procedure"]
"""How tests are run, where things are, how the person wants work done, what they asked for in more than one message,
what went wrong and why, steps that worked."""
SuggestionSource = Literal["person", "run", "output"]
"""Whose words it rests on: the person's, what the run did, or what programs, files and pages gave."""
DropReason = Literal[
    "", "quote", "known", "once", "secret", "person", "beyond", "place", "failed", "order", "unfit", "ground"
]
"""Why a suggestion is not offered: nobody wrote its quotation; it is no news; it is about that run alone; it holds a
secret; no words of the person say so; it says more than its quotation or against it; no file of the folder is what it
names; what it tells did not pass the check, or the person did not want it; a text that is not the person's demands it;
it demands something or holds code or an address. ``ground`` is what earlier versions said of the last six."""


@dataclass(frozen=True, kw_only=True)
class Suggestion:
    """Something that may be worth remembering; nobody is told of it until the person keeps it.

    Attributes:
        text: One plain sentence.
        quote: What it rests on, word for word.
        source: Whose words these are.
        dropped: Why it is not to be offered; "" where it is.
    """

    kind: SuggestionKind
    text: str
    quote: str
    source: SuggestionSource
    dropped: DropReason = field(default="", metadata={"sparse": True})
