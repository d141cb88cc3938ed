"""Finds the rows of a person in the literals of a function, with which they would leave."""

from __future__ import annotations

import ast
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from evolve.core.episodes import Json
from evolve.skills import Skill
from evolve.skills.hard_coded import KNOWN_WORDS

_LEAST, _MANY = 4, 4
"""Letters and digits of a value that tells of a row; and how many values of plain words do."""


def holds_rows(skill: Skill, seen: str = "", texts: Sequence[str] = ()) -> str:
    """Why code or texts would take inputs of a person's rows along; "" where they do not.

    What came from others was written before anybody saw a row, so it holds none.

    Args:
        seen: The tasks of the runs that it came from with their rows, as JSON, one in a line.
        texts: Further texts that leave with it.
    """
    if skill.owner in ("imported", "seed"):
        return ""
    given = [value for row in skill.rows for value in row.input]
    given += [value for line in seen.splitlines() for value in _inputs(json.loads(line))]
    cells = {str(value) for one in given for value in _scalars(one)}
    tree = ast.parse(skill.code)
    if any(_is_of_rows(node, cells) for node in ast.walk(tree) if isinstance(node, ast.Dict)):
        return "its code holds a table of values of your rows"
    literals = [str(one.value) for one in ast.walk(tree) if isinstance(one, ast.Constant)]
    telling = {cell for cell in cells if sum(map(str.isalnum, cell)) >= _LEAST and cell.lower() not in KNOWN_WORDS}
    found = {cell for cell in telling if any(_stands(cell, text) for text in literals)}
    found |= {cell for cell in telling if not _is_word(cell) and any(_stands(cell, text) for text in texts)}
    names = Counter(
        word for cell in cells if " " in cell for word in cell.split() if word.istitle() and len(word) >= _LEAST
    )
    own = {word for word, count in names.items() if count == 1 and word.lower() not in KNOWN_WORDS}
    if len(own & {*literals}) > 2:
        return "its code holds names out of your rows"
    if sum(not _is_word(cell) for cell in found) >= 2 or len(found) >= _MANY:
        return "its code or its words hold values of your rows"
    return ""


def _is_of_rows(node: ast.Dict, cells: set[str]) -> bool:
    keys = [str(key.value) for key in node.keys if isinstance(key, ast.Constant)]
    of_rows = {key for key in keys if key in cells and key.lower() not in KNOWN_WORDS}
    return len([key for key in of_rows if len(key) >= _LEAST - 1]) >= 2 or len(of_rows) >= _MANY


def _inputs(value: Json) -> Iterator[Json]:
    """Every input of a row at all depths."""
    if isinstance(value, dict):
        if "input" in value and "output" in value:
            yield value["input"]
        for part in value.values():
            yield from _inputs(part)
    elif isinstance(value, list):
        for part in value:
            yield from _inputs(part)


def _scalars(value: Json) -> Iterator[str | int | float]:
    if isinstance(value, str | int | float) and not isinstance(value, bool):
        yield value
    parts = value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ()
    for part in parts:
        yield from _scalars(part)


def _stands(cell: str, text: str) -> bool:
    return cell in text and re.search(rf"(?<!\w){re.escape(cell)}(?!\w)", text) is not None


def _is_word(cell: str) -> bool:
    """A plain word, which may be a kind of thing, or a number, which code may well count with."""
    return (cell.isalpha() and cell.islower()) or re.fullmatch(r"-?\d{1,4}(?:\.\d+)?", cell) is not None
