"""JSON values from outside: copied part by part, so that what was checked is what is kept and passed on."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from evolve.episodes import Json

_DEEPEST = 100
_MOST_BITS = 4096  # Python writes numbers of more than 4,300 digits as no text


class NotPlain(Exception):
    """What a value is that JSON does not have, or why it is too much, in a few words."""


def plain(value: Any, most: int) -> Json:
    """A copy in the types of JSON, whatever classes the parts are of and whatever their methods say.

    Args:
        most: How large it may be, counting characters of texts and one for each part: a little less than bytes of JSON.

    Raises:
        NotPlain: It is nested deeper than 100 levels, as what holds itself is, has text or numbers that cannot be
            written down everywhere, is too large, or is no JSON at all.
    """
    return _Copying(most).copied(value, 0)


def plain_object(value: Mapping[str, Json], most: int) -> dict[str, Json]:
    """The same for an object."""
    copy = plain(value, most)
    assert isinstance(copy, dict)
    return copy


class _Copying:
    def __init__(self, most: int) -> None:
        self._most = self._left = most

    def copied(self, value: Any, depth: int) -> Json:
        self._pay(1)
        kind = type(value)  # what `isinstance` goes by can be overridden, as can every method below
        if value is None or kind is bool:
            return value
        if issubclass(kind, str):
            return self._text(value)
        if issubclass(kind, (int, float)):
            return _number(value)
        if depth >= _DEEPEST:
            raise _no_json(f"nested deeper than {_DEEPEST} levels")
        if issubclass(kind, dict):
            pairs = dict.items(value)
            return {self._key(key): self.copied(item, depth + 1) for key, item in pairs}
        for several in (list, tuple):
            if issubclass(kind, several):
                return [self.copied(item, depth + 1) for item in several.__iter__(value)]
        raise _no_json(kind.__name__[:80])

    def _key(self, key: Any) -> str:
        if not issubclass(type(key), str):
            raise _no_json("keys that are no text")
        return self._text(key)

    def _text(self, value: Any) -> str:
        text = "".join([value])
        self._pay(len(text))
        if not text.isascii():
            try:
                text.encode("utf-8")
            except UnicodeEncodeError:
                raise _no_json("text with half a sign") from None
        return text

    def _pay(self, size: int) -> None:
        self._left -= size
        if self._left < 0:
            raise NotPlain(f"more than {self._most >> 10} KiB")


def _number(value: Any) -> int | float:
    if issubclass(type(value), int):
        number = int.__pos__(value)
        if number.bit_length() > _MOST_BITS:
            raise _no_json("a number of more than a thousand digits")
        return number
    real = float.__pos__(value)
    if not math.isfinite(real):
        raise _no_json("a number that is infinite, or none")
    return real


def _no_json(what: str) -> NotPlain:
    return NotPlain(f"something that is no JSON value: {what}")
