"""What classes of a source may be called inside and compare like, wherever they stand.

An attribute that a source defines may be read on every value, so none may have a name that values of the library keep
hidden. And the library keeps results by argument, for everyone: an own value that passes for another one would put a
wrong result there, so only what is no data may say itself what it equals.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from evolve.skills.allowed import allowed
from evolve.skills.typeplaces import TypePlaces

LIVE = ("gi_", "cr_", "ag_", "tb_")
"""How attributes begin that lead from what runs to its frame."""
_PASSES = frozenset({"__eq__", "__ne__", "__hash__"})
_CONVERTS = frozenset({"__int__", "__float__", "__index__"})
_PLAIN_BUILTINS = frozenset({"object", "list", "dict", "set", "bytearray"})
_PLAIN_MODULES = frozenset(
    {
        *("abc", "calendar", "collections", "collections.abc", "contextlib", "csv", "difflib", "enum", "graphlib"),
        *("html.parser", "json", "string", "textwrap", "typing"),
    }
)
_DATA = frozenset(
    {
        *(("collections", name) for name in ("UserString", "namedtuple")),
        *(("enum", name) for name in ("IntEnum", "IntFlag", "StrEnum")),
        *(("typing", name) for name in ("FrozenSet", "NamedTuple", "Text", "Tuple")),
    }
)


def own_attributes(tree: ast.AST) -> Iterator[tuple[str, int]]:
    """Attributes that a source gives to instances of its own classes, each with its line."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.attr, node.lineno
        elif isinstance(node, ast.ClassDef):
            for part in node.body:
                targets = part.targets if isinstance(part, ast.Assign) else [getattr(part, "target", part)]
                names = [name for one in targets for name in ast.walk(one) if isinstance(name, ast.Name)]
                yield from ((name.id, name.lineno) for name in names if not isinstance(name.ctx, ast.Load))
                if isinstance(part, ast.FunctionDef | ast.ClassDef):
                    yield part.name, part.lineno
        elif isinstance(node, ast.Call) and _last(node.func) == "namedtuple" and len(node.args) == 2:
            texts = [one.value for one in ast.walk(node.args[1]) if isinstance(one, ast.Constant)]
            names = [name for text in texts if isinstance(text, str) for name in text.replace(",", " ").split()]
            yield from ((name, node.lineno) for name in names)


def hidden(name: str) -> bool:
    """Whether no source may read an attribute of this name, nor define one."""
    return name in allowed().withheld or name.startswith(LIVE)


class Classes:
    """Judges the classes of one source.

    Args:
        tree: The module, made of node types that were let through.
        places: What its types are.
    """

    def __init__(self, tree: ast.Module, places: TypePlaces) -> None:
        self._tree = tree
        self._called = places.called
        self._by_name: dict[str, list[ast.ClassDef]] = {}
        self._tuples: set[str] = set()
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                self._by_name.setdefault(node.name, []).append(node)
            elif isinstance(node, ast.Assign) and self._called(_function(node.value)) == ("collections", "namedtuple"):
                self._tuples |= {one.id for one in node.targets if isinstance(one, ast.Name)}

    def problems(self) -> Iterator[tuple[int, str]]:
        """Line and words of everything that is not allowed."""
        for name, line in own_attributes(self._tree):
            if hidden(name):
                yield line, f"the attribute {name}: Python or its library has one of that name, so choose another"
        for node in (one for found in self._by_name.values() for one in found):
            chain = self._chain(node)
            own = {name for one in chain for name in _special(one)}
            if any(self._is_data(base) for one in chain for base in one.bases):
                for name in sorted(own & (_PASSES | _CONVERTS)):
                    yield node.lineno, f"{name} of a class of data: hold the value in an attribute instead"
            for part in node.body:
                if isinstance(part, ast.FunctionDef) and part.name == "__hash__" and not _of_a_tuple(part):
                    yield part.lineno, "__hash__ that is not `return hash((...))` of a tuple"

    def _chain(self, node: ast.ClassDef) -> list[ast.ClassDef]:
        """A class and, by their names, all of the source that it is made of."""
        found = [node]
        for one in found:
            for base in one.bases:
                found += [other for other in self._by_name.get(_last(_root(base)), ()) if other not in found]
        return found

    def _is_data(self, base: ast.expr) -> bool:
        """Whether a base is, or might be, a kind of data that the library compares and keeps."""
        base = _root(base)
        if _last(base) in self._by_name and self._called(base) is None:
            return False  # known by its own bases
        if _last(base) in self._tuples or (called := self._called(base)) is None:
            return True
        module, name = called
        if not module:
            return name not in _PLAIN_BUILTINS and not name[:1].isupper()
        return module not in _PLAIN_MODULES or called in _DATA


def _special(node: ast.ClassDef) -> Iterator[str]:
    for part in node.body:
        if isinstance(part, ast.FunctionDef):
            yield part.name


def _of_a_tuple(node: ast.FunctionDef) -> bool:
    """Whether all that a method gives is hashes of tuples, which are not those of any other kind of value."""
    returns = [one.value for one in ast.walk(node) if isinstance(one, ast.Return)]
    return bool(returns) and all(
        isinstance(one, ast.Call) and len(one.args) == 1 and isinstance(one.args[0], ast.Tuple) for one in returns
    )


def _root(base: ast.expr) -> ast.expr:
    while isinstance(base, ast.Subscript):
        base = base.value
    return base


def _function(node: ast.expr) -> ast.expr:
    return node.func if isinstance(node, ast.Call) else node


def _last(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else getattr(node, "attr", "")
