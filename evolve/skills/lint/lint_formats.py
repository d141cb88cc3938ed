"""Texts that Python gives a meaning: names of codecs, which are modules, and format strings, which read attributes."""

from __future__ import annotations

import string

TAKE_CODECS = {
    **{("", name): 1 for name in ("str", "bytes", "bytearray")},
    **{("urllib.parse", name): 1 for name in ("unquote", "unquote_plus")},
    **{("urllib.parse", name): 2 for name in ("quote", "quote_plus")},
    **{("urllib.parse", name): 3 for name in ("parse_qs", "parse_qsl", "urlencode")},
}
"""Functions that take the name of a codec, and at which place."""


def plain_fields(template: str) -> bool:
    """Whether a format string reads no attributes and no items."""
    try:
        fields = list(string.Formatter().parse(template))
    except ValueError:
        return False
    return all(
        name is None or ("." not in name and "[" not in name and plain_fields(inner or ""))
        for _, name, inner, _ in fields
    )
