"""Procedures: skills that do a piece of work in a folder, by functions over it, and what admits them.

A function of its arguments is judged by rows. A procedure has none: it is there to change a folder so that a check
passes. So what counts is that it was done again on folders as they were before a task was solved there
(:class:`~evolve.core.episodes.Rehearsal`). The folder that it was written for says only that it does what was accepted
there. What admits it is another folder, which its author had not seen, on which the check failed before, and where it
made other changes: else it could be a copy of them.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence

from evolve.core.episodes import Rehearsal
from evolve.skills.lint import lint
from evolve.skills.skill import SkillStatus

FOLDER_FUNCTIONS = "folder_functions"
"""The module that a procedure imports its functions from."""

_NAMES = ("read", "search", "edit", "run")
_ENOUGH = 2
"""Folders on which it must have held: the one that it was written for, and one that it was not."""


def lint_procedure(source: str, entry: str, parameters: int | None = None) -> list[str]:
    """Reasons why the source cannot be a procedure, each with its line; [] when it can.

    It may use what a skill may, and in addition import functions over the folder: so all that it does there goes
    through these, and it needs nothing but its arguments.
    """
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return lint(source, entry, parameters)
    lines = source.splitlines()
    names: dict[str, None] = {}
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and node.module == FOLDER_FUNCTIONS and not node.level:
            if any(alias.name not in _NAMES or alias.asname for alias in node.names):
                return [f"line {node.lineno}: of {FOLDER_FUNCTIONS} there are {', '.join(_NAMES)}, under these names"]
            names |= dict.fromkeys(alias.name for alias in node.names)
            for place in range(node.lineno - 1, node.end_lineno or node.lineno):
                lines[place] = ""
    if not names:
        return [f"it imports nothing of {FOLDER_FUNCTIONS}"]
    # In their place, behind all of the source so that its lines stay what they are, functions that do nothing.
    stubs = [f"def {name}(*given, **named):\n    return given" for name in names]
    return lint("\n".join([*lines, *stubs, ""]), entry, parameters)


def procedure_status(rehearsals: Sequence[Rehearsal]) -> SkillStatus:
    """What the runs of a procedure make of it: ``admitted``; ``draft``, which waits for another folder; ``retired``.

    Runs count once for each problem, start and change: the same again says nothing new.
    """
    held: list[Rehearsal] = []
    for one in rehearsals:
        known = [other for other in held if {one.group, one.base, one.change} & {other.group, other.base, other.change}]
        if one.held and not known:
            held.append(one)
    failed = len({one.group for one in rehearsals if not one.held})
    if len(held) >= _ENOUGH and len(held) > failed:
        return "admitted"
    return "retired" if failed >= _ENOUGH else "draft"


def shorten_source(source: str, entry: str, does: Callable[[str], bool], most: int = 40) -> str:
    """The source without what it does not need: each statement is left out in turn, the last one first.

    A statement goes with all that stands in it, and stays out where the source still ``does`` what it did. What has to
    stand there, such as the only statement of a body, becomes ``pass``. This is delta debugging one statement at a time
    (Zeller and Hildebrandt, "Simplifying and isolating failure-inducing input", 2002).

    Args:
        most: How often ``does`` is asked; a longer source keeps its first statements untried.
    """
    # Walked breadth first, what follows a statement in the list or stands in it comes later: those before it stay put.
    for number in list(reversed(range(sum(1 for _ in _statements(ast.parse(source))))))[:most]:
        tree = ast.parse(source)
        body, place = list(_statements(tree))[number]
        if isinstance(body[place], ast.Pass) or _says_something(body[place]):
            continue
        if len(body) == 1:
            body[place] = ast.Pass()
        else:
            del body[place]
        shorter = ast.unparse(ast.fix_missing_locations(tree)) + "\n"
        if any(isinstance(node, ast.FunctionDef) and node.name == entry for node in tree.body) and does(shorter):
            source = shorter
    return source


def _says_something(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _statements(tree: ast.AST) -> Iterator[tuple[list[ast.stmt], int]]:
    """Every list of statements and the places in it, breadth first."""
    for node in ast.walk(tree):
        for name in ("body", "orelse", "finalbody"):
            body = getattr(node, name, None)
            if isinstance(body, list) and body and isinstance(body[0], ast.stmt):
                yield from ((body, place) for place in range(len(body)))
