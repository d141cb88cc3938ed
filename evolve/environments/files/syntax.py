"""Parses a Python text that somebody else wrote, without a word on how it is written."""

from __future__ import annotations

import ast
import warnings


def python_tree(text: str) -> ast.Module | None:
    """The tree of a text; None where it is no Python, or too deep to be read."""
    try:
        return parsed(text)
    except SyntaxError:
        return None


def parsed(text: str) -> ast.Module | None:
    """The tree of a text; None where nobody can tell whether it is Python, such as one nested very deeply.

    Raises:
        SyntaxError: It is no Python.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of its escapes and comparisons
        try:
            return ast.parse(text)
        except (ValueError, RecursionError, MemoryError):
            return None
