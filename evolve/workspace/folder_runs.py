"""What a run in a folder needs beside a task: somebody who can decide there, an environment, room for steps."""

from __future__ import annotations

import os
from pathlib import Path

from evolve.errors import UsageError
from evolve.improve.arms import Learner
from evolve.sandbox.interpreter import environment_at
from evolve.workflow import Workflow

_STEPS = 24


def refuse_search(learner: Learner) -> None:
    """Raises :class:`UsageError` for the embedded search, which finds functions and nothing else."""
    if learner.name == "search":
        raise UsageError(
            "work in a folder needs a model: the embedded search finds functions from examples",
            hint="`evolve models` says what can decide",
        )


def environment_for(folder: str, python: str | os.PathLike[str] | None) -> Path | None:
    """The virtual environment for work in a folder: the one named, else its ``.venv``, else ``VIRTUAL_ENV``.

    Raises:
        UsageError: There is none where one was named.
    """
    if python is not None:
        environment_at(Path(python))
        return Path(python)
    for place in (Path(folder, ".venv"), Path(os.environ.get("VIRTUAL_ENV") or "/nonexistent")):
        if (place / "pyvenv.cfg").is_file():
            return place
    return None


def for_folders(workflow: Workflow) -> Workflow:
    """The workflow with room for the many small actions that work in a folder takes."""
    return workflow.with_knobs(steps=max(_STEPS, workflow.knobs.steps))
