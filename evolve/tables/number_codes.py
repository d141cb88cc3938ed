"""Codes that a workbook holds as numbers, and that its format of numbers shows with leading zeros."""

from __future__ import annotations

import re

_TOKEN = r'"[^"]*"|\\.|0|[ ():-]'
_FORMAT = re.compile(rf"(?:\[\$-[^\]]*\])?((?:{_TOKEN})+)(?:;.*)?", re.DOTALL)
"""Zeros and what stands between them: no decimals, thousands, dates or conditions. A language may stand before them."""
_TOKENS = re.compile(_TOKEN, re.DOTALL)
_EXACT_DIGITS = 15


def code_shown(number: int, pattern: str) -> str:
    """How a whole number looks in a format of at least two zeros, such as ``00123``; "" in any other."""
    found = _FORMAT.fullmatch(pattern) if pattern.count("0") > 1 else None
    tokens = _TOKENS.findall(found[1]) if found is not None else []
    zeros = tokens.count("0")
    if zeros < 2 or number < 0:
        return ""
    digits = str(number).zfill(zeros)
    # What a number has more of than the format stands before its first zero.
    ahead, rest = digits[: len(digits) - zeros + 1], iter(digits[len(digits) - zeros + 1 :])
    shown, begun = [], False
    for token in tokens:
        if token == "0":
            shown.append(next(rest) if begun else ahead)
            begun = True
        else:
            shown.append(token[1:-1] if token[0] == '"' else token[-1])
    return "".join(shown)


def coded_number(text: str, pattern: str) -> int | str:
    """The number that a format shows as this text; the text itself where there is none."""
    tokens = _TOKENS.findall(found[1]) if (found := _FORMAT.fullmatch(pattern)) is not None else []
    bare = text
    for token in tokens:
        if token != "0":
            bare = bare.replace(token[1:-1] if token[0] == '"' else token[-1], "", 1)
    number = int(bare) if bare.isascii() and bare.isdigit() and len(bare) <= _EXACT_DIGITS else -1
    return number if code_shown(number, pattern) == text else text
