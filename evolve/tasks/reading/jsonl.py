"""Tasks as JSON: one task, a list of tasks, JSON lines, or bare rows; and back to JSON lines."""

from __future__ import annotations

import ast
import json
import os
import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from pydantic import BaseModel, ConfigDict

from evolve.core.episodes import Json, Row
from evolve.core.extensions import PACKAGES, find, install_hint
from evolve.core.files import is_replaced, write_atomic
from evolve.tasks.model import Task, task_json
from evolve.tasks.reading.assemble import PlacedRow, RawTask, name_meta
from evolve.tasks.reading.labels import labels_after_rows
from evolve.tasks.reading.limits import MAX_TEXT, FilePosition, check_id, check_value, text_problem
from evolve.tasks.reading.validation import printable_key, validate_json
from evolve.tasks.work import Work

BUILT_IN_WORK = ("files",)
"""Environments whose name may stand in a task file, for messages; packages may offer more."""


class _RowModel(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)
    input: list[Any]
    output: Any


class _TaskModel(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)
    id: str | None = None
    family: str = ""
    group: str = ""
    instruction: str = ""
    signature: str = ""
    examples: list[_RowModel] | None = None
    verify: list[_RowModel] | None = None
    hidden: list[_RowModel] | None = None
    tests: str = ""
    meta: dict[str, Any] = {}


def render_jsonl(tasks: Iterable[Task]) -> str:
    """The tasks as JSON lines; loading the text gives equal tasks."""
    return "".join(json.dumps(task_json(task), ensure_ascii=False, allow_nan=False) + "\n" for task in tasks)


def write_jsonl(tasks: Iterable[Task], out: str | os.PathLike[str]) -> None:
    """Writes the tasks as JSON lines.

    Raises:
        UsageError: There is a file that is none of tasks.
        WorkspaceError: The file cannot be written.
    """
    is_replaced(out, b"{")
    write_atomic(out, render_jsonl(tasks).encode("utf-8", "backslashreplace"))


def parse_json(text: str, *, file: str, name: str, lines: bool) -> list[RawTask]:
    """The tasks of a JSON or JSONL text.

    A list (or lines) of bare ``{"input": [...], "output": ...}`` rows is one task called ``name``.

    Args:
        text: Content of the file.
        file: Name for messages.
        name: Id for a task that has none.
        lines: Whether the text is JSON lines; a ``.json`` file that turns out to be is read so too.

    Raises:
        TaskError: Naming file, line and field.
    """
    documents = _documents(text, file, lines)
    if documents and all(_is_row(value) for _, value in documents):
        rows = [_placed(validate_json(_RowModel, value, place), place) for place, value in documents]
        instruction = labels_after_rows(name)
        raw = RawTask(
            id=name, place=FilePosition(file=file), examples=rows, instruction=instruction, meta=name_meta(name)
        )
        return [raw]
    place, first = documents[0]
    if isinstance(first, dict) and first and not first.keys() & _TaskModel.model_fields.keys():
        known = f"the keys are {', '.join(repr(printable_key(key)) for key in list(first)[:4])}"
        raise place.error(f"neither a row nor a task: {known}", hint='a row is {"input": [1, 2], "output": 3}')
    alone = len(documents) == 1
    return [_task(value, place, name if alone else "") for place, value in documents]


def _documents(text: str, file: str, lines: bool) -> list[tuple[FilePosition, Json]]:
    """Every task or row with its place."""
    if not lines:
        place = FilePosition(file=file)
        try:
            whole = _decode(text, place)
        except json.JSONDecodeError as error:
            if not error.msg.startswith("Extra data"):
                raise FilePosition(file=file, line=error.lineno).error(f"not JSON: {error.msg.lower()}") from error
        else:
            if not isinstance(whole, list):
                return [(place, whole)]
            if not whole:
                raise place.error("the list of tasks is empty")
            return [(place.field_position(f"[{number}]"), item) for number, item in enumerate(whole)]
    documents: list[tuple[FilePosition, Json]] = []
    # JSON text may hold U+2028 and other characters that splitlines() would break at
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            place = FilePosition(file=file, line=number)
            try:
                documents.append((place, _decode(line, place)))
            except json.JSONDecodeError as error:
                raise place.error(f"not JSON: {error.msg.lower()} at column {error.colno}") from error
    return documents


def _decode(text: str, place: FilePosition) -> Json:
    def constant(name: str) -> Json:
        raise _at_text(place, text, name).error(f"{name} is not JSON")

    def unique(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
        value = dict(pairs)
        if len(value) < len(pairs):
            names = [key for key, _ in pairs]
            raise place.error(f"key {next(key for key in names if names.count(key) > 1)!r} occurs twice in one object")
        return value

    try:
        return json.loads(text, parse_constant=constant, object_pairs_hook=unique)
    except json.JSONDecodeError:
        raise
    except RecursionError as error:
        raise place.error("nested too deeply") from error
    except ValueError as error:  # Python refuses integers of thousands of digits
        raise _at_text(place, text, r"\d{301,}").error("an integer with more than 300 digits") from error


def _at_text(place: FilePosition, text: str, pattern: str) -> FilePosition:
    """The place with the line where the pattern first stands outside of strings."""
    if place.line is None:
        for match in re.finditer(rf'"(?:[^"\\]|\\.)*"|({pattern})', text, re.DOTALL):
            if match[1]:
                return replace(place, line=text.count("\n", 0, match.start()) + 1)
    return place


def _is_row(value: Json) -> bool:
    return isinstance(value, dict) and "examples" not in value and ("input" in value or "output" in value)


def _placed(row: _RowModel, place: FilePosition) -> PlacedRow:
    for position, value in enumerate(row.input):
        check_value(value, place.field_position(f"input[{position}]"))
    check_value(row.output, place.field_position("output"))
    return PlacedRow(row=Row(input=tuple(row.input), output=row.output), place=place)


def _rows(rows: list[_RowModel] | None, place: FilePosition) -> list[PlacedRow] | None:
    if rows is None:
        return None
    return [_placed(row, place.field_position(f"[{number}]")) for number, row in enumerate(rows)]


def _task(value: Json, place: FilePosition, name: str) -> RawTask:
    rest, work = _with_work(value, place)
    model: _TaskModel = validate_json(_TaskModel, rest, place, also=BUILT_IN_WORK)
    task_id = name if model.id is None else model.id
    if not task_id:
        raise place.field_position("id").error("this key is missing")
    check_id(task_id, place.field_position("id"))
    for label, text in (("family", model.family), ("group", model.group), ("instruction", model.instruction)):
        problem = text_problem(text, MAX_TEXT)
        if problem:
            raise place.field_position(label).error(problem)
    check_value(model.meta, place.field_position("meta"))
    if model.examples is None and not model.tests and work is None:
        raise place.field_position("examples").error("this key is missing")
    if model.tests:
        _check_tests(model.tests, place.field_position("tests"))
    return RawTask(
        id=task_id,
        place=place,
        family=model.family,
        group=model.group,
        instruction=model.instruction,
        signature=model.signature,
        examples=_rows(model.examples, place.field_position("examples")) or (),
        verify=_rows(model.verify, place.field_position("verify")),
        hidden=_rows(model.hidden, place.field_position("hidden")),
        tests=model.tests,
        work=work,
        meta=model.meta,
    )


def _with_work(value: Json, place: FilePosition) -> tuple[Json, Work | None]:
    """What a task says beside its work, and the work: what stands under the name of an environment."""
    if not isinstance(value, dict):
        return value, None
    named = [key for key in value if key not in _TaskModel.model_fields and _reader(key) is not None]
    rest = {key: item for key, item in value.items() if key not in named}
    for key in rest.keys() & PACKAGES.keys():
        raise place.field_position(key).error("no kind of environment that is installed", hint=install_hint(key))
    entries = [(key, value[key]) for key in named if value[key] is not None]
    if len(entries) > 1:
        raise place.field_position(entries[1][0]).error(f"not together with {entries[0][0]}")
    return rest, next((_reader(key).parse_work(item, place.field_position(key)) for key, item in entries), None)


def _reader(key: str) -> Any:
    """The kind of environment of this name, which reads what a task says of its work; or None."""
    return find("environments", key) if key.isidentifier() else None


def _check_tests(text: str, place: FilePosition) -> None:
    try:
        tree = ast.parse(text)
    except SyntaxError as error:
        raise place.error(f"not Python: {error.msg} in line {error.lineno} of the text") from error
    except (ValueError, RecursionError, MemoryError) as error:
        raise place.error("not Python that can be read: nested too deeply or not text") from error
    if not any(isinstance(node, ast.FunctionDef) and node.name.startswith("test_") for node in tree.body):
        raise place.error("no function whose name begins with test_")
