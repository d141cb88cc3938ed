"""Functions to write, in the formats of HumanEval (Chen et al. 2021) and MBPP (Austin et al. 2021)."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from pydantic import BaseModel

from evolve.core.episodes import Row
from evolve.core.errors import TaskError
from evolve.tasks.model import Task, entry_name, row_key
from evolve.tasks.reading.assemble import PlacedRow, RawTask, assemble_task
from evolve.tasks.reading.limits import FilePosition
from evolve_imports.literals import documented_rows, strict_rows


class HumanEvalRow(BaseModel):
    """One line of a HumanEval-format file; ``canonical_solution`` is not read, so that nothing can leak it."""

    task_id: str
    prompt: str
    entry_point: str
    test: str


class MbppRow(BaseModel):
    """One line of an MBPP-format file; the reference ``code`` is read for nothing."""

    task_id: int | str
    text: str = ""
    prompt: str = ""
    test_list: list[str]
    test_setup_code: str = ""
    test_imports: list[str] = []
    challenge_test_list: list[str] = []


def humaneval_task(row: HumanEvalRow, place: FilePosition) -> Task:
    """Documented examples are visible; the assertions are kept back, as rows where all of them are literal.

    Raises:
        TaskError: Prompt or test are not Python, or the test has no function ``check``.
    """
    prompt, test = _parsed(row.prompt, place.field_position("prompt")), _parsed(row.test, place.field_position("test"))
    checks = [node for node in test.body if isinstance(node, ast.FunctionDef) and node.name == "check"]
    if not checks or len(checks[-1].args.args) != 1:
        raise place.field_position("test").error("no function check(candidate)")
    candidate, entry = checks[-1].args.args[0].arg, entry_name(row.entry_point)
    others = [node for node in prompt.body if isinstance(node, ast.FunctionDef) and node.name != row.entry_point]
    # Tests may call what the prompt defines beside the function.
    head = f"{row.prompt.rstrip()}\n\n" if others else ""
    tests = (
        f"{head}from solution import {entry} as the_answer\n\n{row.test.strip()}\n\n\n"
        "def test_check():\n    check(the_answer)\n"
    )
    raw = _Problem(id=row.task_id.replace("/", "-"), family="humaneval", instruction=row.prompt, entry=entry)
    examples = documented_rows(prompt, row.entry_point)
    return _task(raw, examples, strict_rows(list(checks[-1].body), candidate), tests, place)


def mbpp_task(row: MbppRow, place: FilePosition) -> Task:
    """The first assertion is shown; the others are kept back, as rows where all of them are literal.

    Raises:
        TaskError: There is no assertion that calls a function.
    """
    tests = [*row.test_list, *row.challenge_test_list]
    nodes = [node for text in tests for node in _parsed(text, place.field_position("test_list")).body]
    called = _called(nodes)
    if called is None:
        raise place.field_position("test_list").error("no assertion calls a function by its name")
    entry = entry_name(called)
    rows = strict_rows(nodes, called)
    lines = [*row.test_imports, row.test_setup_code, f"from solution import {entry} as {called}"]
    functions = [f"\n\ndef test_{number}():\n{_indented(text)}\n" for number, text in enumerate(tests, 1)]
    shown = row.test_list[0].strip()
    raw = _Problem(
        id=f"mbpp-{row.task_id}",
        family="mbpp",
        instruction=f"{(row.text or row.prompt).strip()}\n\nSuch as:\n{shown}",
        entry=entry,
    )
    return _task(raw, rows[:1] if rows else [], rows, "\n".join(filter(None, lines)) + "".join(functions), place)


class _Problem(BaseModel):
    id: str
    family: str
    instruction: str
    entry: str


def _task(
    asked: _Problem, examples: Sequence[Row], rows: Sequence[Row] | None, tests: str, place: FilePosition
) -> Task:
    """The task with rows where they will do, else with tests."""
    _parsed(tests, place)
    seen = {row_key(row) for row in examples}
    unseen = [row for row in rows or () if row_key(row) not in seen]
    # Without a visible example there is no telling what the rows are rows of.
    if unseen and examples:
        try:
            return assemble_task(_raw(asked, examples, unseen, "", place))
        except TaskError:  # such as optional arguments, which a table of rows does not have
            pass
    try:
        return assemble_task(_raw(asked, examples, (), tests, place))
    except TaskError:
        return assemble_task(_raw(asked, (), (), tests, place))


def _raw(asked: _Problem, examples: Sequence[Row], verify: Sequence[Row], tests: str, place: FilePosition) -> RawTask:
    return RawTask(
        id=asked.id,
        place=place,
        family=asked.family,
        instruction=asked.instruction,
        examples=[PlacedRow(row=row, place=place) for row in examples],
        verify=[PlacedRow(row=row, place=place) for row in verify],
        hidden=[],
        tests=tests,
        meta={"entry": asked.entry},
    )


def _called(nodes: Sequence[ast.stmt]) -> str | None:
    """The first function that an assertion calls: the outermost call of a plain name that is not a builtin's."""
    for node in nodes:
        for inner in ast.walk(node):
            if isinstance(inner, ast.Call) and isinstance(inner.func, ast.Name):
                name = inner.func.id
                if name not in ("abs", "all", "any", "len", "list", "round", "set", "sorted", "str", "sum", "tuple"):
                    return name
    return None


def _indented(text: str) -> str:
    return "\n".join(f"    {line}" for line in text.strip().split("\n"))


def _parsed(text: str, place: FilePosition) -> ast.Module:
    try:
        return ast.parse(text)
    except SyntaxError as error:
        raise place.error(f"not Python: {error.msg}") from error
    except (ValueError, RecursionError, MemoryError) as error:
        raise place.error("not Python that can be read: nested too deeply or not text") from error
