"""Makes the environment of a task."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from evolve.agent.environments.files import FilesEnvironment
from evolve.agent.environments.programs import ProgramsEnvironment
from evolve.agent.environments.protocol import Environment
from evolve.agent.environments.snapshots import Snapshots
from evolve.sandbox.protocol import Sandbox
from evolve.tasks.model import Task


@dataclass(frozen=True, kw_only=True)
class Setting:
    """What an environment works with.

    Attributes:
        folder: The episode's own folder, for snapshots; None keeps them in memory.
        branches: Most actions tried from one state; see :class:`evolve.workflow.Knobs`.
    """

    sandbox: Sandbox
    folder: Path | None = None
    branches: int = 1


def open_environment(task: Task, setting: Setting) -> Environment:
    """The environment that the task asks for.

    Raises:
        UsageError: The task's folder cannot be worked on, or changed since the task was made.
    """
    if task.files is None:
        return ProgramsEnvironment(task, setting.sandbox)
    snapshots = Snapshots(None if setting.folder is None else setting.folder / "tree")
    return FilesEnvironment(task.files, setting.sandbox, snapshots, branches=setting.branches)
