"""Which attributes of values a source may read, set and pass on.

What a value is, is not known, so a name decides: it is of the lists, or the source's own. Methods of the library that
are written in Python keep attributes for everyone, so where a source sets attributes it may only call them.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping

from evolve.skills.lint.allowed import DUNDER_ATTRIBUTES, ENCODINGS, allowed_lists
from evolve.skills.lint.annotations import TypePlaces
from evolve.skills.lint.calls import plain_fields
from evolve.skills.lint.classes import is_hidden_name
from evolve.skills.lint.scopes import ModuleScopes

# Functions that call what they get first, or as ``key`` (``default_factory`` of a field), and hand it to nobody.
CALLS_ITS_FIRST = (("", "map"), ("", "filter"), ("itertools", "starmap"), ("collections", "defaultdict"))
CALLS_ITS_KEY = (
    *(("", name) for name in ("sorted", "min", "max")),
    *(("heapq", name) for name in ("nsmallest", "nlargest", "merge")),
    ("itertools", "groupby"),
    ("dataclasses", "field"),
)
CODEC = "a codec that is not named in the source"
_CHECKED = ("__init__", "__post_init__", "args", "encode", "decode", "fromtimestamp", "astimezone")
"""Names that are allowed in certain uses only."""
_NO_PYTHON_METHODS = ("abc", "enum", "typing")
"""Modules whose classes have no methods that keep attributes, but for special ones."""


def is_special(name: str) -> bool:
    """Whether an attribute of this name may have a meaning for Python or its library."""
    return name[:1] == name[-1:] == "_" and bool(name.strip("_"))


class AttributeRules:
    """Judges the attributes of one source.

    Args:
        tree: The module, made of node types that were let through.
        scopes: What its names mean.
        places: What its types are.
        parent_of: For every node the one around it.
        own: Attributes that it defines itself.

    Attributes:
        stores: Whether the source sets or deletes attributes.
    """

    def __init__(
        self,
        tree: ast.Module,
        scopes: ModuleScopes,
        places: TypePlaces,
        parent_of: Mapping[ast.AST, ast.AST],
        own: Collection[str],
    ) -> None:
        self._scopes = scopes
        self._called = places.called_name
        self._parent_of = parent_of
        self._own = frozenset(own)
        self.stores = any(isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load) for node in parent_of)
        bases = [base for node in ast.walk(tree) if isinstance(node, ast.ClassDef) for base in node.bases]
        made_of = [called[0] for base in bases if (called := self._called(base)) is not None]
        self._inherits = any(module and module not in _NO_PYTHON_METHODS for module in made_of)
        imported = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)} | scopes.imported
        # The arguments of an arithmetic error of ``decimal``, with which ``statistics`` computes too, are its signal
        # classes, and all code shares these.
        self._signals = not imported.isdisjoint(("decimal", "statistics"))

    def may_read(self, name: str, *, shared: bool = False) -> bool:
        """Whether an attribute may be read; of what all share, only one that is listed."""
        if is_special(name):
            return name in DUNDER_ATTRIBUTES or name in allowed_lists().attributes
        return name in allowed_lists().attributes or (not shared and name in self._own and not is_hidden_name(name))

    def readable_anywhere(self, name: str) -> bool:
        """Whether an attribute may be read where neither its owner nor its use can be seen."""
        harmless = name not in _CHECKED or (name == "args" and not (self.stores and self._signals))
        return harmless and self.may_read(name) and not self._keeps_attributes(name, shared=False)

    def problems(self, node: ast.Attribute, *, shared: bool = False) -> Iterator[str]:
        """A message for each thing that is not allowed.

        Args:
            node: What reads, sets or deletes an attribute.
            shared: Whether it is one of something that a module lists.
        """
        name, parent = node.attr, self._parent_of[node]
        call = parent if isinstance(parent, ast.Call) and parent.func is node else None
        if not isinstance(node.ctx, ast.Load):
            if is_special(name) or name in allowed_lists().withheld or self._is_own_definition(node.value):
                yield f"a change of the attribute {name}: what changes belongs to an instance that a call makes"
        # A template that data chose reads attributes of its arguments, as in "{0.__class__}".
        elif name == "format":
            if call is None or not self._plain_template(node.value):
                yield "format on anything but a plain text that stands in the source"
        elif not self._exempt(node, call):
            if not self.may_read(name, shared=shared):
                yield f"the attribute {name}"
            elif name in _CHECKED:
                yield from self._misuse(node, call)
            elif self._keeps_attributes(name, shared=shared) and not self._is_called(node, call):
                yield f"the method {name} as a value: call it"

    def _misuse(self, node: ast.Attribute, call: ast.Call | None) -> Iterator[str]:
        """Messages for a wrong use of a name that is allowed in certain uses only."""
        name = node.attr
        count = 0 if call is None else len(call.args) + len(call.keywords)
        # Called again, it would change a value that exists: `text.__init__(other)`.
        if name in ("__init__", "__post_init__"):
            if call is None or not self._of_a_class(node.value):
                yield f"{name} in any other way than super().{name}(...)"
        elif name == "args":
            if self.stores and self._signals:
                yield "the arguments of an exception, where attributes are set: use str(error)"
        elif name in ("encode", "decode"):
            if call is None or not self.named_codec(call, 0):
                yield f"{name} with a codec that is not named in the source"
        # Without a zone the machine's own decides the value.
        elif count < (2 if name == "fromtimestamp" else 1):
            yield f"{name} without a time zone"

    def _keeps_attributes(self, name: str, *, shared: bool) -> bool:
        """Whether this may be a method that would keep, for everyone, the attributes that the source sets."""
        return self.stores and name in allowed_lists().methods and (shared or self._inherits)

    def _exempt(self, node: ast.Attribute, call: ast.Call | None) -> bool:
        """Whether an attribute that is withheld gives nothing away where it stands."""
        parent = self._parent_of[node]
        meanings = self._scopes.meanings_at(node.value) if isinstance(node.value, ast.Name) else []
        kinds = {meaning.kind for meaning in meanings}
        match node.attr:
            case "__class__":
                return isinstance(parent, ast.Attribute) and parent.attr == "__name__"
            case "__members__":
                return kinds == {"class"}
            case "cache_clear":
                return kinds == {"function"} and call is not None and isinstance(self._parent_of[call], ast.Expr)
        return False

    def _of_a_class(self, node: ast.expr) -> bool:
        """Whether this is the next class of ``super()``, or a class by its name."""
        if isinstance(node, ast.Call):
            return self._called(node.func) == ("", "super")
        meanings = self._scopes.meanings_at(node) if isinstance(node, ast.Name) else []
        return self._called(node) is not None or (
            bool(meanings) and all(meaning.kind == "class" for meaning in meanings)
        )

    def _is_called(self, node: ast.expr, call: ast.Call | None) -> bool:
        match self._parent_of[node]:
            case ast.Call(func=function, args=[first, *_]) if first is node:
                return self._called(function) in CALLS_ITS_FIRST
            case ast.keyword(arg="key") as keyword:
                other = self._parent_of[keyword]
                return isinstance(other, ast.Call) and self._called(other.func) in CALLS_ITS_KEY
        return call is not None

    def _is_own_definition(self, node: ast.expr) -> bool:
        """Whether this is a function or class of the source, which would remember from call to call."""
        meanings = self._scopes.meanings_at(node) if isinstance(node, ast.Name) else []
        return any(meaning.kind in ("function", "class") for meaning in meanings)

    # texts with a meaning

    def _constant_of(self, node: ast.expr) -> object:
        if isinstance(node, ast.Name):
            meanings = self._scopes.meanings_at(node)
            return meanings[0].constant if len(meanings) == 1 else None
        return node.value if isinstance(node, ast.Constant) else None

    def _plain_template(self, node: ast.expr) -> bool:
        text = self._constant_of(node)
        return isinstance(text, str) and plain_fields(text)

    def is_codec(self, node: ast.expr) -> bool:
        """Whether this is the name of a codec that may be used."""
        return str(self._constant_of(node)).lower().replace("_", "-") in ENCODINGS

    def named_codec(self, call: ast.Call, place: int) -> bool:
        """Whether the codec a call names, as its argument at a place or by keyword, stands in the source."""
        # Behind a star may be any argument, a codec too.
        starred = any(isinstance(argument, ast.Starred) for argument in call.args) or any(
            keyword.arg is None for keyword in call.keywords
        )
        codecs = [
            *call.args[place : place + 1],
            *(keyword.value for keyword in call.keywords if keyword.arg == "encoding"),
        ]
        return not starred and all(map(self.is_codec, codecs))
