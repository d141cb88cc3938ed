"""The words by which a rule is told from a task, a question and a remark; they stand in ``signs.toml``."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import Any

from evolve.memory.preferences import LEFT_OUT, LONGEST

ENOUGH = 2.0
"""Weight from which a sentence is a rule."""
_TASK, _NO_RULE = -2.0, -10.0
_MISTYPED = ("always", "never", "please", "instead", "prefer", "should", "without", "everywhere", "before")
"""Words of signs that are looked for in other spelling too."""


@cache
def _table() -> Any:
    return tomllib.loads(Path(__file__).with_name("signs.toml").read_text(encoding="utf-8"))


@cache
def pattern(name: str) -> re.Pattern[str]:
    """The pattern of that name in the table."""
    if name in _table()["by_case"]:
        return re.compile(_table()["by_case"][name])
    sign = {**_table()["sign"], **_table()["cue"]}.get(name)
    text = "|".join(sign["any"]) if sign else _table()["pattern"][name]
    for word, meant in _table()["words"].items():
        text = text.replace(f"{{{word}}}", meant)
    return re.compile(text, re.IGNORECASE)


def weight_of(text: str) -> float:
    """How plainly a sentence is a rule by itself: the sum of its signs."""
    foreign = ("question", "others", "taken_back", "undo")
    if len(text) > LONGEST or LEFT_OUT in text or any(pattern(name).search(text) for name in foreign):
        return _NO_RULE
    plain = " ".join(map(_meant, text.replace("’", "'").split()))
    is_task = pattern("task").search(plain) and not pattern("every_time").search(plain)
    return sum(_weights("sign", plain)) + _TASK * bool(is_task)


def cue_of(sentences: Sequence[str]) -> float:
    """How plainly a message corrects what the agent did."""
    return max((weight for text in sentences for weight in _weights("cue", text)), default=0.0)


def _weights(kind: str, text: str) -> list[float]:
    return [sign["weight"] for name, sign in _table()[kind].items() if pattern(name).search(text)]


def _meant(word: str) -> str:
    """The word that a mistyped one stands for."""
    likely = [one for one in _MISTYPED if one[0] == word[0].lower()] if word.isalpha() and len(word) > 3 else []
    return next(iter(get_close_matches(word.lower(), likely, n=1, cutoff=0.83)), word)
