"""Thoughts that a model writes into its reply, between tags: neither JSON nor code in them is an answer.

Hosts lose one of the tags often: a chat template writes the opening one itself, and a reply that is cut off lacks the
closing one. So everything before a lone closing tag is thought, and everything after a lone opening one. What stands
in a block of code, in code within a line, or in a text that as a whole is JSON or Python, is no tag.

Thinking that comes beside a reply is kept whole for the next request, and read by nobody here.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
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


def signed_reasoning(fields: Mapping[str, Any], model: str) -> dict[str, Any]:
    """Reasoning with the name of the model it came from; {} where there is none."""
    return {_BY: model, **fields} if fields else {}


def fields_for(reasoning: Mapping[str, Any] | None, model: str) -> dict[str, Any]:
    """The fields that go back on the wire; no other model than its own can use them, some refuse them."""
    if not reasoning or reasoning.get(_BY) != model:
        return {}
    return {name: reasoning[name] for name in FIELDS if name in reasoning}


_TAG = re.compile(r"<(/?)(?:think(?:ing)?|reasoning|thoughts?)(?:\s[^<>]*)?(?<!/)>", re.IGNORECASE)
_FENCE = re.compile(r"^ {0,3}(?:<[^<>\n]*>[ \t]*)?(`{3,}|~{3,})([^\n]*)$", re.MULTILINE)
_IN_LINE = re.compile(r"(?<!`)(`{1,2})(?!`)[^`\n]+\1(?!`)")
_HOLDS_FENCES = re.compile(r"(file|edit|markdown|md)\b")
"""Blocks that may hold fences of their own; another one that does was never closed, as in a thought broken off."""

_MOST = 20
"""Thoughts that are taken out of one reply."""


@dataclass(frozen=True, kw_only=True)
class SplitReply:
    """A reply without its thoughts.

    Attributes:
        unclosed: The reply ended within a thought.
    """

    text: str
    unclosed: bool = False


def answer_in(text: str) -> SplitReply:
    """What a reply says besides its thoughts."""
    kept, rest = "", text
    for _ in range(_MOST):
        if _TAG.search(rest) is None or _is_whole(rest):
            break
        code = list(_code(rest))
        tags = [tag for tag in _TAG.finditer(rest) if not any(start <= tag.start() < end for start, end in code)]
        if not tags:
            break
        first, closing = tags[0], next((tag for tag in tags if tag[1]), None)
        if closing is first:
            kept, rest = "", rest[first.end() :].lstrip()
            continue
        closing = closing or _on_its_own(rest, first.end())
        if closing is not None:
            kept, rest = kept + rest[: first.start()], rest[closing.end() :].lstrip()
        elif rest[: first.start()].rpartition("\n")[2].strip():  # within a line it is only spoken of
            kept, rest = kept + rest[: first.end()], rest[first.end() :]
        else:
            return SplitReply(text=kept + rest[: first.start()], unclosed=True)
    return SplitReply(text=kept + rest)


def _is_whole(text: str) -> bool:
    """Whether a text is a JSON object or list, or Python; a thought before it would make it neither."""
    try:
        return isinstance(json.loads(text), dict | list)
    except (ValueError, RecursionError):
        pass
    try:
        ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def _on_its_own(text: str, start: int) -> re.Match[str] | None:
    """The first closing tag that begins a line, though it stands in a block that the thought left open."""
    found = _TAG.finditer(text, start)
    return next((tag for tag in found if tag[1] and not text[: tag.start()].rpartition("\n")[2].strip()), None)


def _code(text: str) -> Iterator[tuple[int, int]]:
    """Where blocks of code, and code within lines, stand in a text. A block that is never closed reaches to the end."""
    yield from (found.span() for found in _IN_LINE.finditer(text))
    opened: re.Match[str] | None = None
    for fence in _FENCE.finditer(text):
        marks, info = fence[1], _TAG.sub("", fence[2]).strip()
        if opened is None:
            opened = None if "`" in info else fence
        elif marks[0] != opened[1][0] or len(marks) < len(opened[1]):
            continue
        elif not info:
            yield opened.end(), fence.start()
            opened = None
        elif not _HOLDS_FENCES.match(opened[2].strip()):
            opened = fence
    if opened is not None:
        yield opened.end(), len(text)
