"""Text from outside as data: between marks that it cannot contain, shortened in the middle, read page by page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from evolve.core.prompts import quote_text

__all__ = ["PAGE", "LearnedItem", "page_of", "quote_text", "quoted_items", "truncate_middle"]

PAGE = 3_000
"""Characters of one page of a stored text."""


@dataclass(frozen=True, kw_only=True)
class LearnedItem:
    """Something that was learned or noted, as a prompt shows it.

    Attributes:
        text: Its words, whoever's they are.
        provenance: Who made it, where, and what speaks for it.
        name: What it is cited by, or "".
        head: What stands before its words on a line of its own, such as an import line.
    """

    text: str
    provenance: str
    name: str = ""
    head: str = ""

    @property
    def line(self) -> str:
        """All of it; the words are on one line, so they cannot feign another item or its provenance."""
        lead = " ".join(part for part in (f"[{self.name}]" if self.name else "", self.head) if part)
        return f"{lead} ({' '.join(self.provenance.split())}): {' '.join(self.text.split())}".lstrip()


def quoted_items(kind: str, items: Sequence[LearnedItem]) -> str:
    """The one way in which what was learned gets into a prompt: as data, each item with its provenance."""
    return quote_text(kind, "\n".join(item.line for item in items))


def truncate_middle(text: str, most: int) -> str:
    """At most ``most`` characters: both ends, with what is left out between them told."""
    if len(text) <= most:
        return text
    note = f"\n... {len(text) - most:,} characters left out ...\n"
    room = max(0, most - len(note))
    head = room - room // 3
    return (text[:head] + note + text[len(text) - (room - head) :])[: max(most, len(note))]


def page_of(text: str, number: int) -> str:
    """One page of a long text, with where it stands; pages count from 1."""
    pages = max(1, -(-len(text) // PAGE))
    place = min(max(number, 1), pages)
    return f"page {place} of {pages}\n{text[(place - 1) * PAGE : place * PAGE]}"
