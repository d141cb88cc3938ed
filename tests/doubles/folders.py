"""Work in folders for tests: a policy that follows a script, and a model that acts by its prompt alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.doubles import QuirkDouble
from benchmarks.doubles.quirks import QuirkTask
from evolve.core.episodes import Row
from evolve.tasks import Task
from evolve.tasks.reading.folder import folder_task
from evolve.testing import schema_of

ANSWER = "answer.py"
"""The file that a job in a folder is done in."""


class FolderDouble(QuirkDouble):
    """Does a job of a quirk family in a folder: it writes the function into ``answer.py``, right if it knows the quirk.

    As :class:`QuirkDouble` it knows what its prompt tells, or what a failure after its own wrong code shows.
    """

    def answer(self, body: Mapping[str, Any]) -> str:
        """The reply to a prompt; where an action is asked for, its code writes the file."""
        said = super().answer(body)
        return said if schema_of(body, "") else said.replace("```python", f"```file {ANSWER}") + "```done\n```\n"


def quirk_folder(job: QuirkTask, folder: Path) -> Task:
    """Makes the folder of a job, whose check runs its examples and rows that tell right from wrong, and the task."""
    folder.mkdir(parents=True)
    task = job.task
    (folder / ANSWER).write_text(f"def {task.entry}({job.quirk.takes}):\n    return None\n")
    (folder / "test_answer.py").write_text(quirk_assertions(job, task.examples))
    return folder_task(task.instruction, folder, "python3 test_answer.py", name=task.id)


def quirk_assertions(job: QuirkTask, rows: Sequence[Row]) -> str:
    """Python that imports the answer and asserts the rows."""
    entry = job.task.entry
    lines = [f"assert {entry}(*{list(row.input)!r}) == {row.output!r}, {row.input!r}" for row in rows]
    return "\n".join([f"from answer import {entry}", "", *lines, ""])
