"""The words by which a rule is told from a task, a question and a remark; they stand in ``signs.toml``."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import Any

from evolve.memory.preferences import LEFT_OUT, LONGEST

_MISTYPED = ("always", "never", "please", "instead", "prefer", "should", "without", "everywhere", "before")
"""Words of signs that are looked for in other spelling too."""

Sign = tuple[float, re.Pattern[str]]


@dataclass(frozen=True, kw_only=True)
class Signs:
    """What is looked for in sentences.

    Attributes:
        enough: The sum from which a sentence is a rule.
        said_again: What saying it once more adds.
        signs: With their weights.
        cues: The same, of a message that corrects.
        named: Patterns by what they are for.
    """

    enough: float
    said_again: float
    signs: tuple[Sign, ...]
    cues: tuple[Sign, ...]
    named: Mapping[str, re.Pattern[str]]

    def weight(self, text: str) -> float:
        """How plainly a sentence is a rule by itself."""
        foreign = any(self.named[name].search(text) for name in ("question", "others", "taken_back", "undo"))
        if foreign or len(text) > LONGEST or LEFT_OUT in text:
            return -10.0
        plain = " ".join(map(_meant, text.replace("’", "'").split()))
        is_task = self.named["task"].search(plain) and not self.named["every time"].search(plain)
        return sum(weight for weight, sign in self.signs if sign.search(plain)) - 2.0 * bool(is_task)

    def cue(self, sentences: Iterable[str]) -> float:
        """How plainly a message corrects."""
        return max((weight for text in sentences for weight, sign in self.cues if sign.search(text)), default=0.0)


@cache
def signs() -> Signs:
    """The signs of the file."""
    data: Any = tomllib.loads(Path(__file__).with_name("signs.toml").read_text(encoding="utf-8"))

    def pattern(text: str) -> re.Pattern[str]:
        for name, words in data["words"].items():
            text = text.replace(f"{{{name}}}", words)
        return re.compile(text, re.IGNORECASE)

    def weighted(kind: str) -> tuple[Sign, ...]:
        return tuple((float(one["weight"]), pattern("|".join(one["any"]))) for one in data[kind])

    named = {one["name"]: pattern("|".join(one["any"])) for one in data["sign"] if "name" in one}
    named |= {name: pattern(text) for name, text in data["pattern"].items()}
    return Signs(
        enough=data["enough"],
        said_again=data["said_again"],
        signs=weighted("sign"),
        cues=weighted("cue"),
        named={**named, **{name: re.compile(text) for name, text in data["by_case"].items()}},
    )


def _meant(word: str) -> str:
    """The word that a mistyped one stands for."""
    likely = [one for one in _MISTYPED if one[0] == word[:1].lower()] if len(word) > 3 else []
    return next(iter(get_close_matches(word.lower(), likely, n=1, cutoff=0.83)), word)
