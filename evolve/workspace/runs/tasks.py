"""``evolve.workspace.tasks``: suites and single tasks, made, read and looked at. They need no workspace.

A task is made of a name on the command line, a file, rows in Python, or words.
"""

from __future__ import annotations

import builtins
import os
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from evolve.core.episodes import Json, Row
from evolve.core.errors import TaskError, UsageError
from evolve.core.files import canonical_json, digest, read_text
from evolve.environments import environment_kind
from evolve.tasks import (
    BUILTIN,
    Suite,
    Task,
    generate_suite,
    load_examples,
    load_suite,
    render_jsonl,
    resolve_task,
    row_key,
    task_json,
    write_jsonl,
)
from evolve.tasks.model import WORDS
from evolve.tasks.reading.assemble import assemble_task, named_meta
from evolve.tasks.reading.jsonl import parse_json
from evolve.tasks.reading.limits import MAX_TEXT, FilePosition, check_value, text_problem
from evolve.tasks.work import FolderWork
from evolve.workspace.folder_needs import refuse_search, require_model

_PAIRS = "give pairs (input, output), such as [(1, 2), (3, 4)], or a file of rows"

_VALUES = "such as day.isoformat() in place of a date; whole numbers have at most 300 digits"

Examples = str | os.PathLike[str] | Sequence[Any]
"""A file of rows, or pairs ``(input, output)`` where ``input`` is one argument or a tuple of them."""

render = render_jsonl


def list() -> Sequence[str]:
    """Names of the built-in suites."""
    return [suite.name for suite in BUILTIN]


def generate(suite: str, *, n: int | None = None, seed: int = 0, out: str | os.PathLike[str] | None = None) -> Suite:
    """A built-in suite.

    Args:
        n: Number of tasks.
        out: A file to write it to, as JSON lines.

    Raises:
        UsageError: There is no such suite.
        WorkspaceError: The file cannot be written.
    """
    generated = generate_suite(suite, n=n, seed=seed)
    if out is not None:
        write_jsonl(generated.tasks, out)
    return generated


def show(name: str) -> Task | Suite:
    """The task or the suite of that name: a suite, a task file, or ``SUITE#ID``.

    Raises:
        UsageError: There is none, or it is malformed.
    """
    try:
        return resolve_task(name)
    except UsageError:
        if "#" in name:
            raise
        return load_suite(name)


def read(
    task: str | os.PathLike[str] | Task | None = None,
    *,
    examples: Examples | None = None,
    name: str | None = None,
    header: bool = True,
    target: str | None = None,
    words: bool = False,
) -> Task:
    """The one task that a name or rows stand for.

    Args:
        task: A task, a task file, ``SUITE#ID``, or a task in words.
        examples: Instead of it, a file of rows, or pairs ``(input, output)``.
        name: Name of the task and of its function, for ``examples``.
        header: The first line of a table names its columns.
        target: The column of a table that is the output; by default the last one.
        words: A text that names no task is one in words.

    Raises:
        UsageError: Neither or both are given, there is no such task, or it is malformed.
    """
    if (task is None) == (examples is None):
        raise UsageError("give either a task or examples", hint="evolve run --examples data.csv")
    if isinstance(examples, str | os.PathLike):
        if not os.fspath(examples).strip():
            raise UsageError("--examples: the name of the file is empty", hint="evolve run --examples data.csv")
        return load_examples(Path(examples), name=name, header=header, target=target)
    if examples is not None:
        return _from_pairs(examples, name)
    if isinstance(task, Task):
        for row in (*task.examples, *task.verify, *task.hidden):
            _check(row, FilePosition(file=task.id))
        return task
    if not isinstance(task, str | os.PathLike):
        raise UsageError(f"a task is a Task or a text, not {type(task).__name__}", hint="ws.run('SUITE#ID')")
    text = os.fspath(task)
    return in_words(text) if words and is_in_words(text) else resolve_task(text)


def is_in_words(text: str) -> bool:
    """Whether a text can only be a task in words: several of them, and no file or task of a suite."""
    if len(text.split()) < 2 or os.path.exists(text.partition("#")[0]):
        return False
    return not text.partition("#")[1] or " " in text.partition("#")[0]


def in_words(text: str) -> Task:
    """A task without rows: a function without parameters whose value is wanted. Nothing can verify it."""
    return Task(
        id=f"words-{digest(text)[:8]}",
        family=WORDS,
        instruction="\n".join(line.rstrip() for line in text.strip().splitlines()),
        signature="() -> any",
        examples=(),
    )


def in_folder(
    instruction: str,
    folder: str | os.PathLike[str],
    check: str,
    *,
    protected: Sequence[str] | None = None,
    name: str | None = None,
) -> Task:
    """Work in a folder until a check command ends with 0; see :func:`evolve.tasks.reading.folder`."""
    from evolve.tasks.reading.folder import folder_task

    return folder_task(instruction, folder, check, protected=protected, name=name)


def with_check(task: Task, check: str) -> Task:
    """The same work in a folder, decided by this command.

    Raises:
        UsageError: It is no work in a folder.
    """
    if not isinstance(task.work, FolderWork):
        raise UsageError("only work in a folder has a check", hint="name the folder with --dir")
    return replace(task, work=replace(task.work, check=check))


def from_bytes(data: bytes, *, name: str | None = None, header: bool = True, target: str | None = None) -> Task:
    """The task of rows that stand in no file, as JSON when they look like it, else as CSV; checked like any file.

    Raises:
        TaskError: They are malformed; the message calls them ``stdin``.
    """
    suffix = ".json" if data.lstrip()[:1] in (b"{", b"[") else ".csv"
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / f"stdin{suffix}"
        file.write_bytes(data)
        try:
            return load_examples(file, name=name, header=header, target=target)
        except TaskError as error:
            raise TaskError(str(error).replace(str(file), "stdin"), hint=error.hint) from error


def as_json(tasks: Iterable[Task]) -> builtins.list[Mapping[str, Any]]:
    """Tasks as the objects that task files hold."""
    return [task_json(task) for task in tasks]


def task_description(task: Task) -> str:
    """What a task is about besides rows, for a person to read; "" where rows are all."""
    return environment_kind(task.environment).summary(task)


def leaves_changes(task: Task) -> bool:
    """Whether solving the task changes something of the person's, such as a folder."""
    return environment_kind(task.environment).leaves_changes


def need_model(task: Task, model: str) -> None:
    """Raises :class:`UsageError` for a task that only a model can do, where none would decide."""
    if require_model(task) and not model:
        refuse_search("search", task)


def task_of(data: Mapping[str, Json]) -> Task:
    """The task that :func:`evolve.tasks.task_json` made the data from."""
    if data["family"] == WORDS and not data.get("examples"):
        words = replace(in_words(str(data["instruction"])), id=str(data["id"]), group=str(data["group"]))
        meta = data.get("meta")
        return replace(words, meta=meta) if isinstance(meta, dict) else words
    return assemble_task(parse_json(canonical_json(data), file="task", name="task", lines=False)[0])


def with_rubric(task: Task, rubric: str) -> Task:
    """The task with a rubric by which a model judges its answer: a text, or the name of a file with one.

    Raises:
        UsageError: The task has rows or tests, which are better, or the rubric cannot be read or is empty.
    """
    if task.examples or task.verify_rows() or task.tests:
        raise UsageError("--rubric is for tasks that have nothing else to check an answer", hint="leave it out")
    path = Path(rubric)
    text = read_text(path) if len(rubric) < 1_000 and "\n" not in rubric and path.is_file() else rubric
    problem = text_problem(text, MAX_TEXT) or ("" if text.strip() else "is empty")
    if problem:
        raise UsageError(f"the rubric: {problem}", hint="--rubric TEXT, or --rubric FILE")
    notice = (
        ("a model judges the answer, which verifies nothing",)
        if environment_kind(task.environment).accepts_unchecked
        else ()
    )
    return replace(task, meta={**task.meta, "rubric": text.strip()}, warnings=(*task.warnings, *notice))


def _from_pairs(examples: Sequence[Any], name: str | None) -> Task:
    if name is not None:
        named_meta(name, FilePosition(file="", field="name"))
    # Walking through a dictionary gives its keys, which may look like pairs themselves.
    if (
        not isinstance(examples, Iterable)
        or isinstance(examples, bytes)
        or (examples and isinstance(examples, Mapping))
    ):
        raise TaskError(f"expected pairs (input, output), got {type(examples).__name__}", file="examples", hint=_PAIRS)
    rows = [_row(pair, place) for place, pair in enumerate(examples, 1)]
    if not rows:
        raise TaskError("there are none", file="examples", hint=_PAIRS)
    try:
        text = canonical_json(rows)
    except (TypeError, ValueError, RecursionError) as error:
        why = "too large a number" if "digits" in str(error) else str(error)
        raise TaskError(f"not JSON: {why}", file="examples", hint=_VALUES) from error
    # The same door as for files, so that the same checks hold.
    raws = parse_json(text, file="examples", name=name or "task", lines=False)
    task = assemble_task(raws[0])
    return replace(task, meta={**task.meta, "entry": name}) if name and "entry" not in task.meta else task


def _row(pair: Any, place: int) -> dict[str, Json]:
    if isinstance(pair, Row):
        return {"input": builtins.list(pair.input), "output": pair.output}
    if not isinstance(pair, Sequence) or isinstance(pair, str) or len(pair) != 2:
        raise TaskError("expected a pair (input, output)", file="examples", line=place)
    arguments, output = pair
    return {"input": builtins.list(arguments) if isinstance(arguments, tuple) else [arguments], "output": output}


def with_answer(task: Task, arguments: Sequence[Json], output: Json) -> Task:
    """The task with one more visible example, as a person decided it.

    Raises:
        TaskError: The output is nothing that a task may hold, such as NaN.
    """
    row = Row(input=tuple(arguments), output=output)
    _check(row, FilePosition(file="answer"))
    others = tuple(example for example in task.examples if row_key(example) != row_key(row))
    # The rows have changed, so it is another problem: the group is computed anew.
    return replace(task, examples=(*others, row), group="")


def with_correction(task: Task, arguments: Sequence[Json], output: Json) -> Task:
    """The task with another output in the row of these arguments, as a person put it right.

    It is a visible example from then on: who was told of a row is told what it says.
    """
    corrected = with_answer(task, arguments, output)
    key = row_key(corrected.examples[-1])

    def others(rows: Sequence[Row]) -> tuple[Row, ...]:
        return tuple(row for row in rows if row_key(row) != key)

    return replace(corrected, verify=others(task.verify), hidden=others(task.hidden), group="")


def _check(row: Row, place: FilePosition) -> None:
    for position, value in enumerate(row.input):
        check_value(value, place.field_position(f"input[{position}]"))
    check_value(row.output, place.field_position("output"))
