"""Schemas of an OpenAPI file as JSON Schema that stands by itself (draft 2020-12)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

from evolve.core.episodes import Json
from evolve.core.files import canonical_json, digest
from evolve_tools.openapi.document import Document, Unusable

_DEEPEST = 60
_LARGEST = 24 << 10
"""Characters of the schemas that one operation refers to."""

_PLAIN = frozenset(
    {
        *("type", "enum", "const", "default", "title", "description", "format", "required", "pattern", "multipleOf"),
        *("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "minLength", "maxLength"),
        *("minItems", "maxItems", "uniqueItems", "minProperties", "maxProperties"),
    }
)
_ONE = frozenset(("items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames"))
_TEXTS = frozenset(("title", "description"))
_LONGEST_TEXT = 1000
_SEVERAL = frozenset(("allOf", "anyOf", "oneOf", "prefixItems"))
_NAMED = frozenset(("properties", "patternProperties"))
_COMPONENT = re.compile(r"#/components/schemas/([A-Za-z0-9._-]{1,80})\Z")


@dataclass(frozen=True)
class _Made:
    """A schema, and what it refers to."""

    schema: Json
    refers: frozenset[str]
    size: int


@dataclass
class _Seen:
    refers: set[str] = field(default_factory=set)


class Schemas:
    """Makes the schemas of one document; each that is referred to is made once."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._made: dict[str, _Made] = {}

    def object_of(self, properties: Mapping[str, Any], required: Iterable[str]) -> dict[str, Json]:
        """The schema of an object with these properties, and with all that they refer to.

        A property that refers to more than fits is described as anything: the service checks it.

        Raises:
            Unusable: A property is no schema, or refers to what is not in the file.
        """
        made: dict[str, Json] = {}
        definitions: dict[str, Json] = {}
        for name, schema in properties.items():
            seen = _Seen()
            converted = self._converted(schema, seen)
            if (found := self._reached(seen.refers)) is None:
                made[name] = {"description": "Described at more length than fits here."}
                continue
            made[name] = converted
            definitions |= found
        whole: dict[str, Json] = {"type": "object", "properties": made, "required": list(required)}
        return {**whole, "additionalProperties": False, **({"$defs": definitions} if definitions else {})}

    def _reached(self, refers: Iterable[str]) -> dict[str, Json] | None:
        """All that is referred to, directly or not, by name; None where it is too much."""
        found: dict[str, Json] = {}
        waiting, size = sorted(refers), 0
        while waiting:
            reference = waiting.pop()
            name = _name_of(reference)
            if name in found:
                continue
            made = self._of(reference)
            size += made.size + len(reference)
            if size > _LARGEST:
                return None
            found[name] = made.schema
            waiting += sorted(made.refers)
        return dict(sorted(found.items()))

    def _of(self, reference: str) -> _Made:
        if reference not in self._made:
            seen = _Seen()
            schema = self._converted(self._document.at(reference), seen)
            self._made[reference] = _Made(schema, frozenset(seen.refers), len(canonical_json(schema)))
        return self._made[reference]

    def _converted(self, schema: Any, seen: _Seen, depth: int = 0) -> Json:
        if isinstance(schema, bool):
            return schema
        if not isinstance(schema, dict) or depth > _DEEPEST:
            raise Unusable("a parameter of it is described by no schema")
        made: dict[str, Json] = {}
        self._document.pay(len(schema))
        for word, value in schema.items():
            if word == "$ref":
                self._document.at(value)
                seen.refers.add(value)
                made["$ref"] = f"#/$defs/{quote(_name_of(value))}"
            elif word in _PLAIN:
                made[word] = value[:_LONGEST_TEXT] if word in _TEXTS and isinstance(value, str) else value
                if isinstance(value, (str, list, dict)):
                    self._document.pay(len(canonical_json(made[word])) // 16)
            elif word in _ONE:
                made[word] = self._converted(value, seen, depth + 1)
            elif word in _SEVERAL and isinstance(value, list):
                made[word] = [self._converted(one, seen, depth + 1) for one in value]
            elif word in _NAMED and isinstance(value, dict):
                made[word] = {name: self._converted(one, seen, depth + 1) for name, one in value.items()}
        return _of_this_draft(made, nullable=schema.get("nullable") is True)


def _of_this_draft(schema: dict[str, Json], *, nullable: bool) -> dict[str, Json]:
    """What OpenAPI 3.0 says in words of its own, as JSON Schema says it."""
    for word, limit in (("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")):
        if isinstance(schema.get(word), bool):
            is_exclusive = schema.pop(word)
            if is_exclusive and limit in schema:
                schema[word] = schema.pop(limit)
    if isinstance(schema.get("required"), bool):
        del schema["required"]
    return {"anyOf": [schema, {"type": "null"}]} if nullable else schema


def _name_of(reference: str) -> str:
    component = _COMPONENT.match(reference)
    return component[1] if component else digest(reference)[:16]
