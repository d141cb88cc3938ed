"""Readable Python from a term.

Every operation's template is parsed once and its placeholders are replaced by the
arguments' syntax trees, so parentheses are always right. Lambdas are inlined into
comprehensions; sub-terms used twice, and parts of long lines, become named variables.
"""

from __future__ import annotations

import ast
import builtins
import inspect
import keyword
import re
import textwrap
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

from evolve.policies.search.programs.operation import Operation
from evolve.policies.search.programs.terms import Apply, Bound, Constant, Input, Lambda, Term, children, size, walk
from evolve.policies.search.programs.types import thaw_value


@lru_cache(maxsize=4096)
def _parsed(template: str) -> ast.expr:
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


def _unwrapped(function: ast.Lambda) -> ast.expr:
    """``max`` for ``lambda x, y: max(x, y)``."""
    match function.body, [a.arg for a in function.args.args]:
        case ast.Call(func=ast.Name() as called, args=args, keywords=[]), names if [*map(ast.unparse, args)] == names:
            return called
    return function


def _raw_string(pattern: str) -> ast.expr:
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


def _local_names(tree: ast.expr) -> frozenset[str]:
    """Names that a template's comprehensions and lambdas bind."""
    return _locals_of(ast.unparse(tree))


def _simplified(node: ast.expr) -> ast.expr:
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


LINE = 88
"""Longest expression, in characters, that stays on one line."""

MODULES = (
    "calendar",
    "csv",
    "datetime",
    "decimal",
    "functools",
    "itertools",
    "json",
    "math",
    "re",
    "statistics",
    "unicodedata",
    "urllib.parse",
)
"""Modules of the standard library that answers may import; names are the part before a dot."""

_ROOTS = frozenset(module.split(".")[0] for module in MODULES)


@dataclass(frozen=True, kw_only=True)
class FunctionHeading:
    """Name, parameters and words of the function to print.

    Attributes:
        entry: Function name.
        params: Parameter names in order.
        param_types: Python annotations of the parameters.
        result_type: Python annotation of the result.
        doc: One sentence.
    """

    entry: str
    params: tuple[str, ...]
    param_types: tuple[str, ...]
    result_type: str
    doc: str


def render(term: Term, heading: FunctionHeading, operations: Mapping[str, Operation]) -> str:
    """A module that defines ``heading.entry``, with the imports and helpers it needs.

    The source uses only the standard library and runs by itself.
    """
    heading = replace(heading, params=_free_parameters(term, heading.params, operations))
    support = support_of(term, operations)
    renamed = _renamed(heading, support)
    writer = _Writer(operations, heading.params, renamed, frozenset(f.__name__ for f in support))
    result = writer.expression(term)
    lines = [*writer.statements, f"return {result}"]
    params = ", ".join(f"{p}: {t}" for p, t in zip(heading.params, heading.param_types, strict=True))
    definition = [f"def {heading.entry}({params}) -> {heading.result_type}:", f"    {_docstring(heading.doc)}"]
    body = "\n".join([*definition, *(f"    {line}" for line in lines)])
    helpers = [_with_names(_source(f), renamed) for f in support]
    text = "\n\n\n".join([*helpers, body])
    imports = _imports(text)
    return "\n".join(imports) + ("\n\n\n" if imports else "") + text + "\n"


def _docstring(text: str) -> str:
    """``text`` between triple quotes, on one line, whatever characters it holds."""
    shown = text.replace("\\", "\\\\").replace('"""', "'''")
    shown = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in shown)
    return f'"""{shown[:-1]}\\""""' if shown.endswith('"') else f'"""{shown}"""'


def _free_parameters(term: Term, params: tuple[str, ...], operations: Mapping[str, Operation]) -> tuple[str, ...]:
    """The parameters' names; those that would hide a name the expression calls get an underscore."""
    called = {
        node.id
        for part in walk(term)
        if isinstance(part, Apply)
        for node in ast.walk(_parsed(operations[part.operation].template))
        if isinstance(node, ast.Name) and (hasattr(builtins, node.id) or node.id == "Counter")
    }
    names = []
    for name in params:
        shown = name
        while shown in called or (shown != name and shown in params):
            shown += "_"
        names.append(shown)
    return tuple(names)


def support_of(term: Term, operations: Mapping[str, Operation]) -> list[Callable[..., Any]]:
    """The support functions the term needs, dependencies first, without repeats."""
    functions: dict[str, Callable[..., Any]] = {}
    for part in walk(term):
        if isinstance(part, Apply):
            for function in operations[part.operation].support:
                functions.setdefault(function.__name__, function)
    return list(functions.values())


def _source(function: Callable[..., Any]) -> str:
    """A support function's source; learned skills carry theirs as ``__skill_source__``."""
    text = getattr(function, "__skill_source__", None)
    return str(text).strip() if text else textwrap.dedent(inspect.getsource(function)).strip()


def _renamed(heading: FunctionHeading, support: Sequence[Callable[..., Any]]) -> dict[str, str]:
    """New names for helpers and modules that the heading's own names would hide."""
    own = {heading.entry, *heading.params}
    helpers = {f.__name__: f"{f.__name__}_of" for f in support if f.__name__ in own}
    return {**helpers, **{root: f"{root}_module" for root in _ROOTS if root in own}}


def _with_names(source: str, renamed: Mapping[str, str]) -> str:
    """A helper's source with the helpers it defines and calls renamed."""
    for old, new in renamed.items():
        if old not in _ROOTS:
            source = re.sub(rf"\b{old}\b(?=\()", new, source)
    return source


def _imports(text: str) -> list[str]:
    tree = ast.parse(text)
    used: set[str] = set()
    for part in tree.body:
        hidden = {a.arg for a in ast.walk(part) if isinstance(a, ast.arg)}
        names = {n.value.id for n in ast.walk(part) if isinstance(n, ast.Attribute) and isinstance(n.value, ast.Name)}
        used |= names - hidden
        used |= {_annotated(n) for n in ast.walk(part) if isinstance(n, ast.arg) and n.annotation is not None}
    names = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name)}
    lines = [f"import {m}" for m in MODULES if m.split(".")[0] in used]
    for module in MODULES:
        root = module.split(".")[0]
        if f"{root}_module" in used:
            lines += [f"import {module}"] * (root != module) + [f"import {root} as {root}_module"]
    sources = {"Counter": "collections", "Callable": "collections.abc", "Any": "typing"}
    return lines + [f"from {module} import {name}" for name, module in sources.items() if name in names]


def _annotated(argument: ast.arg) -> str:
    """The module that a parameter's annotation names, or ""."""
    hint = argument.annotation
    return hint.value.id if isinstance(hint, ast.Attribute) and isinstance(hint.value, ast.Name) else ""


@dataclass
class _Writer:
    """Turns one term into statements and a final expression."""

    operations: Mapping[str, Operation]
    params: tuple[str, ...]
    renamed: Mapping[str, str]
    helpers: frozenset[str]
    statements: list[str] = field(default_factory=list)

    def expression(self, term: Term) -> str:
        expander = _Expander(self.operations, self.params, renamed=self.renamed)
        # Smallest first, so that larger shared parts are written with the names of smaller ones.
        # Sub-terms of three nodes or more that are used twice and always computed, smallest first
        uses: Counter[Term] = Counter()
        _count_uses(term, uses)
        always = {t for t in _always_computed(term, ()) if t != term}
        for shared in sorted((t for t, n in uses.items() if n > 1 and t in always and size(t) >= 3), key=size):
            self._assign(expander, shared)
        return self._line(expander, term)

    def _line(self, expander: _Expander, term: Term) -> str:
        """The term's text, with parts named before it where it is too long."""
        text = ast.unparse(expander.node(term, ()))
        while len(text) > LINE and (part := _largest_part(term, expander.names)) is not None:
            self._assign(expander, part)
            text = ast.unparse(expander.node(term, ()))
        return text

    def _assign(self, expander: _Expander, part: Term) -> None:
        value = self._line(expander, part)
        noun = self.operations[part.operation].noun if isinstance(part, Apply) else ""
        taken = {*self.params, *expander.names.values(), *_ROOTS, *self.helpers, *self.renamed.values()}
        name = _free_name(noun or _noun_of(part), taken)
        expander.names[part] = name
        self.statements.append(f"{name} = {value}")


def _noun_of(part: Term) -> str:
    return part.operation if isinstance(part, Apply) and len(part.operation) <= 14 else "part"


def _free_name(noun: str, taken: set[str]) -> str:
    name, number = noun, 2
    while name in taken or keyword.iskeyword(name) or hasattr(builtins, name):
        name, number = f"{noun}_{number}", number + 1
    return name


def _count_uses(term: Term, uses: Counter[Term]) -> None:
    """Counts each sub-term's uses; parts of a repeated one are used by it only once."""
    uses[term] += 1
    if uses[term] == 1:
        for child in children(term):
            _count_uses(child, uses)


def _always_computed(term: Term, named: Collection[Term]) -> Iterator[Term]:
    """Applications that are computed on every input, parents first; none inside a part that has a name.

    A part of a lambda's body may have no value, and is not computed where there are no items.
    """
    if isinstance(term, Apply):
        yield term
        for arg in term.args:
            if arg not in named:
                yield from _always_computed(arg, named)


def _largest_part(term: Term, named: Collection[Term]) -> Term | None:
    """The part that splits a long line most evenly."""
    weights = {t: _weight(t, named) for t in _always_computed(term, named) if t != term}
    half = _weight(term, named) / 2
    return min((t for t, w in weights.items() if w >= 3), key=lambda t: abs(weights[t] - half), default=None)


def _weight(term: Term, named: Collection[Term]) -> int:
    """The number of nodes, a named part counting as one."""
    return int(not isinstance(term, Lambda)) + sum(
        1 if child in named else _weight(child, named) for child in children(term)
    )


@dataclass
class _Expander:
    """Turns terms into expression trees."""

    operations: Mapping[str, Operation]
    params: tuple[str, ...]
    names: dict[Term, str] = field(default_factory=dict)
    renamed: Mapping[str, str] = field(default_factory=dict)

    def node(self, term: Term, bound: tuple[ast.expr, ...]) -> ast.expr:
        """The expression of ``term``; ``bound`` are the current lambda's arguments."""
        if term in self.names:
            return ast.Name(self.names[term])
        match term:
            case Input(index):
                return ast.Name(self.params[index])
            case Bound(index):
                return deepcopy(bound[index])
            case Constant(value, type_):
                return (
                    _raw_string(value)
                    if type_.name == "pattern"
                    else ast.parse(repr(thaw_value(value)), mode="eval").body
                )
            case Lambda(params, body):
                taken = self._taken(())
                names = [_free_name(name, taken) for name in ("x", "y", "z")[: len(params)]]
                args = ast.arguments([], [ast.arg(n) for n in names], None, [], [], None, [])
                return _unwrapped(ast.Lambda(args, self.node(body, tuple(ast.Name(n) for n in names))))
            case Apply(name, args):
                return self._call(self.operations[name].template, args, bound)

    def _call(self, template: str, args: tuple[Term, ...], bound: tuple[ast.expr, ...]) -> ast.expr:
        # A template is parsed once for all, and the transformers below change nodes in place.
        tree = deepcopy(_parsed(template))
        taken = self._taken(bound)
        clashes = {name: _free_name(name, {*taken, *_local_names(tree)}) for name in _local_names(tree) & taken}
        if clashes or self.renamed:
            tree = Renamer({**self.renamed, **clashes}).visit(tree)
        return _simplified(_Filler(self, args, bound).visit(tree))

    def _taken(self, bound: tuple[ast.expr, ...]) -> set[str]:
        """Names that a comprehension of a template must not hide."""
        outer = {n.id for e in bound for n in ast.walk(e) if isinstance(n, ast.Name)}
        return {*self.params, *self.names.values(), *outer}


class _Filler(ast.NodeTransformer):
    """Replaces ``a0, a1, ...`` in a template by the arguments' expressions."""

    def __init__(self, expander: _Expander, args: tuple[Term, ...], bound: tuple[ast.expr, ...]) -> None:
        self.expander, self.args, self.bound = expander, args, bound

    def _argument(self, name: str) -> Term | None:
        if name[0] == "a" and name[1:].isdigit():
            return self.args[int(name[1:])]
        return None

    def visit_Name(self, node: ast.Name) -> ast.expr:
        term = self._argument(node.id)
        return self.expander.node(term, self.bound) if term is not None else node

    def visit_Call(self, node: ast.Call) -> ast.expr:
        if isinstance(node.func, ast.Name):
            term = self._argument(node.func.id)
            if isinstance(term, Lambda):
                values = tuple(self.visit(a) for a in node.args)
                return self.expander.node(term.body, values)
        self.generic_visit(node)
        return node
