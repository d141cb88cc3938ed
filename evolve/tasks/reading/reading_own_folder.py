"""A person's own work in a folder as a task."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace

from evolve.core.errors import UsageError
from evolve.core.files import digest, named_path
from evolve.runtime.folder_tree import read_tree
from evolve.tasks.model import Task
from evolve.tasks.reading.limits import MAX_TEXT, FilePosition, check_id, check_value, text_problem
from evolve.tasks.work import PROTECTED, FolderWork, protected_in


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
        work=replace(work, named=protected_in(instruction, tree.files, work.guarded)),
        warnings=(f"{tree.summary}; what is made there is not taken",) if tree.summary else (),
    )
