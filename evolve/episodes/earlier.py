"""Reads episode values in the form of earlier versions, in which what was said beside stood under string keys.

A record keeps the rows that were written, byte for byte, since their checksums and digests speak of them; so they are
brought to today's form when they are read. The same holds for the checkpoints of episodes that have not ended.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from evolve.episodes.actions import Action, Plan
from evolve.episodes.recalled import Recalled
from evolve.episodes.steps import Observation

Data = dict[str, Any]

_STATE = ("snapshot", "parent", "score", "start", "changed", "protected", "output", "value", "check", "undone")
_LETTERED = ("author", "edit", "questions", "provenance")


def upgraded(cls: type, data: Any) -> Any:
    """The JSON data of a value of class ``cls`` in today's form; data in that form is given back as it is."""
    upgrade = _UPGRADES.get(cls)
    if upgrade is None or not isinstance(data, Mapping) or "data" not in data:
        return data
    rest = {name: value for name, value in data.items() if name != "data"}
    return {**rest, **upgrade(dict(data["data"]))}


def _plan(said: Data) -> Data:
    return {
        **_told(said.pop("facts", ())),
        **_renamed(said, {"unfit": "unfit", "budget ended": "ended", "deliberation": "notes"}),
        **_rest(said),
    }


def _action(said: Data) -> Data:
    found = _answer(said)
    if "facts" in said:  # the plan of the first action
        goal, subgoals = said.pop("goal", ""), said.pop("plan", ())
        found["plan"] = {"goal": goal, "subgoals": subgoals, **_told(said.pop("facts"))}
    if "budget" in said:
        found["allowed"] = {"candidates": said.pop("budget"), "seconds": None}
    if "samples" in said:
        found["samples"] = said.pop("samples")
    if "rivals" in said:
        found["rivals"] = [
            {"code": one["code"], "consumed": one["consumed"], **_answer(dict(one["data"]))}
            for one in said.pop("rivals")
        ]
    if "drawn" in said:
        found["drawn"] = [{"candidates": most, "wanted": wanted} for most, wanted in said.pop("drawn")]
    same = ("explores", "options", "shown", "prompt", "subgoal", "decided", "settled", "spare", "interrupted")
    names = {**{name: name for name in same}, "subgoals": "revised", "budget ended": "ended", "deliberation": "notes"}
    return {**found, **_renamed(said, names), **_rest({**found.pop("private", {}), **said})}


def _answer(said: Data) -> Data:
    """What belongs to an answer's code: how it was written, what else it might be, and the policy's own data of it."""
    own: Data = {name: said.pop(name) for name in ("tree", "price", "candidates") if name in said}
    return {**_renamed(said, {"written": "written", "ambiguity": "ambiguity"}), **_rest(own)}


def _observation(said: Data) -> Data:
    found = _renamed(said, {"person": "person", "interrupted": "interrupted", "readings": "readings"})
    if "parent" in said:
        found["state"] = {name: said[name] for name in _STATE if name in said}
    return found


def _recalled(said: Data) -> Data:
    names = ("cause", "relation", "effect", "direction", "status", *_LETTERED)
    return {name: said[name] for name in names if said.get(name) is not None}


def _told(facts: Any) -> Data:
    """Facts as recalled items; their short ids are made of the ids in the record, so they need not be kept."""
    told = []
    for one in facts:
        more = {name: one[name] for name in ("status", *_LETTERED) if one.get(name) is not None}
        told.append({"id": one["of"], "kind": one["kind"], "text": one["text"], "score": 0.0, **more})
    return {"told": told} if told else {}


def _renamed(said: Data, names: Mapping[str, str]) -> Data:
    """Takes the named keys out of what was said and gives them under their names of today."""
    return {new: said.pop(old) for old, new in names.items() if old in said}


def _rest(said: Data) -> Data:
    return {"private": said} if said else {}


_UPGRADES: Mapping[type, Callable[[Data], Data]] = {
    Plan: _plan,
    Action: _action,
    Observation: _observation,
    Recalled: _recalled,
}
