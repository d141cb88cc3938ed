"""Whether hidden tests can run in another process than the answer: decided by their text, never by the answer."""

from __future__ import annotations

import ast
import builtins
import datetime
import decimal
import fractions
import pathlib
import random
from collections.abc import Iterator
from functools import cache

_MODULES = frozenset(
    {
        "__future__",
        "bisect",
        "cmath",
        "collections",
        "copy",
        "datetime",
        "decimal",
        "fractions",
        "functools",
        "heapq",
        "itertools",
        "json",
        "math",
        "operator",
        "pathlib",
        "random",
        "re",
        "statistics",
        "string",
        "typing",
        "zoneinfo",
    }
)
"""What tests may import: modules that share no state with an answer."""

_TYPES = (
    *(bool, int, float, complex, str, bytes, bytearray, list, tuple, set, frozenset, dict, range),
    *(decimal.Decimal, fractions.Fraction, datetime.datetime, datetime.date, datetime.time, datetime.timedelta),
    random.Random,
)
_CHANGES = frozenset(
    {
        "add",
        "append",
        "clear",
        "difference_update",
        "discard",
        "extend",
        "insert",
        "intersection_update",
        "pop",
        "popitem",
        "remove",
        "reverse",
        "setdefault",
        "sort",
        "symmetric_difference_update",
        "update",
    }
)
_NEVER = frozenset(
    {
        "BaseException",
        "GeneratorExit",
        "KeyboardInterrupt",
        "StopAsyncIteration",
        "StopIteration",
        "SystemExit",
        "compile",
        "delattr",
        "dir",
        "eval",
        "exec",
        "getattr",
        "globals",
        "hasattr",
        "id",
        "input",
        "locals",
        "memoryview",
        "object",
        "open",
        "setattr",
        "super",
        "type",
        "vars",
        "__import__",
    }
)
_NODES = (ast.ClassDef, ast.AsyncFunctionDef, ast.With, ast.AsyncWith, ast.AsyncFor, ast.Await)


@cache
def why_whole(tests: str) -> str:
    """Why the tests have to run in the answer's own process, or "" where values are all they need of it.

    Such tests call functions of ``solution`` on data and look at the data that comes back. Whatever may depend on
    more (objects, identity, shared modules, a change of what was handed over) is a reason.

    Args:
        tests: Text of ``test_*`` functions; it must be Python.
    """
    return next(_Reader(ast.parse(tests)).reasons(), "")


@cache
def _attributes() -> frozenset[str]:
    return frozenset(name for kind in _TYPES for name in dir(kind) if not name.startswith("_"))


@cache
def _shared() -> frozenset[str]:
    """Attributes of modules, and of what they hold, that reach beyond values: a common state, or files."""
    return frozenset({"seed"} | set(dir(pathlib.Path)) - set(dir(pathlib.PurePath)) - _attributes())


class _Reader:
    """What one text does with the functions under test, by name."""

    def __init__(self, tree: ast.Module) -> None:
        self.nodes = list(ast.walk(tree))
        self.functions = [node for node in self.nodes if isinstance(node, ast.FunctionDef)]
        self.modules: set[str] = set()
        self.imported: set[str] = set()
        self.under_test: set[str] = set()
        self.whole: set[str] = set()
        self.refused: list[str] = []
        tries = [node for node in self.nodes if isinstance(node, ast.Try)]
        self.tried = {id(one) for node in tries for one in node.body}
        for node in self.nodes:
            if isinstance(node, ast.Import):
                self._import(node)
            elif isinstance(node, ast.ImportFrom):
                self._import_from(node)
        for function in self.functions:
            calls = [node.func for node in ast.walk(function) if isinstance(node, ast.Call)]
            called = {one.id for one in calls if isinstance(one, ast.Name)}
            every = (*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs)
            self.under_test |= called & {one.arg for one in every}

    def _import(self, node: ast.Import) -> None:
        for one in node.names:
            if one.name == "solution":
                self.whole.add(one.asname or one.name)
            elif one.name.partition(".")[0] in _MODULES:
                self.modules.add(one.asname or one.name.partition(".")[0])
            else:
                self.refused.append(f"they import {one.name}")

    def _import_from(self, node: ast.ImportFrom) -> None:
        module = node.module or ""
        names = [one.asname or one.name for one in node.names]
        if node.level or "*" in names:
            self.refused.append("they import by a relative name, or everything")
        elif module == "solution":
            self.under_test |= set(names)
            if any(one.name[:1].isupper() for one in node.names):
                self.refused.append("they use a class of the answer")
        elif module.partition(".")[0] in _MODULES:
            self.imported |= set(names)
        else:
            self.refused.append(f"they import from {module}")

    def reasons(self) -> Iterator[str]:
        """Every reason against running apart."""
        yield from self.refused
        for node in self.nodes:
            if isinstance(node, _NODES) or (isinstance(node, ast.FunctionDef) and node.decorator_list):
                yield "they define classes, use decorators or hold something open"
            elif isinstance(node, ast.Name) and (node.id in _NEVER or (node.id[:2] == "__" and node.id != "__name__")):
                yield f"they use {node.id}"
            elif isinstance(node, ast.Compare) and _asks_identity(node):
                yield "they ask whether two values are the same object"
            elif self._drops_a_result(node):
                yield "they call the answer for what it does to its arguments"
            elif isinstance(node, ast.Attribute):
                yield from self._attribute(node)
            elif isinstance(node, ast.Call):
                yield from self._call(node)
        if self._uses_of_functions() or (self.changed() & self.handed_over()):
            yield "they use a function of the answer as a value, or change what they hand over or get"

    def _attribute(self, node: ast.Attribute) -> Iterator[str]:
        owner = node.value.id if isinstance(node.value, ast.Name) else ""
        root: ast.AST = node.value
        while isinstance(root, ast.Attribute):
            root = root.value
        known = (isinstance(root, ast.Name) and root.id in self.modules) or owner in self.imported
        if owner in self.whole:
            if node.attr[:1].isupper():
                yield "they use a class of the answer"
        elif node.attr in _shared() or not (known or node.attr in _attributes()):
            yield f"they use the attribute {node.attr}"

    def _call(self, node: ast.Call) -> Iterator[str]:
        own = {one.name for one in self.functions}
        known = self.under_test | self.imported | own | set(dir(builtins))
        if isinstance(node.func, ast.Name) and node.func.id not in known:
            yield f"they call {node.func.id}, which is no function by its definition"
        elif not isinstance(node.func, ast.Name | ast.Attribute):
            yield "they call what another call gave"

    def _is_under_test(self, node: ast.AST) -> bool:
        if isinstance(node, ast.Attribute):
            return isinstance(node.value, ast.Name) and node.value.id in self.whole
        return isinstance(node, ast.Name) and node.id in self.under_test

    def _drops_a_result(self, node: ast.AST) -> bool:
        """Whether a call is made for no result, other than to see it raise: arguments cross as copies."""
        if isinstance(node, ast.Compare):
            nothing = any(isinstance(one, ast.Constant) and one.value is None for one in node.comparators)
            return nothing and self._calls_with_a_name(node.left)
        return isinstance(node, ast.Expr) and self._calls_with_a_name(node.value) and id(node) not in self.tried

    def _calls_with_a_name(self, node: ast.AST) -> bool:
        if not (isinstance(node, ast.Call) and self._is_under_test(node.func)):
            return False
        return any(isinstance(one, ast.Name) for part in node.args for one in ast.walk(part))

    def _uses_of_functions(self) -> bool:
        """Whether a function under test is anything but called, or handed to a function of the tests themselves."""
        own = {one.name for one in self.functions}
        calls = [node for node in self.nodes if isinstance(node, ast.Call)]
        fine = {id(call.func) for call in calls}
        for call in calls:
            if isinstance(call.func, ast.Name) and call.func.id in own:
                fine |= {id(one) for one in call.args}
        inner = {id(node.value) for node in self.nodes if isinstance(node, ast.Attribute)}
        bare = [one for one in self.nodes if isinstance(one, ast.Name) and one.id in self.whole]
        return any(self._is_under_test(one) and id(one) not in fine for one in self.nodes) or any(
            id(one) not in inner for one in bare
        )

    def handed_over(self) -> set[str]:
        """Names of values that go to the functions under test, or come from them."""
        found: set[str] = set()
        for node in self.nodes:
            if isinstance(node, ast.Call) and self._is_under_test(node.func):
                parts = [*node.args, *(one.value for one in node.keywords)]
                found |= {one.id for part in parts for one in ast.walk(part) if isinstance(one, ast.Name)}
            elif isinstance(node, ast.Assign | ast.AnnAssign | ast.NamedExpr | ast.For) and self._calls_one(node):
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                found |= {one.id for part in targets for one in ast.walk(part) if isinstance(one, ast.Name)}
        return found

    def _calls_one(self, node: ast.Assign | ast.AnnAssign | ast.NamedExpr | ast.For) -> bool:
        value = node.iter if isinstance(node, ast.For) else node.value
        inner = ast.walk(value) if value is not None else ()
        return any(isinstance(one, ast.Call) and self._is_under_test(one.func) for one in inner)

    def changed(self) -> set[str]:
        """Names of values that the tests change in place."""
        found = set()
        for node in self.nodes:
            place: ast.AST | None = None
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _CHANGES:
                place = node.func.value
            elif isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load):
                place = node.value
            while isinstance(place, ast.Subscript | ast.Attribute):
                place = place.value
            if isinstance(place, ast.Name):
                found.add(place.id)
        return found


def _asks_identity(node: ast.Compare) -> bool:
    sides = [node.left, *node.comparators]
    pairs = zip(node.ops, sides, sides[1:], strict=False)
    return any(
        isinstance(one, ast.Is | ast.IsNot) and not any(isinstance(side, ast.Constant) for side in (left, right))
        for one, left, right in pairs
    )
