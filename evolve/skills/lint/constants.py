"""Works out constant expressions of a source, within bounds on the size of every value."""

from __future__ import annotations

import ast
import operator
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from typing import Any

MOST_BITS = 4096
"""Of a number that a constant expression makes."""

MOST_ITEMS = 10_000
"""Characters and items of what it makes, at all depths together."""

_BINARY: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
    ast.LShift: operator.lshift,
    ast.RShift: operator.rshift,
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
    ast.BitXor: operator.xor,
}
_UNARY: dict[type[ast.unaryop], Callable[[Any], Any]] = {
    ast.UAdd: operator.pos,
    ast.USub: operator.neg,
    ast.Invert: operator.invert,
}


class NotConstant(Exception):
    """An expression is not made of constants alone, or cannot be worked out."""


class ConstantTooLarge(Exception):
    """The value of an expression is beyond the bounds."""


def top_level_constants(tree: ast.Module) -> dict[str, Any]:
    """The names of the top level that mean one small constant wherever they stand, with its value."""
    names = [node for node in ast.walk(tree) if isinstance(node, ast.Name)]
    bound = Counter(node.id for node in names if not isinstance(node.ctx, ast.Load))
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.ExceptHandler | ast.MatchAs | ast.MatchStar):
            bound[node.name or ""] += 1
        elif isinstance(node, ast.MatchMapping):
            bound[node.rest or ""] += 1
        elif isinstance(node, ast.arg):
            bound[node.arg] += 1
        elif isinstance(node, ast.alias):
            bound[node.asname or node.name.split(".")[0]] += 1
    # In order of the source, because later constants may be made of earlier ones.
    known: dict[str, Any] = {}
    for node in tree.body:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if bound[name] == 1:
                pass
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value) if bound[name] == 1:
                pass
            case _:
                continue
        try:
            known[name] = evaluate_node(value, known)
        except (NotConstant, ConstantTooLarge):
            continue
    return known


def evaluate_node(node: ast.expr, known: Mapping[str, Any]) -> Any:
    """The value of numbers, texts, bytes, tuples and lists, and operations on them.

    Nothing larger than the bounds is ever made: before an operation its operands tell how large its result can be.

    Args:
        known: Values of names.

    Raises:
        NotConstant: There is something else in it, or an operation fails.
        TooLarge: A result is, or may be, beyond the bounds.
    """
    value: Any
    match node:
        case ast.Constant():
            value = node.value
        case ast.Name(id=name) if name in known:
            value = known[name]
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            value = [evaluate_node(part, known) for part in parts]
            value = tuple(value) if isinstance(node, ast.Tuple) else value
        case ast.UnaryOp(op=op, operand=operand) if type(op) in _UNARY:
            value = _applied(_UNARY[type(op)], evaluate_node(operand, known))
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _BINARY:
            sides = evaluate_node(left, known), evaluate_node(right, known)
            _refuse_large(op, *sides)
            value = _applied(_BINARY[type(op)], *sides)
        case _:
            raise NotConstant
    if _size(value) > MOST_ITEMS or (isinstance(value, int) and value.bit_length() > MOST_BITS):
        raise ConstantTooLarge
    return value


def _applied(operation: Callable[..., Any], *values: Any) -> Any:
    try:
        return operation(*values)
    except (TypeError, ValueError, ArithmeticError) as error:
        raise NotConstant from error


def _refuse_large(op: ast.operator, left: Any, right: Any) -> None:
    """Refuses an operation whose result may be large, by the sizes of its operands, which are small."""
    whole = isinstance(left, int) and isinstance(right, int)
    match op:
        # The bits of a power are at most the bits of its base times the exponent; so nothing large is ever made.
        case ast.Pow():
            large = whole and abs(right) * left.bit_length() > MOST_BITS
        case ast.LShift():
            large = whole and left.bit_length() + right > MOST_BITS
        case ast.Mult():
            # A number times a number stays small where both are; what grows is a text or list that is repeated.
            sizes = _size(left), _size(right)
            large = not whole and max(sizes) * max(_factor(left), _factor(right)) > MOST_ITEMS
        case ast.Mod() if isinstance(left, str | bytes):
            raise NotConstant  # a format may name any width
        case _:
            large = False
    if large:
        raise ConstantTooLarge


def _factor(value: Any) -> int:
    return value if isinstance(value, int) else 0


def _size(value: Any) -> int:
    """Characters and items at all depths; 0 for a number."""
    if isinstance(value, tuple | list):
        return len(value) + sum(map(_size, value))
    return len(value) if isinstance(value, str | bytes) else 0


def assigned_names(tree: ast.Module, wanted: Callable[[ast.expr, Collection[str]], bool]) -> frozenset[str]:
    """Names of the top level whose values pass a test, which also gets the names that passed before."""
    names: set[str] = set()
    for node in tree.body:
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None and wanted(node.value, names):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names |= {part.id for target in targets for part in ast.walk(target) if isinstance(part, ast.Name)}
    return frozenset(names)


def holds_names(value: ast.expr, names: Collection[str]) -> bool:
    """Whether a value holds one of these names, or a product, which may repeat a text."""
    return any(
        (isinstance(part, ast.BinOp) and isinstance(part.op, ast.Mult))
        or (isinstance(part, ast.Name) and part.id in names)
        for part in ast.walk(value)
    )


def is_cheap(node: ast.BinOp) -> bool:
    """Whether a result is not much larger than its source, unlike those of powers, shifts and repetitions.

    This stops only the plainest ways to make an import endless: the run at admission bounds its time and memory.
    """
    if not isinstance(node.op, ast.Mult):
        return not isinstance(node.op, ast.Pow | ast.LShift)
    texts = (ast.List, ast.Tuple, ast.JoinedStr)
    return not any(
        isinstance(part, texts) or (isinstance(part, ast.Constant) and isinstance(part.value, str | bytes))
        for part in ast.walk(node)
    )
