"""Work in folders for tests: a policy that follows a script, and a model that acts by its prompt alone."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evolve.environments.probing import Probe
from evolve.episodes import Action, Claim, Limits, Plan, Recalled, Row, SkillDraft, Step, TaskView
from evolve.tasks import Task
from evolve.tasks.folder_task import folder_task
from evolve.testing.doubles import QuirkDouble
from evolve.testing.doubles_quirks import QuirkTask

ANSWER = "answer.py"
"""The file that a job in a folder is done in."""


@dataclass(frozen=True)
class ScriptedWorker:
    """Takes one action after another, whatever comes of them; then hands in what it has.

    It learns nothing and reads no prompt.

    Attributes:
        actions: Python source, in order.
    """

    actions: tuple[str, ...]
    name: str = "scripted"

    def features(self, view: TaskView) -> tuple[float, ...]:
        """One constant vector."""
        return (1.0, 0.0)

    def plan(self, view: TaskView, recalled: Sequence[Recalled]) -> Plan:
        """To follow the script."""
        return Plan(goal=f"follow a script of {len(self.actions)} actions")

    def act(self, view: TaskView, plan: Plan, steps: Sequence[Step], limits: Limits) -> Action:
        """The next action of the script that is not among the steps; a state that was left hides what led to it."""
        last = max((int(step.action.private.get("place", 0)) for step in steps), default=0)
        if last < len(self.actions):
            text = f"action {last + 1}"
            return Action(kind="code", code=self.actions[last], text=text, private={"place": last + 1})
        return Action(kind="finish", text="the script is over", private={"place": last})

    def reflect(self, view: TaskView, group: str, steps: Sequence[Step], probe: Probe) -> tuple[Claim, ...]:
        """Nothing."""
        return ()

    def distill(self, view: TaskView, steps: Sequence[Step]) -> tuple[SkillDraft, ...]:
        """Nothing."""
        return ()


class FolderDouble(QuirkDouble):
    """Does a job of a quirk family in a folder: it writes the function into ``answer.py``, right if it knows the quirk.

    As :class:`QuirkDouble` it knows what its prompt tells, or what a failure after its own wrong code shows.
    """

    def answer(self, body: Mapping[str, Any]) -> str:
        """The reply to a prompt; where an action is asked for, its code writes the file."""
        said = json.loads(super().answer(body))
        if "code" in said:
            said["code"] = f"open({ANSWER!r}, 'w').write({said['code']!r})"
        return json.dumps(said)


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
