"""What a skill's source may look like, checked on its syntax tree; nothing is run.

This is hygiene, not the border: code that passes still runs only in the sandbox. It keeps skills pure
functions of their arguments (no files, network, processes, clock or chance), so that a verdict about
them stays true.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

ALLOWED_MODULES = frozenset(
    (
        "__future__",
        "abc",
        "base64",
        "binascii",
        "bisect",
        "calendar",
        "cmath",
        "collections",
        "colorsys",
        "contextlib",
        "copy",
        "csv",
        "dataclasses",
        "datetime",
        "decimal",
        "difflib",
        "enum",
        "fnmatch",
        "fractions",
        "functools",
        "graphlib",
        "hashlib",
        "heapq",
        "html",
        "io",
        "ipaddress",
        "itertools",
        "json",
        "math",
        "numbers",
        "operator",
        "re",
        "statistics",
        "string",
        "struct",
        "textwrap",
        "types",
        "typing",
        "unicodedata",
        "urllib",
        "zlib",
        "zoneinfo",
    )
)
_FORBIDDEN_NAMES = frozenset(
    (
        "__builtins__",
        "__import__",
        "breakpoint",
        "compile",
        "delattr",
        "dir",
        "eval",
        "exec",
        "exit",
        "getattr",
        "globals",
        "help",
        "input",
        "locals",
        "memoryview",
        "open",
        "quit",
        "setattr",
        "vars",
    )
)
_FORBIDDEN_ATTRIBUTES = frozenset(
    (
        "attrgetter",
        "methodcaller",
        "now",
        "open",
        "open_code",
        "FileIO",
        "today",
        "utcnow",
    )
)
_CONSTANT_MAKERS = frozenset(
    (
        "Decimal",
        "Fraction",
        "MappingProxyType",
        "compile",
        "date",
        "datetime",
        "dict",
        "frozenset",
        "list",
        "maketrans",
        "namedtuple",
        "range",
        "set",
        "timedelta",
        "tuple",
    )
)
_DECORATORS = frozenset(
    (
        "cache",
        "classmethod",
        "contextmanager",
        "dataclass",
        "lru_cache",
        "property",
        "staticmethod",
        "total_ordering",
        "unique",
        "wraps",
    )
)
_HARMLESS_DUNDERS = frozenset(("__name__", "__doc__", "__post_init__", "__init__"))
_LARGEST = 64 * 1024
_DEEPEST = 100


def lint(source: str, entry: str, parameters: int | None = None) -> list[str]:
    """Reasons why the source cannot be a skill, each with its line; [] when it can.

    Args:
        source: The whole file.
        entry: The function that must be defined at the top level.
        parameters: How many positional arguments the entry must take; None leaves that open.
    """
    if len(source) > _LARGEST:
        return [f"longer than {_LARGEST // 1024} KiB"]
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        return [f"not Python: {getattr(error, 'msg', None) or error}"]
    if _too_deep(tree):
        return [f"nested deeper than {_DEEPEST} levels"]
    problems = [problem for node in tree.body for problem in _top_level(node)]
    problems += [problem for node in ast.walk(tree) for problem in _node(node)]
    return [*problems, *_entry(tree, entry, parameters)]


def _too_deep(tree: ast.AST) -> bool:
    pending = [(tree, 0)]
    while pending:
        node, depth = pending.pop()
        if depth > _DEEPEST:
            return True
        pending += [(child, depth + 1) for child in ast.iter_child_nodes(node)]
    return False


def _top_level(node: ast.stmt) -> list[str]:
    """Problems of one statement that runs when the module or class around it is made."""
    line = f"line {node.lineno}: "
    if isinstance(node, ast.Import | ast.ImportFrom):
        return [problem for name in node.names for problem in _renamed(name.asname or "", line)]
    if isinstance(node, ast.Pass):
        return []
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return []
    if isinstance(node, ast.FunctionDef):
        return _renamed(node.name, line) + _decorators(node, line) + _calls(_evaluated(node), line)
    if isinstance(node, ast.ClassDef):
        problems = [problem for part in node.body for problem in _top_level(part)]
        problems += _renamed(node.name, line) + _decorators(node, line) + _calls(node.bases, line)
        return [*problems, line + "a class with keywords"] if node.keywords else problems
    if isinstance(node, ast.Assign | ast.AnnAssign):
        stored = [part.id for part in ast.walk(node) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)]
        return _calls([node], line) + [problem for name in stored for problem in _renamed(name, line)]
    return [line + "only imports, definitions and constants may stand at the top level"]


def _evaluated(node: ast.FunctionDef) -> list[ast.expr]:
    """The parts of a definition that are computed when it is made: defaults and annotations."""
    given = node.args
    every = [*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg]
    annotations = [argument.annotation for argument in every if argument]
    return [part for part in (*given.defaults, *given.kw_defaults, *annotations, node.returns) if part]


def _calls(parts: Sequence[ast.AST], line: str) -> list[str]:
    names = [_called(call.func) for part in parts for call in ast.walk(part) if isinstance(call, ast.Call)]
    return [f"{line}a call of {name} at the top level" for name in names if name not in _CONSTANT_MAKERS]


def _decorators(node: ast.FunctionDef | ast.ClassDef, line: str) -> list[str]:
    names = [_called(part.func if isinstance(part, ast.Call) else part) for part in node.decorator_list]
    return [f"{line}the decorator {name}" for name in names if name not in _DECORATORS]


def _renamed(name: str, line: str) -> list[str]:
    """A name that is trusted on import must keep its meaning."""
    return [f"{line}{name} gets another meaning"] if name in _CONSTANT_MAKERS | _DECORATORS else []


def _called(function: ast.expr) -> str:
    return function.id if isinstance(function, ast.Name) else getattr(function, "attr", "")


def _node(node: ast.AST) -> list[str]:
    line = f"line {getattr(node, 'lineno', 0)}: "
    if isinstance(node, ast.Import):
        return [line + f"import of {name.name}" for name in node.names if not _allowed(name.name)]
    if isinstance(node, ast.ImportFrom):
        return _import_from(node, line)
    if isinstance(node, ast.Name) and node.id in _FORBIDDEN_NAMES:
        return [line + f"use of {node.id}"]
    if isinstance(node, ast.Attribute) and _forbidden_attribute(node):
        return [line + f"use of the attribute {node.attr}"]
    if isinstance(node, ast.Global | ast.AsyncFunctionDef | ast.Await | ast.AsyncFor | ast.AsyncWith):
        return [line + f"{type(node).__name__} statement"]
    return []


def _allowed(module: str) -> bool:
    return module.split(".")[0] in ALLOWED_MODULES and module != "urllib.request"


def _import_from(node: ast.ImportFrom, line: str) -> list[str]:
    module = node.module or ""
    if node.level or not _allowed(module):
        return [line + f"import of {'.' * node.level}{module}"]
    return [line + f"import of {n.name}" for n in node.names if n.name in _FORBIDDEN_ATTRIBUTES | {"*", "request"}]


def _forbidden_attribute(node: ast.Attribute) -> bool:
    hidden = node.attr.startswith("__") and node.attr not in _HARMLESS_DUNDERS
    frames = node.attr.startswith(("gi_", "cr_", "tb_", "f_")) and node.attr != "f_string"
    return hidden or frames or node.attr in _FORBIDDEN_ATTRIBUTES


def _entry(tree: ast.Module, entry: str, parameters: int | None) -> list[str]:
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name == entry:
            names = [*node.args.posonlyargs, *node.args.args]
            least = len(names) - len(node.args.defaults)
            fits = parameters is None or (least <= parameters and (parameters <= len(names) or node.args.vararg))
            return [] if fits else [f"line {node.lineno}: {entry} does not take {parameters} arguments"]
    return [f"no function {entry} at the top level"]
