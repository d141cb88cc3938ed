"""What stands in a prompt, as a reader would find it: rows, lines of files, values that came out, rules in words."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

FAILED = re.compile(r"\b(wrong|fail\w*|mismatch\w*|\w*error|traceback|refused|not accepted|rejected)\b", re.I)
PASSED = re.compile(
    r"\bOK\b|\b(all \d+ \w+ (are )?right|pass(ed|es)|succe\w+|correct|accepted)\b|exit (code|status):? 0"
)
_AGAINST = re.compile(
    r"\b(gave|gives|got|came out|instead|expected|wanted|want|returned|actual|but|not|wrong|failed)\b|!=", re.I
)
_LONGEST = 2_000
"""Letters of a passage in which a reader still sees which value belongs to which."""


def squeezed(text: str) -> str:
    """Text without blanks, backslashes and the difference between quotes, so that any way to write a value is found."""
    return re.sub(r"[\s\\]+", "", text).replace('"', "'")


def _bounded(text: str) -> str:
    """A pattern for a value that is no part of a longer number."""
    before = r"(?<![\d.,-])" if text[:1].isdigit() else ""
    after = r"(?!\d|\.\d)" if text[-1:].isdigit() else ""
    return before + re.escape(text) + after


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

    def compares(self, given: Any, got: Any, wanted: Any) -> bool:
        """Whether it was shown that ``got`` came out for ``given`` where ``wanted`` should have.

        Both have to stand within a few lines, together with a word that sets them against each other.
        """
        if isinstance(got, Raised):
            return squeezed(got) in self.squeezed
        return any(
            self._in_part(part, squeezed(form), got, wanted)
            for form in forms(list(given)) + tuple(form for value in given[:1] for form in forms(value))
            for part in self._contrasts
            if squeezed(form) in part
        )

    @staticmethod
    def _in_part(part: str, given: str, got: Any, wanted: Any) -> bool:
        rest = part.replace(given, "|", 1)
        for came in filter(None, map(squeezed, forms(got))):
            for found in re.finditer(_bounded(came), rest):
                without = rest[: found.start()] + "|" + rest[found.end() :]
                if any(re.search(_bounded(squeezed(form)), without) for form in forms(wanted)):
                    return True
        return False

    @cached_property
    def _contrasts(self) -> list[str]:
        """Few lines at a time that set one value against another."""
        lines = self._told_plain.splitlines()
        starts = [at for at, line in enumerate(lines) if _AGAINST.search(line)]
        parts = {
            "\n".join(lines[max(0, at - back) : at + 1 + on]) for at in starts for back in (0, 1, 2) for on in (0, 1, 2)
        }
        return [squeezed(part) for part in parts if len(part) < _LONGEST]

    @cached_property
    def _told_plain(self) -> str:
        return self.told.replace("\\n", "\n").replace('\\"', '"')

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
        return max(self._whole_plain.count(line.strip()), self.whole.count(line.strip()))


class Raised(str):
    """The message of an error that came out in place of a value."""
