"""What a skill's source may look like, checked on its syntax tree; nothing is run.

Only what is listed may be used (:mod:`evolve.skills.allowed`), so that a skill is a pure function of its arguments, a
verdict about it stays true, and importing it runs nothing of its own. Code that passes still runs only in the sandbox.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from evolve.skills.allowed import allowed, modules_and_packages
from evolve.skills.scopes import Scopes
from evolve.skills.toplevel import TopLevel
from evolve.skills.uses import Uses, misread

_NODES = (
    *(ast.Module, ast.FunctionDef, ast.ClassDef, ast.Return, ast.Delete, ast.Assign, ast.AugAssign, ast.AnnAssign),
    *(ast.For, ast.While, ast.If, ast.With, ast.Match, ast.Raise, ast.Try, ast.Assert, ast.Import, ast.ImportFrom),
    *(ast.Nonlocal, ast.Expr, ast.Pass, ast.Break, ast.Continue),
    *(ast.BoolOp, ast.NamedExpr, ast.BinOp, ast.UnaryOp, ast.Lambda, ast.IfExp, ast.Dict, ast.Set, ast.ListComp),
    *(ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.Yield, ast.YieldFrom, ast.Compare, ast.Call, ast.FormattedValue),
    *(ast.JoinedStr, ast.Constant, ast.Attribute, ast.Subscript, ast.Starred, ast.Name, ast.List, ast.Tuple, ast.Slice),
    *(ast.boolop, ast.operator, ast.unaryop, ast.cmpop, ast.expr_context),
    *(ast.comprehension, ast.ExceptHandler, ast.arguments, ast.arg, ast.keyword, ast.alias, ast.withitem),
    *(ast.match_case, ast.pattern),
)
"""Everything but what needs a loop of events, names of the module that functions change, and types with parameters."""
_CODING = re.compile(r"^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")
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
    for line in re.split("\r\n|\r|\n", source)[:2]:
        coding = _CODING.match(line)
        if coding and coding.group(1).lower() not in ("utf-8", "utf8"):
            return [f"written in {coding.group(1)}: as a file it would be another program"]
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        return [f"not Python: {getattr(error, 'msg', None) or error}"]
    if _too_deep(tree):
        return [f"nested deeper than {_DEEPEST} levels"]
    found = list(_form(tree)) or list(_meaning(tree))
    found.sort(key=lambda problem: problem[0])
    problems = dict.fromkeys(f"line {line}: {text}" for line, text in found)
    return [*problems, *_entry(tree, entry, parameters)]


def modules_used(source: str) -> list[str]:
    """Modules of the standard library that a source imports, sorted.

    Raises:
        SyntaxError: When the source is not Python.
    """
    tree = ast.parse(source)
    found = set(Scopes(tree, allowed().modules, allowed().builtins).imported)
    found |= {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module}
    return sorted(found - {"__future__"})


def _too_deep(tree: ast.AST) -> bool:
    pending = [(tree, 0)]
    while pending:
        node, depth = pending.pop()
        if depth > _DEEPEST:
            return True
        pending += [(child, depth + 1) for child in ast.iter_child_nodes(node)]
    return False


def _form(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Problems that can be told from one node; without them the rest of the rules can be applied."""
    for node in ast.walk(tree):
        line = getattr(node, "lineno", 1)
        if not isinstance(node, _NODES):
            yield line, f"{type(node).__name__} is not allowed"
        elif getattr(node, "type_params", None):
            yield line, "type parameters"
        elif isinstance(node, ast.comprehension) and node.is_async:
            yield line, "an asynchronous comprehension"
        elif isinstance(node, ast.Import):
            yield from ((line, f"import of {one.name}") for one in node.names if one.name not in modules_and_packages())
        elif isinstance(node, ast.ImportFrom):
            module = "." * node.level + (node.module or "")
            yield from ((line, f"import of {module}.{one.name}") for one in node.names if not _listed(module, one.name))


def _listed(module: str, name: str) -> bool:
    if module == "__future__":
        return name == "annotations"
    return name in allowed().modules.get(module, {}) or f"{module}.{name}" in allowed().modules


def _meaning(tree: ast.Module) -> Iterator[tuple[int, str]]:
    scopes = Scopes(tree, allowed().modules, allowed().builtins)
    yield from ((1, f"{name} gets another meaning") for name in scopes.mixed())
    classes = any(isinstance(node, ast.ClassDef) for node in ast.walk(tree))
    for name, in_class in scopes.bound():
        if misread(name, classes) and not in_class:  # what classes bind are attributes, judged as such
            yield 1, f"the name {name}"
    yield from TopLevel(tree).problems()
    yield from Uses(tree, scopes, set(_own_attributes(tree))).problems()


def _own_attributes(tree: ast.Module) -> Iterator[str]:
    """Attributes that the source gives to instances of its own classes."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.attr
        elif isinstance(node, ast.ClassDef):
            for part in node.body:
                targets = part.targets if isinstance(part, ast.Assign) else [getattr(part, "target", part)]
                yield from (name.id for one in targets for name in ast.walk(one) if isinstance(name, ast.Name))
                if isinstance(part, ast.FunctionDef):
                    yield part.name
        elif isinstance(node, ast.Call) and _called(node.func) == "namedtuple" and len(node.args) == 2:
            texts = [one.value for one in ast.walk(node.args[1]) if isinstance(one, ast.Constant)]
            yield from (name for text in texts if isinstance(text, str) for name in text.replace(",", " ").split())


def _called(function: ast.expr) -> str:
    return function.id if isinstance(function, ast.Name) else getattr(function, "attr", "")


def _entry(tree: ast.Module, entry: str, parameters: int | None) -> list[str]:
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name == entry:
            names = [*node.args.posonlyargs, *node.args.args]
            least = len(names) - len(node.args.defaults)
            fits = parameters is None or (least <= parameters and (parameters <= len(names) or node.args.vararg))
            return [] if fits else [f"line {node.lineno}: {entry} does not take {parameters} arguments"]
    return [f"no function {entry} at the top level"]
