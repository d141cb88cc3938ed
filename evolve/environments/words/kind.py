"""The environment kind ``words``: a question in words, to which nothing can check an answer."""

from __future__ import annotations

from evolve.environments.base import BaseKind, EnvironmentOptions, judge_of
from evolve.environments.programs import ProgramsEnvironment
from evolve.tasks.model import Task


class Words(BaseKind):
    """Questions without rows.

    The answer is what a model says; or a function that is called once, and then its value.
    """

    name = "words"
    refusal = "the judge of the task's rubric refuses it"
    prompt = "act-words.md"
    needs_model = False
    one_file = True
    accepts_unchecked = True
    least_steps = 12

    def open(self, task: Task, setting: EnvironmentOptions) -> ProgramsEnvironment:
        """Calls answers in the sandbox; where the task has a rubric, a model judges what they give."""
        return ProgramsEnvironment(task, setting.sandbox, judge_of(task, setting), name=self.name)


WORDS = Words()
