"""Turns episode values into JSON text and back.

An episode's state is checkpointed by a library that rounds values off in places (tuples, integers over
64 bits, lone surrogates). JSON text made here survives it unchanged, so state holds text.
"""

from __future__ import annotations

import json
import types
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, Field, fields, is_dataclass
from functools import cache
from typing import Any, Literal, Self, TypeVar, Union, get_args, get_origin, get_type_hints

from evolve.core.episodes.episodes_upgrades import upgrade_data

T = TypeVar("T")


def to_data(value: Any) -> Any:
    """The value as JSON data: dataclasses become objects, tuples become lists; nothing is shared or copied."""
    if is_dataclass(value) and not isinstance(value, type):
        return {
            item.name: to_data(content)
            for item in fields(value)
            if _is_written(item, content := getattr(value, item.name))
        }
    if isinstance(value, list | tuple):
        return [to_data(item) for item in value]
    if isinstance(value, Mapping):
        return {key: to_data(item) for key, item in value.items()}
    return value


def to_json(value: Any) -> str:
    """ASCII JSON text of a value, or of a sequence of values. NaN is refused with ValueError."""
    return json.dumps(to_data(value), separators=(",", ":"), allow_nan=False)


def from_json(cls: type[T], text: str) -> T:
    """The value of class ``cls`` that :func:`to_json` wrote."""
    return from_data(cls, json.loads(text))


def list_from_json(cls: type[T], text: str) -> tuple[T, ...]:
    """The values of class ``cls`` written by :func:`to_json` as one list; "" gives none."""
    return tuple(from_data(cls, item) for item in json.loads(text)) if text else ()


def from_data(cls: type[T], data: Any) -> T:
    """The value of class ``cls`` from JSON data, of an earlier form too. Unknown keys raise TypeError."""
    data, decoders = upgrade_data(cls, data), _decoders(cls)  # type: ignore[arg-type]
    return cls(**{name: decoders[name](item) if name in decoders else item for name, item in data.items()})


class Jsonable:
    """Base of a dataclass that is kept and shown as one JSON object."""

    def to_json(self) -> dict[str, Any]:
        """One JSON object; :meth:`from_json` reads it back."""
        return dict(to_data(self))

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """The value that :meth:`to_json` wrote; other keys do not count."""
        known = {item.name for item in fields(cls)}  # type: ignore[arg-type]
        return from_data(cls, {name: value for name, value in data.items() if name in known})


def _is_written(item: Field[Any], value: Any) -> bool:
    """Whether a field stands in JSON: always, but for those that are left out while they have their default."""
    if not item.metadata.get("sparse"):
        return True
    default = item.default if item.default_factory is MISSING else item.default_factory()
    return bool(value != default)


def _identity(value: Any) -> Any:
    return value


@cache
def _decoders(cls: type) -> dict[str, Callable[[Any], Any]]:
    hints = get_type_hints(cls)
    decoders = {item.name: _decoder(hints[item.name]) for item in fields(cls)}
    return {name: decode for name, decode in decoders.items() if decode is not _identity}


def _decoder(hint: Any) -> Callable[[Any], Any]:
    origin, args = get_origin(hint), get_args(hint)
    if is_dataclass(hint):
        return lambda data: from_data(hint, data)  # type: ignore[arg-type]
    if origin in (Union, types.UnionType) and type(None) in args:
        inner = _decoder(next(arg for arg in args if arg is not type(None)))
        return _identity if inner is _identity else lambda data: None if data is None else inner(data)
    if origin is tuple or (origin is not None and origin is not Literal and issubclass(origin, Sequence)):
        inner = _decoder(args[0]) if args else _identity
        return lambda data: tuple(inner(item) for item in data)
    return _identity
