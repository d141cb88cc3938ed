"""Loads task files: suites, a person's own rows, and TASK on the command line."""

from __future__ import annotations

import os
import random
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from evolve.core.errors import TaskError, UsageError
from evolve.core.files import digest
from evolve.tasks.model import Suite, Task, suite_digest
from evolve.tasks.reading.assemble import RawTask, assemble_task, named_meta
from evolve.tasks.reading.jsonl import parse_json
from evolve.tasks.reading.limits import FilePosition, check_id, read_source
from evolve.tasks.reading.pytest_rows import tasks_from_asserts
from evolve.tasks.reading.table_rows import parse_table
from evolve.tasks.suites import BUILTIN, generate_suite

SUFFIXES = (".csv", ".json", ".jsonl", ".py", ".tsv", ".xlsx")
_TABLES = (".csv", ".tsv", ".xlsx")
_NO_ROWS = "no line of the form `assert f(values) == value`"


def load_suite(name_or_path: str | Path, *, seed: int = 0, n: int | None = None) -> Suite:
    """A suite from a file, a folder of task files, or one that ships.

    A path wins over a built-in name, unless it is a folder without task files.

    Args:
        name_or_path: ``.json``, ``.jsonl``, ``.csv``, ``.tsv`` or ``.py`` file, folder, or built-in name.
        seed: For files it chooses which tasks ``n`` keeps. A built-in suite of another seed than 0 is drawn anew.
        n: Number of tasks; by default all of a file, or those of a built-in suite that ship; another number of these
            is drawn anew, as :func:`evolve.tasks.generate_suite` tells.

    Raises:
        TaskError: A file is malformed; names file, line and field.
        UsageError: There is neither such a file nor such a suite, or nothing is installed that draws tasks.
    """
    text = os.fspath(name_or_path)
    path = Path(text)
    builtin = text in {suite.name for suite in BUILTIN}
    if text and _exists(path) and not (builtin and path.is_dir() and not _task_files(path)):
        return _suite_from(path, seed=seed, n=n)
    if not builtin and (_suffix(path) in SUFFIXES or path.name != text):
        raise TaskError("no such file or folder", file=text)
    return generate_suite(text, n=n, seed=seed)


def load_examples(path: str | Path, *, name: str | None = None, header: bool = True, target: str | None = None) -> Task:
    """One task from a person's own rows.

    With six or more rows at least three are kept for verification, always the same ones; with
    fewer the answer stays unverified and a warning says so.

    Args:
        path: A file that holds one task: table, JSON rows or task, or assertions.
        name: Name of the task and of the function; by default the file's.
        header: Whether the first line of a table names the columns.
        target: The column of a table that is the output; by default the last one.

    Raises:
        TaskError: The file is malformed or holds several tasks.
        UsageError: There is no column of that name.
    """
    file = Path(path)
    raws, _ = _read(file, header=header, named=name is not None, target=target)
    if len(raws) > 1:
        raise TaskError(
            f"holds {len(raws)} tasks where one is wanted: {_some(raw.id for raw in raws)}", file=os.fspath(file)
        )
    raw = raws[0]
    if name is not None:
        raw = replace(raw, id=name, meta={**raw.meta, **named_meta(name, FilePosition(file="", field="name"))})
    return with_source((assemble_task(raw),), file)[0]


def resolve_task(text: str) -> Task:
    """The task that TASK on a command line means: a task file, or ``SUITE#ID``.

    Raises:
        UsageError: The text is neither (free text needs a model), or names several tasks.
    """
    path = Path(text)
    if _suffix(path) in SUFFIXES and _exists(path) and not path.is_dir():
        suite = _suite_from(path, seed=0, n=None)
        if len(suite.tasks) == 1:
            return suite.tasks[0]
        ids = _some(f"{text}#{task.id}" for task in suite.tasks)
        raise UsageError(f"{text} holds {len(suite.tasks)} tasks", hint=f"choose one: {ids}")
    names = {suite.name for suite in BUILTIN}
    for position in (index for index, char in enumerate(text) if char == "#"):
        suite_name, task_id = text[:position], text[position + 1 :]
        if suite_name in names or (suite_name and _exists(Path(suite_name))):
            return load_suite(suite_name).task(task_id)
    if text in names or (text and _exists(path) and path.is_dir()):
        raise UsageError(f"{text} is a suite, not a task", hint=f"choose one task with {text}#ID")
    if _suffix(path) in SUFFIXES and not any(char.isspace() for char in text):
        raise TaskError("no such file", file=text)
    shown = text if len(text) <= 60 else text[:57] + "..."
    raise UsageError(
        f"{shown!r} is neither a task file nor SUITE#ID, and a task in words needs a model",
        hint="name one with --model, or give rows with `evolve run --examples FILE`; see `evolve models`",
    )


def _suite_from(path: Path, *, seed: int, n: int | None) -> Suite:
    warnings: list[str] = []
    if path.is_dir():
        files = _task_files(path)
        if not files:
            raise TaskError(f"the folder holds no task file ({', '.join(SUFFIXES)})", file=os.fspath(path))
        raws = []
        for file in files:
            loaded, skipped = _read(file, header=True, lenient=True)
            raws.extend(loaded)
            warnings.extend(skipped)
        if not raws:
            raise TaskError("the folder holds no task", file=os.fspath(path))
    else:
        raws, _ = _read(path, header=True)
    seen: dict[str, RawTask] = {}
    for raw in raws:
        first = seen.setdefault(raw.id, raw)
        if first is not raw:
            line = f":{first.place.line}" if first.place.line is not None else ""
            raise raw.place.field_position("id").error(f"id {raw.id!r} is taken already in {first.place.file}{line}")
    tasks = with_source([assemble_task(raw) for raw in _chosen(raws, seed, n)], path)
    return Suite(name=path.resolve().name if path.is_dir() else path.stem, tasks=tasks, warnings=tuple(warnings))


def with_source(tasks: Sequence[Task], path: Path) -> tuple[Task, ...]:
    """The tasks with their source: a file that was changed, and a copy of it, still share one half of it."""
    source = f"{digest(os.fspath(path.resolve()))[:16]} {suite_digest(tasks)[:16]}"
    return tuple(replace(task, source=source) for task in tasks)


def _read(
    path: Path, *, header: bool, lenient: bool = False, named: bool = False, target: str | None = None
) -> tuple[list[RawTask], list[str]]:
    """The tasks of one file. ``lenient`` leaves out Python files without rows, with a warning.

    Args:
        named: The task gets another name than the file's.
    """
    file, suffix = os.fspath(path), _suffix(path)
    if suffix not in SUFFIXES:
        known = ", ".join(SUFFIXES)
        missing = "no such file" if not _exists(path) else f"not a kind of task file; known are {known}"
        raise TaskError(missing, file=file)
    if lenient and suffix == ".py" and path.stat().st_size == 0:  # such as __init__.py
        return [], []
    if target is not None and suffix not in _TABLES:
        raise UsageError(f"{file} is no table, so it has no column {target!r}", hint="leave --target out")
    if suffix in _TABLES:
        raws = [parse_table(path, name=path.stem, header=header, target=target)]
    else:
        raws = _parsed(path, read_source(path))
    if not raws and lenient:
        return [], [f"{file}: {_NO_ROWS}, so it was left out"]
    if not raws:
        raise TaskError(_NO_ROWS, file=file)
    for raw in raws:
        if raw.id != path.stem:
            check_id(raw.id, raw.place.field_position("id"))
        elif not named:
            check_id(raw.id, raw.place.field_position("id"), hint="rename the file, or give a name with --name")
    return raws, []


def _parsed(path: Path, text: str) -> list[RawTask]:
    """The tasks in a text of JSON or Python; none where assertions are looked for and there is none."""
    file, suffix = os.fspath(path), _suffix(path)
    if suffix == ".py":
        return tasks_from_asserts(text, file=file, name=path.stem)
    return parse_json(text, file=file, name=path.stem, lines=suffix == ".jsonl")


def _task_files(folder: Path) -> list[Path]:
    """Task files in a folder and the folders in it, in name order; hidden ones and links out of it left out."""
    root = folder.resolve()
    paths = []
    for base, folders, files in os.walk(folder):
        # os.walk goes into what is left in this list, in its order.
        folders[:] = sorted(name for name in folders if not name.startswith((".", "__")))
        for name in sorted(files):
            path = Path(base, name)
            inside = path.is_file() and path.resolve().is_relative_to(root)
            if inside and _suffix(path) in SUFFIXES and not name.startswith("."):
                paths.append(path)
    return paths


def _suffix(path: Path) -> str:
    """The ending that tells the kind of a file; some programs write it in capitals."""
    return path.suffix.lower()


def _chosen(raws: Sequence[RawTask], seed: int, n: int | None) -> Sequence[RawTask]:
    if n is None or n >= len(raws):
        return raws
    if n < 1:
        raise UsageError(f"a suite needs at least one task, not {n}")
    return [raws[index] for index in sorted(random.Random(seed).sample(range(len(raws)), n))]


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):  # too long for a name, or a NUL in it: then it is no file
        return False


def _some(names: Iterable[str]) -> str:
    listed = list(names)
    return ", ".join(listed[:5]) + (", ..." if len(listed) > 5 else "")
