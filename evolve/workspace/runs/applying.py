"""Functions applied to rows, in the sandbox: many rows in one execution, and a fault in one row harms no other."""

from __future__ import annotations

import ast
import csv
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import islice
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeVar

from evolve.core.episodes import Json
from evolve.core.errors import SandboxUnavailable, UsageError
from evolve.core.files import canonical_json, read_text
from evolve.runtime.sandbox import NOT_RUN, Outcome, Program, SandboxLimits
from evolve.skills.parameters import annotations_of, parameters_of, used_parameters

if TYPE_CHECKING:
    from evolve.runtime.sandbox import Sandbox

T = TypeVar("T")

BATCH = 2_000
"""Rows of one execution."""
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
            for piece in split_batches(rows, _PIECE):
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
            for batch in split_batches(rows, BATCH):
                try:
                    canonical_json(batch)
                except (TypeError, ValueError, RecursionError) as error:
                    raise UsageError(f"arguments have to be JSON values: {error}") from error
                outcomes += [one for (one,) in applier(batch)]
        return outcomes


def _is_cut(outcomes: Sequence[Outcome]) -> bool:
    return any(outcome.error.startswith((NOT_RUN, "time limit", "TimeoutError")) for outcome in outcomes)


def split_batches(items: Iterable[T], size: int) -> Iterator[list[T]]:
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


def inputs_text(programs: Iterable[Program], inputs: Sequence[Json]) -> list[Json]:
    """The inputs of a row that one of the functions reads, and the first one, by which a person finds the row."""
    read = frozenset({0}).union(*map(used_parameters, programs))
    return [value for place, value in enumerate(inputs) if place in read]
