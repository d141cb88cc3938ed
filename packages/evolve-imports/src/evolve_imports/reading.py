"""Reads a file of foreign tasks; each line says by its keys which format it is in."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from evolve.core.errors import TaskError, UsageError
from evolve.tasks import Task, write_jsonl
from evolve.tasks.reading.limits import MAX_TEXT, FilePosition, check_id, check_value, read_source, text_problem
from evolve_imports.functions import HumanEvalRow, MbppRow, humaneval_task, mbpp_task
from evolve_imports.repositories import RepositoryRow, repository_task

M = TypeVar("M", bound=BaseModel)


@dataclass(frozen=True, kw_only=True)
class Imported:
    """What a file held.

    Attributes:
        tasks: In the order of the file.
        refused: Why single lines are no tasks here, one sentence each.
    """

    tasks: tuple[Task, ...]
    refused: tuple[str, ...] = ()


def import_tasks(
    path: str | os.PathLike[str],
    *,
    repos: str | os.PathLike[str] | None = None,
    out: str | os.PathLike[str] | None = None,
) -> Imported:
    """The tasks of a JSONL file in the format of HumanEval, MBPP or SWE-bench.

    A line that cannot be used is told and left out. Reference solutions are never read.

    Args:
        repos: Folder of checked-out repositories, for SWE-style tasks.
        out: A file to write the tasks to, as JSON lines.

    Raises:
        TaskError: The file cannot be read, or no line of it is a task; names file, line and field.
        UsageError: A line needs ``repos``.
        WorkspaceError: ``out`` cannot be written.
    """
    file = os.fspath(path)
    tasks: dict[str, Task] = {}
    refused: list[TaskError] = []
    for number, line in enumerate(read_source(Path(path)).split("\n"), start=1):
        if not line.strip():
            continue
        place = FilePosition(file=file, line=number)
        try:
            task = _task(_object(line, place), repos, place)
            if task.id in tasks:
                raise place.error(f"the id {task.id!r} is taken already")
        except TaskError as error:
            refused.append(error)
        else:
            tasks[task.id] = task
    if not tasks:
        raise refused[0]
    if out is not None:
        write_jsonl(tasks.values(), out)
    return Imported(tasks=tuple(tasks.values()), refused=tuple(map(str, refused)))


def _object(line: str, place: FilePosition) -> Mapping[str, Any]:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise place.error("not JSON") from error
    if not isinstance(value, dict):
        raise place.error("not an object")
    return value


def _task(value: Mapping[str, Any], repos: str | os.PathLike[str] | None, place: FilePosition) -> Task:
    if "instance_id" in value:
        if repos is None:
            raise UsageError("tasks in repositories need their folders", hint="--repos PATH")
        task = repository_task(_read(RepositoryRow, value, place), Path(repos), place)
    elif "entry_point" in value:
        task = humaneval_task(_read(HumanEvalRow, value, place), place)
    elif "test_list" in value:
        task = mbpp_task(_read(MbppRow, value, place), place)
    else:
        raise place.error(
            "none of the keys entry_point, test_list, instance_id",
            hint="files of evolve's own tasks need no import: give them to run and improve as they are",
        )
    check_id(task.id, place.field_position("id"))
    problem = text_problem(task.instruction, MAX_TEXT)
    if problem:
        raise place.error(problem)
    for row in (*task.examples, *task.verify):
        check_value([list(row.input), row.output], place)
    return task


def _read(model: type[M], value: Mapping[str, Any], place: FilePosition) -> M:
    try:
        return model.model_validate(value)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False)[0]
    names = [str(part)[:60].encode("utf-8", "replace").decode() for part in first["loc"]]
    raise place.field_position(".".join(names)).error(
        "missing" if first["type"] == "missing" else "not of the type this format has"
    )
