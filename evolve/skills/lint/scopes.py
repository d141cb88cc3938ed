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
class NameMeaning:
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
class NameScope:
    """A scope of Python, with what its names may mean.

    Attributes:
        kind: What makes it.
        parent: The scope around it.
        names: What is bound in it, every way in which it is.
        outer: Names that are declared ``nonlocal``.
    """

    kind: Literal["module", "class", "function", "comprehension"]
    parent: NameScope | None
    names: dict[str, list[NameMeaning]] = field(default_factory=dict)
    outer: set[str] = field(default_factory=set)

    def bind(self, name: str, meaning: NameMeaning) -> None:
        meanings = self.names.setdefault(name, [])
        # twice is enough to know that it is not the one text
        if meaning not in meanings or (len(meanings) == 1 and meanings[0].constant is not None):
            meanings.append(meaning)

    def meanings_of(self, name: str) -> list[NameMeaning]:
        """All that the name may mean here; in a class body also what it means around it, until it is bound."""
        meanings: list[NameMeaning] = []
        scope: NameScope | None = self
        while scope is not None:
            # Functions inside a class do not see the names of its body.
            if name in scope.names and (scope.kind != "class" or scope is self):
                meanings += scope.names[name]
                if scope.kind != "class":
                    return meanings
            scope = scope.parent
        return meanings


class ModuleScopes:
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
        self._scope_of: dict[ast.AST, NameScope] = {}
        self._assigned_meanings: dict[ast.expr, NameMeaning] = {}
        self._scopes: list[NameScope] = []
        self._nonlocals: list[tuple[NameScope, str, NameMeaning]] = []
        top = self._new_scope("module", None)
        for node in tree.body:
            self._walk(node, top)
        for scope, name, meaning in self._nonlocals:
            owner = scope.parent
            while owner is not None and (name not in owner.names or owner.kind == "class"):
                owner = owner.parent
            (owner or top).bind(name, meaning)

    def mixed_names(self) -> list[str]:
        """Names that an import binds and something else binds too, in one scope."""
        return sorted(
            name
            for scope in self._scopes
            for name, meanings in scope.names.items()
            if len(set(meanings)) > 1 and any(meaning.kind in ("import", "class", "alias") for meaning in meanings)
        )

    def bound_names(self) -> Iterator[tuple[str, bool]]:
        """Every name that is bound, and whether that is in the body of a class."""
        for scope in self._scopes:
            yield from ((name, scope.kind == "class") for name in scope.names)

    def _bind_name(self, scope: NameScope, name: str, meaning: NameMeaning) -> None:
        if name in scope.outer:
            self._nonlocals.append((scope, name, meaning))  # whose it is, is known when all is bound
        else:
            scope.bind(name, meaning)

    def _new_scope(
        self, kind: Literal["module", "class", "function", "comprehension"], parent: NameScope | None
    ) -> NameScope:
        made = NameScope(kind=kind, parent=parent)
        self._scopes.append(made)
        return made

    def meanings_at(self, node: ast.Name) -> list[NameMeaning]:
        """What a name may mean where it stands; never empty."""
        scope = self._scope_of[node]
        meanings = scope.meanings_of(node.id)
        in_order = scope.kind in ("module", "class")  # there a name means the builtin until it is bound
        if not meanings or (in_order and len(meanings) == len(scope.names.get(node.id, ()))):
            meanings = [*meanings, *self._builtin(node.id, bool(meanings))]
        return meanings

    def _builtin(self, name: str, bound: bool) -> Iterator[NameMeaning]:
        if name in self._builtins:
            yield NameMeaning(kind="builtin", name=name)
        elif not bound or name in _python_builtins():
            yield NameMeaning(kind="unknown", name=name)

    def _walk(self, node: ast.AST, scope: NameScope) -> None:
        self._scope_of[node] = scope
        self._bind(node, scope)
        if isinstance(node, _FUNCTIONS):
            self._function(node, scope)
        elif isinstance(node, ast.ClassDef):
            self._walk_all([*node.decorator_list, *node.bases, *node.keywords], scope)
            self._walk_all(node.body, self._new_scope("class", scope))
        elif isinstance(node, _COMPREHENSIONS):
            inner = self._new_scope("comprehension", scope)
            # Python evaluates the first iterable outside of the scope that the comprehension makes.
            self._walk(node.generators[0].iter, scope)
            for number, generator in enumerate(node.generators):
                self._scope_of[generator] = inner
                self._walk_all([generator.target, *([generator.iter] if number else []), *generator.ifs], inner)
            results = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
            self._walk_all(results, inner)
        elif isinstance(node, ast.NamedExpr):
            # A walrus in a comprehension binds in the scope around it (PEP 572).
            outside = scope
            while outside.kind == "comprehension" and outside.parent is not None:
                outside = outside.parent
            self._walk(node.target, outside)
            self._walk(node.value, scope)
        else:
            self._walk_all(ast.iter_child_nodes(node), scope)

    def _walk_all(self, nodes: Iterable[ast.AST], scope: NameScope) -> None:
        for node in nodes:
            self._walk(node, scope)

    def _function(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda, scope: NameScope) -> None:
        inner = self._new_scope("function", scope)
        parameters = node.args
        outside: list[ast.AST | None] = [*parameters.defaults, *parameters.kw_defaults]
        body: list[ast.AST] = []
        if isinstance(node, ast.Lambda):
            body = [node.body]
        else:
            outside += [*node.decorator_list, node.returns]
            body = list(node.body)
        # Defaults and annotations are evaluated around the function, not in it.
        self._scope_of[parameters] = scope
        for parameter in arguments(parameters):
            self._scope_of[parameter] = scope
            self._bind_name(inner, parameter.arg, NameMeaning(kind="value"))
            outside.append(parameter.annotation)
        self._walk_all([part for part in outside if part is not None], scope)
        inner.outer |= {name for part in body for name in _nonlocal(part)}
        self._walk_all(body, inner)

    def _bind(self, node: ast.AST, scope: NameScope) -> None:
        match node:
            case ast.Import() | ast.ImportFrom():
                self._import(node, scope)
            case ast.FunctionDef(name=name):
                self._bind_name(scope, name, NameMeaning(kind="function"))
            case ast.ClassDef(name=name):
                self._bind_name(scope, name, NameMeaning(kind="class", name=name))
            case (
                ast.Assign(targets=[ast.Name() as target], value=value)
                | ast.AnnAssign(target=ast.Name() as target, value=ast.expr() as value)
            ):
                self._assigned_meanings[target] = self._assigned_meaning(value, scope)
            case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
                self._bind_name(scope, name, self._assigned_meanings.get(node, NameMeaning(kind="value")))
            case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
                self._bind_name(scope, name, NameMeaning(kind="value"))
            case ast.MatchMapping(rest=str(name)):
                self._bind_name(scope, name, NameMeaning(kind="value"))

    def _import(self, node: ast.Import | ast.ImportFrom, scope: NameScope) -> None:
        for alias in node.names:
            if isinstance(node, ast.ImportFrom):
                self._bind_name(scope, alias.asname or alias.name, self._imported_name(node.module or "", alias.name))
            else:
                self.imported.add(alias.name)
                module = alias.name if alias.asname else alias.name.split(".")[0]
                self._bind_name(scope, alias.asname or module, NameMeaning(kind="import", module=module))

    def _assigned_meaning(self, value: ast.expr, scope: NameScope) -> NameMeaning:
        if isinstance(value, ast.Constant) and isinstance(value.value, str):
            return NameMeaning(kind="value", constant=value.value)
        roots = [meaning for name in _type_roots(value) for meaning in scope.meanings_of(name)]
        is_type = any(meaning.kind == "import" and meaning.module in ("typing", "collections.abc") for meaning in roots)
        if scope.kind == "class":
            return NameMeaning(kind="value")  # it would be an attribute, which anyone can read
        return NameMeaning(kind="alias" if is_type else "types" if self._of_types(value, scope) else "value")

    def _of_types(self, value: ast.expr, scope: NameScope) -> bool:
        if isinstance(value, ast.Call):
            value = value.func
        names = [part.id for part in ast.walk(value) if isinstance(part, ast.Name)]
        kinds = {meaning.kind for name in names for meaning in scope.meanings_of(name)}
        there = all(scope.meanings_of(name) or name in self._builtins for name in names)
        return bool(names) and there and kinds <= {"import", "class", "alias", "types"}

    def _imported_name(self, module: str, name: str) -> NameMeaning:
        whole = f"{module}.{name}"
        if whole in self._modules:
            self.imported.add(whole)
            return NameMeaning(kind="import", module=whole)
        return NameMeaning(kind="import", module=module, name=name)


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


def arguments(parameters: ast.arguments) -> list[ast.arg]:
    """All parameters of a function."""
    every = [*parameters.posonlyargs, *parameters.args, *parameters.kwonlyargs, parameters.vararg, parameters.kwarg]
    return [parameter for parameter in every if parameter is not None]


def values_given(tree: ast.AST, parent_of: Mapping[ast.AST, ast.AST]) -> Mapping[str, list[ast.expr | None]]:
    """For every name of a variable, anywhere, all that it is ever given; None stands for what cannot be told."""
    values: dict[str, list[ast.expr | None]] = {}
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name, ctx=ast.Store()):
                values.setdefault(name, []).append(_bound_value(parent_of[node]))
            case ast.arg(arg=name) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
                values.setdefault(name, []).append(None)
            case ast.MatchMapping(rest=str(name)) | ast.ExceptHandler(name=str(name)):
                values.setdefault(name, []).append(None)
    return values


def _bound_value(node: ast.AST) -> ast.expr | None:
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


def _python_builtins() -> Iterable[str]:
    import builtins

    return dir(builtins)
