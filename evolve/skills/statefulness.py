"""What a function could remember from one call to the next, told from its source.

A skill is judged on rows in one order and then called in another. What it keeps between calls (in a value of its
module, a default of a parameter, an attribute of a function or a class) can be right on all rows of the judgement and
wrong in a table. Only values that a call has made itself may be changed.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

_CHANGES = frozenset(
    (
        *("append", "extend", "insert", "remove", "pop", "clear", "sort", "reverse", "update", "setdefault", "popitem"),
        *("add", "discard", "appendleft", "extendleft", "popleft", "rotate", "subtract", "move_to_end", "send"),
        *("difference_update", "intersection_update", "symmetric_difference_update"),
    )
)
_HANDS_OUT = frozenset({"get", "setdefault", "pop", "values", "items", "next", "iter", "getattr"})
_FUNCTION = (ast.FunctionDef, ast.Lambda)


def state_changes(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Line and reason for each place where a function changes what outlives its call."""
    for node in tree.body:
        own = [node] if isinstance(node, ast.FunctionDef) else list(ast.walk(node))
        for function in own:
            if isinstance(function, _FUNCTION):
                yield from _of_function(function, frozenset())


def _of_function(function: ast.FunctionDef | ast.Lambda, around: frozenset[str]) -> Iterator[tuple[int, str]]:
    parts, inner = list(_own_parts(function)), []
    mine = around | _made_here(function, parts)
    for node in parts:
        if isinstance(node, _FUNCTION):
            inner.append(node)
        name = _changed(node)
        if name and name not in mine:
            yield getattr(node, "lineno", 1), f"{name} is changed and outlives the call"
    for one in inner:
        yield from _of_function(one, mine)


def _own_parts(function: ast.FunctionDef | ast.Lambda) -> Iterator[ast.AST]:
    """Every node of a function, without the insides of functions in it."""
    pending: list[ast.AST] = list(function.body) if isinstance(function, ast.FunctionDef) else [function.body]
    while pending:
        node = pending.pop(0)
        yield node
        if not isinstance(node, _FUNCTION):
            pending += ast.iter_child_nodes(node)


def _made_here(function: ast.FunctionDef | ast.Lambda, parts: list[ast.AST]) -> frozenset[str]:
    """Names that stand for arguments, or for what the call has made."""
    takes = function.args
    named = [*takes.posonlyargs, *takes.args]
    kept = {one.arg for one, value in zip(reversed(named), reversed(takes.defaults), strict=False) if _is_kept(value)}
    kept |= {
        one.arg for one, value in zip(takes.kwonlyargs, takes.kw_defaults, strict=True) if value and _is_kept(value)
    }
    every = [*named, *takes.kwonlyargs, *(one for one in (takes.vararg, takes.kwarg) if one)]
    bound = [node for node in parts if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)]
    made = {one.arg for one in every} | {node.id for node in bound}
    made |= {node.name for node in parts if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    made -= kept
    changed = True
    while changed:  # another name of what is kept is kept too
        other = {
            target.id
            for node in parts
            if isinstance(node, ast.Assign | ast.NamedExpr) and (root := _handed_out(node.value)) and root not in made
            for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
            if isinstance(target, ast.Name)
        }
        changed = bool(other & made)
        made -= other
    return frozenset(made)


def _is_kept(value: ast.expr) -> bool:
    return isinstance(value, ast.List | ast.Dict | ast.Set | ast.Call | ast.ListComp | ast.DictComp | ast.SetComp)


def _root(node: ast.AST) -> str:
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def _handed_out(value: ast.expr) -> str:
    """The name of what an expression gives as it is, or a part of."""
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr in _HANDS_OUT:
        return _root(value.func)
    if isinstance(value, ast.Subscript) and isinstance(value.slice, ast.Slice):
        return ""  # a copy
    return _root(value)


def _changed(node: ast.AST) -> str:
    """The name of what a node changes in place, or ""."""
    match node:
        case ast.Attribute(ctx=ast.Store() | ast.Del()) | ast.Subscript(ctx=ast.Store() | ast.Del()):
            return _root(node)
        case ast.Call(func=ast.Attribute(attr=attr) as called) if attr in _CHANGES:
            return _root(called)
        case ast.Call(func=ast.Name(id="next"), args=[first, *_]):
            return _root(first)
    return ""
