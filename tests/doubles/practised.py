"""What practice on a suite that ships leaves in a record, beside work of the person's own."""

from __future__ import annotations

from dataclasses import replace

from evolve.workspace import Workspace
from tests.memory.conftest import Lesson


def work_on(
    workspace: Workspace, number: int, cause: str, instruction: str, *, suite: str = "", group: str = ""
) -> str:
    """Commits an episode that taught one insight, in a run over a suite or of the person's own; gives the task.

    Args:
        group: The problem of the task, if it is to be a certain one.
    """
    body = {"suite": suite} if suite else {}
    run = workspace.stores.runs.begin("improve" if suite else "run", str(number), body, started="2026-03-31T00:00:00")
    record = Lesson(number=number, cause=cause).record()
    record = replace(record, run=run.id, group=group or record.group)
    workspace.stores.commit(record, instruction=instruction)
    return record.task
