"""Texts that Python gives a meaning: names of codecs, which are modules, and format strings, which read attributes."""

from __future__ import annotations

import ast
import string

from evolve.skills.allowed import ENCODINGS

TAKE_CODECS = {
    **{("", name): 1 for name in ("str", "bytes", "bytearray")},
    **{("urllib.parse", name): 1 for name in ("unquote", "unquote_plus")},
    **{("urllib.parse", name): 2 for name in ("quote", "quote_plus")},
    **{("urllib.parse", name): 3 for name in ("parse_qs", "parse_qsl", "urlencode")},
}
"""Functions that take the name of a codec, and at which place."""


def named_codec(call: ast.Call, place: int) -> bool:
    """Whether the codec a call names, as its argument at a place or by keyword, stands in the source."""
    starred = any(isinstance(one, ast.Starred) for one in call.args) or any(one.arg is None for one in call.keywords)
    given = [*call.args[place : place + 1], *(one.value for one in call.keywords if one.arg == "encoding")]
    return not starred and all(map(is_codec, given))


def is_codec(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and str(node.value).lower().replace("_", "-") in ENCODINGS


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
