"""What a function could remember from one call to the next, told from its source.

A skill is judged on rows in one order and then called in another. What it keeps between calls (in a value of its
module, a default of a parameter, an attribute of a function or a class) can be right on all rows of the judgement and
wrong in a table. So what can change and outlives a call may be read in the ways that are listed here, and nothing else
may be done with it. Every value has a depth: 0 cannot change, 1 holds only such, 2 holds some of depth 1.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator, Sequence
from itertools import chain

_CODE, _FLOWS, _DEEPEST = 0.5, 9.0, 4.0
"""Depths of functions, classes and modules; of an iterator, which no function may touch; and of all else at most."""
_READS = frozenset(
    """get items keys values index count copy isdisjoint issubset issuperset union intersection difference
    symmetric_difference most_common total elements""".split()
)
_TAKES = frozenset("""translate join extend update format startswith endswith union intersection difference issubset
    issuperset isdisjoint intersection_update difference_update symmetric_difference fromkeys index count""".split())
"""Methods of other values that only read what they are given, where that holds nothing that can change."""
_SAYS = frozenset("len str repr isinstance bool any all hash ascii type int float ord print".split())
_COPIES = frozenset("list tuple set dict frozenset enumerate zip reversed iter sum range bytes bytearray slice".split())
_CALLS = frozenset("map filter sorted min max".split())
"""Builtins that hand on what is in their arguments to functions."""
_MODULES = frozenset("math statistics bisect itertools json difflib copy fractions decimal datetime re string".split())
_WRITES = frozenset("insort insort_left insort_right accumulate starmap tee ChainMap Context getcontext".split())
_CONTAINERS = frozenset("Counter OrderedDict defaultdict deque".split())
_FIXED = frozenset(
    """re datetime decimal fractions zoneinfo math typing string types enum ipaddress calendar dataclasses uuid
    operator statistics collections.abc""".split()
)
"""Modules whose functions give, on import, what cannot change."""
_PLAIN = frozenset("frozenset tuple str int float bool bytes len sum min max ord chr round abs complex range".split())
_LISTS = frozenset("findall split rsplit splitlines maketrans".split())
_TEXTS = frozenset("strip lstrip rstrip lower upper title replace join format encode decode casefold".split())
_LASTING = frozenset("list dict set sorted bytearray".split())
_FUNCTION = (ast.FunctionDef, ast.Lambda)
_TYPES = frozenset(name for name in dir(builtins) if isinstance(getattr(builtins, name), type))


def state_changes(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Line and reason for each place where a function may change what outlives its call."""
    yield from _Lasting(tree).problems()


class _Lasting:
    """Follows what outlives a call through the functions of a module."""

    def __init__(self, tree: ast.Module) -> None:
        self._tree = tree
        nodes = list(ast.walk(tree))
        self._functions = {one.name: one for one in nodes if isinstance(one, ast.FunctionDef)}
        inside = {id(one) for each in nodes if isinstance(each, ast.ClassDef) for one in each.body}
        self._own = {name for name, one in self._functions.items() if id(one) not in inside}
        self._modules: dict[str, tuple[str, str]] = {}
        for one in nodes:
            if isinstance(one, ast.Import):
                self._modules |= {a.asname or a.name.split(".")[0]: (a.name, "") for a in one.names}
            elif isinstance(one, ast.ImportFrom):
                self._modules |= {a.asname or a.name: (one.module or "", a.name) for a in one.names}
        self._attributes: dict[str, float] = {}
        self._top: dict[str, float] = dict.fromkeys(self._modules, _CODE)
        self._given: dict[tuple[str, str], float] = {}
        self._gives: dict[str, float] = {}
        self._found: dict[tuple[int, str], None] = {}
        self._bind_body(tree.body, self._top)

    def _bind_body(self, body: Sequence[ast.stmt], known: dict[str, float]) -> None:
        """What a module or a class binds on import."""
        for node in body:
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                known[node.name] = _CODE
                if isinstance(node, ast.ClassDef):
                    inner = dict(known)
                    self._bind_body(node.body, inner)
                    new = {name: depth for name, depth in inner.items() if depth >= 1 and known.get(name) != depth}
                    self._attributes |= {name: max(depth, self._attributes.get(name, 0)) for name, depth in new.items()}
            elif isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                for target in targets:
                    _bind(target, self._made(node.value, known), known)

    def _made(self, node: ast.expr, known: dict[str, float]) -> float:
        """The depth of a value that lasts from when it is made."""
        match node:
            case ast.Name(id=name):
                return known.get(name, 0)
            case ast.Tuple(elts=parts) | ast.List(elts=parts) | ast.Set(elts=parts):
                held = max((self._made(part, known) for part in parts), default=0)
                return _in(held) if isinstance(node, ast.Tuple) else min(_DEEPEST, 1 + _whole(held))
            case ast.Dict(values=parts):
                return min(_DEEPEST, 1 + _whole(max((self._made(part, known) for part in parts), default=0)))
            case ast.ListComp() | ast.SetComp() | ast.DictComp():
                inner = dict(known)
                for one in node.generators:
                    _bind(one.target, _out(self._held(one.iter, inner)), inner, spread=True)
                return 1 + _whole(self._made(node.value if isinstance(node, ast.DictComp) else node.elt, inner))
            case ast.GeneratorExp():
                return _FLOWS
            case ast.Starred(value=value):
                return _out(self._made(value, known))
            case ast.Subscript(value=value, slice=part):
                depth = self._made(value, known)
                return depth if isinstance(part, ast.Slice) else _out(depth)
            case ast.BinOp(left=left, right=right):
                return max(self._made(left, known), self._made(right, known))
            case ast.BoolOp(values=parts):
                return max(self._made(part, known) for part in parts)
            case ast.IfExp(body=left, orelse=right):
                return max(self._made(left, known), self._made(right, known))
            case ast.Call():
                return self._made_by(node, known)
        return 0

    def _held(self, node: ast.expr, known: dict[str, float]) -> float:
        """The depth of what is used up as it is made."""
        depth = self._made(node, known)
        if depth < _FLOWS or not isinstance(node, ast.Call | ast.GeneratorExp):
            return depth
        if isinstance(node, ast.GeneratorExp):
            return self._made(ast.ListComp(elt=node.elt, generators=node.generators), known)
        return max([1, *(self._held(one, known) for one in (*node.args, *(k.value for k in node.keywords)))])

    def _made_by(self, node: ast.Call, known: dict[str, float]) -> float:
        module, name = self._named(node.func)
        values = [*node.args, *(one.value for one in node.keywords)]
        uses_up = not module and name in _PLAIN | _LASTING or name in _CONTAINERS | {"zip", "enumerate", "reversed"}
        of = self._held if uses_up else self._made
        held = max((of(value, known) for value in values), default=0)
        if isinstance(node.func, ast.Attribute) and not module:
            owner = self._made(node.func.value, known)
            if name in _LISTS or name in _READS:
                return max(1, owner) if name not in ("get", "index", "count") else _out(owner)
            return 0 if name in _TEXTS else _FLOWS
        if module == "itertools" or name in ("zip", "enumerate", "reversed", "iter", "map", "filter", "finditer"):
            return _FLOWS
        if name == "MappingProxyType":
            return held
        if not module and name in _PLAIN or module in _FIXED and name not in (*_LISTS, *_WRITES):
            return _in(_out(held)) if held >= 1 else 0
        if not module and name in _functions_of(self):
            return _whole(self._gives.get(name, 0))
        if name in ("namedtuple", "cmp_to_key", "itemgetter", "attrgetter", "partial", "property") and held < 1:
            return 0
        if module and name[:1].isupper() and name not in _CONTAINERS or module and name not in _LISTS | _CONTAINERS:
            return 1  # nobody knows what it keeps
        return max(1, held) if name in _LASTING | _LISTS | _CONTAINERS else _whole(held)

    def _named(self, node: ast.expr) -> tuple[str, str]:
        """The module that a name of a called function comes from, "" for none, and its last part."""
        if isinstance(node, ast.Name):
            module, name = self._modules.get(node.id, ("", ""))
            return module, name or node.id
        root = node
        while isinstance(root, ast.Attribute):
            root = root.value
        module = self._modules.get(root.id, ("", ""))[0] if isinstance(root, ast.Name) else ""
        return module, node.attr if isinstance(node, ast.Attribute) else ""

    def problems(self) -> list[tuple[int, str]]:
        """Every place where something that lasts may be changed."""
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
        wraps = {one.id for each in self._functions.values() for one in each.decorator_list if isinstance(one, ast.Name)}
        for name in wraps & self._functions.keys():
            for one in ast.walk(self._functions[name]):
                if isinstance(one, ast.Nonlocal):
                    self._report(one, one.names[0], "is changed")
        return list(self._found)

    def _report(self, node: ast.AST, name: str, how: str) -> None:
        self._found[getattr(node, "lineno", 1), f"{name} {how} and outlives the call"] = None

    def _function(self, function: ast.FunctionDef | ast.Lambda, around: dict[str, float]) -> None:
        parts, inner = list(_own_parts(function)), dict(around)
        for name in {one.id for one in parts if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)}:
            inner[name] = 0
        for one in parts:
            if isinstance(one, ast.Nonlocal):
                inner |= {name: around.get(name, 0) for name in one.names}
            elif isinstance(one, ast.FunctionDef | ast.ClassDef):
                inner[one.name] = 0
        own = function.name if isinstance(function, ast.FunctionDef) else ""
        takes = function.args
        for arg in (*takes.posonlyargs, *takes.args, *takes.kwonlyargs, takes.vararg, takes.kwarg):
            if arg is not None:
                inner[arg.arg] = self._given.get((own, arg.arg), 0)
        named = [*takes.posonlyargs, *takes.args]
        pairs = chain(zip(reversed(named), reversed(takes.defaults), strict=False), zip(takes.kwonlyargs, takes.kw_defaults, strict=True))
        for arg, value in pairs:
            if value is not None and around is self._top:
                inner[arg.arg] = max(inner[arg.arg], self._made(value, self._top))
        before = None
        while before != (before := dict(inner)):
            for one in parts:
                self._note(one, inner)
        for one in parts:
            if isinstance(one, _FUNCTION):
                self._function(one, inner)
            self._check(one, inner)
        if isinstance(function, ast.FunctionDef):
            gives = [self._depth(one.value, inner) for one in parts if isinstance(one, ast.Return | ast.Yield) and one.value]
            if any(self._named(one.func if isinstance(one, ast.Call) else one)[1] in ("lru_cache", "cache", "cached_property") for one in function.decorator_list):
                kept = dict(inner)
                for one in parts:
                    if isinstance(one, ast.Assign):
                        for target in one.targets:
                            _bind(target, self._made(one.value, kept), kept)
                gives += [self._made(one.value, kept) for one in parts if isinstance(one, ast.Return) and one.value]
            self._gives[own] = max([self._gives.get(own, 0), *gives])

    def _note(self, node: ast.AST, known: dict[str, float]) -> None:
        """What a node gives a name."""
        match node:
            case ast.Assign(targets=targets, value=value):
                for target in targets:
                    _bind(target, self._depth(value, known), known)
            case ast.AnnAssign(target=target, value=ast.expr() as value) | ast.NamedExpr(target=target, value=value):
                _bind(target, self._depth(value, known), known)
            case ast.For(target=target, iter=value) | ast.comprehension(target=target, iter=value):
                # the items of a table are made anew, and hold what it holds
                _bind(target, _out(self._depth(value, known)), known, spread=True)
            case ast.withitem(context_expr=value, optional_vars=ast.expr() as target):
                _bind(target, self._depth(value, known), known)
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
        self._given[function, name] = min(_FLOWS if depth >= _FLOWS else _DEEPEST, max(depth, self._given.get((function, name), 0)))

    def _check(self, node: ast.AST, known: dict[str, float]) -> None:
        match node:
            case ast.Name(id=name, ctx=ast.Load()) if known.get(name, 0) >= _FLOWS:
                self._report(node, name, "is used up")
            case ast.Attribute(value=value, ctx=ast.Store() | ast.Del()) | ast.Subscript(
                value=value, ctx=ast.Store() | ast.Del()
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
                elif self._depth(value, known) >= 1 and attr not in _READS:
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
        allowed |= module in _MODULES and name not in _WRITES and depth < 2
        allowed |= module == "collections" and name in _CONTAINERS and depth < 2
        if isinstance(node.func, ast.Attribute) and not module and name in _TAKES | _READS:
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
                return max(own, held if attr not in _READS else _out(held)) if held >= 1 else own
            case ast.Subscript(value=value, slice=part):
                depth = self._depth(value, known)
                return _fresh(depth) if isinstance(part, ast.Slice) else _out(depth)
            case ast.Tuple(elts=parts) | ast.List(elts=parts) | ast.Set(elts=parts):
                return _in(max((self._depth(part, known) for part in parts), default=0))
            case ast.Dict(values=parts):
                return _in(max((self._depth(part, known) for part in parts), default=0))
            case ast.ListComp(elt=part) | ast.SetComp(elt=part) | ast.GeneratorExp(elt=part) | ast.DictComp(value=part):
                return _in(self._depth(part, known))
            case ast.Starred(value=value) | ast.YieldFrom(value=value):
                return _out(self._depth(value, known))
            case ast.BoolOp(values=parts):
                return max(self._depth(part, known) for part in parts)
            case ast.IfExp(body=left, orelse=right):
                return max(self._depth(left, known), self._depth(right, known))
            case ast.BinOp(left=left, right=right):
                return _fresh(max(self._depth(left, known), self._depth(right, known)))
            case ast.NamedExpr(value=value):
                return self._depth(value, known)
            case ast.Call():
                return self._called(node, known)
        return 0

    def _called(self, node: ast.Call, known: dict[str, float]) -> float:
        module, name = self._named(node.func)
        if isinstance(node.func, ast.Name) and name in self._own:
            return _whole(self._gives.get(name, 0))
        held = max((self._depth(one, known) for one in (*node.args, *(k.value for k in node.keywords))), default=0)
        if isinstance(node.func, ast.Attribute) and not module:
            own = self._attributes.get(name, 0) if name not in _READS else 0
            depth = max(own, self._depth(node.func.value, known), _whole(self._gives.get(name, 0)))
            depth = depth if name in ("items", "values", "keys", "union") else _out(depth) if name in ("get", "index") else _fresh(depth)
            return max(_fresh(depth) if name == "keys" else depth, held if name == "get" else 0)
        if name in _SAYS:
            return 0
        if name in ("next", "min", "max"):
            return _out(held) if held >= 1 and len(node.args) < 2 else max(0, held if held >= 1 else 0)
        return _fresh(held)


def _functions_of(lasting: _Lasting) -> set[str]:
    return lasting._own


def _own_parts(function: ast.FunctionDef | ast.Lambda) -> Iterator[ast.AST]:
    """Every node of a function, without the insides of functions in it."""
    pending: list[ast.AST] = list(function.body) if isinstance(function, ast.FunctionDef) else [function.body]
    while pending:
        node = pending.pop(0)
        yield node
        if not isinstance(node, _FUNCTION):
            pending += ast.iter_child_nodes(node)


def _bind(target: ast.expr, depth: float, known: dict[str, float], *, spread: bool = False) -> None:
    if isinstance(target, ast.Tuple | ast.List):
        for one in target.elts:
            _bind(one, depth if spread else _out(depth), known, spread=spread)
    elif isinstance(target, ast.Starred):
        _bind(target.value, _in(depth), known)
    elif isinstance(target, ast.Name):
        known[target.id] = max(known.get(target.id, 0), depth)


def _whole(depth: float) -> float:
    return depth if depth >= 1 else 0


def _in(depth: float) -> float:
    """The depth of a new container of something."""
    return depth if depth >= _FLOWS else min(_DEEPEST, depth + 1) if depth >= 1 else 0


def _out(depth: float) -> float:
    """The depth of a part."""
    return depth if depth >= _FLOWS else max(0, depth - 1) if depth >= 1 else 0


def _fresh(depth: float) -> float:
    """The depth of a copy: its parts are the same ones."""
    return depth if depth >= 2 else 0


def _root(node: ast.AST) -> str:
    while isinstance(node, ast.Attribute | ast.Subscript | ast.Starred):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ast.unparse(node)[:40]
