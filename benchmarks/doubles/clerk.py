"""A model that writes amounts as its prompt tells it to, and is right wherever the prompt says nothing.

What it is told wrongly it does wrongly, every time: so what was planted among the things it is told is what breaks its
work, and nothing else is.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from evolve.core.episodes import Row
from evolve.testing.doubles import prompt_of, schema_of

ASPECTS: Mapping[str, Mapping[str, str]] = {
    "decimals": {"2": "Amounts carry two decimals.", "0": "Amounts carry no decimals, cents are cut."},
    "thousands": {",": "Thousands of amounts are parted by a comma.", "'": "Thousands of amounts are parted by an"
                  " apostrophe.", "": "Thousands of amounts stand together without any sign."},
    "currency": {"EUR": "Amounts are given in EUR.", "CHF": "Amounts are given in CHF.", "USD": "Amounts are given in"
                 " USD."},
    "place": {"front": "The currency of amounts stands in front.", "behind": "The currency of amounts stands behind."},
    "negative": {"minus": "Negative amounts begin with a minus.", "brackets": "Negative amounts stand in brackets."},
}  # fmt: skip
"""What is open about an amount, with the ways to do it and the sentence that asks for each."""
NOISE = (
    "Amounts of June were checked twice by the auditors.",
    "The ledger of amounts is closed on the last Friday.",
    "Amounts above ten thousand are signed by two people.",
)
"""Sentences that are recalled with the others and ask for nothing."""
INSTRUCTION = "Write the amounts of the {name} ledger, given in cents, as text."
_FENCE = "```"


def code_of(way: Mapping[str, str], entry: str = "solve") -> str:
    """The function that does it in this way; a text, so that it runs anywhere."""
    body = [
        f"def {entry}(cents):",
        "    whole, rest = divmod(abs(cents), 100)",
        f"    text = f'{{whole:,}}'.replace(',', {way['thousands']!r})",
    ]
    body += ["    text += f'.{rest:02d}'"] if way["decimals"] == "2" else []
    sign = way["currency"]
    body += [f"    text = '{sign} ' + text" if way["place"] == "front" else f"    text = text + ' {sign}'"]
    shown = "'(' + text + ')'" if way["negative"] == "brackets" else "'-' + text"
    return "\n".join([*body, f"    return {shown} if cents < 0 else text", ""])


def rows_of(way: Mapping[str, str], rng: Random, number: int) -> list[Row]:
    """Calls with what they give; each aspect shows in most of them."""
    space: dict[str, Any] = {}
    exec(code_of(way), space)
    inputs = [rng.choice((-1, 1)) * rng.randint(100_000, 9_999_999) for _ in range(number)]
    inputs[0], inputs[1] = -abs(inputs[0]), abs(inputs[1])
    return [Row(input=(value,), output=space["solve"](value)) for value in inputs]


@dataclass(frozen=True)
class ClerkDouble:
    """Writes the function that its prompt asks for.

    Attributes:
        truth: By the name of a ledger, how its amounts are written.
        looks: Its first reply finds something out and answers nothing.
        cites: Which of the sentences it was told it says that it used: ``all``, ``none`` or ``true`` ones.
    """

    truth: Mapping[str, Mapping[str, str]]
    looks: bool = False
    cites: str = "none"

    def answer(self, body: Mapping[str, Any]) -> str:
        """The reply to a prompt; a question of another kind gets words that help nobody."""
        prompt = prompt_of(body)
        name = next((name for name in self.truth if INSTRUCTION.format(name=name) in prompt), "")
        if not name or schema_of(body, ""):
            return '{"facts": [], "name": "none", "description": "none"}'
        if self.looks and "len('amounts')" not in prompt:
            return f"I look first.\n{_FENCE}python\nlen('amounts')\n{_FENCE}\n"
        mounted = re.search(r"(from \S+ import (write_\w+))", prompt)
        way, told = obeyed(prompt, self.truth[name])
        code = f"{mounted[1]}\n\n\ndef solve(cents):\n    return {mounted[2]}(cents)\n" if mounted else code_of(way)
        cited = {"all": told, "none": [], "true": [one for one in told if one in sentences(self.truth[name])]}
        uses = "".join(f"uses: {text}\n" for text in cited[self.cites])
        return f"I write it as asked.\n{uses}\n{_FENCE}python\n{code}{_FENCE}\n"


def obeyed(prompt: str, truth: Mapping[str, str]) -> tuple[dict[str, str], list[str]]:
    """How it is done by who does what the prompt says, and the sentences that say it."""
    way, told = dict(truth), []
    for aspect, ways in ASPECTS.items():
        for value, sentence in ways.items():
            if sentence in prompt:
                way[aspect] = value
                told.append(sentence)
    return way, told


def sentences(way: Mapping[str, str]) -> Sequence[str]:
    """What a way to do it says in words."""
    return [ASPECTS[aspect][value] for aspect, value in way.items()]
