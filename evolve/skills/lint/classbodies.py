"""What may stand in the body of a class, wherever the class stands."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from evolve.skills.lint.allowed import DUNDER_METHODS
from evolve.skills.lint.attributes import is_special


def body_problems(node: ast.ClassDef) -> Iterator[tuple[int, str]]:
    """Line and message of everything in a class that is not allowed."""
    if any(keyword.arg != "total" or not isinstance(keyword.value, ast.Constant) for keyword in node.keywords):
        yield node.lineno, "a class with keywords"
    for part in node.body:
        if isinstance(part, ast.FunctionDef | ast.ClassDef):
            if is_special(part.name) and part.name not in DUNDER_METHODS:
                yield part.lineno, f"the special method {part.name}"
            if isinstance(part, ast.FunctionDef) and part.name == "__exit__" and _reveals_class(part):
                yield part.lineno, "__exit__ that uses the class of what was raised"
        elif isinstance(part, ast.Assign | ast.AnnAssign):
            yield from ((part.lineno, text) for text in _name_problems(part))
        elif not isinstance(part, ast.Pass | ast.Expr):
            yield part.lineno, "only definitions and constants may stand in a class"


def _name_problems(node: ast.Assign | ast.AnnAssign) -> Iterator[str]:
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    for name in [part.id for target in targets for part in ast.walk(target) if isinstance(part, ast.Name)]:
        if name == "__slots__" and node.value is not None:
            if not isinstance(node.value, ast.Tuple | ast.List | ast.Constant):
                yield "slots that are not written out"
            elif any(not _is_slot(part) for part in getattr(node.value, "elts", [node.value])):
                yield "slots with special names"
        elif name == "__hash__" and isinstance(node.value, ast.Constant):
            continue
        elif is_special(name):
            yield f"the special name {name}"


def _is_slot(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str) and not is_special(node.value)


def _reveals_class(node: ast.FunctionDef) -> bool:
    """Whether a method ``__exit__`` does more with the class of what was raised than ask whether there is one."""
    parameters = [*node.args.posonlyargs, *node.args.args]
    if node.args.vararg or node.decorator_list or len(parameters) < 2:
        return True
    # Each comparison with a constant holds one use of the name, so any other use leaves the count uneven.
    unmatched = 0
    for part in ast.walk(node):
        match part:
            case ast.Compare(left=ast.Name(id=name), ops=[ast.Is() | ast.IsNot()], comparators=[ast.Constant()]):
                unmatched += name == parameters[1].arg
            case ast.Name(id=name) if name == parameters[1].arg:
                unmatched -= 1
    return unmatched != 0
