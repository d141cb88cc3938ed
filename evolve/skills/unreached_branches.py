"""Cuts out of a program what no row bears: arms that are taken for a value that no row has.

A test that is right on every row says nothing of ``if least == 7919: return [13]``. What such a condition compares with
is a literal that no row holds, and the program gives the same on all rows without it. Arms for None, for what is empty,
for zero and for types are likely meant for inputs that rows leave out: they stay, and are told as untested.
Where the values of some conditions are known, what can be run no more goes.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evolve.core.episodes import Json, Row
from evolve.core.files import canonical_json
from evolve.runtime.sandbox import Outcome
from evolve.skills.lint.constants import ConstantTooLarge, NotConstant, evaluate_node, top_level_constants
from evolve.skills.mutants import arm_texts, without_arms


class _Folding(ast.NodeTransformer):
    """Works out conditions.

    Args:
        known: By the id of a node: the value of an expression, or None for a case that is left out.
    """

    def __init__(self, known: Mapping[int, bool | None]) -> None:
        self._known = known

    def visit(self, node: ast.AST) -> Any:
        if id(node) in self._known:
            value = self._known[id(node)]
            return None if value is None else ast.Constant(value=value)
        done = super().visit(node)
        for field in ("body", "orelse", "finalbody"):
            block = getattr(done, field, None)
            if isinstance(block, list) and not isinstance(done, ast.Module | ast.Lambda):
                setattr(done, field, _reached(block) or ([ast.Pass()] if field == "body" else []))
        return done

    def visit_If(self, node: ast.If) -> Any:
        self.generic_visit(node)
        value = _value(node.test)
        return node if value is None else node.body if value else node.orelse

    def visit_While(self, node: ast.While) -> Any:
        self.generic_visit(node)
        return node.orelse if _value(node.test) is False else node

    def visit_IfExp(self, node: ast.IfExp) -> Any:
        self.generic_visit(node)
        value = _value(node.test)
        return node if value is None else node.body if value else node.orelse

    def visit_UnaryOp(self, node: ast.UnaryOp) -> Any:
        self.generic_visit(node)
        value = _value(node.operand)
        return ast.Constant(value=not value) if isinstance(node.op, ast.Not) and value is not None else node

    def visit_BoolOp(self, node: ast.BoolOp) -> Any:
        """What is True is left out beside ``and``, and what is False beside ``or``; the other one ends it."""
        self.generic_visit(node)
        spare = isinstance(node.op, ast.And)
        values = [one for one in node.values if _value(one) is not spare]
        ends = next((place for place, one in enumerate(values) if _value(one) is (not spare)), None)
        if ends == 0:
            return values[0]
        values = values if ends is None else values[: ends + 1]
        if not values:
            return ast.Constant(value=spare)
        return values[0] if len(values) == 1 else ast.BoolOp(op=node.op, values=values)

    def visit_comprehension(self, node: ast.comprehension) -> Any:
        self.generic_visit(node)
        node.ifs = [one for one in node.ifs if _value(one) is not True]
        return node

    def visit_Match(self, node: ast.Match) -> Any:
        self.generic_visit(node)
        return node if node.cases else None


def _value(node: ast.expr) -> bool | None:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, bool) else None


def _reached(block: Sequence[ast.stmt]) -> list[ast.stmt]:
    """The statements up to the first one that leaves the block."""
    for place, one in enumerate(block):
        if isinstance(one, ast.Return | ast.Raise | ast.Break | ast.Continue):
            return list(block[: place + 1])
    return list(block)


Run = Callable[[Sequence[str]], Sequence[Sequence[Outcome]]]
"""Runs sources on the inputs of all rows; gives their outcomes, () for one that cannot be run."""

_MOST_EDITS = 30
_MOST_KEYS = 3
"""Keys of one table that no row holds and that are cut; one with more, and some that rows hold, is knowledge that these
only sample."""
_SMALL = 3
"""A length up to this is a shape of the input."""
_TYPES = frozenset({"type", "isinstance", "__name__", "__class__", "__qualname__"})
_UNTESTED = "raise ValueError('no row shows what belongs here')"


@dataclass(frozen=True, kw_only=True)
class TrimmedProgram:
    """A program without what no row bears.

    Attributes:
        cut: The conditions, cases and keys that were cut out.
        untested: What is left and was run by no row.
    """

    code: str
    cut: tuple[str, ...] = ()
    untested: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class _Edit:
    """One change: the number of a node in the order of a walk, and what becomes of it."""

    node: int
    told: str
    value: bool | None = None
    key: int | None = None
    field: str = ""


def trim_branches(code: str, rows: Sequence[Row], run: Run) -> TrimmedProgram:
    """The program without arms for values that no row has; it gives the same on every row.

    Args:
        rows: All rows that are known, those too that its author did not see.
    """
    tree = ast.parse(code)
    edits = list(_edits(tree, _Held.of(rows), top_level_constants(tree)))[:_MOST_EDITS]
    original, *changed = run([code, *(_edited(tree, [edit]) for edit in edits)])
    if not original:
        return TrimmedProgram(code=code)
    done = [edit for edit, outcomes in zip(edits, changed, strict=True) if _agree(original, outcomes)]
    if done:
        shorter = _edited(tree, done)
        (again,) = run([shorter])
        code, done = (shorter, done) if _agree(original, again) else (code, [])
    idle = [_agree(original, outcomes) for outcomes in run(without_arms(code))]
    untested = tuple(told for told, is_idle in zip(arm_texts(code), idle, strict=True) if is_idle)
    return TrimmedProgram(code=code, cut=tuple(dict.fromkeys(edit.told for edit in done)), untested=untested)


def _agree(one: Sequence[Outcome], other: Sequence[Outcome]) -> bool:
    values = [[(outcome.ok, canonical_json(outcome.value)) for outcome in outcomes] for outcomes in (one, other)]
    return values[0] == values[1]


@dataclass(frozen=True, kw_only=True)
class _Held:
    """The numbers and texts that rows hold, at all depths."""

    numbers: frozenset[float]
    text: str

    @classmethod
    def of(cls, rows: Sequence[Row]) -> _Held:
        values = [value for row in rows for one in (*row.input, row.output) for value in _scalars(one)]
        numbers = frozenset(value for value in values if isinstance(value, int | float))
        return cls(numbers=numbers, text="\n".join(str(value) for value in values).casefold())

    def has(self, value: Any) -> bool:
        if isinstance(value, int | float):
            return value in self.numbers or str(value) in self.text.split()
        return not isinstance(value, str) or value.casefold() in self.text


def _scalars(value: Json) -> Iterator[Json]:
    if isinstance(value, list | tuple):
        for one in value:
            yield from _scalars(one)
    elif isinstance(value, dict):
        for key, one in value.items():
            yield key
            yield from _scalars(one)
    else:
        yield value


def _edits(tree: ast.Module, held: _Held, known: Mapping[str, Any]) -> Iterator[_Edit]:
    tables = _tables(tree)
    for number, node in enumerate(ast.walk(tree)):
        match node:
            case ast.Compare(ops=[ast.Eq() | ast.In()]) if _is_magic(node, held, known):
                yield _Edit(node=number, told=ast.unparse(node), value=False)
            case ast.Compare(ops=[ast.NotEq() | ast.NotIn()]) if _is_magic(node, held, known):
                yield _Edit(node=number, told=ast.unparse(node), value=True)
            case ast.If(test=test) if any(
                all(isinstance(op, ast.Lt | ast.LtE | ast.Gt | ast.GtE) for op in one.ops)
                and _is_magic(one, held, known)
                for one in ast.walk(test)
                if isinstance(one, ast.Compare)
            ):
                for field in ("body", "orelse"):
                    if getattr(node, field) and not _only_raises(getattr(node, field)):
                        yield _Edit(node=number, told=f"if {ast.unparse(test)}", field=field)
            case ast.match_case(pattern=pattern) if _is_magic_pattern(pattern, held):
                yield _Edit(node=number, told=f"case {ast.unparse(pattern)}")
            case ast.Dict() if id(node) in tables:
                keys = [place for place, key in enumerate(node.keys) if key is not None and _no_row(key, held, known)]
                for place in keys if len(keys) <= _MOST_KEYS or len(keys) == len(node.keys) else []:
                    yield _Edit(node=number, told=f"key {ast.unparse(node.keys[place] or node)}", key=place)


def _tables(tree: ast.Module) -> set[int]:
    """Dictionaries that are asked with something to fall back on."""
    named: dict[str, ast.Dict] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Dict) and isinstance(node.targets[0], ast.Name):
            named[node.targets[0].id] = node.value
    found: set[int] = set()
    for node in ast.walk(tree):
        match node:
            case (
                ast.Call(func=ast.Attribute(value=table, attr="get"))
                | ast.Compare(ops=[ast.In() | ast.NotIn()], comparators=[table])
            ):
                asked = named.get(table.id) if isinstance(table, ast.Name) else table
                if isinstance(asked, ast.Dict):
                    found.add(id(asked))
    return found


def _only_raises(body: Sequence[ast.stmt]) -> bool:
    return len(body) == 1 and isinstance(body[0], ast.Raise)


def _is_magic(node: ast.Compare, held: _Held, known: Mapping[str, Any]) -> bool:
    """Whether a comparison is with a literal that no row holds, and neither about types nor about small lengths."""
    sides = [node.left, *node.comparators]
    parts = list(ast.walk(node))
    names = {one.id for one in parts if isinstance(one, ast.Name)}
    names |= {one.attr for one in parts if isinstance(one, ast.Attribute)}
    if names & _TYPES:
        return False
    if "len" in names and all(not isinstance(v, int) or abs(v) <= _SMALL for v in _numbers(sides)):
        return False
    literals = [side for side in sides if _no_row(side, held, known)]
    sums = [one for side in sides for one in ast.walk(side) if isinstance(one, ast.BinOp)]
    return bool(literals) or any(_no_row(end, held, known) for one in sums for end in (one.left, one.right))


def _numbers(sides: Sequence[ast.expr]) -> list[Any]:
    return [one.value for side in sides for one in ast.walk(side) if isinstance(one, ast.Constant)]


def _no_row(node: ast.expr, held: _Held, known: Mapping[str, Any]) -> bool:
    """Whether an expression is a literal, or some of them, of which rows hold none; never None, empty or zero."""
    if isinstance(node, ast.Set):
        return bool(node.elts) and all(_no_row(one, held, known) for one in node.elts)
    try:
        value = evaluate_node(node, known)
    except (NotConstant, ConstantTooLarge):
        return False
    values = value if isinstance(value, list | tuple) else [value]
    return bool(values) and all(one and not isinstance(one, bool) and not held.has(one) for one in values)


def _is_magic_pattern(pattern: ast.pattern, held: _Held) -> bool:
    if isinstance(pattern, ast.MatchOr):
        return all(_is_magic_pattern(one, held) for one in pattern.patterns)
    if isinstance(pattern, ast.MatchSequence):
        return any(_is_magic_pattern(one, held) for one in pattern.patterns)
    return isinstance(pattern, ast.MatchValue) and _no_row(pattern.value, held, {})


def _edited(tree: ast.Module, edits: Sequence[_Edit]) -> str:
    """The source with edits made, and without what can be run no more."""
    twin = copy.deepcopy(tree)
    nodes = list(ast.walk(twin))
    gone: dict[int, bool | None] = {}
    for edit in sorted(edits, key=lambda one: -(one.key or 0)):
        node = nodes[edit.node]
        if edit.key is not None and isinstance(node, ast.Dict):
            del node.keys[edit.key], node.values[edit.key]
        elif edit.field:
            setattr(node, edit.field, ast.parse(_UNTESTED).body)
        else:
            gone[id(node)] = edit.value
    return ast.unparse(ast.fix_missing_locations(_Folding(gone).visit(twin)))
