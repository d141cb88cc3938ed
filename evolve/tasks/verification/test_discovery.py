"""Finds tests in files that a change may touch, tests that did not run to their end, and tests that may be skipped."""

from __future__ import annotations

import ast
import fnmatch
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping

from evolve.core.text_files import text_of
from evolve.tasks.verification.broken_tests import names_of_tests, parse_or_none, tests_of
from evolve.tasks.verification.checks import CheckResult

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
        tree = parse_or_none(text) if name.endswith(".py") else None
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
    tree = parse_or_none(text) if name.endswith(".py") else None
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


_SKIPPING_NAMES = frozenset(
    {
        *("skip", "skipif", "skipIf", "skipUnless", "skipTest", "SkipTest"),
        *("xfail", "importorskip", "expectedFailure"),
    }
)
_PATTERN = re.compile(r"\s(?:-p|--pattern)[\s=]['\"]?([^\s'\"]+)")
_ARGUMENTS = re.compile(r"-m\s+unittest((?:\s+[^\s;&|<>]+)*)")
UNITTEST = re.compile(r"\s-m\s+unittest(?:\s|$)")


def skippable_tests(text: str) -> tuple[set[str], bool]:
    """The tests whose own code says that they may be skipped, and whether anything else in the file says so.

    To a test belong its decorators, and what its class holds besides tests. A comment or a text says nothing.
    """
    tree = parse_or_none(text)
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
    command: str, texts: Mapping[str, str], scripts: Collection[str], checked: CheckResult, ended: Collection[str]
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
        may = skippable_tests(text)[0]
        for test in (test for test in names_of_tests(text) if test not in may):
            passed = sum(outcome == "passed" and _is_test(name, test, node) for node, outcome in checked.tests.items())
            if passed or (not checked.tests and _is_run(command, name, test, text, script=name in scripts)):
                wanted[f"{name}::{test}"] = passed or 1
    # A difference of multisets: a test with several parameters has to end as often as it passed.
    return sorted(wanted - Counter(ended))


def _is_test(name: str, test: str, node: str) -> bool:
    file, _, qualified = node.partition("::")
    return qualified.partition("[")[0] == test and (name == file or name.endswith(f"/{file}"))


def _is_run(command: str, name: str, test: str, text: str, *, script: bool) -> bool:
    """Whether unittest, or a file that is run by itself, is sure to run this test."""
    tree, (kind, _, method) = parse_or_none(text), test.partition("::")
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
