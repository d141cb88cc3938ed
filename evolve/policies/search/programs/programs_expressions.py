"""Syntax trees of Python expressions: templates that are parsed once, names that change, forms that read better."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from functools import lru_cache


@lru_cache(maxsize=4096)
def parsed(template: str) -> ast.expr:
    """The tree of a template, one for all who ask: whoever changes it copies it first."""
    return ast.parse(template, mode="eval").body


class Renamer(ast.NodeTransformer):
    """Replaces names in a template: its own variables, and helpers and modules that were renamed."""

    def __init__(self, new: Mapping[str, str]) -> None:
        self.new = new

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return ast.Name(self.new.get(node.id, node.id), node.ctx)

    def visit_arg(self, node: ast.arg) -> ast.arg:
        return ast.arg(self.new.get(node.arg, node.arg))


def unwrapped(function: ast.Lambda) -> ast.expr:
    """``max`` for ``lambda x, y: max(x, y)``."""
    match function.body, [a.arg for a in function.args.args]:
        case ast.Call(func=ast.Name() as called, args=args, keywords=[]), names if [*map(ast.unparse, args)] == names:
            return called
    return function


def raw_string(pattern: str) -> ast.expr:
    """A regular expression as a raw string, where Python can write it so."""
    if "\\" not in pattern or pattern.endswith("\\") or "\n" in pattern or ("'" in pattern and '"' in pattern):
        return ast.Constant(pattern)
    quote = '"' if "'" in pattern else "'"
    return ast.Name(f"r{quote}{pattern}{quote}")


@lru_cache(maxsize=4096)
def _locals_of(text: str) -> frozenset[str]:
    tree = ast.parse(text, mode="eval")
    stored = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    return frozenset(stored | {n.arg for n in ast.walk(tree) if isinstance(n, ast.arg)})


def local_names(tree: ast.expr) -> frozenset[str]:
    """Names that a template's comprehensions and lambdas bind."""
    return _locals_of(ast.unparse(tree))


def simplified(node: ast.expr) -> ast.expr:
    """Joins ``[f(x) for x in [x for x in xs if p(x)]]`` into one comprehension; unwraps list(list)."""
    if isinstance(node, (ast.ListComp, ast.GeneratorExp)) and len(node.generators) == 1:
        outer = node.generators[0]
        inner = outer.iter
        if (
            isinstance(inner, ast.ListComp)
            and len(inner.generators) == 1
            and isinstance(inner.elt, ast.Name)
            and isinstance(inner.generators[0].target, ast.Name)
            and inner.elt.id == inner.generators[0].target.id == getattr(outer.target, "id", None)
        ):
            outer.iter = inner.generators[0].iter
            outer.ifs = [*inner.generators[0].ifs, *outer.ifs]
    if isinstance(node, ast.Call) and len(node.args) == 3 and isinstance(node.args[1], ast.Lambda):
        body = node.args[1].body
        # As the replacement of `re.sub` a text needs no function, unless a backslash in it would be read as an escape.
        if isinstance(body, ast.Constant) and isinstance(body.value, str) and "\\" not in body.value:
            node.args[1] = body
    if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "list" and [*map(_is_list, node.args)] == [True]:
        return node.args[0]
    return node


def _is_list(node: ast.expr) -> bool:
    called = getattr(node.func, "id", "") if isinstance(node, ast.Call) else ""
    return isinstance(node, ast.ListComp | ast.List) or called in {"sorted", "list"}
