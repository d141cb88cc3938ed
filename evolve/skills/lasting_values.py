"""Which values of a module outlive a call of its functions, and how deep they can be changed.

Every value has a depth: 0 cannot change, 1 holds only such, 2 holds some of depth 1.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

_CODE, FLOWS, DEEPEST = 0.5, 9.0, 4.0
"""Depths of functions, classes and modules; of an iterator, which no function may touch; and of all else at most."""
READS = frozenset({
    "get", "items", "keys", "values", "index", "count", "copy", "isdisjoint", "issubset", "issuperset", "union",
    "intersection", "difference", "symmetric_difference", "most_common", "total", "elements",
})  # fmt: skip
WRITES = frozenset({
    "insort", "insort_left", "insort_right", "accumulate", "starmap", "tee", "ChainMap", "Context", "getcontext",
})  # fmt: skip
CONTAINERS = frozenset(["Counter", "OrderedDict", "defaultdict", "deque"])
_FIXED = frozenset({
    "re", "datetime", "decimal", "fractions", "zoneinfo", "math", "typing", "string", "types", "enum", "ipaddress",
    "calendar", "dataclasses", "uuid", "operator", "statistics", "collections.abc",
})  # fmt: skip
"""Modules whose functions give, on import, what cannot change."""
_PLAIN = frozenset({
    "frozenset", "tuple", "str", "int", "float", "bool", "bytes", "len", "sum", "min", "max", "ord", "chr", "round",
    "abs", "complex", "range",
})  # fmt: skip
_LISTS = frozenset(["findall", "split", "rsplit", "splitlines", "maketrans"])
_TEXTS = frozenset({
    "strip", "lstrip", "rstrip", "lower", "upper", "title", "replace", "join", "format", "encode", "decode",
    "casefold",
})  # fmt: skip
_LASTING = frozenset(["list", "dict", "set", "sorted", "bytearray"])


class LastingValues:
    """What a module binds when it is imported, by name, each with its depth."""

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
                    bind_name(target, self._made(node.value, known), known)

    def _made(self, node: ast.expr, known: dict[str, float]) -> float:
        """The depth of a value that lasts from when it is made."""
        match node:
            case ast.Name(id=name):
                return known.get(name, 0)
            case ast.Tuple(elts=parts) | ast.List(elts=parts) | ast.Set(elts=parts) | ast.Dict(values=parts):
                held = max((self._made(part, known) for part in parts), default=0)
                return depth_around(held) if isinstance(node, ast.Tuple) else min(DEEPEST, 1 + whole_depth(held))
            case ast.ListComp() | ast.SetComp() | ast.DictComp():
                inner = dict(known)
                for one in node.generators:
                    bind_name(one.target, depth_of_part(self._held(one.iter, inner)), inner, spread=True)
                return 1 + whole_depth(self._made(node.value if isinstance(node, ast.DictComp) else node.elt, inner))
            case ast.GeneratorExp():
                return FLOWS
            case ast.Starred(value=value):
                return depth_of_part(self._made(value, known))
            case ast.Subscript(value=value, slice=part):
                depth = self._made(value, known)
                return depth if isinstance(part, ast.Slice) else depth_of_part(depth)
            case ast.BinOp() | ast.BoolOp() | ast.IfExp():
                return max(self._made(part, known) for part in either_depth(node))
            case ast.Call():
                return self._made_by(node, known)
        return 0

    def _held(self, node: ast.expr, known: dict[str, float]) -> float:
        """The depth of what is used up as it is made."""
        depth = self._made(node, known)
        if depth < FLOWS or not isinstance(node, ast.Call | ast.GeneratorExp):
            return depth
        if isinstance(node, ast.GeneratorExp):
            return self._made(ast.ListComp(elt=node.elt, generators=node.generators), known)
        return max([1, *(self._held(one, known) for one in (*node.args, *(k.value for k in node.keywords)))])

    def _made_by(self, node: ast.Call, known: dict[str, float]) -> float:
        module, name = self._named(node.func)
        values = [*node.args, *(one.value for one in node.keywords)]
        uses_up = (not module and name in _PLAIN | _LASTING) or name in CONTAINERS | {"zip", "enumerate", "reversed"}
        of = self._held if uses_up else self._made
        held = max((of(value, known) for value in values), default=0)
        if isinstance(node.func, ast.Attribute) and not module:
            owner = self._made(node.func.value, known)
            if name in _LISTS or name in READS:
                return max(1, owner) if name not in ("get", "index", "count") else depth_of_part(owner)
            return 0 if name in _TEXTS else FLOWS
        if module == "itertools" or name in ("zip", "enumerate", "reversed", "iter", "map", "filter", "finditer"):
            return FLOWS
        if name == "MappingProxyType":
            return held
        if (not module and name in _PLAIN) or (module in _FIXED and name not in (*_LISTS, *WRITES)):
            return depth_around(depth_of_part(held)) if held >= 1 else 0
        if not module and name in self._own:
            return whole_depth(self._gives.get(name, 0))
        if name in ("namedtuple", "cmp_to_key", "itemgetter", "attrgetter", "partial", "property") and held < 1:
            return 0
        if (module and name[:1].isupper() and name not in CONTAINERS) or (module and name not in _LISTS | CONTAINERS):
            return 1  # nobody knows what it keeps
        return max(1, held) if name in _LASTING | _LISTS | CONTAINERS else whole_depth(held)

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


def bind_name(target: ast.expr, depth: float, known: dict[str, float], *, spread: bool = False) -> None:
    if isinstance(target, ast.Tuple | ast.List):
        for one in target.elts:
            bind_name(one, depth if spread else depth_of_part(depth), known, spread=spread)
    elif isinstance(target, ast.Starred):
        bind_name(target.value, depth_around(depth), known)
    elif isinstance(target, ast.Name):
        known[target.id] = max(known.get(target.id, 0), depth)


def either_depth(node: ast.BoolOp | ast.BinOp | ast.IfExp | ast.NamedExpr) -> Sequence[ast.expr]:
    """The parts of an expression of which its value is one, or made."""
    match node:
        case ast.BoolOp(values=parts):
            return parts
        case ast.IfExp(body=left, orelse=right) | ast.BinOp(left=left, right=right):
            return (left, right)
        case ast.NamedExpr(value=value):
            return (value,)


def whole_depth(depth: float) -> float:
    return depth if depth >= 1 else 0


def depth_around(depth: float) -> float:
    """The depth of a new container of something."""
    return depth if depth >= FLOWS else min(DEEPEST, depth + 1) if depth >= 1 else 0


def depth_of_part(depth: float) -> float:
    """The depth of a part."""
    return depth if depth >= FLOWS else max(0, depth - 1) if depth >= 1 else 0


def depth_of_copy(depth: float) -> float:
    """The depth of a copy: its parts are the same ones."""
    return depth if depth >= 2 else 0
