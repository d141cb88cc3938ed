"""Thinking that comes beside a reply: kept whole for the next request, and read by nobody here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

FIELDS = ("reasoning_content", "reasoning", "reasoning_details")
"""Where it stands in a message: DeepSeek, Moonshot and vLLM use the first, OpenRouter and newer vLLM the others."""

_BY = "by"
_GROWING = ("text", "summary", "data")


def reasoning_of(message: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a message, or of a piece of one, that hold its thinking, as they came."""
    found = {name: message.get(name) for name in FIELDS}
    return {
        name: value
        for name, value in found.items()
        if value and isinstance(value, list if name == "reasoning_details" else str)
    }


def joined_reasoning(pieces: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """The thinking of a stream's pieces as the one message that they stand for."""
    whole: dict[str, list[Any]] = {}
    for piece in pieces:
        for name, value in reasoning_of(piece).items():
            whole.setdefault(name, []).extend(value if name == "reasoning_details" else [value])
    return {
        name: _joined_details(parts) if name == "reasoning_details" else "".join(parts) for name, parts in whole.items()
    }


def _joined_details(parts: Iterable[Any]) -> list[Any]:
    """Entries with one index and type are pieces of one: its text grows, and what else it says comes last."""
    entries: list[Any] = []
    for part in parts:
        last = entries[-1] if entries else None
        if isinstance(part, dict) and isinstance(last, dict) and _is_piece_of(part, last):
            grown = {name: (last.get(name) or "") + part[name] for name in _GROWING if isinstance(part.get(name), str)}
            entries[-1] = {**last, **{name: value for name, value in part.items() if value is not None}, **grown}
        else:
            entries.append(part)
    return entries


def _is_piece_of(part: Mapping[str, Any], last: Mapping[str, Any]) -> bool:
    same = all(part.get(name) == last.get(name) for name in ("index", "type"))
    return same and part.get("index") is not None and all(isinstance(last.get(name) or "", str) for name in _GROWING)


def signed(fields: Mapping[str, Any], model: str) -> dict[str, Any]:
    """Reasoning with the name of the model it came from; {} where there is none."""
    return {_BY: model, **fields} if fields else {}


def fields_for(reasoning: Mapping[str, Any] | None, model: str) -> dict[str, Any]:
    """The fields that go back on the wire; no other model than its own can use them, some refuse them."""
    if not reasoning or reasoning.get(_BY) != model:
        return {}
    return {name: reasoning[name] for name in FIELDS if name in reasoning}
