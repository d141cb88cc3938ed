"""The arms of this project, with and without memory.

A module beside the frozen ones, as it has to know the agent. Both arms work as a person would who opens a workspace and
runs one task after another. What they get of a task is what the plain loop gets; on tasks of families both get the
hidden rows too, to refuse answers by, because nothing is learned where nothing can be verified.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

import evolve
from benchmarks.agent.endpoint import MeteredEndpoint
from benchmarks.agent.judge import unpacked
from benchmarks.agent.measure import Arm, HandedIn, Solved
from benchmarks.agent.task import AgentTask
from benchmarks.record import UNSEEDED
from evolve.core.episodes import Row
from evolve.tasks import Task
from evolve.tasks.reading.folder import folder_task
from evolve.workspace import Person, Workspace

NAMES = ("evolve", "evolve with memory")


def arms(workspace: Path) -> Mapping[str, Callable[[], Arm]]:
    """How to make the arm of each name in :data:`NAMES`.

    Args:
        workspace: An empty folder for what is kept from one task to the next.
    """
    without, with_memory = NAMES
    return {
        without: lambda: EvolveArm(name=without, root=workspace / "fresh"),
        with_memory: lambda: EvolveArm(name=with_memory, root=workspace / "kept", keeps=True),
    }


@dataclass(kw_only=True)
class EvolveArm:
    """Runs each task in a workspace; implements :class:`~benchmarks.agent.measure.Arm`.

    Attributes:
        keeps: All tasks share a workspace and are learned from; else each has an empty one and nothing is learned.
    """

    name: str
    root: Path
    keeps: bool = False
    _opened: Workspace | None = None
    _count: int = field(default=0)

    def solve(self, task: AgentTask, endpoint: MeteredEndpoint) -> Solved:
        """Runs the task with leave for its changes."""
        if self._opened is None or not self.keeps:
            self.close()
            self._count += 1
            self._opened = evolve.open(self.root / f"w{self._count}", model=endpoint.model, settings=UNSEEDED)
        # Unseen tasks are for measuring: nothing is learned from them, as from every task that is held out.
        learn: Literal["off", "full"] = "full" if self.keeps and task.role != "unseen" else "off"
        person = Person(approve="auto", learn=learn)
        if task.shape == "rows":
            result = self._opened.run(_rows_task(task), person=person)
            handed = HandedIn(function=result.answer) if result.answer else None
            return Solved(handed_in=handed, note=_noted(result))
        with unpacked(task.files) as folder:
            result = self._opened.run(_folder_task(task, folder), person=person)
            if task.shape == "words":
                return Solved(handed_in=HandedIn(answer=str(result.value or "")), note=_noted(result))
            return Solved(handed_in=HandedIn(files=_files(folder)), note=_noted(result))

    def close(self) -> None:
        """Closes the workspace."""
        if self._opened is not None:
            self._opened.close()
        self._opened = None


def _noted(result: Any) -> str:
    learned = f"; learned {len(result.learned)}, skills {len(result.skills)}" if result.learned or result.skills else ""
    return f"{result.status}: {result.note}"[:200] + learned


def _rows_task(task: AgentTask) -> Task:
    rows = [tuple(Row(input=tuple(row.input), output=row.output) for row in part) for part in (task.shown, task.hidden)]
    return Task(
        id=task.id,
        family=task.family or task.kind,
        instruction=task.instruction,
        examples=rows[0],
        hidden=rows[1] if task.kind == "family" else (),
        meta={"entry": task.entry},
    )


def _folder_task(task: AgentTask, folder: Path) -> Task:
    made = folder_task(task.instruction, folder, task.check, name=task.id)
    return replace(made, family=task.family) if task.kind == "family" else made


def _files(folder: Path) -> dict[str, str]:
    found = (path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    return {path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8", errors="replace") for path in found}
