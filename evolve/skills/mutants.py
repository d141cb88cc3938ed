"""Small wrong versions of a program, to see whether its tests would notice (mutation analysis, DeMillo et al. 1978)."""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

_COMPARE: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
_ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.FloorDiv,
    ast.Pow: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.BitXor: ast.BitOr,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
}
_PARTS = (
    ast.expr,
    ast.stmt,
    ast.comprehension,
    ast.arguments,
    ast.keyword,
    ast.excepthandler,
    ast.match_case,
    ast.withitem,
)
_LONGEST = 60
"""Characters of what is told of a place."""
_NOT_BEHAVIOUR = frozenset({"annotation", "returns", "decorator_list", "type_comment", "type_params", "format_spec"})


Slot = tuple[ast.AST, str, int | None]


@dataclass(frozen=True, kw_only=True)
class Mutant:
    """A program that differs from another in one place.

    Attributes:
        line: Where, in the original's source.
        before: What stands there in the original.
        after: What stands there instead.
        arms: Numbers of the arms of :func:`without_arms` that it lies in, or between which what it changes decides.
    """

    source: str
    line: int
    before: str
    after: str
    arms: frozenset[int]

    def __str__(self) -> str:
        return f"{self.after!r} for {self.before!r} in line {self.line}"


def mutants(source: str, most: int = 40) -> list[Mutant]:
    """Programs that differ from the given one in one place, without repeats.

    Operators: comparison, arithmetic, boolean connective, dropped negation, constant changed or off by one,
    condition negated, call replaced by its argument or receiver, result dropped. When there are more than
    ``most``, evenly spread ones are taken, so every part of the program is touched; the choice depends on nothing else.

    Raises:
        SyntaxError: When the source is not Python.
    """
    tree = ast.parse(source)
    original = ast.unparse(tree)
    arms = _arms_around(tree)
    candidates = [
        (position, _at(parent, field, place), changed)
        for position, (parent, field, place) in enumerate(_slots(tree))
        for changed in _changes(_at(parent, field, place))
    ]
    if len(candidates) > most:
        # Evenly spread instead of drawn: the same program always gets the same mutants.
        candidates = [candidates[number * len(candidates) // most] for number in range(most)]
    found: dict[str, Mutant] = {}
    for position, node, changed in candidates:
        text = _replaced(tree, position, changed)
        known = Mutant(
            source=text, line=_line(node), before=_brief(node), after=_brief(changed), arms=arms.get(node, frozenset())
        )
        found.setdefault(text, known)
    found.pop(original, None)
    return list(found.values())


def without_arms(source: str) -> list[str]:
    """One program for each arm, which fails where that arm would run.

    An arm is what runs under a condition: the body of a branch, of a loop or of a handler, one side of a conditional
    expression, what stands behind ``and`` and ``or``. A program that gives the same values without an arm as with it
    does not reach it.

    Raises:
        SyntaxError: When the source is not Python.
    """
    tree = ast.parse(source)
    sources = []
    for number in range(len(_arms(tree))):
        twin = copy.deepcopy(tree)
        node, field, place = _arms(twin)[number]
        if place is not None:
            getattr(node, field)[place] = _failure()
        elif isinstance(getattr(node, field), list):
            setattr(node, field, [ast.Expr(value=_failure())])
        else:
            setattr(node, field, _failure())
        sources.append(ast.unparse(ast.fix_missing_locations(twin)))
    return sources


def arm_texts(source: str) -> list[str]:
    """Where each arm of :func:`without_arms` stands, in words."""
    return [told for told, _, _ in arms_in(ast.parse(source))]


def arms_in(tree: ast.Module) -> list[tuple[str, ast.AST, str]]:
    """Every arm: where it stands in words, the node that it belongs to, and its field there."""
    prefixes = {"orelse": "else of "}
    return [
        (f"line {_line(node)}: {prefixes.get(field, '')}{_brief(node)}", node, field) for node, field, _ in _arms(tree)
    ]


def _failure() -> ast.expr:
    return ast.BinOp(left=ast.Constant(value=1), op=ast.FloorDiv(), right=ast.Constant(value=0))


def _arms(tree: ast.Module) -> list[Slot]:
    """Every arm: the node that it belongs to, the field, and the place where it is one of several."""
    found: list[Slot] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.If | ast.IfExp | ast.For | ast.While | ast.ExceptHandler | ast.match_case):
            found += [(node, field, None) for field in ("body", "orelse") if getattr(node, field, None)]
        elif isinstance(node, ast.BoolOp):
            found += [(node, "values", place) for place in range(1, len(node.values))]
    return found


def _arms_around(tree: ast.Module) -> Mapping[ast.AST, frozenset[int]]:
    """The numbers of the arms around every node, and of those between which it decides."""
    arms = _arms(tree)
    starts = {_at(node, field, place): number for number, (node, field, place) in enumerate(arms) if place is not None}
    bodies = {(node, field): number for number, (node, field, place) in enumerate(arms) if place is None}
    inside: dict[ast.AST, frozenset[int]] = {tree: frozenset()}
    decided: dict[ast.AST, frozenset[int]] = {}
    pending: list[ast.AST] = [tree]
    while pending:
        parent = pending.pop()
        between = frozenset(bodies[parent, field] for field in ("body", "orelse") if (parent, field) in bodies)
        if isinstance(parent, ast.If | ast.IfExp):
            decided[parent] = between
        for field, value in ast.iter_fields(parent):
            here = (
                between if field == "test" else frozenset({bodies[parent, field]} if (parent, field) in bodies else ())
            )
            for item in value if isinstance(value, list) else [value]:
                # Marks such as Load are one object wherever they stand.
                if isinstance(item, ast.AST) and item._fields:
                    inside[item] = inside[parent] | here | ({starts[item]} if item in starts else frozenset())
                    pending.append(item)
    return {node: numbers | decided.get(node, frozenset()) for node, numbers in inside.items()}


def _line(node: ast.AST) -> int:
    return int(getattr(node, "lineno", 1))


def _brief(node: ast.AST) -> str:
    """What stands in a place, in a few words."""
    text = f"if {ast.unparse(node.test)}" if isinstance(node, ast.If) else " ".join(ast.unparse(node).split())
    return text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "..."


def _slots(tree: ast.Module) -> Iterator[Slot]:
    """Every place in function and class bodies that holds an expression or a statement, in a fixed order."""
    pending: list[ast.AST] = [node for node in tree.body if not isinstance(node, ast.Import | ast.ImportFrom)]
    while pending:
        node = pending.pop(0)
        for field, value in ast.iter_fields(node):
            if field in _NOT_BEHAVIOUR:
                continue
            items = value if isinstance(value, list) else [value]
            for number, item in enumerate(items):
                if not isinstance(item, _PARTS):
                    continue
                if isinstance(item, ast.Expr) and isinstance(item.value, ast.Constant):
                    continue  # a docstring
                pending.append(item)
                yield node, field, number if isinstance(value, list) else None


def _at(parent: ast.AST, field: str, place: int | None) -> ast.AST:
    value = getattr(parent, field)
    item: ast.AST = value if place is None else value[place]
    return item


def _replaced(tree: ast.Module, position: int, changed: ast.AST) -> str:
    twin = copy.deepcopy(tree)
    for number, (parent, field, place) in enumerate(_slots(twin)):
        if number == position:
            if place is None:
                setattr(parent, field, changed)
            else:
                getattr(parent, field)[place] = changed
            break
    return ast.unparse(ast.fix_missing_locations(twin))


def _changes(node: ast.AST) -> Iterator[ast.AST]:
    """Replacements for one node. They share children with the original, which is only unparsed."""
    if isinstance(node, ast.Compare):
        yield from _compare(node)
    elif isinstance(node, ast.BinOp) and type(node.op) in _ARITHMETIC:
        yield ast.BinOp(left=node.left, op=_ARITHMETIC[type(node.op)](), right=node.right)
    elif isinstance(node, ast.BoolOp):
        yield ast.BoolOp(op=ast.Or() if isinstance(node.op, ast.And) else ast.And(), values=node.values)
    # Without its plus a number is the same.
    elif isinstance(node, ast.UnaryOp) and not isinstance(node.op, ast.UAdd):
        yield node.operand
    elif isinstance(node, ast.Constant):
        yield from _constant(node)
    elif isinstance(node, ast.Call):
        yield from _call(node)
    elif isinstance(node, ast.IfExp):
        yield ast.IfExp(test=_negated(node.test), body=node.body, orelse=node.orelse)
    elif isinstance(node, ast.If):
        yield ast.If(test=_negated(node.test), body=node.body, orelse=node.orelse)
    elif isinstance(node, ast.Return) and node.value is not None:
        yield ast.Return(value=ast.Constant(value=None))


def _compare(node: ast.Compare) -> Iterator[ast.AST]:
    for place, operator in enumerate(node.ops):
        operators = list(node.ops)
        operators[place] = _COMPARE[type(operator)]()
        yield ast.Compare(left=node.left, ops=operators, comparators=node.comparators)


def _constant(node: ast.Constant) -> Iterator[ast.AST]:
    value = node.value
    # Before int, of which bool is a subclass.
    if isinstance(value, bool):
        yield ast.Constant(value=not value)
    elif isinstance(value, int):
        yield ast.Constant(value=value + 1)
        yield ast.Constant(value=value - 1)
    elif isinstance(value, float):
        yield ast.Constant(value=value + 1.0)
    elif isinstance(value, str):
        yield ast.Constant(value="" if value else "x")


def _call(node: ast.Call) -> Iterator[ast.AST]:
    if isinstance(node.func, ast.Attribute):
        yield node.func.value
    if len(node.args) == 1 and not isinstance(node.args[0], ast.Starred):
        yield node.args[0]


def _negated(test: ast.expr) -> ast.expr:
    return ast.UnaryOp(op=ast.Not(), operand=test)
