"""What every name of a source means, by Python's rules of scope."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

Kind = Literal["import", "class", "function", "alias", "types", "value", "builtin", "unknown"]

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


@dataclass(frozen=True, kw_only=True)
class Meaning:
    """What a name stands for.

    Attributes:
        kind: ``import``; ``class`` or ``function`` of the source's own; ``alias`` of a type; ``types`` that, as far
            as is known where they get the name, only builtins, imports and classes make up; any other ``value``;
            ``builtin``; ``unknown`` where nothing binds it.
        module: Of an import, the module.
        name: Of an import, the name in that module; "" for the module itself.
        constant: The one text that is ever bound to it, if that is so.
    """

    kind: Kind
    module: str = ""
    name: str = ""
    constant: str | None = field(default=None, compare=False)


@dataclass(kw_only=True, eq=False)
class Scope:
    """One scope.

    Attributes:
        kind: What makes it.
        parent: The scope around it.
        names: What is bound in it, every way in which it is.
        outer: Names that are declared ``nonlocal``.
    """

    kind: Literal["module", "class", "function", "comprehension"]
    parent: Scope | None
    names: dict[str, list[Meaning]] = field(default_factory=dict)
    outer: set[str] = field(default_factory=set)

    def bind(self, name: str, meaning: Meaning) -> None:
        found = self.names.setdefault(name, [])
        # twice is enough to know that it is not the one text
        if meaning not in found or (len(found) == 1 and found[0].constant is not None):
            found.append(meaning)

    def meanings(self, name: str) -> list[Meaning]:
        """All that the name may mean here; in a class body also what it means around it, until it is bound."""
        found: list[Meaning] = []
        scope: Scope | None = self
        while scope is not None:
            if name in scope.names and (scope.kind != "class" or scope is self):
                found += scope.names[name]
                if scope.kind != "class":
                    return found
            scope = scope.parent
        return found


class Scopes:
    """The scopes of a module.

    Args:
        tree: The module.
        modules: Names of all modules there are, to tell a module from what is in one.
        builtins: Names that are there without being bound.

    Attributes:
        imported: Modules that the source imports by their full name.
    """

    def __init__(self, tree: ast.Module, modules: Iterable[str], builtins: Iterable[str]) -> None:
        self.imported: set[str] = set()
        self._modules = frozenset(modules)
        self._builtins = frozenset(builtins)
        self._scope_of: dict[ast.AST, Scope] = {}
        self._given: dict[ast.expr, Meaning] = {}
        self._every: list[Scope] = []
        self._outward: list[tuple[Scope, str, Meaning]] = []
        top = self._scope("module", None)
        for node in tree.body:
            self._walk(node, top)
        for scope, name, meaning in self._outward:
            owner = scope.parent
            while owner is not None and (name not in owner.names or owner.kind == "class"):
                owner = owner.parent
            (owner or top).bind(name, meaning)

    def mixed(self) -> list[str]:
        """Names that an import binds and something else binds too, in one scope."""
        return sorted(
            name
            for scope in self._every
            for name, meanings in scope.names.items()
            if len(set(meanings)) > 1 and any(meaning.kind in ("import", "class", "alias") for meaning in meanings)
        )

    def bound(self) -> Iterator[tuple[str, bool]]:
        """Every name that is bound, and whether that is in the body of a class."""
        for scope in self._every:
            yield from ((name, scope.kind == "class") for name in scope.names)

    def _put(self, scope: Scope, name: str, meaning: Meaning) -> None:
        if name in scope.outer:
            self._outward.append((scope, name, meaning))  # whose it is, is known when all is bound
        else:
            scope.bind(name, meaning)

    def _scope(self, kind: Literal["module", "class", "function", "comprehension"], parent: Scope | None) -> Scope:
        made = Scope(kind=kind, parent=parent)
        self._every.append(made)
        return made

    def of(self, node: ast.Name) -> list[Meaning]:
        """What a name may mean where it stands; never empty."""
        scope = self._scope_of[node]
        found = scope.meanings(node.id)
        in_order = scope.kind in ("module", "class")  # there a name means the builtin until it is bound
        if not found or (in_order and len(found) == len(scope.names.get(node.id, ()))):
            found = [*found, *self._builtin(node.id, bool(found))]
        return found

    def _builtin(self, name: str, bound: bool) -> Iterator[Meaning]:
        if name in self._builtins:
            yield Meaning(kind="builtin", name=name)
        elif not bound or name in _there_anyway():
            yield Meaning(kind="unknown", name=name)

    def _walk(self, node: ast.AST, scope: Scope) -> None:
        self._scope_of[node] = scope
        self._bind(node, scope)
        if isinstance(node, _FUNCTIONS):
            self._function(node, scope)
        elif isinstance(node, ast.ClassDef):
            self._all([*node.decorator_list, *node.bases, *node.keywords], scope)
            self._all(node.body, self._scope("class", scope))
        elif isinstance(node, _COMPREHENSIONS):
            inner = self._scope("comprehension", scope)
            self._walk(node.generators[0].iter, scope)
            for number, one in enumerate(node.generators):
                self._scope_of[one] = inner
                self._all([one.target, *([one.iter] if number else []), *one.ifs], inner)
            results = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
            self._all(results, inner)
        elif isinstance(node, ast.NamedExpr):
            outside = scope
            while outside.kind == "comprehension" and outside.parent is not None:
                outside = outside.parent
            self._walk(node.target, outside)
            self._walk(node.value, scope)
        else:
            self._all(ast.iter_child_nodes(node), scope)

    def _all(self, nodes: Iterable[ast.AST], scope: Scope) -> None:
        for node in nodes:
            self._walk(node, scope)

    def _function(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda, scope: Scope) -> None:
        inner = self._scope("function", scope)
        given = node.args
        outside: list[ast.AST | None] = [*given.defaults, *given.kw_defaults]
        body: list[ast.AST] = []
        if isinstance(node, ast.Lambda):
            body = [node.body]
        else:
            outside += [*node.decorator_list, node.returns]
            body = list(node.body)
        self._scope_of[given] = scope
        for one in arguments(given):
            self._scope_of[one] = scope
            self._put(inner, one.arg, Meaning(kind="value"))
            outside.append(one.annotation)
        self._all([part for part in outside if part is not None], scope)
        inner.outer |= {name for part in body for name in _nonlocal(part)}
        self._all(body, inner)

    def _bind(self, node: ast.AST, scope: Scope) -> None:
        match node:
            case ast.Import() | ast.ImportFrom():
                self._import(node, scope)
            case ast.FunctionDef(name=name):
                self._put(scope, name, Meaning(kind="function"))
            case ast.ClassDef(name=name):
                self._put(scope, name, Meaning(kind="class", name=name))
            case (
                ast.Assign(targets=[ast.Name() as target], value=value)
                | ast.AnnAssign(target=ast.Name() as target, value=ast.expr() as value)
            ):
                self._given[target] = self._assigned(value, scope)
            case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
                self._put(scope, name, self._given.get(node, Meaning(kind="value")))
            case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
                self._put(scope, name, Meaning(kind="value"))
            case ast.MatchMapping(rest=str(name)):
                self._put(scope, name, Meaning(kind="value"))

    def _import(self, node: ast.Import | ast.ImportFrom, scope: Scope) -> None:
        for alias in node.names:
            if isinstance(node, ast.ImportFrom):
                self._put(scope, alias.asname or alias.name, self._taken(node.module or "", alias.name))
            else:
                self.imported.add(alias.name)
                module = alias.name if alias.asname else alias.name.split(".")[0]
                self._put(scope, alias.asname or module, Meaning(kind="import", module=module))

    def _assigned(self, value: ast.expr, scope: Scope) -> Meaning:
        if isinstance(value, ast.Constant) and isinstance(value.value, str):
            return Meaning(kind="value", constant=value.value)
        roots = [meaning for name in _type_roots(value) for meaning in scope.meanings(name)]
        is_type = any(one.kind == "import" and one.module in ("typing", "collections.abc") for one in roots)
        if scope.kind == "class":
            return Meaning(kind="value")  # it would be an attribute, which anyone can read
        return Meaning(kind="alias" if is_type else "types" if self._of_types(value, scope) else "value")

    def _of_types(self, value: ast.expr, scope: Scope) -> bool:
        if isinstance(value, ast.Call):
            value = value.func
        names = [part.id for part in ast.walk(value) if isinstance(part, ast.Name)]
        kinds = {meaning.kind for name in names for meaning in scope.meanings(name)}
        there = all(scope.meanings(name) or name in self._builtins for name in names)
        return bool(names) and there and kinds <= {"import", "class", "alias", "types"}

    def _taken(self, module: str, name: str) -> Meaning:
        whole = f"{module}.{name}"
        if whole in self._modules:
            self.imported.add(whole)
            return Meaning(kind="import", module=whole)
        return Meaning(kind="import", module=module, name=name)


def _nonlocal(node: ast.AST) -> Iterator[str]:
    """Names that a statement declares ``nonlocal``, functions inside apart."""
    if isinstance(node, ast.Nonlocal):
        yield from node.names
    elif not isinstance(node, (*_FUNCTIONS, ast.ClassDef)):
        for child in ast.iter_child_nodes(node):
            yield from _nonlocal(child)


def _type_roots(value: ast.expr) -> Iterator[str]:
    """First names of what an expression of types is put together from."""
    match value:
        case ast.Name(id=name):
            yield name
        case ast.Attribute(value=inner) | ast.Subscript(value=inner):
            yield from _type_roots(inner)
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            yield from _type_roots(left)
            yield from _type_roots(right)


def arguments(given: ast.arguments) -> list[ast.arg]:
    """All parameters of a function."""
    every = [*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg]
    return [one for one in every if one is not None]


def values_given(tree: ast.AST, around: Mapping[ast.AST, ast.AST]) -> Mapping[str, list[ast.expr | None]]:
    """For every name of a variable, anywhere, all that it is ever given; None stands for what cannot be told."""
    found: dict[str, list[ast.expr | None]] = {}
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name, ctx=ast.Store()):
                found.setdefault(name, []).append(_put_there(around[node]))
            case ast.arg(arg=name) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
                found.setdefault(name, []).append(None)
            case ast.MatchMapping(rest=str(name)) | ast.ExceptHandler(name=str(name)):
                found.setdefault(name, []).append(None)
    return found


def _put_there(node: ast.AST) -> ast.expr | None:
    """What a line puts into the one variable that it binds."""
    match node:
        case ast.Assign(targets=[_], value=value) | ast.AugAssign(op=ast.BitOr(), value=value):
            return value
        case ast.AnnAssign(value=value):
            return value
    return None


def parents(tree: ast.AST) -> Mapping[ast.AST, ast.AST]:
    """For every node the one around it."""
    return {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}


def _there_anyway() -> Iterable[str]:
    import builtins

    return dir(builtins)
