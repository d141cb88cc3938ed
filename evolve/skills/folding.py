"""A program in which the values of some conditions are known, without what can be run no more."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from typing import Any


def folded(tree: ast.Module, known: Mapping[int, bool | None]) -> ast.Module:
    """The tree with conditions worked out.

    Args:
        known: By the id of a node: the value of an expression, or None for a case that is left out.
    """
    found = _Folding(known).visit(tree)
    assert isinstance(found, ast.Module)
    return found


class _Folding(ast.NodeTransformer):
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
