"""Makes up calls of a skill: inputs of the same form as its rows and of other content, with what the skill gives.

A row is a person's and stays. What is taken over from it is its form: how many words, digits and signs a text has, and
words that the skill's own code holds, which leave with the code anyway.
"""

from __future__ import annotations

import ast
import json
import random
import re

from evolve.core.episodes import Json, Row
from evolve.core.errors import SandboxUnavailable
from evolve.core.files import canonical_json, digest
from evolve.runtime.sandbox import Program, Sandbox, SandboxLimits
from evolve.skills import Skill
from evolve.skills.export.description import is_short, is_word
from evolve.skills.hard_coded import SETS

_TRIES, _MOST = 40, 4
_LIMITS = SandboxLimits(wall_s=30.0, program_s=20.0)
_PIECES = re.compile(r"\d+|[^\W\d_]+|.", re.DOTALL)
_WORDS = "amber birch cedar delta ember fjord grove heron islet jetty kayak linen maple north ocean pearl quill river"


def made_up_examples(skill: Skill, sandbox: Sandbox | None, seen: str = "") -> tuple[Row, ...]:
    """Up to four calls whose inputs stand in no row, with what the skill gives; none without a sandbox.

    Args:
        seen: What runs were given, as JSON.

    Raises:
        SandboxUnavailable: The sandbox failed.
    """
    inputs = [] if sandbox is None else _made_up_inputs(skill, seen)
    if sandbox is None or not inputs:
        return ()
    result = sandbox.run_programs([Program(source=skill.code, entry=skill.entry)], inputs, _LIMITS)
    if result.fault or result.killed or result.timed_out:
        told = result.fault or "it had to be ended"
        hint = "run the same command again; `evolve status` shows the machine"
        raise SandboxUnavailable(f"{skill.name} could not be tried on made-up inputs: {told}", hint=hint)
    outcomes = zip(inputs, result.programs[0].outputs, strict=False)
    # A list or a sentence that comes out of a person's row may tell of it, whatever came in here.
    of_rows = {canonical_json(row.output) for row in skill.rows if not is_word(row.output)}
    rows = [Row(input=tuple(given), output=outcome.value) for given, outcome in outcomes if outcome.ok]
    rows = [row for row in rows if canonical_json(row.output) not in of_rows]
    # First what says something and is short enough for a description.
    rows.sort(key=lambda row: (row.output in (None, "", [], {}), not is_short([*row.input, row.output])))
    outputs: dict[str, Row] = {}
    for row in rows:
        outputs.setdefault(canonical_json(row.output), row)
    return tuple(outputs.values())[:_MOST]


def _made_up_inputs(skill: Skill, seen: str = "") -> list[list[Json]]:
    """Inputs in the form of the skill's rows; none is one of them, and no text of theirs stands in any of them.

    Args:
        seen: What else runs were given, as JSON: none of its texts is made up either.
    """
    chance = random.Random(digest(canonical_json([skill.signature, len(skill.rows)])))
    kept = _words_in(skill.code)
    known = {canonical_json(list(row.input)) for row in skill.rows}
    texts = {text for row in skill.rows for text in _texts(list(row.input))} - kept
    made: dict[str, list[Json]] = {}
    for number in range(_TRIES if skill.rows else 0):
        given = [_made_up(value, chance, kept) for value in skill.rows[number % len(skill.rows)].input]
        key = canonical_json(given)
        own = set(_texts(given))
        if key not in known and not texts & own and not any(json.dumps(text) in seen for text in own):
            made.setdefault(key, given)
    return list(made.values())


def _made_up(value: Json, chance: random.Random, kept: set[str]) -> Json:
    if isinstance(value, bool):
        return chance.random() < 0.5
    if isinstance(value, int):
        sign = -1 if value < 0 else 1
        return sign * _number(str(abs(value)), chance)
    if isinstance(value, float):
        whole, _, part = f"{abs(value):f}".rstrip("0").partition(".")
        part = "".join(chance.choice("123456789") for _ in part)
        return float(f"{'-' if value < 0 else ''}{_number(whole, chance)}.{part or 0}")
    if isinstance(value, str):
        return "".join(_piece(piece, chance, kept) for piece in _PIECES.findall(value))
    if isinstance(value, list):
        return [_made_up(item, chance, kept) for item in value]
    if isinstance(value, dict):
        return {key: _made_up(item, chance, kept) for key, item in value.items()}
    return value


def _number(digits: str, chance: random.Random) -> int:
    return int(chance.choice("123456789") + "".join(chance.choice("0123456789") for _ in digits[1:]))


def _piece(piece: str, chance: random.Random, kept: set[str]) -> str:
    if piece in kept or not piece.isalnum():
        return piece
    if piece.isdigit():
        return _digits(piece, chance)
    for words in (line.split() for line in SETS):
        if piece.lower() in (lower := [word.lower() for word in words]):
            return _cased(chance.choice(lower), piece)
    if len(piece) < 3:
        return _cased("".join(chance.choice("abdefhkmnprt") for _ in piece), piece)
    return _cased(chance.choice(_WORDS.split()), piece)


def _digits(piece: str, chance: random.Random) -> str:
    """Digits in number like these; what may be a day, a month, an hour or a year stays one."""
    value = int(piece)
    if len(piece) == 4 and 1900 <= value < 2100:
        return str(chance.randint(2001, 2039))
    for low, high in ((1, 12), (13, 28), (32, 59)):
        if len(piece) <= 2 and value <= high + 3 * (high == 28):
            return str(chance.randint(low, high if len(piece) == 2 else 9)).zfill(len(piece))
    first = "0" if piece[0] == "0" else chance.choice("123456789")
    return first + "".join(chance.choice("0123456789") for _ in piece[1:])


def _cased(word: str, like: str) -> str:
    if like.isupper():
        return word.upper()
    return word.capitalize() if like[0].isupper() else word


def _words_in(code: str) -> set[str]:
    """Words of the texts that code compares with or writes."""
    texts = [node.value for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Constant)]
    return {word for text in texts if isinstance(text, str) for word in _PIECES.findall(text)}


def _texts(value: Json) -> list[str]:
    """Texts in a value, those of more than two characters."""
    if isinstance(value, str):
        return [value] if len(value) > 2 else []
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text for part in parts for text in _texts(part)]
