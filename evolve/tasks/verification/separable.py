"""Decides from the text of hidden tests whether they can run in another process than the answer."""

from __future__ import annotations

import ast
import builtins
import datetime
import decimal
import fractions
import operator
import pathlib
import random
from collections.abc import Iterator
from functools import cache

_ALLOWED_MODULES = frozenset(
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

_VALUE_TYPES = (
    *(bool, int, float, complex, str, bytes, bytearray, list, tuple, set, frozenset, dict, range),
    *(decimal.Decimal, fractions.Fraction, datetime.datetime, datetime.date, datetime.time, datetime.timedelta),
    random.Random,
)
_MUTATING_METHODS = frozenset(
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
_MUTATING_FUNCTIONS = frozenset(
    {
        *("heapify", "heappop", "heappush", "heappushpop", "heapreplace", "insort", "insort_left", "insort_right"),
        *(name for name in dir(operator) if hasattr(operator, f"__{name}__") and name[:1] == "i"),
        *("shuffle", "setitem", "delitem"),
    }
    # Operators in place begin with i, and so do these, which change nothing.
    - {"index", "inv", "invert"}
)
"""Functions of those modules that change their first argument in place."""

_CONSTRUCTORS = frozenset(
    {
        *("bool", "bytearray", "bytes", "complex", "dict", "float", "frozenset", "int", "len", "list", "range", "set"),
        *("sorted", "str", "tuple", "Counter", "OrderedDict", "defaultdict", "deque", "deepcopy"),
    }
)
"""Functions that give a value nobody else holds."""

_KEEPING_NOTHING = _CONSTRUCTORS | {"abs", "all", "any", "enumerate", "isinstance", "print", "repr", "sum", "zip"}
"""Functions that keep nothing of what they are given."""

_REFUSED_NAMES = frozenset(
    {
        "BaseException",
        "Generator",
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
"""Names by which tests could reach beyond values, or tell apart what only looks the same."""

_REFUSED_NODES = (ast.ClassDef, ast.AsyncFunctionDef, ast.With, ast.AsyncWith, ast.AsyncFor, ast.Await)


@cache
def reason_not_separable(tests: str) -> str:
    """Why the tests have to run in the same process as the answer, or "" where they can run apart from it.

    Such tests call functions of ``solution`` on data and look at the data that comes back. Whatever may depend on
    more (objects, identity, shared modules, a change of what was handed over) is a reason.

    Args:
        tests: Text of ``test_*`` functions; it must be Python.
    """
    return next(_TestsReader(ast.parse(tests)).reasons(), "")


@cache
def _value_attributes() -> frozenset[str]:
    return frozenset(name for kind in _VALUE_TYPES for name in dir(kind) if not name.startswith("_"))


@cache
def _stateful_attributes() -> frozenset[str]:
    """Attributes of modules, and of what they hold, that reach beyond values: a common state, or files."""
    names = {"BasicContext", "DefaultContext", "ExtendedContext", "Generator", "getcontext", "localcontext", "seed"}
    return frozenset(
        names | {"setcontext", "setstate"} | set(dir(pathlib.Path)) - set(dir(pathlib.PurePath)) - _value_attributes()
    )


class _TestsReader:
    """Reads the text of tests and collects what they do with the functions under test."""

    def __init__(self, tree: ast.Module) -> None:
        self.nodes = list(ast.walk(tree))
        self.functions = [node for node in self.nodes if isinstance(node, ast.FunctionDef)]
        self.modules: set[str] = set()
        self.imported: set[str] = set()
        self.under_test: set[str] = set()
        self.whole: set[str] = set()
        self.refused: list[str] = []
        self.plain_targets: set[int] = set()
        tries = [node for node in self.nodes if isinstance(node, ast.Try)]
        self.tried = {id(statement) for node in tries for statement in node.body}
        for node in self.nodes:
            if isinstance(node, ast.Import):
                self._import(node)
            elif isinstance(node, ast.ImportFrom):
                self._import_from(node)
        for function in self.functions:
            calls = [node.func for node in ast.walk(function) if isinstance(node, ast.Call)]
            called = {func.id for func in calls if isinstance(func, ast.Name)}
            every = (*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs)
            self.under_test |= called & {parameter.arg for parameter in every}

    def _import(self, node: ast.Import) -> None:
        for alias in node.names:
            if alias.name == "solution":
                self.whole.add(alias.asname or alias.name)
            elif alias.name.partition(".")[0] in _ALLOWED_MODULES:
                self.modules.add(alias.asname or alias.name.partition(".")[0])
            else:
                self.refused.append(f"they import {alias.name}")

    def _import_from(self, node: ast.ImportFrom) -> None:
        module = node.module or ""
        names = [alias.asname or alias.name for alias in node.names]
        if node.level or "*" in names:
            self.refused.append("they import by a relative name, or everything")
        elif module == "solution":
            self.under_test |= set(names)
            if any(alias.name[:1].isupper() for alias in node.names):
                self.refused.append("they use a class of the answer")
        elif module.partition(".")[0] in _ALLOWED_MODULES:
            self.imported |= set(names)
            self.refused += [f"they use {alias.name}" for alias in node.names if alias.name in _stateful_attributes()]
        else:
            self.refused.append(f"they import from {module}")

    def reasons(self) -> Iterator[str]:
        """Every reason against running apart."""
        yield from self.refused
        for node in self.nodes:
            if isinstance(node, _REFUSED_NODES) or (isinstance(node, ast.FunctionDef) and node.decorator_list):
                yield "they define classes, use decorators or hold something open"
            elif isinstance(node, ast.Name) and (
                node.id in _REFUSED_NAMES or (node.id[:2] == "__" and node.id != "__name__")
            ):
                yield f"they use {node.id}"
            elif isinstance(node, ast.Compare) and _asks_identity(node):
                yield "they ask whether two values are the same object"
            elif self._drops_a_result(node):
                yield "they call the answer for what it does to its arguments"
            elif isinstance(node, ast.Attribute):
                yield from self._attribute(node)
            elif isinstance(node, ast.Call):
                yield from self._call(node)
        if self._uses_a_function_as_value():
            yield "they use a function of the answer as a value"
        changed = self.changed()
        if not changed <= self.fresh() or (changed & self.handed_over()) or self._named_elsewhere(changed):
            yield "they change what may be a value of the answer, or what they hand over to it"

    def _attribute(self, node: ast.Attribute) -> Iterator[str]:
        owner = node.value.id if isinstance(node.value, ast.Name) else ""
        root: ast.AST = node.value
        while isinstance(root, ast.Attribute):
            root = root.value
        known = (isinstance(root, ast.Name) and root.id in self.modules) or owner in self.imported
        if owner in self.whole:
            if node.attr[:1].isupper():
                yield "they use a class of the answer"
        elif node.attr in _stateful_attributes() or not (known or node.attr in _value_attributes()):
            yield f"they use the attribute {node.attr}"

    def _call(self, node: ast.Call) -> Iterator[str]:
        own = {function.name for function in self.functions}
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
            nothing = any(isinstance(operand, ast.Constant) and operand.value is None for operand in node.comparators)
            return nothing and self._calls_with_a_name(node.left)
        return isinstance(node, ast.Expr) and self._calls_with_a_name(node.value) and id(node) not in self.tried

    def _calls_with_a_name(self, node: ast.AST) -> bool:
        if not (isinstance(node, ast.Call) and self._is_under_test(node.func)):
            return False
        return any(isinstance(child, ast.Name) for part in node.args for child in ast.walk(part))

    def _uses_a_function_as_value(self) -> bool:
        """Whether a function under test is anything but called, or handed to a function of the tests themselves."""
        own = {function.name for function in self.functions}
        calls = [node for node in self.nodes if isinstance(node, ast.Call)]
        fine = {id(call.func) for call in calls}
        for call in calls:
            if isinstance(call.func, ast.Name) and call.func.id in own:
                fine |= {id(argument) for argument in call.args}
        inner = {id(node.value) for node in self.nodes if isinstance(node, ast.Attribute)}
        bare = [node for node in self.nodes if isinstance(node, ast.Name) and node.id in self.whole]
        return any(self._is_under_test(node) and id(node) not in fine for node in self.nodes) or any(
            id(node) not in inner for node in bare
        )

    def handed_over(self) -> set[str]:
        names: set[str] = set()
        for node in self.nodes:
            if isinstance(node, ast.Call) and self._is_under_test(node.func):
                parts = [*node.args, *(keyword.value for keyword in node.keywords)]
                names |= {child.id for part in parts for child in ast.walk(part) if isinstance(child, ast.Name)}
            elif isinstance(
                node, ast.Assign | ast.AnnAssign | ast.NamedExpr | ast.For
            ) and self._calls_a_function_under_test(node):
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                names |= {child.id for part in targets for child in ast.walk(part) if isinstance(child, ast.Name)}
        return names

    def _calls_a_function_under_test(self, node: ast.Assign | ast.AnnAssign | ast.NamedExpr | ast.For) -> bool:
        value = node.iter if isinstance(node, ast.For) else node.value
        inner = ast.walk(value) if value is not None else ()
        return any(isinstance(child, ast.Call) and self._is_under_test(child.func) for child in inner)

    def changed(self) -> set[str]:
        """Names of values that the tests change in place; ``""`` for a value that has no name of its own."""
        names = set()
        called = {id(node.func): node for node in self.nodes if isinstance(node, ast.Call)}
        for node in self.nodes:
            name = node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
            place: ast.AST | None = None
            if name in _MUTATING_FUNCTIONS:
                call = called.get(id(node))
                place = call.args[0] if call is not None and call.args else node
            elif isinstance(node, ast.Attribute | ast.Subscript):
                place = node.value if name in _MUTATING_METHODS or _is_stored(node) else None
            elif isinstance(node, ast.AugAssign):
                # What is added to an item may change it; a constant makes it another one.
                place = node.target if isinstance(node.target, ast.Name) else None
                place = place or (None if isinstance(node.value, ast.Constant) else node)
            if place is not None:
                names.add(place.id if isinstance(place, ast.Name) else "")
        return names

    def fresh(self) -> set[str]:
        """Names that the tests only ever give to values which they make there."""
        made: set[str] = set()
        other = {
            name
            for node in self.functions
            for name in (argument.arg for argument in ast.walk(node.args) if isinstance(argument, ast.arg))
        }
        for node in self.nodes:
            if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                if len(targets) == 1 and isinstance(targets[0], ast.Name) and self._is_new(node.value):
                    made.add(targets[0].id)
                    self.plain_targets.add(id(targets[0]))
            elif isinstance(node, ast.AugAssign):
                self.plain_targets.add(id(node.target))
        other |= {
            node.id
            for node in self.nodes
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and id(node) not in self.plain_targets
        }
        return made - other - self.imported - self.modules

    def _is_new(self, node: ast.AST) -> bool:
        name = ""
        if isinstance(node, ast.Call):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        of_answer = isinstance(node, ast.Call) and self._is_under_test(node.func)
        own = {function.name for function in self.functions} | self.under_test
        kinds = (ast.Constant, ast.List, ast.Dict, ast.Set, ast.ListComp, ast.DictComp, ast.SetComp, ast.JoinedStr)
        return isinstance(node, kinds) or (name in _CONSTRUCTORS and not of_answer and name not in own)

    def _named_elsewhere(self, changed: set[str]) -> bool:
        """Whether one of these values may have got another name, or a place in another value."""
        # Uses that only look at a value, or change it where it stands, give it no other name.
        fine: set[int] = set()
        for node in self.nodes:
            if isinstance(node, ast.Attribute | ast.Subscript | ast.FormattedValue):
                fine.add(id(node.value))
            elif isinstance(node, ast.Compare):
                fine |= {id(node.left), *map(id, node.comparators)}
            elif isinstance(node, ast.For | ast.comprehension):
                fine.add(id(node.iter))
            elif isinstance(node, ast.Assert | ast.If):
                fine.add(id(node.test))
            elif isinstance(node, ast.Call):
                name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
                if name in _KEEPING_NOTHING and not self._is_under_test(node.func):
                    fine |= set(map(id, node.args))
                elif name in _MUTATING_FUNCTIONS and node.args:
                    fine.add(id(node.args[0]))
        names = (node for node in self.nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load))
        return any(node.id in changed and id(node) not in fine for node in names)


def _is_stored(node: ast.AST) -> bool:
    return isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load)


def _asks_identity(node: ast.Compare) -> bool:
    sides = [node.left, *node.comparators]
    pairs = zip(node.ops, sides, sides[1:], strict=False)
    # None, True and False are single objects in either process.
    return any(
        isinstance(operator, ast.Is | ast.IsNot)
        and not any(
            isinstance(side, ast.Constant) and (side.value is None or type(side.value) is bool)
            for side in (left, right)
        )
        for operator, left, right in pairs
    )
