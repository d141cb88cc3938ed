"""The environment kind ``programs``: writing a function that examples show."""

from __future__ import annotations

from collections.abc import Sequence

from evolve.core.episodes import EpisodeRecord, TaskView
from evolve.core.equality import equal
from evolve.environments.base import BaseKind, EnvironmentOptions, PromptPart, judge_of
from evolve.environments.programs.environment import ProgramsEnvironment
from evolve.tasks.model import Task


class Programs(BaseKind):
    """Functions that rows show and judge."""

    name = "programs"
    refusal = "right on the examples, refused on rows that are not shown"
    needs_model = False
    one_file = True

    def open(self, task: Task, setting: EnvironmentOptions) -> ProgramsEnvironment:
        """Runs answers in the sandbox; a rubric decides only where there are neither rows nor tests."""
        decided = bool(task.verify_rows() or task.tests)
        judge = None if decided else judge_of(task, setting)
        return ProgramsEnvironment(task, setting.sandbox, judge, shows=setting.own)

    def task_parts(self, view: TaskView) -> Sequence[PromptPart]:
        """The function to define, with the types that its examples show."""
        takes, _, gives = (view.signature or "()").partition(" -> ")
        wanted = f"def {view.entry}{takes}{f' -> {gives}' if gives else ''}"
        # Where the types say what comes back, they say that it is JSON.
        told = "" if gives and "any" not in gives.lower() else " It returns what JSON can hold."
        return (PromptPart(text=f"Define the function `{wanted}`.{told}"),)

    def progress(self, task: Task, record: EpisodeRecord) -> float:
        """Share of the visible examples that the last action reproduced.

        An answer that was refused on unseen rows is not a full score, whatever it does on the visible ones.
        """
        observations = [step.observation for step in record.steps if step.observation is not None]
        if not observations or not task.examples:
            return 0.0
        right = [equal(value, row.output) for value, row in zip(observations[-1].outputs, task.examples, strict=False)]
        return min(0.99, sum(right) / len(task.examples))


PROGRAMS = Programs()
