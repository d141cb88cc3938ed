"""Which secrets the runs of a workspace are kept clean of."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Protocol, runtime_checkable

from evolve.paths import WorkspacePaths
from evolve.redaction import Scanner, known_secrets
from evolve.tasks import Suite, Task, task_json


@runtime_checkable
class AsksEndpoints(Protocol):
    """A learner whose endpoints may repeat what stands in a folder."""

    def beware_of(self, folders: Iterable[Path]) -> None:
        """Learns the secrets in ``.env`` files of these folders too."""
        ...


def scanner_of(paths: WorkspacePaths, folders: Iterable[Path] = ()) -> Scanner:
    """Knows the environment, and the ``.env`` files of the workspace, the current folder and the folders."""
    return Scanner(known_secrets(os.environ, (paths.root, Path.cwd(), *folders)))


def scanner_for(paths: WorkspacePaths, suite: Suite) -> Scanner:
    """The same for a suite, without guessable values that its tasks hold themselves.

    Such a word is no secret there, and what a suite comes to must not depend on who has it as a password.
    """
    scanner = scanner_of(paths, folders_of(suite.tasks))
    told = json.dumps([task_json(task) for task in suite.tasks], ensure_ascii=False)
    return Scanner(one for one in scanner.known if one.random or not Scanner([one]).spans(told))


def folders_of(tasks: Iterable[Task]) -> list[Path]:
    """The folders that tasks are worked on in, each once."""
    return list(dict.fromkeys(Path(task.folder) for task in tasks if task.folder))
