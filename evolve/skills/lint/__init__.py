"""What a skill's source may look like, checked on its syntax tree; nothing is run.

Only what is listed may be used (:mod:`evolve.skills.lint.allowed`), so that a skill is a pure function of its
arguments, a verdict about it stays true, and importing it runs nothing of its own. Code that passes still runs only in
the sandbox.
"""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterator

from evolve.skills.lint.allowed import allowed_lists, modules_and_packages
from evolve.skills.lint.annotations import TypePlaces
from evolve.skills.lint.calls import CallRules
from evolve.skills.lint.classes import ClassRules, own_attributes
from evolve.skills.lint.names import NameRules, is_special_name
from evolve.skills.lint.scopes import ModuleScopes, parents
from evolve.skills.lint.toplevel import TopLevelRules
from evolve.skills.statefulness import StateChanges

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
_BUILTINS = frozenset(dir(builtins))
_MOST_CHARACTERS = 64 * 1024
_MOST_LEVELS = 100


def lint(source: str, entry: str, parameters: int | None = None) -> list[str]:
    """Reasons why the source cannot be a skill, each with its line; [] when it can.

    Args:
        source: The whole file.
        entry: The function that must be defined at the top level.
        parameters: How many positional arguments the entry must take; None leaves that open.
    """
    if len(source) > _MOST_CHARACTERS:
        return [f"longer than {_MOST_CHARACTERS // 1024} KiB"]
    # Python looks for a coding in the first two lines only (PEP 263). ``ast.parse`` of a text ignores it, reading a
    # file does not: what runs would be another source than what was judged.
    for line in re.split("\r\n|\r|\n", source)[:2]:
        coding = _CODING.match(line)
        if coding and coding.group(1).lower() not in ("utf-8", "utf8"):
            return [f"written in {coding.group(1)}: as a file it would be another program"]
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        return [f"not Python: {getattr(error, 'msg', None) or error}"]
    # The rules below recurse; this stands first and does not.
    if _too_deep(tree):
        return [f"nested deeper than {_MOST_LEVELS} levels"]
    violations = list(_node_problems(tree)) or list(_name_problems(tree))
    # By line alone: within a line the order of the rules stays.
    violations.sort(key=lambda problem: problem[0])
    problems = dict.fromkeys(f"line {line}: {text}" for line, text in violations)
    return [*problems, *_entry_problems(tree, entry, parameters)]


def modules_used(source: str) -> list[str]:
    """Modules of the standard library that a source imports, sorted.

    Raises:
        SyntaxError: When the source is not Python.
    """
    tree = ast.parse(source)
    modules = set(ModuleScopes(tree, allowed_lists().modules, allowed_lists().builtins).imported)
    modules |= {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module}
    return sorted(modules - {"__future__"})


def _too_deep(tree: ast.AST) -> bool:
    pending = [(tree, 0)]
    while pending:
        node, depth = pending.pop()
        if depth > _MOST_LEVELS:
            return True
        pending += [(child, depth + 1) for child in ast.iter_child_nodes(node)]
    return False


def _node_problems(tree: ast.Module) -> Iterator[tuple[int, str]]:
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
            yield from (
                (line, f"import of {alias.name}") for alias in node.names if alias.name not in modules_and_packages()
            )
        elif isinstance(node, ast.ImportFrom):
            module = "." * node.level + (node.module or "")
            yield from (
                (line, f"import of {module}.{alias.name}") for alias in node.names if not _listed(module, alias.name)
            )


def _listed(module: str, name: str) -> bool:
    if module == "__future__":
        return name == "annotations"
    return name in allowed_lists().modules.get(module, {}) or f"{module}.{name}" in allowed_lists().modules


def _name_problems(tree: ast.Module) -> Iterator[tuple[int, str]]:
    scopes = ModuleScopes(tree, allowed_lists().modules, allowed_lists().builtins)
    yield from ((1, f"{name} gets another meaning") for name in scopes.mixed_names())
    classes = any(isinstance(node, ast.ClassDef) for node in ast.walk(tree))
    for name, in_class in scopes.bound_names():
        if is_special_name(name, classes) and not in_class:  # what classes bind are attributes, judged as such
            yield 1, f"the name {name}"
    yield from _shadows(tree)
    yield from StateChanges(tree).problems()
    places = TypePlaces(tree, scopes)
    yield from TopLevelRules(tree).problems()
    yield from ClassRules(tree, places).problems()
    yield from CallRules(tree, places, parents(tree)).problems()
    yield from NameRules(tree, scopes, places, {name for name, _ in own_attributes(tree)}).problems()


def _shadows(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Names of builtins that the module gives another meaning, for everything that is written behind it as well."""
    for node in tree.body:
        match node:
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                names = [name]
            case ast.Import(names=aliases) | ast.ImportFrom(names=aliases):
                names = [alias.asname or "" for alias in aliases]
            case ast.Assign(targets=targets) | ast.AnnAssign(target=targets):
                parts = targets if isinstance(targets, list) else [targets]
                names = [target.id for part in parts for target in ast.walk(part) if isinstance(target, ast.Name)]
            case _:
                names = []
        yield from (
            (node.lineno, f"another meaning of {name}: choose another name") for name in names if name in _BUILTINS
        )


def _entry_problems(tree: ast.Module, entry: str, parameters: int | None) -> list[str]:
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name == entry:
            names = [*node.args.posonlyargs, *node.args.args]
            least = len(names) - len(node.args.defaults)
            fits = parameters is None or (least <= parameters and (parameters <= len(names) or node.args.vararg))
            return [] if fits else [f"line {node.lineno}: {entry} does not take {parameters} arguments"]
    return [f"no function {entry} at the top level"]
