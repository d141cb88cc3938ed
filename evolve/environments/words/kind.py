"""The environment kind ``words``: a question in words, to which nothing can check an answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from evolve.core.episodes import EpisodeRecord, TaskView
from evolve.environments.base import EnvironmentOptions, PromptPart, judge_of
from evolve.environments.environment import Environment
from evolve.environments.programs import Programs, ProgramsEnvironment
from evolve.tasks.model import Task


@dataclass(frozen=True, kw_only=True)
class Words(Programs):
    """Implements :class:`~evolve.environments.base.EnvironmentKind` for questions without rows.

    The answer is what a model says; or a function that is called once, and then its value.
    """

    name: str = "words"
    accepts_unchecked: bool = True
    least_steps: int = 12
    prompt: str = "act-words.md"
    refusal: str = "the judge of the task's rubric refuses it"

    def open(self, task: Task, setting: EnvironmentOptions) -> Environment:
        """Calls answers in the sandbox; where the task has a rubric, a model judges what they give."""
        return ProgramsEnvironment(task, setting.sandbox, judge_of(task, setting), name=self.name)

    def task_parts(self, view: TaskView) -> Sequence[PromptPart]:
        """Nothing beside the question."""
        return ()

    def progress(self, task: Task, record: EpisodeRecord) -> float:
        """Nothing: there is no row to come nearer to."""
        return 0.0


WORDS = Words()
