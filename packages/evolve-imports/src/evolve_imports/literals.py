"""Turns assertions into rows where JSON can hold their values exactly; all others stay code."""

from __future__ import annotations

import ast
import doctest
import json

from evolve.core.episodes import Json, Row


def strict_rows(nodes: list[ast.stmt], called: str) -> list[Row] | None:
    """The rows of statements that are all ``assert called(values) == value``; None where one is not.

    Tuples, sets and numbers as keys are not JSON, and code can tell them from what they would become.
    """
    rows = []
    for node in nodes:
        if isinstance(node, ast.Assert) and isinstance(node.test, ast.Constant) and node.test.value is True:
            continue  # asserts nothing
        row = _row(node.test, called) if isinstance(node, ast.Assert) else None
        if row is None:
            return None
        rows.append(row)
    return rows or None


def _row(test: ast.expr, called: str) -> Row | None:
    if not isinstance(test, ast.Compare) or len(test.ops) != 1:
        return None
    call, wanted = test.left, test.comparators[0]
    is_equal = isinstance(test.ops[0], ast.Eq)
    is_constant = isinstance(test.ops[0], ast.Is) and isinstance(wanted, ast.Constant)
    if not (is_equal or is_constant) or not isinstance(call, ast.Call) or call.keywords:
        return None
    if not isinstance(call.func, ast.Name) or call.func.id != called:
        return None
    values = [_exact(node) for node in (*call.args, wanted)]
    if None in values:
        return None
    *arguments, output = [value[0] for value in values if value is not None]
    return Row(input=tuple(arguments), output=output)


def _exact(node: ast.expr) -> tuple[Json] | None:
    try:
        value = ast.literal_eval(node)
        same = json.loads(json.dumps(value, allow_nan=False))
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        return None
    return (value,) if _alike(value, same) else None


def _alike(value: object, other: object) -> bool:
    if type(value) is not type(other):
        return False
    if isinstance(value, list) and isinstance(other, list):
        return len(value) == len(other) and all(map(_alike, value, other))
    if isinstance(value, dict) and isinstance(other, dict):
        return list(value) == list(other) and all(_alike(value[key], other[key]) for key in value)
    return value == other


def documented_rows(prompt: ast.Module, called: str) -> list[Row]:
    """The examples in the docstring of the function, as far as they are rows."""
    functions = [node for node in prompt.body if isinstance(node, ast.FunctionDef) and node.name == called]
    text = ast.get_docstring(functions[-1]) if functions else None
    try:
        examples = doctest.DocTestParser().get_examples(text or "")
    except ValueError:  # such as a prompt of three signs without a space after it
        return []
    rows = []
    for example in examples:
        try:
            tree = ast.parse(f"assert {example.source.strip()} == {example.want.strip()}")
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
        rows += strict_rows(tree.body, called) or []
    return rows
