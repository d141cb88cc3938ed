"""Functions applied to rows, in the sandbox: many rows in one execution, and a fault in one row harms no other."""

from __future__ import annotations

import ast
import csv
import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import accumulate, islice
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeVar

from evolve.episodes import Json
from evolve.errors import SandboxUnavailable, UsageError
from evolve.files import canonical_json, read_text
from evolve.sandbox import NOT_RUN, Outcome, Program, SandboxLimits

if TYPE_CHECKING:
    from evolve.sandbox import Sandbox

T = TypeVar("T")

BATCH = 2_000
"""Rows of one execution."""
_READ_ALL = ("locals", "vars", "eval", "exec", "globals")
"""What can read an argument without naming it, or call a function by its name as a text."""
_PIECE = 100
"""Rows of one execution where a batch was cut off."""
_MOST_CUT = 20
"""Pieces that may be cut off before no batch is tried again in pieces."""


class Applier:
    """Runs functions on rows.

    Args:
        sandbox: Where they run.
        programs: All are given the same rows.
    """

    def __init__(self, sandbox: Sandbox, programs: Sequence[Program]) -> None:
        self._sandbox, self._programs = sandbox, programs
        self._cut = 0

    def __call__(self, rows: Sequence[Sequence[Json]]) -> list[tuple[Outcome, ...]]:
        """What each program gives on each row; rows outside, programs inside.

        Raises:
            SandboxUnavailable: The sandbox failed, which says nothing about the programs.
        """
        columns = self._ran(rows)
        if any(map(_is_cut, columns)) and len(rows) > _PIECE and self._cut < _MOST_CUT:
            done: list[tuple[Outcome, ...]] = []
            for piece in batches(rows, _PIECE):
                unreached: list[Sequence[Outcome]] = [[Outcome(error=NOT_RUN)] * len(piece) for _ in self._programs]
                part = self._ran(piece) if self._cut < _MOST_CUT else unreached
                self._cut += any(map(_is_cut, part))
                done += zip(*part, strict=True)
            return done
        return list(zip(*columns, strict=True))

    def _ran(self, rows: Sequence[Sequence[Json]]) -> list[Sequence[Outcome]]:
        seconds = 2.0 + len(rows) * 0.005
        limits = SandboxLimits(
            wall_s=seconds * len(self._programs) + 2.0, program_s=seconds, result_kb=16_384, output_kb=1
        )
        result = self._sandbox.run_programs(self._programs, rows, limits)
        if result.fault or len(result.programs) != len(self._programs):
            raise SandboxUnavailable(
                f"the function could not be run: {result.fault or 'the sandbox gave no result'}",
                hint="run the same command again; `evolve status` shows the machine",
            )
        return [
            run.outputs if len(run.outputs) == len(rows) else [Outcome(error=run.error or NOT_RUN)] * len(rows)
            for run in result.programs
        ]


@dataclass(frozen=True, kw_only=True)
class SandboxedCalls:
    """Calls functions in sandboxes of its own, so that it needs no open workspace.

    Attributes:
        open: Opens one; picklable.
    """

    open: Callable[[], Sandbox]

    def __call__(self, program: Program, rows: Iterable[Sequence[Json]]) -> list[Outcome]:
        """What the function gives on each row.

        Raises:
            UsageError: An argument is no JSON value.
            SandboxUnavailable: The sandbox failed.
        """
        outcomes: list[Outcome] = []
        with closing(self.open()) as sandbox:
            applier = Applier(sandbox, [program])
            for batch in batches(rows, BATCH):
                try:
                    canonical_json(batch)
                except (TypeError, ValueError, RecursionError) as error:
                    raise UsageError(f"arguments have to be JSON values: {error}") from error
                outcomes += [one for (one,) in applier(batch)]
        return outcomes


def _is_cut(outcomes: Sequence[Outcome]) -> bool:
    return any(outcome.error.startswith((NOT_RUN, "time limit", "TimeoutError")) for outcome in outcomes)


def batches(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """The items in lists of so many."""
    left = iter(items)
    while batch := list(islice(left, size)):
        yield batch


def given_function(named: str | os.PathLike[str]) -> Program:
    """The function that ``FILE.py`` or ``FILE.py:NAME`` means: the named one, else the only public one of the file that
    none of its other functions calls.

    Raises:
        UsageError: There is no such file or function, or several functions could be meant.
    """
    file, name = file_and_name(named)
    return function_in(read_text(file), file=file, name=name)


def file_and_name(named: str | os.PathLike[str]) -> tuple[str, str]:
    """The file and the function of ``FILE.py`` or ``FILE.py:NAME``; "" where none is named."""
    text = os.fspath(named)
    file, mark, name = text.rpartition(":")
    return (file, name) if mark and file.endswith(".py") else (text, "")


def function_in(source: str, *, file: str, name: str = "") -> Program:
    """The function of a source; see :func:`given_function`.

    Args:
        file: Its name for messages.
    """
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise UsageError(f"{file}: not Python that can be read: {error}") from error
    functions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    if name and name not in functions:
        raise UsageError(f"{file} has no function {name!r}", hint=f"it has {', '.join(functions) or 'none'}")
    called = {
        part.id
        for own, node in functions.items()
        for part in ast.walk(node)
        if isinstance(part, ast.Name) and part.id != own
    }
    public = [one for one in functions if not one.startswith("_") and one not in called]
    if not name and len(public) != 1:
        listed = ", ".join(public) or "none"
        raise UsageError(
            f"{file} has {len(public)} public functions: {listed}", hint=f"name one: --function {file}:NAME"
        )
    return Program(source=source, entry=name or public[0])


def typed_arguments(program: Program, text: str) -> tuple[Json, ...]:
    """Arguments of a function as a person types them: plain text, cells between tabs or commas, or a JSON list.

    Raises:
        UsageError: They are not as many as the function takes, or one is of another kind than its parameter.
    """
    names, needed = parameters_of(program)
    try:
        values = json.loads(text)
    except (ValueError, RecursionError):
        values = None
    if isinstance(values, list) and needed <= len(values) <= len(names):
        return _of_their_kinds(program, values)
    cells = [text] if len(names) == 1 else next(csv.reader([text], delimiter="\t" if "\t" in text else ","), [])
    if not needed <= len(cells) <= len(names):
        count = "1 value is" if len(cells) == 1 else f"{len(cells)} values are"
        raise UsageError(
            f"{program.entry} takes {', '.join(names)}, and {count} given",
            hint="put commas or tabs between them, or give a JSON list",
        )
    takes, _ = annotations_of(program)
    return _of_their_kinds(program, [_typed(cell, kind) for cell, kind in zip(cells, takes, strict=False)])


_KINDS: Mapping[str, tuple[str, tuple[type, ...]]] = MappingProxyType(
    {
        "str": ("a text", (str,)),
        "int": ("a number", (int, float)),
        "float": ("a number", (int, float)),
        "bool": ("true or false", (bool,)),
        "list": ("a JSON list", (list,)),
        "dict": ("a JSON object", (dict,)),
    }
)
"""What a parameter that is annotated so takes: in words, and as JSON is read. Other annotations take anything."""


def _of_their_kinds(program: Program, values: Sequence[Json]) -> tuple[Json, ...]:
    """The values, each of the kind that its parameter is annotated with."""
    names, _ = parameters_of(program)
    for name, kind, value in zip(names, annotations_of(program)[0], values, strict=False):
        words, types = _KINDS.get(kind if "|" in kind else kind.partition("[")[0], ("", (object,)))
        # Python counts truth values among the numbers.
        if not isinstance(value, types) or (isinstance(value, bool) and words == "a number"):
            raise UsageError(
                f"{program.entry} takes {words} as {name}, and {json.dumps(value, ensure_ascii=False)[:80]} is none"
            )
    return tuple(values)


def _typed(cell: str, kind: str) -> Json:
    if kind == "str":
        return cell
    try:
        return json.loads(cell)
    except (ValueError, RecursionError):
        return cell


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


def told_inputs(programs: Iterable[Program], inputs: Sequence[Json]) -> list[Json]:
    """The inputs of a row that one of the functions reads, and the first one, by which a person finds the row."""
    read = frozenset({0}).union(*map(used_parameters, programs))
    return [value for place, value in enumerate(inputs) if place in read]


def without_unread(program: Program) -> tuple[Program, tuple[int, ...]]:
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
    # The source with other arguments for a function that has some.
    text = ast.unparse(rest)
    raw = program.source.encode()  # positions are counted in bytes
    starts = [0, *accumulate(len(line) for line in raw.splitlines(keepends=True))]
    every: list[ast.arg | ast.expr] = [*definition.args.args, *definition.args.defaults]
    begin = min(starts[node.lineno - 1] + node.col_offset for node in every)
    end = max(starts[(node.end_lineno or node.lineno) - 1] + (node.end_col_offset or 0) for node in every)
    before, after = raw[:begin].decode(), raw[end:].decode()
    head = before.rstrip() if before.rstrip().endswith("(") else before
    return replace(program, source=head + text + re.sub(r"\A[\s,]*\)", ")", after)), tuple(used)
