"""Finds tests that passed without running to their end, and tests that may be skipped by their own code."""

from __future__ import annotations

import ast
import fnmatch
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping

from evolve.tasks.verification.broken_tests import parsed, tests_of
from evolve.tasks.verification.checks import Checked

_SKIPPING_NAMES = frozenset(
    {
        *("skip", "skipif", "skipIf", "skipUnless", "skipTest", "SkipTest"),
        *("xfail", "importorskip", "expectedFailure"),
    }
)
_PATTERN = re.compile(r"\s(?:-p|--pattern)[\s=]['\"]?([^\s'\"]+)")
_ARGUMENTS = re.compile(r"-m\s+unittest((?:\s+[^\s;&|<>]+)*)")
UNITTEST = re.compile(r"\s-m\s+unittest(?:\s|$)")


def skips(text: str) -> tuple[set[str], bool]:
    """The tests whose own code says that they may be skipped, and whether anything else in the file says so.

    To a test belong its decorators, and what its class holds besides tests. A comment or a text says nothing.
    """
    tree = parsed(text)
    if tree is None:
        return set(), False
    tests = list(tests_of(tree))
    inside = {id(node) for _, node in tests}
    named = {name.partition("::")[0] for name, _ in tests if "::" in name}
    own, elsewhere = {name for name, node in tests if _mentions_skipping(node)}, False
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.ClassDef) and node.name in named:
            if _mentions_skipping(node, inside):
                own |= {name for name, _ in tests if name.startswith(f"{node.name}::")}
        elif _mentions_skipping(node, inside):
            elsewhere = True
    return own, elsewhere


def _mentions_skipping(node: ast.AST, but: Collection[int] = ()) -> bool:
    return any(
        (isinstance(child, ast.Name) and child.id in _SKIPPING_NAMES)
        or (isinstance(child, ast.Attribute) and child.attr in _SKIPPING_NAMES)
        for child in _walk_without(node, but)
    )


def _walk_without(node: ast.AST, but: Collection[int]) -> Iterator[ast.AST]:
    if id(node) not in but:
        yield node
        for child in ast.iter_child_nodes(node):
            yield from _walk_without(child, but)


def not_reached(
    command: str, texts: Mapping[str, str], scripts: Collection[str], checked: Checked, ended: Collection[str]
) -> list[str]:
    """The tests that passed without reaching their end, or that no one tells of, as ``file::test``.

    Args:
        texts: The files with tests, as they are.
        scripts: Names of those that the command runs by themselves.
        checked: What a run said whose tests write down that they came to their end.
        ended: What they wrote, an item for each time.
    """
    wanted: Counter[str] = Counter()
    for name, text in texts.items():
        may = skips(text)[0]
        for test in (test for test in _tests(text) if test not in may):
            passed = sum(outcome == "passed" and _is_test(name, test, node) for node, outcome in checked.tests.items())
            if passed or (not checked.tests and _is_run(command, name, test, text, script=name in scripts)):
                wanted[f"{name}::{test}"] = passed or 1
    # A difference of multisets: a test with several parameters has to end as often as it passed.
    return sorted(wanted - Counter(ended))


def _tests(text: str) -> list[str]:
    tree = parsed(text)
    return [] if tree is None else [name for name, _ in tests_of(tree)]


def _is_test(name: str, test: str, node: str) -> bool:
    file, _, qualified = node.partition("::")
    return qualified.partition("[")[0] == test and (name == file or name.endswith(f"/{file}"))


def _is_run(command: str, name: str, test: str, text: str, *, script: bool) -> bool:
    """Whether unittest, or a file that is run by itself, is sure to run this test."""
    tree, (kind, _, method) = parsed(text), test.partition("::")
    if tree is None:
        return False
    if script and not method:
        calls = [
            node for statement in tree.body if not isinstance(statement, _DEFINITIONS) for node in ast.walk(statement)
        ]
        return any(isinstance(node, ast.Call) and ast.unparse(node.func) == test for node in calls)
    bases = any(
        isinstance(definition, ast.ClassDef) and definition.name == kind and definition.bases
        for definition in tree.body
    )
    if not method or not bases:
        return False
    return "unittest.main(" in text if script else _is_selected(command, name, f"{kind}.{method}")


_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def _is_selected(command: str, name: str, test: str) -> bool:
    """Whether a command of unittest is about this test, as far as its text tells."""
    arguments = _ARGUMENTS.search(command)
    # With -k a pattern chooses among the tests.
    if arguments is None or re.search(r"\s-k", command):
        return False
    targets = [argument for argument in arguments[1].split() if not argument.startswith("-") and not argument.isdigit()]
    if not targets or targets[0] == "discover":
        pattern = _PATTERN.search(command)
        return fnmatch.fnmatch(name.rpartition("/")[2], pattern[1] if pattern else "test*.py")
    module = name.removesuffix(".py").replace("/", ".")
    full = [target.strip("'\"").removeprefix("./").removesuffix(".py").replace("/", ".") for target in targets]
    return any(f"{module}.{test}.".startswith(f"{dotted}.") or module.endswith(f".{dotted}") for dotted in full)
