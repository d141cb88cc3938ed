"""Tells what a function does for values that no row has, but for plain guards: it may be a trap."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from evolve.core.episodes import Row
from evolve.core.files import canonical_json
from evolve.skills.mutants import arms_in

_PLAIN = r"(?:(?:not )?(?P<name>\w+)|(?P<none>\w+) is (?:not )?None|(?P<text>\w+) [!=]= ''|"
_PLAIN += r"(?:not )?isinstance\((?P<kind>\w+), \w+\)|len\((?P<size>\w+)\) [<>=!]=? [0-3])"
_GUARD = re.compile(_PLAIN)
_INSTEAD = re.compile(r".* or (?:'.?'|None|\[\]|0)")
_WORD = re.compile(r"[\w ]{4,}")
_FORMS = frozenset({"normalize", "encode", "decode"})
"""Methods of texts and of modules whose arguments are names of forms, and no data."""
_LOOKS = frozenset({
    "startswith", "endswith", "find", "rfind", "index", "rindex", "partition", "rpartition", "match", "fullmatch",
    "search",
})  # fmt: skip
"""Methods that tell whether a text holds another one, however short."""
_SAME = frozenset({
    "strip", "lstrip", "rstrip", "lower", "upper", "casefold", "title", "split", "rsplit", "splitlines", "replace",
    "get", "copy",
})  # fmt: skip
_TYPES = frozenset(["str", "int", "float", "list", "tuple", "set", "dict", "sorted", "len"])


def untested_parts(checks: Mapping[str, Any], code: str, rows: Sequence[Row]) -> list[str]:
    """Branches but plain guards, and words that code looks for, that no row bears.

    Args:
        checks: Figures of its admission, of which those named ``cut`` and ``untested`` are read.
        rows: All that it was judged on.
    """
    tree = ast.parse(code)
    shown = canonical_json([[*row.input, row.output] for row in rows]).casefold()
    bound = _bound(tree)
    aside = {told for told, node, field in arms_in(tree) if not _is_plain(node, field, bound)}
    plain = {told for told, _, _ in arms_in(tree)} - aside
    arms = [one for one in checks.get("untested", ()) if one not in plain]
    return [*checks.get("cut", ()), *arms, *_words(tree, shown)]


def _words(tree: ast.Module, shown: str) -> list[str]:
    nodes = list(ast.walk(tree))
    own = {one.name for one in nodes if isinstance(one, ast.FunctionDef)}
    told = {id(one) for node in nodes if isinstance(node, ast.Raise) for one in ast.walk(node)}
    found = []
    for call in (one for one in nodes if isinstance(one, ast.Call)):
        name = getattr(call.func, "attr", "")
        for arg in call.args if name not in _FORMS - own else ():
            parts = arg.elts if isinstance(arg, ast.Tuple) and name in _LOOKS else [arg]
            texts = [one.value for one in parts if isinstance(one, ast.Constant) and id(one) not in told]
            words = [one for one in texts if isinstance(one, str)]
            least = re.compile(r"[\w ]+") if name in _LOOKS else _WORD
            if words and all(least.fullmatch(one) and one.casefold() not in shown for one in words):
                found += words[:1]
    return found


def _bound(tree: ast.Module) -> dict[str, list[ast.expr | None]]:
    """By name, what it is given; None for what no expression tells. A parameter that stays as it is has no entry."""
    found: dict[str, list[ast.expr | None]] = {}
    known: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign | ast.AnnAssign | ast.NamedExpr) and node.value is not None:
            for one in node.targets if isinstance(node, ast.Assign) else [node.target]:
                if isinstance(one, ast.Name):
                    found.setdefault(one.id, []).append(node.value)
                    known.add(id(one))
    taken = {one.arg for one in ast.walk(tree) if isinstance(one, ast.arg)}
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Name)
            and id(node) not in known
            and (not isinstance(node.ctx, ast.Load) or node.id not in taken | found.keys())
        ):
            found.setdefault(node.id, []).append(None)
    return found


def _is_plain(node: ast.AST, field: str, bound: Mapping[str, Sequence[ast.expr | None]]) -> bool:
    """Whether an arm is one that inputs without a value, or of another kind, are likely meant for."""
    if isinstance(node, ast.BoolOp):
        return _INSTEAD.fullmatch(ast.unparse(node)) is not None
    if isinstance(node, ast.If | ast.While | ast.IfExp):
        arm = getattr(node, field)
        # What only refuses gives nobody a wrong value.
        if isinstance(node, ast.If) and len(arm) == 1 and isinstance(arm[0], ast.Raise):
            return True
        if isinstance(node, ast.IfExp) and field == "orelse" and _leaves_others(node):
            return True
        guard = _GUARD.fullmatch(ast.unparse(node.test))
        name = next((one for one in guard.groupdict().values() if one), "") if guard else ""
        return bool(name) and (
            _gives_up(arm) or all(one is node or _is_same(one, bound, {name}) for one in bound.get(name, ()))
        )
    return False


def _gives_up(arm: ast.expr | Sequence[ast.stmt]) -> bool:
    """Whether an arm gives nothing."""
    value = arm if isinstance(arm, ast.expr) else getattr(arm[0], "value", None) if len(arm) == 1 else None
    is_given = isinstance(arm, ast.expr) or isinstance(arm[0], ast.Return)
    nothing = value is None or (isinstance(value, ast.Constant) and value.value in (None, ""))
    return is_given and (nothing or (isinstance(value, ast.List | ast.Dict) and not ast.unparse(value).strip("[]{}")))


def _is_same(node: ast.expr | None, bound: Mapping[str, Sequence[ast.expr | None]], seen: Collection[str]) -> bool:
    """Whether a value is an argument, or one in another form, with no word of the source in it."""
    match node:
        case ast.Name(id=name):
            return name in seen or all(_is_same(one, bound, {*seen, name}) for one in bound.get(name, ()))
        case ast.Constant(value=value):
            return not isinstance(value, str) or not re.search(r"\w", value)
        case ast.Call(func=ast.Attribute(value=of, attr=attr), args=args) if attr in _SAME:
            return all(_is_same(one, bound, seen) for one in (of, *args))
        case ast.Call(func=ast.Name(id=name), args=args) if name in _TYPES:
            return all(_is_same(one, bound, seen) for one in args)
        case ast.BoolOp(op=ast.Or(), values=args):
            return all(_is_same(one, bound, seen) for one in args)
    return False


def _leaves_others(node: ast.IfExp) -> bool:
    """Whether it changes signs of some kind and leaves others as they are: ``f(s) if "a" <= s <= "z" else s``."""
    signs = [one.value for one in ast.walk(node.test) if isinstance(one, ast.Constant)]
    same = isinstance(node.orelse, ast.Name) and node.orelse.id in ast.unparse(node.test).split()
    return same and all(isinstance(one, str) and len(one) == 1 for one in signs)
