"""Rules for the classes of a source: names of their attributes, and how their instances compare.

An attribute that a source defines may be read on every value, so none may have a name that values of the library keep
hidden. And the library keeps results by argument, for everyone: an own value that passes for another one would put a
wrong result there, so only what is no data may say itself what it equals.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from evolve.skills.lint.allowed import DUNDER_METHODS, allowed_lists, text_words
from evolve.skills.lint.annotations import TypePlaces

LIVE = ("gi_", "cr_", "ag_", "tb_")
"""How attributes begin that lead from what runs to its frame."""
# A text that equals "<i" would, for example, leave its own format under that key in the cache of `struct`.
_EQUALITY = frozenset({"__eq__", "__ne__", "__hash__"})
_ALWAYS_ALLOWED = text_words(
    "__init__ __post_init__ __repr__ __str__ __call__ __enter__ __exit__ __lt__ __le__ __gt__ __ge__"
)
_ARITHMETIC = text_words(
    """
    __add__ __radd__ __iadd__ __sub__ __rsub__ __isub__ __mul__ __rmul__ __imul__ __truediv__ __rtruediv__
    __floordiv__ __rfloordiv__ __mod__ __rmod__ __divmod__ __neg__ __pos__ __round__ __floor__ __ceil__ __trunc__
    """
)
"""What numbers may say themselves besides; all else, as the absolute value, goes into results that are kept."""
# Bases of containers and tools: the library keeps no results by their instances, so they may say what they equal.
_PLAIN_BUILTINS = frozenset({"object", "list", "dict", "set", "bytearray"})
_PLAIN_MODULES = frozenset(
    {
        *("abc", "calendar", "collections", "collections.abc", "contextlib", "csv", "difflib", "enum", "graphlib"),
        *("html.parser", "json", "string", "textwrap", "typing"),
    }
)
_TUPLES = {("", "tuple"), ("collections", "namedtuple"), ("typing", "NamedTuple"), ("typing", "Tuple")}
_NUMBERS = {("", "int"), ("", "float"), ("", "complex"), ("enum", "IntEnum"), ("enum", "IntFlag")}
_NUMBER_MODULES = ("datetime", "decimal", "fractions")
_TEXTS = {("collections", "UserString"), ("enum", "StrEnum"), ("typing", "FrozenSet"), ("typing", "Text")}


def own_attributes(tree: ast.AST) -> Iterator[tuple[str, int]]:
    """Attributes that a source gives to instances of its own classes, each with its line."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.attr, node.lineno
        elif isinstance(node, ast.ClassDef):
            for part in node.body:
                targets = part.targets if isinstance(part, ast.Assign) else [getattr(part, "target", part)]
                bound = [name for target in targets for name in ast.walk(target) if isinstance(name, ast.Name)]
                yield from ((name.id, name.lineno) for name in bound if not isinstance(name.ctx, ast.Load))
                if isinstance(part, ast.FunctionDef | ast.ClassDef):
                    yield part.name, part.lineno
        elif isinstance(node, ast.Call) and _last(node.func) == "namedtuple" and len(node.args) == 2:
            texts = [constant.value for constant in ast.walk(node.args[1]) if isinstance(constant, ast.Constant)]
            names = [name for text in texts if isinstance(text, str) for name in text.replace(",", " ").split()]
            yield from ((name, node.lineno) for name in names)


def is_hidden_name(name: str) -> bool:
    """Whether no source may read an attribute of this name, nor define one."""
    return name in allowed_lists().withheld or name.startswith(LIVE)


class ClassRules:
    """Judges the classes of one source.

    Args:
        tree: The module, made of node types that were let through.
        places: What its types are.
    """

    def __init__(self, tree: ast.Module, places: TypePlaces) -> None:
        self._tree = tree
        self._called = places.called_name
        self._by_name: dict[str, list[ast.ClassDef]] = {}
        self._tuples: set[str] = set()
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                self._by_name.setdefault(node.name, []).append(node)
            elif isinstance(node, ast.Assign) and self._called(_function(node.value)) == ("collections", "namedtuple"):
                self._tuples |= {target.id for target in node.targets if isinstance(target, ast.Name)}

    def problems(self) -> Iterator[tuple[int, str]]:
        """Line and message of everything that is not allowed."""
        for name, line in own_attributes(self._tree):
            if is_hidden_name(name):
                yield line, f"the attribute {name}: Python or its library has one of that name, so choose another"
        for node in (definition for definitions in self._by_name.values() for definition in definitions):
            chain = [node]
            # The list grows while it is walked, so bases of bases come in too.
            for ancestor in chain:
                for base in ancestor.bases:
                    chain += [other for other in self._by_name.get(_last(_root(base)), ()) if other not in chain]
            own = {part.name for ancestor in chain for part in ancestor.body if isinstance(part, ast.FunctionDef)}
            reserved = frozenset[str]().union(
                *(self._reserved_methods(base) for ancestor in chain for base in ancestor.bases)
            )
            for name in sorted(own & reserved):
                yield node.lineno, f"{name} of a class of data: hold the value in an attribute instead"
            for part in node.body:
                if isinstance(part, ast.FunctionDef) and part.name == "__hash__" and not _of_a_tuple(part):
                    yield part.lineno, "__hash__ that is not `return hash((...))` of a tuple"

    def _reserved_methods(self, base: ast.expr) -> frozenset[str]:
        """Special methods that stay those of a base, because the library compares and keeps what it makes."""
        base = _root(base)
        called = self._called(base)
        if called is None and _last(base) in self._by_name:
            return frozenset()  # known by its own bases
        if _last(base) in self._tuples or called in _TUPLES:
            return _EQUALITY | {"__int__", "__float__", "__index__"}
        if called is not None and (called in _NUMBERS or called[0] in _NUMBER_MODULES):
            # A number with an __abs__ or __pow__ of its own would leave wrong results in caches of the library.
            return DUNDER_METHODS - _ALWAYS_ALLOWED - _ARITHMETIC
        if called is not None and called not in _TEXTS and _is_plain(*called):
            return frozenset()
        return DUNDER_METHODS - _ALWAYS_ALLOWED


def _is_plain(module: str, name: str) -> bool:
    if not module:
        return name in _PLAIN_BUILTINS or name[:1].isupper()
    return module in _PLAIN_MODULES


def _of_a_tuple(node: ast.FunctionDef) -> bool:
    """Whether all that a method gives is hashes of tuples, which are not those of any other kind of value."""
    returns = [statement.value for statement in ast.walk(node) if isinstance(statement, ast.Return)]
    return bool(returns) and all(
        isinstance(value, ast.Call) and len(value.args) == 1 and isinstance(value.args[0], ast.Tuple)
        for value in returns
    )


def _root(base: ast.expr) -> ast.expr:
    while isinstance(base, ast.Subscript):
        base = base.value
    return base


def _function(node: ast.expr) -> ast.expr:
    return node.func if isinstance(node, ast.Call) else node


def _last(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else getattr(node, "attr", "")
