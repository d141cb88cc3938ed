"""What stands in a prompt, as a reader would find it: rows, lines of files, values that came out, rules in words."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

FAILED = re.compile(r"\b(wrong|fail\w*|mismatch\w*|\w*error|traceback|refused|not accepted|rejected)\b", re.I)
PASSED = re.compile(
    r"\bOK\b|\b(all \d+ \w+ (are )?right|pass(ed|es)|succe\w+|correct|accepted)\b|exit (code|status):? 0"
)
_NEAR = 400
"""Letters between what came out and what was wanted, that a reader still takes for one comparison."""


def squeezed(text: str) -> str:
    """Text without blanks, backslashes and the difference between quotes, so that any way to write a value is found."""
    return re.sub(r"[\s\\]+", "", text).replace('"', "'")


def forms(value: Any) -> tuple[str, ...]:
    """Ways in which a value may stand in a prompt."""
    found = [repr(value), json.dumps(value), json.dumps(value, ensure_ascii=False)]
    return tuple(dict.fromkeys([*found, value] if isinstance(value, str) else found))


@dataclass(frozen=True)
class Message:
    """One message of a request."""

    role: str
    text: str


def messages_of(body: Mapping[str, Any]) -> list[Message]:
    """All messages of a request of the Chat Completions or the Responses API."""
    found = [Message("system", str(body["instructions"]))] if body.get("instructions") else []
    given = body.get("messages") or body.get("input") or ()
    if isinstance(given, str):
        return [*found, Message("user", given)]
    return [*found, *(Message(str(one.get("role", "user")), _text(one.get("content"))) for one in given)]


def _text(content: Any) -> str:
    if isinstance(content, list):
        return "\n".join(str(part.get("text", "")) for part in content)
    return str(content or "")


class Prompt:
    """A request as the double reads it."""

    def __init__(self, body: Mapping[str, Any]) -> None:
        self.messages = messages_of(body)
        self.whole = "\n\n".join(message.text for message in self.messages)
        self.told = "\n\n".join(message.text for message in self.messages if message.role != "assistant")
        self.last = next((one.text for one in reversed(self.messages) if one.role != "assistant"), "")

    @cached_property
    def squeezed(self) -> str:
        """All that was told, without what is mere writing."""
        return squeezed(self.told)

    @cached_property
    def _plain(self) -> str:
        return self.told.replace('\\"', '"').replace("\\\\", "\\")

    @cached_property
    def letters(self) -> str:
        """Letters and digits of the whole prompt."""
        return re.sub(r"[\W_]+", "", self.told.lower())

    def tells(self, instruction: str) -> bool:
        """Whether a task's words are there: all of them, or at least as far as the first hundred letters."""
        wanted = re.sub(r"[\W_]+", "", instruction.lower())[:100]
        return wanted in self.letters

    def shows_line(self, line: str) -> bool:
        """Whether a line of a file was shown; quotes may be escaped."""
        return line.strip() in self.told or line.strip() in self._plain

    def shows_value(self, value: Any) -> bool:
        """Whether a value is there in one way of writing or another."""
        return any(squeezed(form) in self.squeezed for form in forms(value))

    def compares(self, got: Any, wanted: Any, before: str) -> bool:
        """Whether it was shown that ``got`` came out where ``wanted`` should have.

        Args:
            before: What everybody is told of the task; a value that stands there says nothing.
        """
        if isinstance(got, bool | int | float):
            return any(self._near(at, wanted) for at in self._numbers(got, before))
        for form in forms(got):
            short = squeezed(form)
            if len(short) >= 3 and short not in squeezed(before) and short in self.squeezed:
                return isinstance(got, Raised) or self.shows_value(wanted)
        return False

    def _numbers(self, value: float, before: str) -> Iterator[int]:
        sign = re.compile(rf"(?<![\w.,-]){re.escape(repr(value))}(?![\d%]|[.,]\d)")
        if len(repr(value)) >= 2 and not sign.search(before):
            yield from (found.start() for found in sign.finditer(self.told))

    def _near(self, at: int, wanted: Any) -> bool:
        part = squeezed(self.told[max(0, at - _NEAR) : at + _NEAR])
        return any(squeezed(form) in part for form in forms(wanted))

    def states(self, terms: Sequence[Sequence[str]]) -> bool:
        """Whether one line says something that has a word of each group."""
        lines = self.whole.lower().replace("\\n", "\n").splitlines()
        return bool(terms) and any(all(any(word in line for word in group) for group in terms) for line in lines)

    def place_of(self, lines: Sequence[str]) -> int:
        """Where the last of the lines ends for the last time, in the whole prompt; -1 unless all of them are there."""
        text = self._whole_plain
        places = [(text.rfind(line.strip()), len(line.strip())) for line in lines]
        if not places or any(at < 0 for at, _ in places):
            return -1
        return max(at + size for at, size in places)

    @cached_property
    def _whole_plain(self) -> str:
        return self.whole.replace("\\n", "\n").replace('\\"', '"').replace("\\\\", "\\")

    def after(self, place: int) -> str:
        """What follows a place of the whole prompt."""
        return self._whole_plain[place:]

    def count(self, line: str) -> int:
        """How often a line stands in the whole prompt."""
        return self._whole_plain.count(line.strip())


class Raised(str):
    """The message of an error that came out in place of a value."""
