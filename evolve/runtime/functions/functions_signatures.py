"""What a function takes and gives, as a line of Python, from its JSON Schemas."""

from __future__ import annotations

import json
from collections.abc import Mapping

from evolve.core.episodes import Json
from evolve.runtime.functions.function import Function

_TYPES = {
    "string": "str",
    "integer": "int",
    "number": "float",
    "boolean": "bool",
    "array": "list",
    "object": "dict",
    "null": "None",
}
_LONGEST_TYPE, _LONGEST_RESULT, _LONGEST = 80, 200, 400
_DEEPEST = 3


def signature_of(function: Function) -> str:
    """Such as ``search(query: str, limit: int = 10) -> list[str]``; arguments that may be left out have
    ``= ...`` or their default.

    A hint for whoever writes the call: the schema is what decides. Nothing but a plain identifier of the schema gets
    into it, and names that are none are left out.
    """
    required = function.parameters.get("required")
    needed = set(map(str, required)) if isinstance(required, list) else set()
    properties = function.parameters.get("properties")
    shown = []
    for name, schema in (properties if isinstance(properties, dict) else {}).items():
        if name.isidentifier():
            default = "" if name in needed else f" = {_default(schema)}"
            shown.append(f"{name}: {_type_of(schema)}{default}")
    text = f"{function.name}({', '.join(shown)})"
    text = text if len(text) <= _LONGEST else f"{text[:_LONGEST]}...)"
    return f"{text} -> {_result_of(function.returns, function.returns)}" if function.returns else text


def _result_of(schema: Json, whole: Mapping[str, Json], depth: int = 0) -> str:
    """A type as code reads it: of an object its keys with theirs, where these fit."""
    if isinstance(schema, Mapping) and depth <= _DEEPEST:
        defined, named = whole.get("$defs"), str(schema.get("$ref", "")).removeprefix("#/$defs/")
        if isinstance(defined, Mapping) and named in defined:
            return _result_of(defined[named], whole, depth + 1)
        keys, items, others = (schema.get(word) for word in ("properties", "items", "additionalProperties"))
        kind = schema.get("type")
        if kind == "object" and isinstance(keys, Mapping) and keys and all(map(str.isidentifier, keys)):
            parts = (f'"{key}": {_result_of(one, whole, depth + 1)}' for key, one in keys.items())
            text = f"{{{', '.join(parts)}}}"
            return text if len(text) <= _LONGEST_RESULT else "dict"
        if kind == "object" and isinstance(others, Mapping) and others:
            return f"dict[str, {_result_of(others, whole, depth + 1)}]"
        if kind == "array" and items is not None:
            return f"list[{_result_of(items, whole, depth + 1)}]"
    return _type_of(schema)


def _type_of(schema: Json, depth: int = 0) -> str:
    if not isinstance(schema, Mapping) or depth > _DEEPEST:
        return "object"
    choices = schema.get("enum")
    if isinstance(choices, list) and choices:
        text = " | ".join(json.dumps(choice) for choice in choices)
        return text if len(text) <= _LONGEST_TYPE else "str"
    for word in ("anyOf", "oneOf"):
        several = schema.get(word)
        if isinstance(several, list) and several:
            text = " | ".join(dict.fromkeys(_type_of(one, depth + 1) for one in several))
            return text if len(text) <= _LONGEST_TYPE else "object"
    kind = schema.get("type")
    if isinstance(kind, list):
        return " | ".join(_TYPES.get(str(one), "object") for one in kind)
    name = _TYPES.get(str(kind), "object")
    return f"list[{_type_of(schema['items'], depth + 1)}]" if name == "list" and "items" in schema else name


def _default(schema: Json) -> str:
    if isinstance(schema, Mapping) and "default" in schema:
        text = json.dumps(schema["default"], ensure_ascii=True)
        if len(text) <= _LONGEST_TYPE:
            return {"null": "None", "true": "True", "false": "False"}.get(text, text)
    return "..."
