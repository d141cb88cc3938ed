"""What a function could remember from one call to the next, told from its source.

A skill is judged on rows in one order and then called in another. What it keeps between calls (in a value of its
module, a default of a parameter, an attribute of a function or a class) can be right on all rows of the judgement and
wrong in a table. So what can change and outlives a call may be read in the ways that are listed here, and nothing else
may be done with it.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator, Sequence
from itertools import chain

from evolve.skills.lasting_values import (
    CONTAINERS,
    DEEPEST,
    FLOWS,
    READS,
    WRITES,
    LastingValues,
    bind_name,
    depth_around,
    depth_of_copy,
    depth_of_part,
    either_depth,
    whole_depth,
)

_TAKES = frozenset({
    "translate", "join", "extend", "update", "format", "startswith", "endswith", "union", "intersection",
    "difference", "issubset", "issuperset", "isdisjoint", "intersection_update", "difference_update",
    "symmetric_difference", "fromkeys", "index", "count",
})  # fmt: skip
"""Methods of other values that only read what they are given, where that holds nothing that can change."""
_SAYS = frozenset({
    "len", "str", "repr", "isinstance", "bool", "any", "all", "hash", "ascii", "type", "int", "float", "ord",
    "print",
})  # fmt: skip
_COPIES = frozenset({
    "list", "tuple", "set", "dict", "frozenset", "enumerate", "zip", "reversed", "iter", "sum", "range", "bytes",
    "bytearray", "slice",
})  # fmt: skip
_CALLS = frozenset(["map", "filter", "sorted", "min", "max"])
"""Builtins that hand on what is in their arguments to functions."""
_MODULES = frozenset({
    "math", "statistics", "bisect", "itertools", "json", "difflib", "copy", "fractions", "decimal", "datetime",
    "re", "string",
})  # fmt: skip
_FUNCTION = (ast.FunctionDef, ast.Lambda)
_TYPES = frozenset(name for name in dir(builtins) if isinstance(getattr(builtins, name), type))


class StateChanges(LastingValues):
    """Follows what outlives a call through the functions of a module."""

    def problems(self) -> list[tuple[int, str]]:
        """Line and reason for each place where a function may change what outlives its call."""
        before = None
        while before != (before := (dict(self._given), dict(self._gives))):
            self._found.clear()
            for node in self._tree.body:
                if isinstance(node, ast.FunctionDef):
                    self._function(node, self._top)
                    continue
                for one in ast.walk(node):
                    if isinstance(one, _FUNCTION):
                        self._function(one, self._top)
        wraps = {
            one.id for each in self._functions.values() for one in each.decorator_list if isinstance(one, ast.Name)
        }
        for name in wraps & self._functions.keys():
            for one in ast.walk(self._functions[name]):
                if isinstance(one, ast.Nonlocal):
                    self._report(one, one.names[0], "is changed")
        return list(self._found)

    def _report(self, node: ast.AST, name: str, how: str) -> None:
        self._found[getattr(node, "lineno", 1), f"{name} {how} and outlives the call"] = None

    def _function(self, function: ast.FunctionDef | ast.Lambda, around: dict[str, float]) -> None:
        parts, before = list(_own_parts(function)), None
        inner = self._scope(function, parts, around)
        while before != (before := dict(inner)):
            for one in parts:
                self._note(one, inner)
        for one in parts:
            if isinstance(one, _FUNCTION):
                self._function(one, inner)
            self._check(one, inner)
        if isinstance(function, ast.FunctionDef):
            gives = self._returned(function, parts, inner)
            self._gives[function.name] = max([self._gives.get(function.name, 0), *gives])

    def _scope(
        self, function: ast.FunctionDef | ast.Lambda, parts: Sequence[ast.AST], around: dict[str, float]
    ) -> dict[str, float]:
        """What each name of a function stands for before its first line."""
        inner = dict(around)
        inner |= {one.id: 0 for one in parts if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)}
        for one in parts:
            if isinstance(one, ast.Nonlocal):
                inner |= {name: around.get(name, 0) for name in one.names}
            elif isinstance(one, ast.FunctionDef | ast.ClassDef):
                inner[one.name] = 0
        own, takes = getattr(function, "name", ""), function.args
        named = [*takes.posonlyargs, *takes.args]
        rest = [one for one in (takes.vararg, takes.kwarg) if one is not None]
        inner |= {one.arg: self._given.get((own, one.arg), 0) for one in (*named, *takes.kwonlyargs, *rest)}
        defaults = zip(reversed(named), reversed(takes.defaults), strict=False)
        for arg, value in chain(defaults, zip(takes.kwonlyargs, takes.kw_defaults, strict=True)):
            if value is not None and around is self._top:
                inner[arg.arg] = max(inner[arg.arg], self._made(value, self._top))
        return inner

    def _returned(
        self, function: ast.FunctionDef, parts: Sequence[ast.AST], inner: dict[str, float]
    ) -> Iterator[float]:
        """How deep what it gives can be changed; what a cache keeps lasts as a whole."""
        given = [one for one in parts if isinstance(one, ast.Return | ast.Yield)]
        yield from (self._depth(one.value, inner) for one in given if one.value)
        wraps = [one.func if isinstance(one, ast.Call) else one for one in function.decorator_list]
        if not any(self._named(one)[1] in ("lru_cache", "cache", "cached_property") for one in wraps):
            return
        kept = dict(inner)
        for one in parts:
            if isinstance(one, ast.Assign):
                for target in one.targets:
                    bind_name(target, self._made(one.value, kept), kept)
        yield from (self._made(one.value, kept) for one in given if isinstance(one, ast.Return) and one.value)

    def _note(self, node: ast.AST, known: dict[str, float]) -> None:
        """What a node gives a name."""
        match node:
            case ast.Assign(targets=targets, value=value):
                for target in targets:
                    bind_name(target, self._depth(value, known), known)
            case ast.AnnAssign(target=target, value=ast.expr() as value) | ast.NamedExpr(target=target, value=value):
                bind_name(target, self._depth(value, known), known)
            case ast.For(target=target, iter=value) | ast.comprehension(target=target, iter=value):
                # the items of a table are made anew, and hold what it holds
                bind_name(target, depth_of_part(self._depth(value, known)), known, spread=True)
            case ast.withitem(context_expr=value, optional_vars=ast.expr() as target):
                bind_name(target, self._depth(value, known), known)
            case ast.Match(subject=value, cases=cases):
                depth = self._depth(value, known)
                for one in (part for case in cases for part in ast.walk(case.pattern)):
                    name = getattr(one, "name", None) or getattr(one, "rest", None)
                    if name:
                        known[name] = max(known.get(name, 0), depth)
            case ast.Call(func=ast.Name(id=name)) if name in self._own:
                self._hand_over(node, self._functions[name], known)

    def _hand_over(self, node: ast.Call, function: ast.FunctionDef, known: dict[str, float]) -> None:
        takes = function.args
        names = [one.arg for one in (*takes.posonlyargs, *takes.args)]
        rest = [one.arg for one in (takes.vararg, takes.kwarg) if one]
        for place, value in enumerate(node.args):
            depth = self._depth(value, known)
            to = names[place:] + rest if isinstance(value, ast.Starred) else names[place : place + 1] or rest
            for name in to:
                self._give(function.name, name, depth + (name in rest and depth > 0))
        for one in node.keywords:
            depth = self._depth(one.value, known)
            for name in [one.arg] if one.arg else [*names, *(arg.arg for arg in takes.kwonlyargs), *rest]:
                self._give(function.name, name, depth)

    def _give(self, function: str, name: str, depth: float) -> None:
        self._given[function, name] = min(
            FLOWS if depth >= FLOWS else DEEPEST, max(depth, self._given.get((function, name), 0))
        )

    def _check(self, node: ast.AST, known: dict[str, float]) -> None:
        match node:
            case ast.Name(id=name, ctx=ast.Load()) if known.get(name, 0) >= FLOWS:
                self._report(node, name, "is used up")
            case (
                ast.Attribute(value=value, ctx=ast.Store() | ast.Del())
                | ast.Subscript(value=value, ctx=ast.Store() | ast.Del())
            ) if self._depth(value, known) > 0:
                self._report(node, _root(value), "is changed")
            case ast.AugAssign(target=target) if self._depth(target, known) >= 1:
                self._report(node, _root(target), "is changed")
            case ast.Assign(targets=targets, value=value) if self._depth(value, known) >= 1:
                if any(not isinstance(one, ast.Name | ast.Tuple | ast.List) for one in targets):
                    self._report(node, _root(value), "is kept elsewhere")
            case ast.Attribute(value=value, attr=attr, ctx=ast.Load()):
                if attr in ("cache_info", "cache_parameters"):
                    self._report(node, _root(value), "counts its calls")
                elif self._depth(value, known) >= 1 and attr not in READS:
                    self._report(node, _root(value), f"may be changed by {attr}")
            case ast.Call():
                self._check_call(node, known)

    def _check_call(self, node: ast.Call, known: dict[str, float]) -> None:
        values = [*node.args, *(one.value for one in node.keywords)]
        deepest = max(values, key=lambda value: self._depth(value, known), default=None)
        depth = 0 if deepest is None else self._depth(deepest, known)
        if depth < 1 or deepest is None:
            return
        module, name = self._named(node.func)
        builtin = isinstance(node.func, ast.Name) and not module and name not in known
        allowed = builtin and (name in _SAYS | _COPIES or (name in _CALLS and depth < 2))
        allowed |= isinstance(node.func, ast.Name) and name in self._own
        allowed |= module in _MODULES and name not in WRITES and depth < 2
        allowed |= module == "collections" and name in CONTAINERS and depth < 2
        if isinstance(node.func, ast.Attribute) and not module and name in _TAKES | READS:
            of = node.func.value
            allowed |= depth < 2 and not (isinstance(of, ast.Name) and of.id in _TYPES and name != "fromkeys")
        if builtin and name == "next":
            self._report(node, _root(deepest), "is changed")
        elif not allowed:
            self._report(node, _root(deepest), f"is handed to {ast.unparse(node.func)[:40]}")

    def _depth(self, node: ast.expr, known: dict[str, float]) -> float:
        """How deep what outlives the call stands in a value; 0 where none can."""
        match node:
            case ast.Name(id=name):
                return known.get(name, 0)
            case ast.Attribute(value=value, attr=attr):
                own = self._attributes.get(attr, 0)
                held = self._depth(value, known)
                return max(own, held if attr not in READS else depth_of_part(held)) if held >= 1 else own
            case ast.Subscript(value=value, slice=part):
                depth = self._depth(value, known)
                return depth_of_copy(depth) if isinstance(part, ast.Slice) else depth_of_part(depth)
            case ast.Tuple(elts=parts) | ast.List(elts=parts) | ast.Set(elts=parts) | ast.Dict(values=parts):
                return depth_around(max((self._depth(part, known) for part in parts), default=0))
            case ast.ListComp(elt=part) | ast.SetComp(elt=part) | ast.GeneratorExp(elt=part) | ast.DictComp(value=part):
                return depth_around(self._depth(part, known))
            case ast.Starred(value=value) | ast.YieldFrom(value=value):
                return depth_of_part(self._depth(value, known))
            case ast.BinOp() | ast.BoolOp() | ast.IfExp() | ast.NamedExpr():
                depth = max(self._depth(part, known) for part in either_depth(node))
                return depth_of_copy(depth) if isinstance(node, ast.BinOp) else depth
            case ast.Call():
                return self._called(node, known)
        return 0

    def _called(self, node: ast.Call, known: dict[str, float]) -> float:
        module, name = self._named(node.func)
        if isinstance(node.func, ast.Name) and name in self._own:
            return whole_depth(self._gives.get(name, 0))
        held = max((self._depth(one, known) for one in (*node.args, *(k.value for k in node.keywords))), default=0)
        if isinstance(node.func, ast.Attribute) and not module:
            own = self._attributes.get(name, 0) if name not in READS else 0
            depth = max(own, self._depth(node.func.value, known), whole_depth(self._gives.get(name, 0)))
            depth = (
                depth
                if name in ("items", "values", "keys", "union")
                else depth_of_part(depth)
                if name in ("get", "index")
                else depth_of_copy(depth)
            )
            return max(depth_of_copy(depth) if name == "keys" else depth, held if name == "get" else 0)
        if name in _SAYS:
            return 0
        if name in ("next", "min", "max"):
            return depth_of_part(held) if held >= 1 and len(node.args) < 2 else max(0, held if held >= 1 else 0)
        return depth_of_copy(held)


def _own_parts(function: ast.FunctionDef | ast.Lambda) -> Iterator[ast.AST]:
    """Every node of a function, without the insides of functions in it."""
    pending: list[ast.AST] = list(function.body) if isinstance(function, ast.FunctionDef) else [function.body]
    while pending:
        node = pending.pop(0)
        yield node
        if not isinstance(node, _FUNCTION):
            pending += ast.iter_child_nodes(node)


def _root(node: ast.AST) -> str:
    while isinstance(node, ast.Attribute | ast.Subscript | ast.Starred):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ast.unparse(node)[:40]
