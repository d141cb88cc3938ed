"""Thoughts that a model writes into its reply, between tags: neither JSON nor code in them is an answer.

Hosts lose one of the tags often: a chat template writes the opening one itself, and a reply that is cut off lacks the
closing one. So everything before a lone closing tag is thought, and everything after a lone opening one. What stands
in a block of code, in code within a line, or in a text that as a whole is JSON or Python, is no tag.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

_TAG = re.compile(r"<(/?)(?:think(?:ing)?|reasoning|thoughts?)(?:\s[^<>]*)?(?<!/)>", re.IGNORECASE)
_FENCE = re.compile(r"^ {0,3}(?:<[^<>\n]*>[ \t]*)?(`{3,}|~{3,})([^\n]*)$", re.MULTILINE)
_IN_LINE = re.compile(r"(?<!`)(`{1,2})(?!`)[^`\n]+\1(?!`)")
_HOLDS_FENCES = re.compile(r"(file|edit|markdown|md)\b")
"""Blocks that may hold fences of their own; another one that does was never closed, as in a thought broken off."""

_MOST = 20
"""Thoughts that are taken out of one reply."""


@dataclass(frozen=True, kw_only=True)
class Answer:
    """A reply without its thoughts.

    Attributes:
        unclosed: The reply ended within a thought.
    """

    text: str
    unclosed: bool = False


def answer_in(text: str) -> Answer:
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
            return Answer(text=kept + rest[: first.start()], unclosed=True)
    return Answer(text=kept + rest)


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
