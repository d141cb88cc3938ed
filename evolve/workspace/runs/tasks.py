"""``evolve.workspace.tasks``: suites and single tasks, made, read and looked at. They need no workspace."""

from __future__ import annotations

import builtins
import os
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from evolve.core.errors import TaskError, UsageError
from evolve.environments import kind_of
from evolve.tasks import (
    BUILTIN,
    Suite,
    Task,
    generate_suite,
    load_examples,
    load_suite,
    render_jsonl,
    resolve_task,
    task_json,
    write_jsonl,
)
from evolve.tasks.work import FolderWork
from evolve.workspace.folder_needs import only_for_a_model, refuse_search
from evolve.workspace.runs.given_task import Examples, task_in_words, wanted_task
from evolve.workspace.runs.given_task import is_in_words as is_in_words
from evolve.workspace.runs.given_task import with_answer as with_answer
from evolve.workspace.runs.given_task import with_correction as with_correction
from evolve.workspace.runs.given_task import with_rubric as with_rubric

in_words = task_in_words
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
    task: str | None = None,
    *,
    examples: Examples | None = None,
    name: str | None = None,
    header: bool = True,
    target: str | None = None,
    words: bool = False,
) -> Task:
    """The one task that a name or rows stand for.

    Args:
        task: A task file, ``SUITE#ID``, or a task in words.
        examples: Instead of it, a file of rows, or pairs ``(input, output)``.
        name: Name of the task and of its function, for ``examples``.
        header: The first line of a table names its columns.
        target: The column of a table that is the output; by default the last one.
        words: A text that names no task is one in words.

    Raises:
        UsageError: Neither or both are given, there is no such task, or it is malformed.
    """
    if task is not None and examples is None:
        return task_in_words(task) if words and is_in_words(task) else resolve_task(task)
    if examples is None or task is not None:
        raise UsageError("give either TASK or --examples FILE", hint="evolve run --examples data.csv")
    if not isinstance(examples, str | os.PathLike):
        return wanted_task(None, examples, name)
    if not os.fspath(examples).strip():
        raise UsageError("--examples: the name of the file is empty", hint="evolve run --examples data.csv")
    return load_examples(Path(examples), name=name, header=header, target=target)


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


def told(task: Task) -> str:
    """What a task is about besides rows, for a person to read; "" where rows are all."""
    return kind_of(task.environment).summary(task)


def leaves_changes(task: Task) -> bool:
    """Whether solving the task changes something of the person's, such as a folder."""
    return kind_of(task.environment).leaves_changes


def need_model(task: Task, model: str) -> None:
    """Raises :class:`UsageError` for a task that only a model can do, where none would decide."""
    if only_for_a_model(task) and not model:
        refuse_search("search", task)
