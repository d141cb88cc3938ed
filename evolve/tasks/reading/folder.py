"""Tasks of work in a folder: from a task file's key ``files``, and from a folder of the person's own."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from evolve.core.episodes import Json
from evolve.core.errors import UsageError
from evolve.core.files import digest, named_path
from evolve.runtime.folder_tree import read_tree
from evolve.runtime.sandbox.actions import is_plain_name
from evolve.tasks.model import Task
from evolve.tasks.reading.limits import MAX_TEXT, FilePosition, check_id, check_value, text_problem
from evolve.tasks.reading.validation import printable_key, validate_json
from evolve.tasks.work import MAX_CHECK_S, PROTECTED, FolderWork, protected_in


class _WorkModel(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)
    folder: str
    check: str = ""
    base: str = ""
    protected: list[str] | None = None
    hidden_check: str = ""
    hidden_files: dict[str, str] = {}
    seconds: float = 120.0
    elsewhere: bool = False
    named: list[str] = []


def folder_work(data: Json, place: FilePosition) -> FolderWork:
    """The work, with its folder found from the place of the file that names it.

    Raises:
        TaskError: Something is missing, too large or of another kind.
    """
    model: _WorkModel = validate_json(_WorkModel, data, place)
    if not 0 < model.seconds <= MAX_CHECK_S:
        raise place.field_position("seconds").error(f"not more than 0 and at most {MAX_CHECK_S:g}")
    for name in model.hidden_files:
        if not is_plain_name(name):
            raise place.field_position("hidden_files").error(
                f"{printable_key(name)!r} is not a plain relative file name"
            )
    check_value([model.folder, model.check, model.hidden_check, *model.hidden_files.values()], place)
    folder = Path(place.file).parent / Path(model.folder).expanduser()
    return FolderWork(
        folder=str(folder),
        check=model.check,
        base=model.base,
        protected=PROTECTED if model.protected is None else tuple(model.protected),
        hidden_check=model.hidden_check,
        hidden_files=model.hidden_files,
        seconds=model.seconds,
        # What a file names is no word of the person who runs it.
        named=() if Path(place.file).is_file() else tuple(model.named),
        elsewhere=model.elsewhere or _is_elsewhere(folder, Path(place.file)),
    )


def _is_elsewhere(folder: Path, file: Path) -> bool:
    """Whether a folder lies neither beside the file that names it nor below; what no file names was stored here."""
    return file.is_file() and not folder.resolve().is_relative_to(file.resolve().parent)


def folder_task(
    instruction: str,
    folder: str | os.PathLike[str],
    check: str = "",
    *,
    protected: Sequence[str] | None = None,
    name: str | None = None,
) -> Task:
    """A task to work in a folder until a check command ends with 0, or to answer a question about it.

    Args:
        instruction: What is wanted, in words.
        folder: Only a copy of it is worked on.
        check: A shell command for the root of the folder, such as ``pytest -q``; "" where nothing can check the work.
        protected: Patterns of files whose changes do not count, in place of
            :data:`~evolve.tasks.work.PROTECTED`.
        name: Id of the task; by default made from what is asked.

    Raises:
        UsageError: The instruction is missing, a text is not one that can be stored, or the folder cannot be read or is
            too large.
    """
    for what, text, option in (("instruction", instruction, "TASK"), ("check", check, "--check COMMAND")):
        missing = not text.strip() and (text or what == "instruction")
        problem = text_problem(text, MAX_TEXT) or ("is missing" if missing else "")
        if problem:
            raise UsageError(f"the {what} of work in a folder: {problem}", hint=f"give {option}")
    if name is not None:
        check_id(name, FilePosition(file="", field="name"))
    patterns = PROTECTED if protected is None else tuple(pattern for pattern in protected if pattern)
    check_value(list(patterns), FilePosition(file="", field="protected"))
    root = named_path(folder).resolve()
    tree = read_tree(root)
    place = f"files-{digest(str(root))[:8]}"  # what was learned in one folder is not thereby true in another
    work = FolderWork(folder=str(root), check=check, base=tree.digest, protected=patterns)
    return Task(
        id=name or f"folder-{digest(instruction + check)[:8]}",
        family=place,
        source=place,
        instruction=instruction,
        examples=(),
        work=replace(work, named=protected_in(instruction, tree.files, work.guarded_patterns)),
        warnings=(f"{tree.summary}; what is made there is not taken",) if tree.summary else (),
    )
