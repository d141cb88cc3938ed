"""What practice on a suite that ships leaves in a record, beside work of the person's own."""

from __future__ import annotations

from dataclasses import replace

from evolve.workspace import Workspace
from tests.memory.conftest import Lesson


def work_on(workspace: Workspace, number: int, cause: str, instruction: str, *, suite: str = "") -> str:
    """Commits an episode that taught one insight, in a run over a suite or of the person's own; gives the task."""
    body = {"suite": suite} if suite else {}
    run = workspace.stores.runs.begin("improve" if suite else "run", str(number), body, started="2026-03-31T00:00:00")
    record = replace(Lesson(number=number, cause=cause).record(), run=run.id)
    workspace.stores.commit(record, instruction=instruction)
    return record.task
