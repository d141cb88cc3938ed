"""Which secrets the runs of a workspace are kept clean of."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from evolve.core.errors import UsageError

if TYPE_CHECKING:
    from evolve.core.paths import WorkspacePaths
    from evolve.core.redaction import Scanner
    from evolve.tasks import Task

_WORD = re.compile(r"[^\W\d_]+")


@runtime_checkable
class SecretCleaningLearner(Protocol):
    """A learner whose endpoints may repeat what stands in a folder."""

    def beware_of(self, folders: Iterable[Path], spared: frozenset[str] = frozenset()) -> None:
        """Learns the secrets in ``.env`` files of these folders too, and which values are words of the work itself."""
        ...


def scanner_of(paths: WorkspacePaths, folders: Iterable[Path] = ()) -> Scanner:
    """Knows the environment, and the ``.env`` files of the workspace, the current folder and the folders."""
    from evolve.core.redaction import Scanner, known_secrets

    return Scanner(known_secrets(os.environ, (paths.root, Path.cwd(), *folders)))


def scanner_for(paths: WorkspacePaths, tasks: Sequence[Task]) -> tuple[Scanner, frozenset[str]]:
    """The same for work on tasks, and the guessable values it spares because they are words of that work.

    These are values that the tasks themselves hold, and those of letters alone that a file of their folders holds: such
    a word is no secret there, and what the work comes to must not depend on who has it as a password. Any other value
    that stands in a file stays secret.
    """
    from evolve.core.redaction import Scanner
    from evolve.tasks import task_json

    scanner = scanner_of(paths, task_folders(tasks))
    task_text = json.dumps([task_json(task) for task in tasks], ensure_ascii=False)
    guessable = [secret for secret in scanner.known if not secret.random]
    words = [secret for secret in guessable if _WORD.fullmatch(secret.value)]
    file_texts = [data.decode("utf-8", "replace") for data in _contents(task_folders(tasks))] if words else []
    spared = frozenset(
        [secret.value for secret in guessable if Scanner([secret]).secret_spans(task_text)]
        + [secret.value for secret in words if any(Scanner([secret]).secret_spans(text) for text in file_texts)]
    )
    return Scanner(secret for secret in scanner.known if secret.value not in spared), spared


def _contents(folders: Iterable[Path]) -> Iterator[bytes]:
    from evolve.runtime.folder_tree import read_tree

    for folder in folders:
        try:
            yield from read_tree(folder).files.values()
        except UsageError:
            continue  # the run itself says what is wrong with it


def task_folders(tasks: Iterable[Task]) -> list[Path]:
    """The folders that tasks are worked on in, each once."""
    return list(dict.fromkeys(Path(task.folder) for task in tasks if task.folder))
