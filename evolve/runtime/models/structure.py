"""Structured output: how it is asked for, rung by rung, and how it is taken out of what came."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

from evolve.core.files import clean_text
from evolve.runtime.models.protocol import Rung
from evolve.runtime.models.thoughts import answer_in

RUNGS: tuple[Rung, ...] = ("json_schema", "json_object", "fenced")
"""From the one that binds the model most to the one that any model can try."""

_FENCE = re.compile(r"```[a-zA-Z0-9_-]*[ \t]*\n(.*?)```", re.DOTALL)
_TRAILING_COMMA = re.compile(r",(\s*[}\]])")
_OPENING = re.compile(r"[{\[]")
# Each is tried to the end of the text, so without a bound time would grow with its square.
_OPENINGS = 40


@dataclass(frozen=True)
class ExtractedValue:
    """The value in a reply, or why there is none (``why`` is then not empty)."""

    value: Any = None
    why: str = ""


def response_format(rung: Rung, schema: Mapping[str, Any]) -> dict[str, Any] | None:
    """The ``response_format`` of a rung; None where it has none and words must do."""
    if rung == "json_object":
        return {"type": "json_object"}
    if rung != "json_schema":
        return None
    named = {"name": _schema_name(schema), "schema": dict(schema), "strict": _is_closed(schema)}
    return {"type": "json_schema", "json_schema": named}


def _schema_name(schema: Mapping[str, Any]) -> str:
    """The schema's title as the protocol allows names, else ``reply``."""
    return re.sub(r"[^a-zA-Z0-9_-]+", "_", str(schema.get("title", "")))[:64].strip("_") or "reply"


def closed_object(title: str, **properties: Any) -> Mapping[str, Any]:
    """The schema of an object with all of these keys and no others: what endpoints that enforce a schema demand."""
    return {
        "title": title,
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _is_closed(schema: Any) -> bool:
    """Whether every object in it requires all its keys and allows no other, as the strict mode demands."""
    if isinstance(schema, list):
        return all(_is_closed(item) for item in schema)
    if not isinstance(schema, Mapping):
        return True
    if "properties" in schema or schema.get("type") == "object":
        keys = set(schema.get("properties", {}))
        if schema.get("additionalProperties") is not False or set(schema.get("required", ())) != keys:
            return False
    return all(_is_closed(item) for item in schema.values())


def extract(text: str, schema: Mapping[str, Any]) -> ExtractedValue:
    """The JSON value of a reply that satisfies the schema.

    The whole text is tried first, then fenced blocks, then anything that looks like an object or list; trailing
    commas are forgiven. A value is never completed: what was cut off stays unusable.
    """
    complaint = ""
    for value in _values(answer_in(text).text.strip()):
        cleaned = _cleaned(value)
        fault = _violation(cleaned, schema)
        if not fault:
            return ExtractedValue(cleaned)
        complaint = complaint or fault
    return ExtractedValue(why=complaint or "there is no JSON in it")


def _violation(value: Any, schema: Mapping[str, Any]) -> str:
    """Where and how a value does not satisfy a JSON Schema, in one phrase; "" where it does.

    The check is that of the ``jsonschema`` library, draft 2020-12.
    """
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import best_match

    worst = best_match(Draft202012Validator(dict(schema)).iter_errors(value))
    if worst is None:
        return ""
    place = "/".join(map(str, worst.absolute_path))
    return f"{place or 'the value'}: {' '.join(worst.message.split())[:300]}"


def _values(text: str) -> Iterator[Any]:
    """JSON values in a text, the likeliest first; null is none."""
    for part in (text, *_FENCE.findall(text)):
        yield from _value_at(part.strip(), 0, whole=True)
    # As it is first: such a comma may also stand inside of a text.
    for variant in dict.fromkeys((text, _TRAILING_COMMA.sub(r"\1", text))):
        for match in islice(_OPENING.finditer(variant), _OPENINGS):
            yield from _value_at(variant, match.start(), whole=False)


def _value_at(text: str, start: int, *, whole: bool) -> Iterator[Any]:
    """The value that begins at a place, if there is one and, where wanted, nothing after it."""
    try:
        value, end = json.JSONDecoder(parse_constant=_refuse).raw_decode(text, start)
    except (ValueError, RecursionError):
        return
    if value is not None and not (whole and end < len(text)):
        yield value


def _refuse(name: str) -> Any:
    raise ValueError(name)


def _cleaned(value: Any) -> Any:
    """The value with clean texts: escapes inside JSON may spell what the text around them could not hold."""
    if isinstance(value, str):
        return clean_text(value)
    if isinstance(value, list):
        return [_cleaned(item) for item in value]
    if isinstance(value, dict):
        return {clean_text(key): _cleaned(item) for key, item in value.items()}
    return value
