"""JSON values from outside: copied part by part, so that what was checked is what is kept and passed on; and whether
arguments are what a function takes, by its JSON Schema.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

from evolve.core.episodes import Json

_LONGEST = 300
_MOST_STEPS = 20_000
_MOST_UNIQUE = 1_000
_MOST_ERRORS = 20
_MOST_S = 2.0
"""CPU seconds of one check: each error is told with the value that it is about, which may be large."""

_CANNOT_FOLLOW = "its parameters are described in a way that cannot be followed"

# What a stranger could write so that a check never ends: Python's regular expressions may take exponential time.
_UNCHECKED = frozenset({"pattern", "patternProperties"})
_BESIDE_PATTERNS = frozenset({"additionalProperties", "unevaluatedProperties"})


class _TooLong(Exception):
    """The check took too many steps, or too long."""


def argument_problem(schema: Mapping[str, Json]) -> Callable[[Mapping[str, Json]], str]:
    """What says of arguments what is wrong with them, in one phrase; "" where they fit.

    The check is that of the ``jsonschema`` library, draft 2020-12, as far as a schema from a stranger may be followed:
    what it refers to elsewhere is not fetched, patterns are not tried, and a check that takes too long fails. The
    function itself checks what is left out here.
    """
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import SchemaError, best_match
    from referencing import Registry
    from referencing.exceptions import Unresolvable

    try:
        Draft202012Validator.check_schema(dict(schema))
    except SchemaError:
        return lambda arguments: "its parameters are not described by a schema"
    except RecursionError:
        return lambda arguments: _CANNOT_FOLLOW
    counter = _Counter()
    validator = _validator(counter)(dict(schema), registry=Registry())

    def misfit(arguments: Mapping[str, Json]) -> str:
        counter.steps, counter.latest = 0, time.thread_time() + _MOST_S
        try:
            worst = best_match(islice(validator.iter_errors(dict(arguments)), _MOST_ERRORS))
        # numbers of a schema may be too large to divide by
        except (Unresolvable, RecursionError, ArithmeticError, _TooLong):
            return _CANNOT_FOLLOW
        if worst is None:
            return ""
        place = "/".join(map(str, worst.absolute_path))
        return f"{f'{place}: ' if place else ''}{' '.join(worst.message.split())[:_LONGEST]}"

    return misfit


@dataclass
class _Counter:
    steps: int = 0
    latest: float = 0.0


def _validator(counter: _Counter) -> Callable[..., Any]:
    """A validator whose steps are counted over the whole check."""
    from jsonschema import Draft202012Validator
    from jsonschema.validators import extend

    def bounded(keyword: str, check: Callable[..., Iterator[Any] | None]) -> Callable[..., Iterator[Any]]:
        def checked(validator: Any, wanted: Json, value: Json, schema: Mapping[str, Json]) -> Iterator[Any]:
            counter.steps += 1
            if counter.steps > _MOST_STEPS or time.thread_time() > counter.latest:
                raise _TooLong
            if keyword in _UNCHECKED or (keyword in _BESIDE_PATTERNS and "patternProperties" in schema):
                return
            if keyword == "uniqueItems" and isinstance(value, list) and len(value) > _MOST_UNIQUE:
                return
            yield from check(validator, wanted, value, schema) or ()

        return checked

    checks = {name: bounded(name, check) for name, check in Draft202012Validator.VALIDATORS.items()}
    made: Callable[..., Any] = extend(Draft202012Validator, checks)
    return made


_DEEPEST = 100
_MOST_BITS = 4096  # Python writes numbers of more than 4,300 digits as no text


class NotJson(Exception):
    """What a value is that JSON does not have, or why it is too much, in a few words."""


def copy_json(value: Any, most: int) -> Json:
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
    copy = copy_json(value, most)
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
            raise NotJson(f"more than {self._most >> 10} KiB")


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


def _no_json(what: str) -> NotJson:
    return NotJson(f"something that is no JSON value: {what}")
