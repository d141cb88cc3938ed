"""The environment kind ``files``: work in a copy of a folder, with a check that says when it is done."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from evolve.core.episodes import EpisodeRecord, Json, TaskView
from evolve.environments.base import EnvironmentOptions, PromptPart, judge_of
from evolve.environments.environment import Environment
from evolve.environments.files.environment import FilesEnvironment
from evolve.tasks.model import Task
from evolve.tasks.reading.folder import folder_work
from evolve.tasks.reading.limits import FilePosition
from evolve.tasks.work import FolderWork


@dataclass(frozen=True, kw_only=True)
class Files:
    """Implements :class:`~evolve.environments.base.EnvironmentKind` for work in a folder."""

    name: str = "files"
    needs_model: bool = True
    one_file: bool = False
    has_states: bool = True
    accepts_unchecked: bool = False
    leaves_changes: bool = True
    least_steps: int = 60
    least_tokens: int = 1_000_000
    prompt: str = "act-files.md"
    refusal: str = "the check that decides refuses it"

    def parse_work(self, data: Json, place: FilePosition) -> FolderWork:
        """The folder, found from the place of the file that names it, and its check."""
        return folder_work(data, place)

    def open(self, task: Task, setting: EnvironmentOptions) -> Environment:
        """Runs actions on copies of the folder, which itself is only read."""
        assert isinstance(task.work, FolderWork)
        judge = judge_of(task, setting)
        return FilesEnvironment(
            task.work,
            setting,
            verifiers=() if judge is None else (judge,),
            about=task.instruction,
        )

    def task_parts(self, view: TaskView) -> Sequence[PromptPart]:
        """What decides; what there is to see of the folder comes with the view."""
        if not view.check:
            return (PromptPart(text="No check was given for this task."),)
        # Whether a change is wanted or an answer stands in the task's own words only.
        decides = "After a change the check has to end with 0. A question needs an answer and no change."
        return (PromptPart(text=f"{decides} The check: {view.check}"),)

    def progress(self, task: Task, record: EpisodeRecord) -> float:
        """The check's own score of the last state."""
        observations = [step.observation for step in record.steps if step.observation is not None]
        # 1.0 would say that it was solved, which the check that decides has not said.
        return min(0.99, observations[-1].state.score) if observations and observations[-1].state is not None else 0.0

    def summary(self, task: Task) -> str:
        """The folder, and the check unless it is hidden."""
        assert isinstance(task.work, FolderWork)
        check = task.work.check or ("a check that is not shown" if task.work.hidden_check else "")
        return f"in a copy of {task.folder}" + (f", until this passes: {check}" if check else "; nothing can check it")


FILES = Files()
