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

from evolve.core.episodes.actions import Action, Plan
from evolve.core.episodes.recalled import Recalled
from evolve.core.episodes.steps import Judgement, Observation

Data = dict[str, Any]

_STATE_FIELDS = ("snapshot", "parent", "score", "start", "changed", "protected", "output", "value", "check", "undone")
_ORIGIN_FIELDS = ("author", "edit", "questions", "provenance")


def _upgrade_data(cls: type, data: Any) -> Any:
    """The JSON data of a value of class ``cls`` in today's form; data in that form is given back as it is."""
    text = _WORDED.get(cls, "")
    if text and isinstance(data, Mapping) and isinstance(data.get(text), str):
        data = {**data, text: upgrade_reason_text(data[text])}
    upgrade = _UPGRADES.get(cls)
    if upgrade is None or not isinstance(data, Mapping) or "data" not in data:
        return data
    rest = {name: value for name, value in data.items() if name != "data"}
    return {**rest, **upgrade(dict(data["data"]))}


def upgrade_reason_text(text: str) -> Data | None:
    """A reason that an earlier version wrote as a sentence, in today's form."""
    return {"code": "recorded", "facts": {"text": text}} if text else None


def _plan(data: Data) -> Data:
    return {
        **_told_items(data.pop("facts", ())),
        **_renamed(data, {"unfit": "unfit", "budget ended": "ended", "deliberation": "notes"}),
        **_rest(data),
    }


def _action(data: Data) -> Data:
    # Whatever is not taken out by its key is the policy's own and ends as ``private``, so keys are popped and not read.
    fields = _answer(data)
    if "facts" in data:  # the plan of the first action
        goal, subgoals = data.pop("goal", ""), data.pop("plan", ())
        fields["plan"] = {"goal": goal, "subgoals": subgoals, **_told_items(data.pop("facts"))}
    if "budget" in data:
        fields["allowed"] = {"candidates": data.pop("budget"), "seconds": None}
    if "samples" in data:
        fields["samples"] = data.pop("samples")
    if "rivals" in data:
        fields["rivals"] = [
            {"code": rival["code"], "consumed": rival["consumed"], **_answer(dict(rival["data"]))}
            for rival in data.pop("rivals")
        ]
    if "drawn" in data:
        fields["drawn"] = [{"candidates": most, "wanted": wanted} for most, wanted in data.pop("drawn")]
    same = ("explores", "options", "shown", "prompt", "subgoal", "decided", "settled", "spare", "interrupted")
    names = {**{name: name for name in same}, "subgoals": "revised", "budget ended": "ended", "deliberation": "notes"}
    return {**fields, **_renamed(data, names), **_rest({**fields.pop("private", {}), **data})}


def _answer(data: Data) -> Data:
    """What belongs to an answer's code: how it was written, what else it might be, and the policy's own data of it."""
    own: Data = {name: data.pop(name) for name in ("tree", "price", "candidates") if name in data}
    return {**_renamed(data, {"written": "written", "ambiguity": "ambiguity"}), **_rest(own)}


def _observation(data: Data) -> Data:
    fields = _renamed(data, {"person": "person", "interrupted": "interrupted", "readings": "readings"})
    if "parent" in data:
        fields["state"] = {name: data[name] for name in _STATE_FIELDS if name in data}
    return fields


def _recalled(data: Data) -> Data:
    names = ("cause", "relation", "effect", "direction", "status", *_ORIGIN_FIELDS)
    return {name: data[name] for name in names if data.get(name) is not None}


def _told_items(facts: Any) -> Data:
    """Facts as recalled items; their short ids are made of the ids in the record, so they need not be kept."""
    items = []
    for fact in facts:
        more = {name: fact[name] for name in ("status", *_ORIGIN_FIELDS) if fact.get(name) is not None}
        items.append({"id": fact["of"], "kind": fact["kind"], "text": fact["text"], "score": 0.0, **more})
    return {"told": items} if items else {}


def _renamed(data: Data, names: Mapping[str, str]) -> Data:
    """Takes the named keys out of the data and gives them under their names of today."""
    return {new: data.pop(old) for old, new in names.items() if old in data}


def _rest(data: Data) -> Data:
    return {"private": data} if data else {}


_WORDED: Mapping[type, str] = {Action: "advice", Judgement: "doubt"}
"""The field that is a reason today and was a sentence."""
_UPGRADES: Mapping[type, Callable[[Data], Data]] = {
    Plan: _plan,
    Action: _action,
    Observation: _observation,
    Recalled: _recalled,
}


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
    data, decoders = _upgrade_data(cls, data), _decoders(cls)  # type: ignore[arg-type]
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
