"""Text from inside the sandbox, made harmless for records and terminals."""

from __future__ import annotations

import unicodedata

from evolve.core.files import clean_text

_SHOWN_AS_IS = frozenset("\n\t")
# controls, formats and the like: they recolour a terminal, or reverse what a person reads
_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})


def escape_control(text: str) -> str:
    """The text with control, formatting and bidirectional characters written as escapes.

    Line feeds and tabs stay. Lone surrogates and NUL become U+FFFD.
    """
    cleaned = clean_text(text)
    if cleaned.isascii() and cleaned.isprintable():
        return cleaned
    return "".join(
        c if c in _SHOWN_AS_IS or unicodedata.category(c) not in _HIDDEN else c.encode("unicode_escape").decode("ascii")
        for c in cleaned
    )


def decode_output(data: bytes, limit: int, total: int) -> str:
    """A captured stream as text; says how much was dropped when ``total`` bytes exceeded ``limit``."""
    text = escape_control(data[:limit].decode("utf-8", "replace"))
    return f"{text}\n[{total - limit} more bytes dropped]" if total > limit else text
