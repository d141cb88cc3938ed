"""The arguments of a function: those that it takes, those that it reads, and the function without the others."""

from __future__ import annotations

import ast
import re
from dataclasses import replace
from itertools import accumulate

from evolve.core.errors import UsageError
from evolve.runtime.sandbox import Program
from evolve.skills.signatures import names_of, types_of
from evolve.skills.skill import Skill

_READ_ALL = ("locals", "vars", "eval", "exec", "globals")
"""What can read an argument without naming it, or call a function by its name as a text."""


def _definition(program: Program) -> ast.FunctionDef:
    for node in ast.parse(program.source).body:
        if isinstance(node, ast.FunctionDef) and node.name == program.entry:
            return node
    raise UsageError(f"there is no function {program.entry!r}")


def _parameters(program: Program) -> list[ast.arg]:
    arguments = _definition(program).args
    return [*arguments.posonlyargs, *arguments.args]


def parameters_of(program: Program) -> tuple[tuple[str, ...], int]:
    """Names of the arguments that a function can take by position, and how many of them it needs."""
    names = tuple(one.arg for one in _parameters(program))
    return names, len(names) - len(_definition(program).args.defaults)


def annotations_of(program: Program) -> tuple[tuple[str, ...], str]:
    """The types that a function says it takes and gives; "" where it says none."""
    takes = tuple(ast.unparse(one.annotation) if one.annotation else "" for one in _parameters(program))
    gives = _definition(program).returns
    return takes, ast.unparse(gives) if gives is not None else ""


def used_parameters(program: Program) -> frozenset[int]:
    """Positions of the arguments that a function reads."""
    read = {one.id for part in _definition(program).body for one in ast.walk(part) if isinstance(one, ast.Name)}
    return frozenset(place for place, one in enumerate(_parameters(program)) if one.arg in read)


def drop_unread_parameters(program: Program) -> tuple[Program, tuple[int, ...]]:
    """The function without the arguments that it does not read, and the former positions of those that it has.

    It stays as it is where something could name its arguments in another way, or would be called with all of them.
    """
    definition, parameters = _definition(program), _parameters(program)
    arguments, used = definition.args, sorted(used_parameters(program))
    named = {node.id for node in ast.walk(ast.parse(program.source)) if isinstance(node, ast.Name)}
    others = (arguments.posonlyargs, arguments.vararg, arguments.kwonlyargs, arguments.kwarg, definition.decorator_list)
    if len(used) in (0, len(parameters)) or any(others) or named & {program.entry, *_READ_ALL}:
        return program, tuple(range(len(parameters)))
    needed = len(parameters) - len(arguments.defaults)
    rest = ast.arguments(
        posonlyargs=[],
        args=[parameters[place] for place in used],
        defaults=[arguments.defaults[place - needed] for place in used if place >= needed],
        kwonlyargs=[],
        kw_defaults=[],
    )
    return replace(program, source=_with_arguments(program.source, definition, ast.unparse(rest))), tuple(used)


def _with_arguments(source: str, definition: ast.FunctionDef, text: str) -> str:
    """The source with other arguments for a function that has some."""
    raw = source.encode()  # positions are counted in bytes
    starts = [0, *accumulate(len(line) for line in raw.splitlines(keepends=True))]
    every: list[ast.arg | ast.expr] = [*definition.args.args, *definition.args.defaults]
    begin = min(starts[node.lineno - 1] + node.col_offset for node in every)
    end = max(starts[(node.end_lineno or node.lineno) - 1] + (node.end_col_offset or 0) for node in every)
    before, after = raw[:begin].decode(), raw[end:].decode()
    head = before.rstrip() if before.rstrip().endswith("(") else before
    return head + text + re.sub(r"\A[\s,]*\)", ")", after)


def read_arguments_alone(skill: Skill) -> tuple[Skill, tuple[int, ...]]:
    """A skill without the arguments that its code does not read, and where those that it has stood before."""
    names, (kinds, gives) = names_of(skill.signature), types_of(skill.signature)
    program, places = drop_unread_parameters(Program(source=skill.code, entry=skill.entry))
    if skill.environment or len(places) >= len(names):
        return skill, tuple(range(len(names)))
    signature = f"({', '.join(f'{names[place]}: {kinds[place]}' for place in places)}) -> {gives}"
    rows = tuple(replace(row, input=tuple(row.input[place] for place in places)) for row in skill.rows)
    return replace(skill, code=program.source, signature=signature, rows=rows), places
