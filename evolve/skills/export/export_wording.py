"""Says in everyday words what a function takes, gives and does; no word of its rows or its source itself gets in."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

from evolve.core.episodes import Json

_MOST = 10
_MOSTLY = 0.6
"""Share of the values that have the form of a kind, where they are of that kind."""


def kind_of(values: Sequence[Json]) -> tuple[str, str]:
    """What most of these values look like, such as a date, and what else that is called; twice "" for nothing known."""
    texts = [str(value) for value in values if value not in (None, "")]
    shares = ((sum(map(bool, map(form.fullmatch, texts))), said) for form, said in _kinds())
    kind, _, also = next((said for count, said in shares if count > _MOSTLY * len(texts)), "").partition(": ")
    return kind, also


@cache
def _kinds() -> list[tuple[re.Pattern[str], str]]:
    pairs = [line.partition(" = ") for line in _lines("kinds.txt")]
    return [(re.compile(form), said) for form, _, said in pairs]


def steps_of(code: str) -> list[str]:
    """What a source does, in the order in which it stands there: at most ten phrases, most of them of ``steps.txt``."""
    return list(dict.fromkeys(_told(ast.parse(code), _phrases())))[:_MOST]


@cache
def _phrases() -> dict[str, str]:
    """What a person would say of what code calls, by the names of methods, functions, operators and parts of dates."""
    pairs = [line.partition(": ") for line in _lines("steps.txt")]
    return {name: told for names, _, told in pairs for name in names.split()}


def _lines(name: str) -> list[str]:
    return Path(__file__).with_name(name).read_text(encoding="utf-8").splitlines()


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


def unused_in(code: str) -> set[str]:
    """Names of arguments that a source never reads."""
    nodes = list(ast.walk(ast.parse(code)))
    return {each.arg for each in nodes if isinstance(each, ast.arg)} - {
        each.id for each in nodes if isinstance(each, ast.Name)
    }


def _told(tree: ast.AST, phrases: dict[str, str]) -> Iterator[str]:
    # Depth first, so that phrases come in the order of the text; a function that has a phrase is not looked into.
    if isinstance(tree, ast.FunctionDef) and tree.name in phrases:
        return
    yield from (phrases[name] for name in _names(tree) if name in phrases)
    if isinstance(tree, ast.BinOp) and isinstance(tree.right, ast.Constant):
        yield from _percent(tree.op, tree.right.value)
    for child in ast.iter_child_nodes(tree):
        yield from _told(child, phrases)


def _names(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Call):
        return [node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")]
    if isinstance(node, ast.Attribute):
        return [node.attr] if node.attr in ("year", "month", "day") else []
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice):
        return ["slice"]
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return re.findall(r"%-?[A-Za-z]|[$€£%]", node.value)  # formats of dates, and signs
    operators = node.ops if isinstance(node, ast.Compare) else [node.op] if isinstance(node, ast.BinOp) else []
    return [type(each).__name__ for each in operators]


def _percent(operator: ast.operator, factor: object) -> Iterator[str]:
    """What a factor near one is among prices."""
    if isinstance(factor, float) and 0.5 <= factor < 2 and isinstance(operator, ast.Mult | ast.Div):
        off = isinstance(operator, ast.Div) or factor < 1
        why = "tax included" if isinstance(operator, ast.Div) else "discount, reduction" if off else "tax, surcharge"
        yield f"{'take off' if off else 'add'} {abs(factor - 1) * 100:g} percent ({why})"
