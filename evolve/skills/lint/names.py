"""Judges every name, attribute and call of a source: whether a skill may use it where it stands.

Three things must never become values that code can pass around: a module, because everything hangs on it; a class of
the standard library that is written in Python, because whoever has it can change it for all; and a format string that
data chose, because it reads attributes.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator

from evolve.skills.lint.allowed import ONLY_DECORATORS, allowed_lists
from evolve.skills.lint.annotations import TypePlaces
from evolve.skills.lint.attributes import CALLS_ITS_FIRST, CALLS_ITS_KEY, CODEC, AttributeRules, is_special
from evolve.skills.lint.calls import TAKE_CODECS
from evolve.skills.lint.scopes import ModuleScopes, parents, values_given

_BY_ITEMS = ("dict", "enumerate", "frozenset", "len", "list", "set", "sorted", "tuple", "zip")
"""Builtins that only go through the items of a table."""
_INSTEAD = {
    "print": ": give the text back instead",
    "input": ": take an argument instead",
    "open": ": take the text as an argument instead",
    "getattr": ": write the attribute, or use operator.attrgetter with a name in the source",
    "setattr": ": write the attribute, or use a dict",
    "eval": ": use json.loads, or write a parser",
}
"""What to write instead of what is not there."""
_CHECKS = (("", "isinstance"), ("", "issubclass"))
_NOT_BASES = (("string", "Template"), ("types", "MappingProxyType"))
# A context of ``decimal`` that stays open holds for all code; a field of a dataclass keeps its type, which is a class.
_ONLY_IN_PLACE = (("decimal", "localcontext"), ("dataclasses", "field"))
_NOT_CALLED = (("typing", "NamedTuple"), ("typing", "TypedDict"))


def is_special_name(name: str, classes: bool) -> bool:
    """Whether a variable of this name is special, or Python renames it inside of classes where there are some."""
    return is_special(name) or (classes and name.startswith("__") and bool(name.strip("_")))


class NameRules:
    """Judges the names, attributes and calls of one source.

    Args:
        tree: The module, made of node types that were let through.
        scopes: What its names mean.
        places: What its types are.
        own: Attributes that it defines itself.
    """

    def __init__(self, tree: ast.Module, scopes: ModuleScopes, places: TypePlaces, own: Collection[str]) -> None:
        self._tree = tree
        self._scopes = scopes
        self._parents = parents(tree)
        self._classes = any(isinstance(node, ast.ClassDef) for node in self._parents)
        self._attributes = AttributeRules(tree, scopes, places, self._parents, own)
        self._places = places
        self._types = self._places.parts
        self._called = self._places.called_name
        # functions written in Python and flags keep attributes, from call to call and for everyone
        self._stores = self._attributes.stores
        self._values = values_given(tree, self._parents)
        self._judged: set[ast.AST] = set()
        # asked for every use, and the answer is one walk
        self._generators: dict[ast.AST, bool] = {}
        self._names_read: dict[ast.AST, frozenset[str]] = {}

    def problems(self) -> Iterator[tuple[int, str]]:
        """Line and message of everything that is not allowed."""
        nodes = list(ast.walk(self._tree))
        # Names first: they mark attributes of modules as judged, which the second pass would judge as those of values.
        for node in nodes:
            if isinstance(node, ast.Name):
                yield from ((node.lineno, text) for text in self._name_problems(node))
        yield from self._places.problems()
        for node in nodes:
            for text in self._node_problems(node):
                yield getattr(node, "lineno", 1), text

    def _node_problems(self, node: ast.AST) -> Iterator[str]:
        match node:
            case ast.Attribute():
                if node not in self._judged:
                    yield from self._attributes.problems(node)
            case ast.Call():
                yield from self._call_problems(node)
            case ast.MatchClass(kwd_attrs=names):
                yield from (f"the attribute {name}" for name in names if not self._attributes.readable_anywhere(name))
            case ast.arg(arg=name) | ast.keyword(arg=str(name)):
                if is_special_name(name, self._classes):
                    yield f"the name {name}"

    # names

    def _name_problems(self, node: ast.Name) -> Iterator[str]:
        if not isinstance(node.ctx, ast.Load):
            return  # what is bound is judged by scope
        if is_special_name(node.id, self._classes):
            yield f"the name {node.id}"
        for meaning in self._scopes.meanings_at(node):
            if meaning.kind == "unknown":
                yield f"use of {node.id}{_INSTEAD.get(node.id, '')}"
            elif meaning.kind == "import":
                yield from self._import_problems(node, meaning.module, meaning.name)
            elif meaning.kind == "alias" and not self._class_place(node):
                yield f"the type {node.id} as a value"
            elif meaning.kind == "builtin" and not self._builtin_allowed(node):
                yield f"use of {node.id} in this way"
            elif meaning.kind in ("class", "function") and self._turned_to_text(node):
                yield f"the text of {node.id}, which tells where it runs: use {node.id}.__name__"

    def _import_problems(self, node: ast.expr, module: str, name: str) -> Iterator[str]:
        if name:
            yield from self._listed_problems(node, module, name)
            return
        parent = self._parents[node]
        if not isinstance(parent, ast.Attribute):
            yield f"the module {module} as a value"
            return
        self._judged.add(parent)
        whole = f"{module}.{parent.attr}"
        if any(other == whole or other.startswith(whole + ".") for other in self._scopes.imported):
            yield from self._import_problems(parent, whole, "")
        elif not isinstance(parent.ctx, ast.Load):
            yield f"a change of {whole}"
        elif parent.attr not in allowed_lists().modules.get(module, {}):
            yield f"use of {whole}"
        else:
            yield from self._listed_problems(parent, module, parent.attr)

    def _listed_problems(self, node: ast.expr, module: str, name: str) -> Iterator[str]:
        """Messages for a use of something that a module lists."""
        usage = allowed_lists().modules.get(module, {}).get(name, "")
        parent = self._parents[node]
        if (module, name) in ONLY_DECORATORS:
            if not self._decorates(node, name):
                yield f"use of {module}.{name} in this way"
        elif (module, name) in _ONLY_IN_PLACE:
            if not (self._entered_by_with(parent) if name == "localcontext" else self._fills_field(parent)):
                yield f"use of {module}.{name} in this way"
        elif usage == "tables":
            if not self._by_items(node, parent):
                yield f"{module}.{name} as a value"
        elif isinstance(parent, ast.Attribute):
            self._judged.add(parent)
            if isinstance(parent.ctx, ast.Load):
                yield from self._attributes.problems(parent, shared=True)
            else:
                yield f"a change of {module}.{name}"
        elif not self._allowed_as_value(node, usage, (module, name)):
            yield f"{'the class ' * (usage == 'classes')}{module}.{name} as a value"

    def _builtin_allowed(self, node: ast.Name) -> bool:
        parent = self._parents[node]
        if node.id == "type":
            checked = isinstance(parent, ast.Call) and self._passed_to(parent, node, _CHECKS)
            return node in self._types or checked or self._type_call_allowed(parent)
        if node.id == "super":
            plain = isinstance(parent, ast.Call) and not parent.args and not parent.keywords
            return plain and isinstance(self._parents[parent], ast.Attribute)
        if node.id == "hash":
            return isinstance(parent, ast.Call) and parent.func is node and self._hash_allowed(parent)
        if node.id == "object":  # what it makes shows its address
            is_base = isinstance(parent, ast.ClassDef)
            return (
                node in self._types
                or is_base
                or (isinstance(parent, ast.Call) and self._passed_to(parent, node, _CHECKS))
            )
        return True

    def _turned_to_text(self, node: ast.Name) -> bool:
        parent = self._parents[node]
        shows = [("", name) for name in ("str", "repr", "ascii", "format")]
        return isinstance(parent, ast.FormattedValue) or (
            isinstance(parent, ast.Call) and parent.func is not node and self._called(parent.func) in shows
        )

    def _type_call_allowed(self, call: ast.AST) -> bool:
        """Whether what ``type(x)`` gives, which may be a class that all share, is only compared or named."""
        plain = isinstance(call, ast.Call) and len(call.args) == 1 and not call.keywords
        if not isinstance(call, ast.Call) or not plain or isinstance(call.args[0], ast.Starred):
            return False
        match self._parents[call]:
            case ast.Attribute(attr=name):
                return name == "__name__"
            case ast.FormattedValue():
                return True
            case ast.Subscript(value=table, ctx=ast.Load()):  # what is missing there, the error would hold
                return not self._stores and self._is_table(table)
            # Asked for by `get`, a missing class is in no error.
            case ast.Call(func=ast.Attribute(value=table, attr="get"), args=[first, *_]) if first is call:
                return self._is_table(table)
            case ast.Call(func=function):
                if function is call:
                    return False  # of a class it is ``type`` itself
                return self._called(function) in (("", "str"), ("", "repr")) or self._class_place(call, called=False)
            case ast.Compare() as parent:
                return self._compares_types(parent)
        return False

    def _is_table(self, node: ast.expr) -> bool:
        """Whether this is a dict that stands in the source, which only looks a key up."""
        values = self._values.get(node.id, []) if isinstance(node, ast.Name) else [node]
        return bool(values) and all(isinstance(value, ast.Dict) for value in values)

    def _compares_types(self, node: ast.Compare) -> bool:
        pending = [node.left, *node.comparators]
        for operand in pending:
            if isinstance(operand, ast.Tuple | ast.Set | ast.List):
                pending += operand.elts
            elif isinstance(operand, ast.Call):
                if self._called(operand.func) != ("", "type"):
                    return False
            elif not isinstance(operand, ast.Name | ast.Attribute) or not self._names_type(operand):
                return False
        return True

    def _names_type(self, node: ast.expr) -> bool:
        if self._called(node) is not None:
            return True
        return isinstance(node, ast.Name) and all(m.kind == "class" for m in self._scopes.meanings_at(node))

    # places

    def _class_place(self, node: ast.expr, what: tuple[str, str] = ("", ""), *, called: bool = True) -> bool:
        """Whether a class stands where nothing can get hold of it."""
        parent = self._parents[node]
        if node in self._types:
            return True
        while isinstance(parent, ast.Tuple) or (isinstance(parent, ast.BinOp) and self._places.of_types(parent)):
            node, parent = parent, self._parents[parent]
        match parent:
            case ast.Call(func=function) if function is node:
                return called and what not in _NOT_CALLED and (what[0] != "enum" or what[1] == "auto")
            case ast.Call():
                return self._passed_to(parent, node, (*_CHECKS, *CALLS_ITS_FIRST)) or (
                    self._called(parent.func) == ("contextlib", "suppress")
                )
            case ast.keyword(arg=name):
                call = self._parents[parent]
                known = isinstance(call, ast.Call) and self._called(call.func) in CALLS_ITS_KEY
                return known and name in ("key", "default_factory")
            case ast.ClassDef(bases=bases):
                return node in bases and what not in _NOT_BASES
            case ast.Subscript(value=value):
                base = self._parents[parent]
                return value is node and (
                    parent in self._types or (isinstance(base, ast.ClassDef) and parent in base.bases)
                )
            case ast.Compare():
                return self._compares_types(parent)
            case ast.ExceptHandler() | ast.Raise() | ast.MatchClass():
                return True
        return False

    def _passed_to(self, call: ast.Call, node: ast.expr, known: Collection[tuple[str, str]]) -> bool:
        """Whether an argument goes to one of these functions, at the place where they take a class."""
        function = self._called(call.func)
        first = bool(call.args) and call.args[0] is node
        return function in known and first == (function in CALLS_ITS_FIRST)

    def _allowed_as_value(self, node: ast.expr, usage: str, what: tuple[str, str]) -> bool:
        if what in TAKE_CODECS and not self._codec_is_known(node):
            return False
        if usage == "functions" and self._stores:
            return self._class_place(node) or self._is_flag_argument(node)
        return usage != "classes" or self._class_place(node, what)

    def _codec_is_known(self, node: ast.expr) -> bool:
        """Whether a function that takes a codec is called, or stands where it will get no codec."""
        match self._parents[node]:
            case ast.Call(func=function) if function is node:
                return True
            case ast.Call(args=[first, other]) as call if first is node and not isinstance(other, ast.Starred):
                return self._called(call.func) == ("", "map")
            case ast.keyword(arg=name) as keyword:
                parent = self._parents[keyword]
                called = self._called(parent.func) if isinstance(parent, ast.Call) else None
                return (name == "key" and called in CALLS_ITS_KEY) or (
                    name == "quote_via" and called == ("urllib.parse", "urlencode")
                )
        return False

    def _is_flag_argument(self, node: ast.expr) -> bool:
        parent = self._parents[node]
        while isinstance(parent, ast.keyword) or (isinstance(parent, ast.BinOp) and self._places.of_types(parent)):
            parent = self._parents[parent]
        called = self._called(parent.func) if isinstance(parent, ast.Call) else None
        return called is not None and called[0] == "re"

    def _by_items(self, node: ast.expr, parent: ast.AST) -> bool:
        match parent:
            case ast.Subscript(value=value, ctx=ast.Load()):
                return value is node
            case ast.For(iter=value) | ast.comprehension(iter=value):
                return value is node
            case ast.Compare(ops=[ast.In() | ast.NotIn()], comparators=[value]):
                return value is node
            case ast.Call(func=function):
                return function is not node and self._called(function) in [("", name) for name in _BY_ITEMS]
        return False

    def _decorates(self, node: ast.expr, name: str) -> bool:
        parent = self._parents[node]
        if name == "wraps":
            single = isinstance(parent, ast.Call) and len(parent.args) == 1 and not parent.keywords
            if not single or (isinstance(parent, ast.Call) and isinstance(parent.args[0], ast.Starred)):
                return False
        if isinstance(parent, ast.Call) and parent.func is node:
            node, parent = parent, self._parents[parent]
        return isinstance(parent, ast.FunctionDef | ast.ClassDef) and node in parent.decorator_list

    def _entered_by_with(self, call: ast.AST) -> bool:
        """Whether a context is left as surely as it is entered: by ``with``, in a function that cannot be held open."""
        if not isinstance(call, ast.Call) or not isinstance(self._parents[call], ast.withitem):
            return False
        node: ast.AST = call
        while not isinstance(node, ast.FunctionDef | ast.Module):
            node = self._parents[node]
        if node not in self._generators:
            self._generators[node] = any(isinstance(part, ast.Yield | ast.YieldFrom) for part in ast.walk(node))
        return not self._generators[node]

    def _fills_field(self, call: ast.AST) -> bool:
        """Whether ``field(...)`` is a default in a class at the top level, which nothing else in the class reads."""
        line = self._parents.get(call)
        node = self._parents.get(line) if isinstance(line, ast.AnnAssign) and line.value is call else None
        if not isinstance(node, ast.ClassDef) or not isinstance(line, ast.AnnAssign):
            return False
        if node not in self._names_read:
            read = (part.id for other in node.body for part in _evaluated_in(other) if isinstance(part, ast.Name))
            self._names_read[node] = frozenset(read)
        names = self._names_read[node]
        while isinstance(node, ast.ClassDef):
            node = self._parents[node]
        return isinstance(node, ast.Module) and ast.unparse(line.target) not in names

    def _hash_allowed(self, node: ast.AST) -> bool:
        """Whether a hash, which differs from process to process, is only given back by ``__hash__``."""
        while isinstance(node, ast.Call | ast.BinOp):
            sides = [node.left, node.right] if isinstance(node, ast.BinOp) else [node]
            hashes = [self._called(side.func) == ("", "hash") for side in sides if isinstance(side, ast.Call)]
            if not all(hashes) or not all(isinstance(side, ast.Call | ast.BinOp | ast.Constant) for side in sides):
                return False
            node = self._parents[node]
        parent: ast.AST = self._parents[node] if isinstance(node, ast.Return) else node
        return isinstance(parent, ast.FunctionDef) and parent.name == "__hash__" and not parent.decorator_list

    # calls

    def _call_problems(self, call: ast.Call) -> Iterator[str]:
        called = self._called(call.func)
        if called in TAKE_CODECS:
            if not self._attributes.named_codec(call, TAKE_CODECS[called]):
                yield CODEC
        elif any(
            keyword.arg == "encoding" and not self._attributes.is_codec(keyword.value) for keyword in call.keywords
        ):
            yield CODEC
        elif called == ("", "hasattr"):
            name = call.args[1] if len(call.args) == 2 else None
            if not isinstance(name, ast.Constant):
                yield "hasattr with a name that is not in the source"
        elif called == ("operator", "attrgetter"):
            names = [part for argument in call.args for part in str(getattr(argument, "value", "__")).split(".")]
            yield from (f"attrgetter of {name}" for name in names if not self._attributes.readable_anywhere(name))


def _evaluated_in(node: ast.stmt) -> Iterator[ast.AST]:
    """Everything that a line of a class computes while the class is made."""
    if isinstance(node, ast.FunctionDef):
        parts: list[ast.expr | None] = [*node.decorator_list, *node.args.defaults, *node.args.kw_defaults]
    else:
        parts = [getattr(node, "value", None)]
    for part in parts:
        yield from ast.walk(part) if part is not None else ()
