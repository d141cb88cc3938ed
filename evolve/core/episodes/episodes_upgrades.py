"""Reads episode values that earlier versions wrote, which kept most fields of today under string keys of ``data``.

A record keeps the rows that were written, byte for byte, since their checksums and digests speak of them; so they are
brought to today's form when they are read. The same holds for the checkpoints of episodes that have not ended.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from evolve.core.episodes.actions import Action, Plan
from evolve.core.episodes.recalled import Recalled
from evolve.core.episodes.steps import Judgement, Observation

Data = dict[str, Any]

_STATE_FIELDS = ("snapshot", "parent", "score", "start", "changed", "protected", "output", "value", "check", "undone")
_ORIGIN_FIELDS = ("author", "edit", "questions", "provenance")


def upgrade_data(cls: type, data: Any) -> Any:
    """The JSON data of a value of class ``cls`` in today's form; data in that form is given back as it is."""
    text = _WORDED.get(cls, "")
    if text and isinstance(data, Mapping) and isinstance(data.get(text), str):
        data = {**data, text: to_reason(data[text])}
    upgrade = _UPGRADES.get(cls)
    if upgrade is None or not isinstance(data, Mapping) or "data" not in data:
        return data
    rest = {name: value for name, value in data.items() if name != "data"}
    return {**rest, **upgrade(dict(data["data"]))}


def to_reason(text: str) -> Data | None:
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
