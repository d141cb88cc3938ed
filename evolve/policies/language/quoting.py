"""Text from outside as data: fenced with a mark that it cannot contain, shortened in the middle, read page by page."""

from __future__ import annotations

from evolve.files import clean_text, digest

PAGE = 3_000
"""Characters of one page of a stored text."""


def quoted(kind: str, text: str, *, name: str = "") -> str:
    """The text between marks that carry a nonce.

    The nonce is a digest of the text, so no text can hold the mark that ends it.
    """
    body = clean_text(text).strip("\n")
    nonce = digest(f"{kind}:{name}:{body}")[:12]
    told = f' of="{name}"' if name else ""
    return f"<data {nonce} kind={kind}{told}>\n{body}\n</data {nonce}>"


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
