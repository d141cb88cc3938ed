"""Files of conversations: which there are, what their lines say, and which lines cannot be understood."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, get_args

from evolve.core.files import clean_text
from evolve.core.settings import LearnMode

_NAME = re.compile(r"c([1-9][0-9]*)\.jsonl")
_MOST = 1e18
"""No amount is as large; a whole number far beyond is no float."""


def conversation_numbers(folder: Path) -> Iterator[int]:
    """Numbers of the conversations in a folder, in no order; files with other names are none."""
    for path in folder.glob("c*.jsonl"):
        name = _NAME.fullmatch(path.name)
        if name is not None and path.is_file():
            yield int(name[1])


def entries(path: Path) -> Iterator[dict[str, Any] | None]:
    """What each line of a file says; None for one that cannot be understood, such as one that a crash tore.

    A file that cannot be read is one such line.
    """
    try:
        lines = path.read_bytes().splitlines()
    except OSError:
        lines = [b""]
    return map(_entry, lines)


def damaged_conversations(folder: Path) -> list[Path]:
    """Conversations with lines that cannot be understood, the oldest first."""
    paths = (folder / f"c{number}.jsonl" for number in sorted(conversation_numbers(folder)))
    return [path for path in paths if None in entries(path)]


def _entry(line: bytes) -> dict[str, Any] | None:
    try:
        entry: Any = json.loads(line)
    except (ValueError, RecursionError):  # the latter where it is nested too deep
        return None
    if not isinstance(entry, dict):
        return None
    fields, needed = _FIELDS.get(str(entry.get("kind"))), {"begun": "folder", "asked": "asked"}
    if fields is None or needed.get(entry["kind"], "kind") not in entry:
        return None
    if not all(name == "kind" or (name in fields and fields[name](value)) for name, value in entry.items()):
        return None
    if fields is not _TURN:
        return entry  # a folder is named by the very same letters
    # A lone surrogate can be neither printed nor searched.
    return {name: clean_text(value) if isinstance(value, str) else value for name, value in entry.items()}


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_text_or_none(value: object) -> bool:
    return value is None or isinstance(value, str)


def _is_amounts(value: object) -> bool:
    if not isinstance(value, dict):
        return False
    return all(type(amount) in (int, float) and abs(amount) < _MOST for amount in value.values())


_TURN: Mapping[str, Callable[[Any], bool]] = {
    "number": lambda value: type(value) is int,
    **dict.fromkeys(("asked", "status", "told", "answer", "run"), _is_text),
    **dict.fromkeys(("budget", "spent"), _is_amounts),
    "words": lambda value: isinstance(value, bool),
}
_FIELDS: Mapping[str, Mapping[str, Callable[[Any], bool]]] = {
    "begun": {"folder": _is_text},
    "means": {
        "check": _is_text,
        **dict.fromkeys(("python", "model"), _is_text_or_none),
        "learn": lambda value: value is None or value in get_args(LearnMode),
    },
    "asked": _TURN,
    "answered": _TURN,
}
"""What each kind of line may hold, by name, and whether a value is of its type."""
