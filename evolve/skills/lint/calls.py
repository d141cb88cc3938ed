"""Rules for calls that are safe only with some arguments, format strings among them.

What decides a copy's memory, the fields of a tuple, or how an expression is compiled must stand in the source.
"""

from __future__ import annotations

import ast
import string
from collections.abc import Iterator, Mapping

from evolve.skills.lint.allowed import allowed_lists
from evolve.skills.lint.annotations import TypePlaces
from evolve.skills.lint.scopes import values_given

_FLAGS = {
    **{name: 2 for name in ("match", "search", "fullmatch", "findall", "finditer")},
    **{"compile": 1, "split": 3, "sub": 4, "subn": 4},
}
"""Functions of ``re`` that take flags, and at which place."""
_ONLY_CALLED = {
    *(("copy", "copy"), ("copy", "deepcopy"), ("collections", "namedtuple"), ("operator", "attrgetter")),
    *(("calendar", name) for name in ("calendar", "month", "monthcalendar", "weekheader")),
}


class CallRules:
    """Judges the calls of one source that need a look at their arguments.

    Args:
        tree: The module, made of node types that were let through.
        places: What its types are.
        parent_of: For every node the one around it.
    """

    def __init__(self, tree: ast.Module, places: TypePlaces, parent_of: Mapping[ast.AST, ast.AST]) -> None:
        self._tree = tree
        self._called = places.called_name
        self._parent_of = parent_of
        self._values = values_given(tree, parent_of)

    def problems(self) -> Iterator[tuple[int, str]]:
        """Line and message of everything that is not allowed."""
        for node in ast.walk(self._tree):
            if not isinstance(node, ast.Name | ast.Attribute) or not isinstance(node.ctx, ast.Load):
                continue
            called = self._called(node)
            if called is None or called[0] not in ("copy", "collections", "calendar", "operator", "re"):
                continue
            call = self._parent_of[node]
            if not isinstance(call, ast.Call) or call.func is not node:
                if called in _ONLY_CALLED or (
                    called[0] == "re" and called[1] in _FLAGS and not self._takes_one_argument(node)
                ):
                    yield node.lineno, f"{called[1]} as a value: call it"
            elif not self._arguments_allowed(call, *called):
                yield node.lineno, _MESSAGES[called[0]].format(called[1])

    def _arguments_allowed(self, call: ast.Call, module: str, name: str) -> bool:
        if module == "copy":
            # A second argument of deepcopy is its memory, which shows afterwards what was copied and where it lies.
            return len(call.args) == 1 and not call.keywords and not isinstance(call.args[0], ast.Starred)
        if (module, name) == ("collections", "namedtuple"):
            known = {keyword.arg for keyword in call.keywords} <= {"defaults", "rename"}
            return known and len(call.args) == 2 and _is_literal(call.args[1])
        if module == "re" and name in _FLAGS:
            # 128 is re.DEBUG, which prints; so a flag must be named.
            place = _FLAGS[name]
            open_ended = any(isinstance(argument, ast.Starred) for argument in call.args) or None in {
                keyword.arg for keyword in call.keywords
            }
            flags = [
                *call.args[place : place + 1],
                *(keyword.value for keyword in call.keywords if keyword.arg == "flags"),
            ]
            return not open_ended and all(self._is_flag(flag) for flag in flags)
        return True

    def _takes_one_argument(self, node: ast.expr) -> bool:
        """Whether a function gets one argument only, by what it is handed to."""
        match self._parent_of[node]:
            case ast.Call(func=function, args=[first, other]):
                known = self._called(function) in (("", "map"), ("", "filter"))
                return known and first is node and not isinstance(other, ast.Starred)
            case ast.keyword(arg="key"):
                return True
        return False

    def _is_flag(self, node: ast.expr, depth: int = 0) -> bool:
        match node:
            case ast.Constant(value=0):
                return True
            case ast.BinOp(left=left, op=ast.BitOr(), right=right) | ast.IfExp(body=left, orelse=right):
                return self._is_flag(left, depth) and self._is_flag(right, depth)
        called = self._called(node)
        if called is not None:
            return called[0] == "re" and called[1] in allowed_lists().modules["re"] and called[1].isupper()
        # Names may be given each other, as in `flags |= more`, so this is not followed for ever.
        if not isinstance(node, ast.Name) or depth > 3:
            return False
        values = self._values.get(node.id, [])
        return bool(values) and all(value is not None and self._is_flag(value, depth + 1) for value in values)


_MESSAGES = {
    "copy": "{} of anything but one value",
    "collections": "{} with fields that do not stand in the source",
    "re": "{} with flags that are not named, such as re.IGNORECASE",
}


def _is_literal(fields: ast.expr) -> bool:
    """Whether the names of fields are texts of the source."""
    parts = fields.elts if isinstance(fields, ast.List | ast.Tuple) else [fields]
    return all(isinstance(part, ast.Constant) and isinstance(part.value, str) for part in parts)


TAKE_CODECS = {
    **{("", name): 1 for name in ("str", "bytes", "bytearray")},
    **{("urllib.parse", name): 1 for name in ("unquote", "unquote_plus")},
    **{("urllib.parse", name): 2 for name in ("quote", "quote_plus")},
    **{("urllib.parse", name): 3 for name in ("parse_qs", "parse_qsl", "urlencode")},
}
"""Functions that take the name of a codec, and at which place."""


def plain_fields(template: str) -> bool:
    """Whether a format string reads no attributes and no items."""
    try:
        fields = list(string.Formatter().parse(template))
    except ValueError:
        return False
    return all(
        name is None or ("." not in name and "[" not in name and plain_fields(inner or ""))
        for _, name, inner, _ in fields
    )
