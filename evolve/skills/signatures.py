"""What a signature says: how many values of which types a skill takes, and what it gives."""

from __future__ import annotations

import ast
from collections.abc import Sequence


def parameter_count(signature: str) -> int | None:
    """How many arguments a signature names; None when it is not of the grammar."""
    node = _parsed(signature)
    return None if node is None else len(node.args.args)


def shape(signature: str) -> str:
    """The signature without the names of its parameters."""
    if _parsed(signature) is None:
        return signature
    takes, gives = types_of(signature)
    return f"({', '.join(takes)}) -> {gives}"


def _parsed(signature: str) -> ast.FunctionDef | None:
    try:
        node = ast.parse(f"def f{signature.strip()}: ...").body[0]
    except (SyntaxError, ValueError):
        return None
    return node if isinstance(node, ast.FunctionDef) else None


def types_of(signature: str) -> tuple[tuple[str, ...], str]:
    """The types of the parameters and of the result; ``any`` where none is named."""
    node = _parsed(signature)
    if node is None:
        return (), signature
    takes = tuple(ast.unparse(each.annotation) if each.annotation else "any" for each in node.args.args)
    return takes, ast.unparse(node.returns) if node.returns else "any"


def names_of(signature: str) -> tuple[str, ...]:
    """The names of the parameters."""
    node = _parsed(signature)
    return () if node is None else tuple(each.arg for each in node.args.args)


def extend_signature(signature: str, more: Sequence[tuple[str, str]]) -> str:
    """The signature with further parameters behind the others, each a name and a type."""
    names, (types, result) = names_of(signature), types_of(signature)
    takes = [*zip(names, types, strict=True), *more]
    return f"({', '.join(f'{name}: {kind}' for name, kind in takes)}) -> {result}"
