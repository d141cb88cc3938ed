"""Text from outside as data: between marks that it cannot contain, shortened in the middle, read page by page."""

from __future__ import annotations

from evolve.prompts import quoted

__all__ = ["PAGE", "page_of", "quoted", "shortened"]

PAGE = 3_000
"""Characters of one page of a stored text."""


def shortened(text: str, most: int) -> str:
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
