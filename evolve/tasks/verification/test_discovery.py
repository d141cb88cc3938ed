"""Finds and removes tests in files that a change may touch: doctests, and test functions beside the code."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Collection, Iterator, Mapping

from evolve.core.text_files import text_of
from evolve.tasks.verification.broken_tests import parsed

_DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
_PROSE = (".md", ".rst", ".txt")
Found = Counter[tuple[str, str]]
"""How often each test occurs, by a short description and its full text."""


def lost_tests(before: Mapping[str, bytes], after: Mapping[str, bytes], deciding: Collection[str]) -> list[str]:
    """A short description of each test that a change took away or changed, sorted.

    Args:
        deciding: Names of files that count as they were, and are left out.
    """
    lost = _count_tests(before, deciding) - _count_tests(after, deciding)
    return sorted(words for words, _ in lost)


def without_tests(files: Mapping[str, bytes], deciding: Collection[str]) -> dict[str, bytes]:
    """The files with none of those tests in them."""
    return {**files, **{name: _stripped(name, text) for name, text in _files_with_tests(files, deciding)}}


def _files_with_tests(files: Mapping[str, bytes], deciding: Collection[str]) -> Iterator[tuple[str, str]]:
    for name, data in files.items():
        prose = name.endswith(_PROSE) and b">>>" in data
        if name not in deciding and (prose or (name.endswith(".py") and (b">>>" in data or b"test" in data))):
            yield name, text_of(data)


def _count_tests(files: Mapping[str, bytes], deciding: Collection[str]) -> Found:
    counts: Found = Counter()
    for name, text in _files_with_tests(files, deciding):
        tree = parsed(text) if name.endswith(".py") else None
        counts.update(_examples(text) if name.endswith(_PROSE) else ())
        for node in ast.walk(tree) if tree is not None else ():
            if isinstance(node, _DOCUMENTED):
                counts.update(_examples(ast.get_docstring(node) or ""))
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test"):
                counts[node.name, ast.dump(node)] += 1
    return counts


def _examples(text: str) -> list[tuple[str, str]]:
    import doctest  # brings the debugger along

    try:
        examples = doctest.DocTestParser().get_examples(text)
    except ValueError:
        return []
    return [(f">>> {example.source.strip()}"[:60], f"{example.source}\n{example.want}") for example in examples]


def _stripped(name: str, text: str) -> bytes:
    tree = parsed(text) if name.endswith(".py") else None
    if tree is None:
        # No doctest is recognised without its prompts.
        return text.replace(">>>", "").encode()
    for node in ast.walk(tree):
        if isinstance(node, _DOCUMENTED) and ast.get_docstring(node):
            node.body[0] = ast.Expr(ast.Constant(""))
        if isinstance(node, ast.Module | ast.ClassDef):
            remaining = [statement for statement in node.body if not getattr(statement, "name", "").startswith("test")]
            node.body = remaining or [ast.Pass()]
    return ast.unparse(ast.fix_missing_locations(tree)).encode()
