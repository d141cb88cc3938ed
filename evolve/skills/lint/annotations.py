"""Finds where types stand, such as annotations and bases, and checks that nothing of the source runs there.

Classes of the standard library may stand there, which nothing may get hold of. An operator or a subscript hands them to
the other operand, so only what is known to be a type may be one.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from evolve.skills.lint.allowed import DECORATORS
from evolve.skills.lint.scopes import ModuleScopes, NameMeaning

_MAKES_TYPES = (*(("typing", name) for name in ("TypeVar", "NewType", "ParamSpec")), ("collections", "namedtuple"))


def is_named_tuple(call: ast.Call, called: tuple[str, str] | None) -> bool:
    """Whether a call makes a class of named fields that are written out, and of nothing else.

    Args:
        called: Module and name of what is called.
    """
    if called != ("collections", "namedtuple") or len(call.args) != 2:
        return False
    name, fields = call.args
    parts = fields.elts if isinstance(fields, ast.Tuple | ast.List) else [fields]
    defaults = [keyword.value for keyword in call.keywords]
    values = [value for default in defaults if isinstance(default, ast.Tuple | ast.List) for value in default.elts]
    return (
        all(isinstance(part, ast.Constant) and isinstance(part.value, str) for part in (name, *parts))
        and all(
            keyword.arg == "defaults" and isinstance(keyword.value, ast.Tuple | ast.List) for keyword in call.keywords
        )
        and all(isinstance(value, ast.Constant) for value in values)
    )


class TypePlaces:
    """The places of types in one source.

    Args:
        tree: The module, made of node types that were let through.
        scopes: What its names mean.

    Attributes:
        parts: All that stands where a type does, bases apart.
    """

    def __init__(self, tree: ast.Module, scopes: ModuleScopes) -> None:
        self._tree = tree
        self._scopes = scopes
        self._type_values: dict[str, dict[ast.Name, ast.expr]] = {}
        self._made_of_types: dict[ast.Name, bool] = {}
        # Last, because finding the expressions also notes what names of types are bound to.
        self.parts = {part for whole in self._type_expressions() for part in ast.walk(whole)}

    def problems(self) -> Iterator[tuple[int, str]]:
        """Line and message of what is no type, or may be something else than it seems."""
        for node in ast.walk(self._tree):
            if isinstance(node, ast.ClassDef):
                if not all(self._is_base(base) for base in node.bases):
                    yield node.lineno, "a base that is no class by its name"
                called = [
                    decorator.func if isinstance(decorator, ast.Call) else decorator
                    for decorator in node.decorator_list
                ]
                if any(self.called_name(decorator) not in DECORATORS for decorator in called):
                    yield node.lineno, "a class that a decorator may change for something else"
            elif node in self.parts and isinstance(node, ast.expr) and not self._is_type_part(node):
                yield node.lineno, "an annotation that is not made of types"

    def called_name(self, function: ast.expr) -> tuple[str, str] | None:
        """Module and name of what is called, "" for the module of builtins; None where it is nothing known."""
        if isinstance(function, ast.Attribute):
            module = self._module(function.value)
            return (module, function.attr) if module else None
        meanings = self._scopes.meanings_at(function) if isinstance(function, ast.Name) else []
        if len(meanings) == 1 and meanings[0].kind in ("builtin", "import") and meanings[0].name:
            return meanings[0].module, meanings[0].name
        return None

    def _module(self, node: ast.expr) -> str:
        if isinstance(node, ast.Attribute):
            inner = self._module(node.value)
            return f"{inner}.{node.attr}" if inner else ""
        meanings: list[NameMeaning] = self._scopes.meanings_at(node) if isinstance(node, ast.Name) else []
        whole = len(meanings) == 1 and meanings[0].kind == "import" and not meanings[0].name
        return meanings[0].module if whole else ""

    def _is_type_part(self, node: ast.AST) -> bool:
        """Whether a part of a type runs no code of the source, which would be handed the other parts."""
        match node:
            case ast.Name():
                kinds = {meaning.kind for meaning in self._scopes.meanings_at(node)}
                plain = kinds <= {"import", "class", "alias", "types", "builtin", "unknown"}
                return plain and ("types" not in kinds or self._values_are_types(node.id))
            case ast.Attribute():
                return self.called_name(node) is not None
            case ast.Subscript(value=value):
                return isinstance(value, ast.Name | ast.Attribute)
            case ast.BinOp(op=operator):
                # `int | X` hands a class to X, so both sides must be types.
                return isinstance(operator, ast.BitOr)
            case ast.UnaryOp(operand=operand):
                return isinstance(operand, ast.Constant)
        return isinstance(node, ast.Constant | ast.Tuple | ast.List)

    def of_types(self, whole: ast.AST) -> bool:
        """Whether all parts of an expression are types, and so none of them runs code of the source."""
        return all(self._is_type_part(part) for part in ast.walk(whole) if isinstance(part, ast.expr))

    def _is_base(self, base: ast.expr) -> bool:
        if isinstance(base, ast.Call):
            return is_named_tuple(base, self.called_name(base.func))
        return isinstance(base, ast.Name | ast.Attribute | ast.Subscript) and self.of_types(base)

    def _type_expressions(self) -> Iterator[ast.AST]:
        """Expressions of types, which no code gets as values."""
        for node in ast.walk(self._tree):
            match node:
                case ast.arg(annotation=ast.expr() as annotation) | ast.FunctionDef(returns=ast.expr() as annotation):
                    yield annotation
                case ast.Assign(targets=[ast.Name() as target], value=value):
                    yield from self._alias(target, value)
                case ast.AnnAssign(target=target, annotation=annotation, value=value):
                    yield annotation
                    yield from self._alias(target, value)
                case ast.ClassDef(bases=bases):
                    yield from (base.slice for base in bases if isinstance(base, ast.Subscript))
                case ast.Call():
                    yield from self._arguments(node)
                case ast.Subscript(value=ast.Name() as base, slice=inner):
                    if base.id in ("dict", "list", "set", "tuple", "frozenset") and self.called_name(base) == (
                        "",
                        base.id,
                    ):
                        yield inner

    def _alias(self, target: ast.expr, value: ast.expr | None) -> Iterator[ast.AST]:
        if not isinstance(target, ast.Name) or value is None:
            return
        kinds = {meaning.kind for meaning in self._scopes.meanings_at(target)}
        if "alias" in kinds:
            yield value
        elif "types" in kinds:
            self._type_values.setdefault(target.id, {})[target] = value

    def _values_are_types(self, name: str) -> bool:
        """Whether all that a name is bound to is made of types; asked once every name is bound."""
        for target, value in self._type_values.get(name, {}).items():
            if target not in self._made_of_types:
                self._made_of_types[target] = True  # while it is asked: it may stand in itself
                made = isinstance(value, ast.Call) and self.called_name(value.func) in _MAKES_TYPES
                self._made_of_types[target] = made or self.of_types(value)
        return all(self._made_of_types[target] for target in self._type_values.get(name, {}))

    def _arguments(self, call: ast.Call) -> Iterator[ast.AST]:
        called = self.called_name(call.func)
        if called in (("typing", "TypeVar"), ("typing", "NewType")):
            yield from [*call.args, *(keyword.value for keyword in call.keywords if keyword.arg == "bound")]
        elif called == ("typing", "cast"):
            yield from call.args[:1]
