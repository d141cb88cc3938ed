"""Validates JSON against a pydantic model and reports in plain words what is wrong and where."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from typing import Any, get_args

from pydantic import BaseModel, ValidationError

from evolve.core.episodes import Json
from evolve.tasks.reading.limits import FilePosition

_NAMES = {dict: "an object", list: "a list", str: "text", bool: "a boolean", int: "a number", float: "a number"}
_EXPECTED = {
    "string_type": "text",
    "list_type": "a list",
    "dict_type": "an object",
    "model_type": "an object",
    "string_unicode": "text without half surrogate pairs",
}


def validate_json(model: type[BaseModel], value: Json, place: FilePosition, *, also: Sequence[str] = ()) -> Any:
    """The model's value.

    Args:
        also: Keys that are known besides those of the model, for the message about an unknown one.

    Raises:
        TaskError: Naming the place, what was expected and what stands there.
    """
    try:
        return model.model_validate(value)
    except ValidationError as error:
        errors = error.errors(include_url=False, include_context=False)
        # A misspelt key is reported as missing too; what the person wrote is what helps.
        first = min(errors, key=lambda problem: problem["type"] != "extra_forbidden")
    where = place
    for part in first["loc"]:
        where = where.field_position(f"[{part}]" if isinstance(part, int) else printable_key(part))
    raise where.error(_complaint(first["type"], first["input"], first["loc"], (model, also)))


def _complaint(
    kind: str, value: Json, loc: Sequence[str | int], expected: tuple[type[BaseModel], Sequence[str]]
) -> str:
    if kind == "missing":
        return "this key is missing"
    if kind == "extra_forbidden":
        model, also = expected
        known = [*_model_at(model, loc[:-1]).model_fields, *(also if len(loc) == 1 else ())]
        near = get_close_matches(str(loc[-1]), known, n=1)
        return "unknown key" + (f"; did you mean {near[0]!r}?" if near else f"; known are {', '.join(known)}")
    actual = "null" if value is None else _NAMES.get(type(value), type(value).__name__)
    return f"expected {_EXPECTED.get(kind, 'another value')}, not {actual}"


def _model_at(model: type[BaseModel], loc: Sequence[str | int]) -> type[BaseModel]:
    """The model of the object that lies at a place within the value."""
    for part in loc:
        if isinstance(part, str):
            model = next(_models_in(model.model_fields[part].annotation), model)
    return model


def _models_in(hint: Any) -> Iterator[type[BaseModel]]:
    if isinstance(hint, type) and issubclass(hint, BaseModel):
        yield hint
    for inner in get_args(hint):
        yield from _models_in(inner)


def printable_key(part: str) -> str:
    """What stands for a key of somebody's file in a message: cut off, and free of what has no UTF-8."""
    return part[:60].encode("utf-8", "replace").decode()
