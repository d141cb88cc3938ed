"""What a person typed: when it is complete, what it asks for, and what they typed before."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from evolve.cli.asking import WHY_NOT
from evolve.workspace import parse_answer

ARROWS = (" -> ", " → ", " => ")
QUOTES = '"""'

_COMMAND = re.compile(r"/([a-z?][a-z-]*)(?:\s+(.*))?\Z", re.DOTALL)
_SUFFIXES = (".csv", ".json", ".jsonl", ".py", ".tsv")
_MOST_READ = 2_000
"""Most inputs that a session reads back, the latest; the file keeps them all."""


@dataclass(frozen=True, kw_only=True)
class ParsedInput:
    """What a text asks for.

    Attributes:
        kind: ``command``, ``rows``, ``named`` (a task file or SUITE#ID), ``words`` or ``nothing``.
        name: Of the command, else "".
        text: The command's argument, the task's name, or the words.
        rows: Pairs (arguments, output).
    """

    kind: Literal["command", "rows", "named", "words", "nothing"]
    name: str = ""
    text: str = ""
    rows: tuple[tuple[tuple[Any, ...], Any], ...] = ()


def is_open(text: str) -> bool:
    """Whether more lines belong to a text: triple quotes are open, it ends with a backslash, or it is a list of rows
    that no empty line has ended."""
    if text.lstrip().startswith(QUOTES):
        return text.count(QUOTES) % 2 == 1
    if text.endswith("\\"):
        return True
    lines = text.split("\n")
    return is_rows(text) and bool(lines[-1].strip())


def is_unfinished(text: str) -> bool:
    """Whether lines that came together with a text belong to it: they do to words, and not to a command or to rows."""
    return bool(text.strip()) and not text.lstrip().startswith("/") and not is_rows(text)


def is_rows(text: str) -> bool:
    """Whether every line is a row ``input -> output``."""
    lines = [line for line in text.split("\n") if line.strip()]
    return bool(lines) and all(is_row(line) for line in lines)


def is_row(line: str) -> bool:
    """Whether a line is a row."""
    return not line.startswith("/") and any(arrow in f"{line} " for arrow in ARROWS)


def join_lines(text: str) -> str:
    """The text without what held its lines together: trailing backslashes and triple quotes."""
    text = re.sub(r"\\\n", "\n", text).removesuffix("\\").strip()
    if text.startswith(QUOTES):
        text = text.removeprefix(QUOTES).removesuffix(QUOTES)
    return text.strip()


def read(text: str) -> ParsedInput:
    """What a complete text asks for."""
    # Where the locale knows ASCII alone, other letters arrive as bytes.
    has_bytes = any("\udc80" <= sign <= "\udcff" for sign in text)
    plain = join_lines(text.encode("utf-8", "surrogateescape").decode("utf-8", "replace") if has_bytes else text)
    if not plain:
        return ParsedInput(kind="nothing")
    match = _COMMAND.match(plain)
    if match and not os.path.exists(plain):
        return ParsedInput(kind="command", name=match[1], text=(match[2] or "").strip())
    if is_rows(plain) and "\n" in plain:  # one arrow alone may stand in a sentence
        halves = [_halves(line) for line in plain.split("\n") if line.strip()]
        inputs = _arguments([left for left, _ in halves])
        outputs = _values([right for _, right in halves])
        return ParsedInput(kind="rows", rows=tuple(zip(inputs, outputs, strict=True)))
    if _is_named(plain):
        return ParsedInput(kind="named", text=os.path.expanduser(plain))
    return ParsedInput(kind="words", text=plain)


def _halves(line: str) -> tuple[str, str]:
    padded = f"{line.rstrip()} "
    # At the first arrow: an output may hold another.
    left, _, right = min((padded.partition(arrow) for arrow in ARROWS if arrow in padded), key=lambda cut: len(cut[0]))
    return left.strip(), right.strip()


def _arguments(texts: Sequence[str]) -> list[tuple[Any, ...]]:
    try:
        rows = [tuple(json.loads(f"[{text}]")) for text in texts]
    except (ValueError, RecursionError):  # what is nested too deep for the parser is text as well
        return [(text,) for text in texts]
    return rows if all(rows) and len({len(row) for row in rows}) == 1 else [(text,) for text in texts]


def _values(texts: Sequence[str]) -> list[Any]:
    try:
        return [json.loads(text) for text in texts]
    except (ValueError, RecursionError):
        return list(texts)


def _is_named(text: str) -> bool:
    """Whether a text names a task: a task file, or something of a suite."""
    if "\n" in text:
        return False
    from evolve.workspace import tasks

    head, mark, rest = text.partition("#")
    named = head in tasks.list() or head.endswith(_SUFFIXES)
    if mark and rest and " " not in text.strip() and (named or os.path.exists(os.path.expanduser(head))):
        return True
    # One word with such an ending means a file even where there is none: the refusal then names it.
    return text.endswith(_SUFFIXES) and (os.path.isfile(os.path.expanduser(text)) or not any(map(str.isspace, text)))


def parse_approval(answer: str, ask: Callable[[str], str | None]) -> str | None:
    """What an answer to a question for leave means: ``yes``, a reason against it, or None for later."""
    answer = "no" if parse_answer(answer) == "no" else answer  # "no thanks" gives no reason
    word, _, reason = answer.partition(" ")
    if word.lower() in ("y", "yes") or answer == "/approve":
        return "yes"
    if word.lower() in ("n", "no", "/refuse"):
        return reason or (ask(WHY_NOT) or "").strip() or "no"
    return answer if reason and not word.startswith("/") else None  # a sentence is a reason, a command is none


class TypedLines:
    """A file of inputs, oldest first, one JSON text a line; it lies in the workspace for that person only.

    Args:
        path: Made with the first input; only its owner can read it.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    def read(self) -> list[str]:
        """The latest inputs; lines that cannot be read are passed over."""
        texts = []
        try:
            lines = self._path.read_bytes().splitlines()[-_MOST_READ:]
        except OSError:
            return []
        for line in lines:
            try:
                text = json.loads(line)
            except ValueError:
                continue
            if isinstance(text, str):
                texts.append(text)
        return texts

    def add(self, text: str) -> None:
        """Keeps an input. History that cannot be written is no reason to stop."""
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            # Made with its mode at once: chmod afterwards would leave a moment in which others can read it.
            with os.fdopen(os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), "wb") as stream:
                stream.write(json.dumps(text).encode("ascii") + b"\n")
        except OSError:
            return
