"""What a run in a folder needs beside a task: somebody who can decide there, and an environment."""

from __future__ import annotations

import os
from collections.abc import Collection
from pathlib import Path

from evolve.core.errors import UsageError
from evolve.environments import environment_kind
from evolve.runtime.sandbox.interpreter import environment_at
from evolve.tasks import Task


def require_model(task: Task) -> bool:
    """Whether the embedded search can do nothing for a task: it needs examples."""
    return environment_kind(task.environment).needs_model or not task.examples


def refuse_search(decides: str, task: Task | None = None) -> None:
    """Raises :class:`UsageError` for the embedded search, which finds functions and nothing else.

    Args:
        task: The one that is meant, where it is one.
    """
    if decides == "search":
        hint = "`evolve models` says what can decide"
        if task is not None:
            advice = environment_kind(task.environment).advice(task)
            hint += f"; without a model, {advice}" if advice else ""
        raise UsageError("such a task needs a model: the embedded search finds functions from examples", hint=hint)


def environment_for(folder: str, python: str | os.PathLike[str] | None) -> Path | None:
    """The virtual environment for work in a folder: the one named, else its ``.venv``, else ``VIRTUAL_ENV``.

    Raises:
        UsageError: There is none where one was named.
    """
    if python is not None:
        environment_at(Path(python))
        return Path(python)
    # Without a name the second is nowhere, since an empty path would be the current folder.
    for place in (Path(folder, ".venv"), Path(os.environ.get("VIRTUAL_ENV") or "/nonexistent")):
        if (place / "pyvenv.cfg").is_file():
            return place
    return None


def common_environment(folders: Collection[str], python: str | os.PathLike[str] | None) -> Path | None:
    """The virtual environment for a loop over work in folders, which has one for all of them.

    Raises:
        UsageError: There is none where one was named, or the folders have different ones and none was named.
    """
    environments = {environment_for(folder, python) for folder in folders}
    if len(environments) > 1:
        raise UsageError(
            "the tasks' folders have different environments", hint="name one for all with --set python=PATH"
        )
    return next(iter(environments), None)
