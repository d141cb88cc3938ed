"""Says in everyday words which steps a function takes, read off its source; no word of the source itself gets in."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

_MOST = 10


def steps_of(code: str) -> list[str]:
    """What a source does, in the order in which it stands there: at most ten phrases of ``steps.txt``."""
    told = _phrases()
    return list(dict.fromkeys(told[name] for name in _names(ast.parse(code)) if name in told))[:_MOST]


@cache
def _phrases() -> dict[str, str]:
    """What a person would say of what code calls, by the names of methods, functions and parts of dates."""
    lines = Path(__file__).with_name("steps.txt").read_text(encoding="utf-8").splitlines()
    pairs = [line.partition(": ") for line in lines]
    return {name: told for names, _, told in pairs for name in names.split()}


def words_in(code: str) -> list[str]:
    """Single words of the texts that a source compares with or writes, by the alphabet, so that they say nothing."""
    tree = ast.parse(code)
    aside = [node for node in ast.walk(tree) if isinstance(node, ast.Expr | ast.Raise)]  # docstrings and messages
    docs = {id(node) for each in aside for node in ast.walk(each)}
    texts = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and id(node) not in docs]
    found = {
        word for text in texts if isinstance(text, str) for word in re.findall(r"(?<![%\\\w])[A-Za-z]{3,20}\b", text)
    }
    return sorted(found, key=str.lower)[:_MOST]


def _names(tree: ast.AST) -> Iterator[str]:
    # Depth first, so that phrases come in the order of the text.
    if isinstance(tree, ast.Call):
        yield tree.func.id if isinstance(tree.func, ast.Name) else getattr(tree.func, "attr", "")
    elif isinstance(tree, ast.Attribute):
        yield tree.attr if tree.attr in ("year", "month", "day") else ""
    elif isinstance(tree, ast.Subscript) and isinstance(tree.slice, ast.Slice):
        yield "slice"
    elif isinstance(tree, ast.Constant) and isinstance(tree.value, str):
        yield from re.findall(r"%-?[A-Za-z]|[$€£%]", tree.value)  # formats of dates, and signs
    for child in ast.iter_child_nodes(tree):
        yield from _names(child)
