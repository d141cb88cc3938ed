"""The environment kind ``files``: work in a copy of a folder, with a check that says when it is done."""

from __future__ import annotations

from collections.abc import Sequence

from evolve.core.episodes import Json, TaskView
from evolve.environments.base import BaseKind, EnvironmentOptions, PromptPart, judge_of
from evolve.environments.files.environment import FilesEnvironment
from evolve.tasks.model import Task
from evolve.tasks.reading.folder import folder_work
from evolve.tasks.reading.limits import FilePosition
from evolve.tasks.work import FolderWork


class Files(BaseKind):
    """Work in a folder."""

    name = "files"
    refusal = "the check that decides refuses it"
    prompt = "act-files.md"
    has_states = True
    leaves_changes = True
    least_steps = 60
    least_tokens = 1_000_000

    def parse_work(self, data: Json, place: FilePosition) -> FolderWork:
        """The folder, found from the place of the file that names it, and its check."""
        return folder_work(data, place)

    def open(self, task: Task, setting: EnvironmentOptions) -> FilesEnvironment:
        """Runs actions on copies of the folder, which itself is only read."""
        assert isinstance(task.work, FolderWork)
        judge = judge_of(task, setting)
        return FilesEnvironment(task.work, setting, verifiers=() if judge is None else (judge,), about=task.instruction)

    def task_parts(self, view: TaskView) -> Sequence[PromptPart]:
        """What decides; what there is to see of the folder comes with the view."""
        if not view.check:
            return (PromptPart(text="No check was given for this task."),)
        # Whether a change is wanted or an answer stands in the task's own words only.
        decides = "After a change the check has to end with 0. A question needs an answer and no change."
        return (PromptPart(text=f"{decides} The check: {view.check}"),)

    def summary(self, task: Task) -> str:
        """The folder, and the check unless it is hidden."""
        assert isinstance(task.work, FolderWork)
        check = task.work.check or ("a check that is not shown" if task.work.hidden_check else "")
        return f"in a copy of {task.folder}" + (f", until this passes: {check}" if check else "; nothing can check it")


FILES = Files()
