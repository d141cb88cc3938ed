"""Whether arguments are what a function takes, by its JSON Schema."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from evolve.episodes import Json

_LONGEST = 300
_MOST_STEPS = 20_000
_MOST_UNIQUE = 1_000
_CANNOT_FOLLOW = "its parameters are described in a way that cannot be followed"

# What a stranger could write so that a check never ends: Python's regular expressions may take exponential time.
_UNCHECKED = frozenset({"pattern", "patternProperties"})
_BESIDE_PATTERNS = frozenset({"additionalProperties", "unevaluatedProperties"})


class _TooLong(Exception):
    """The check took too many steps."""


def fitting(schema: Mapping[str, Json]) -> Callable[[Mapping[str, Json]], str]:
    """What says of arguments what is wrong with them, in one phrase; "" where they fit.

    The check is that of the ``jsonschema`` library, draft 2020-12, as far as a schema from a stranger may be followed:
    what it refers to elsewhere is not fetched, patterns are not tried, and a check that takes too many steps fails. The
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
        counter.steps = 0
        try:
            worst = best_match(validator.iter_errors(dict(arguments)))
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


def _validator(counter: _Counter) -> Callable[..., Any]:
    """A validator whose steps are counted over the whole check."""
    from jsonschema import Draft202012Validator
    from jsonschema.validators import extend

    def bounded(keyword: str, check: Callable[..., Iterator[Any] | None]) -> Callable[..., Iterator[Any]]:
        def checked(validator: Any, wanted: Json, value: Json, schema: Mapping[str, Json]) -> Iterator[Any]:
            counter.steps += 1
            if counter.steps > _MOST_STEPS:
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
