"""Makes the environment of a task."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from evolve.agent.environments.files import FilesEnvironment
from evolve.agent.environments.programs import ProgramsEnvironment
from evolve.agent.environments.protocol import Environment
from evolve.agent.environments.snapshots import Snapshots
from evolve.errors import UsageError
from evolve.sandbox.actions import NO_FILES
from evolve.sandbox.protocol import Sandbox
from evolve.tasks.model import Task
from evolve.tasks.verifiers import Verifier


@dataclass(frozen=True, kw_only=True)
class Setting:
    """What an environment works with.

    Attributes:
        folder: The episode's own folder, for snapshots; None keeps them in memory.
        branches: Most actions tried from one state; see :class:`evolve.workflow.Knobs`.
        modules: Python files by name that actions in a folder can import.
        judge: Makes the verifier that judges by a task's rubric; None where no model can.
    """

    sandbox: Sandbox
    folder: Path | None = None
    branches: int = 1
    modules: Mapping[str, bytes] = field(default_factory=lambda: NO_FILES)
    judge: Callable[[Task], Verifier] | None = None


def open_environment(task: Task, setting: Setting) -> Environment:
    """The environment that the task asks for.

    Raises:
        UsageError: The task's folder cannot be worked on, or changed since the task was made; or it has a rubric,
            and nobody can judge by it.
    """
    judge = _judge(task, setting)
    if task.files is None:
        return ProgramsEnvironment(task, setting.sandbox, judge)
    snapshots = Snapshots(None if setting.folder is None else setting.folder / "tree")
    return FilesEnvironment(
        task.files,
        setting.sandbox,
        snapshots,
        branches=setting.branches,
        verifiers=() if judge is None else (judge,),
        modules=setting.modules,
    )


def _judge(task: Task, setting: Setting) -> Verifier | None:
    """Who judges by the task's rubric; nobody where rows or tests do better."""
    if not task.rubric or (task.files is None and (task.verify_rows() or task.tests)):
        return None
    if setting.judge is None:
        raise UsageError(
            f"{task.id}: a rubric is judged by a model, and none is named",
            hint="--model NAME, or `evolve models default NAME`; model_judge in the settings names another judge",
        )
    return setting.judge(task)
