"""Work in a folder on the command line: the difference, the question whether to apply it, and what came of that."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from evolve.cli.amounts import spending
from evolve.cli.asking import WAITING, show_diff, tell_waiting
from evolve.cli.learning import emit_with_lessons
from evolve.cli.output import at_home, counted, emit, visible

if TYPE_CHECKING:
    from evolve.workspace import Patch, Result, Task, Workspace

EXIT_CODES = {"fault": 3, "interrupted": 130, "waiting": WAITING}
"""By status. Every other unsolved run gives 1, or 5 where the budget that was asked for ended it, not a setting."""

Dir = Annotated[str | None, typer.Option("--dir", metavar="DIR", help="Work in a copy of this folder.")]
Check = Annotated[
    str | None,
    typer.Option("--check", metavar="COMMAND", help="A shell command that ends with 0 when the work is done."),
]
Python = Annotated[
    str | None,
    typer.Option(
        "--python",
        metavar="DIR",
        help="A virtual environment to import from. Default: .venv in the folder, then VIRTUAL_ENV.",
    ),
]
Protect = Annotated[
    list[str] | None,
    typer.Option(
        "--protect",
        metavar="PATTERN",
        help="Files whose changes do not count; may be given several times. Default: tests.",
    ),
]
Yes = Annotated[bool, typer.Option("--yes", help="Apply what passes the check; short for --approve auto.")]


@dataclass(frozen=True, kw_only=True)
class FolderOptions:
    """The options of ``evolve run`` that are about a folder."""

    folder: str | None
    check: str | None
    python: str | None
    protect: list[str] | None
    yes: bool

    def task(self, text: str | None, name: str | None) -> Task | None:
        """The task, or None where no folder is named."""
        from evolve.errors import UsageError
        from evolve.workspace import tasks

        if self.folder is None:
            _refuse_options({"--check": self.check, "--protect": self.protect})
            return None
        if not text:
            raise UsageError("say what is wanted in the folder", hint='evolve run "TASK" --dir PATH --check COMMAND')
        return tasks.in_folder(text, self.folder, self.check or "", protected=self.protect, name=name)

    def fit(self, task: Task) -> None:
        """Raises :class:`UsageError` for options that the task has no use for."""
        if not task.folder:
            _refuse_options({"--python": self.python, "--yes": self.yes})


def _refuse_options(options: Mapping[str, object]) -> None:
    """Raises :class:`UsageError` for options about a folder where no folder is worked in."""
    from evolve.errors import UsageError

    for option, value in options.items():
        if value:
            raise UsageError(f"{option} is about work in a folder", hint="name the folder with --dir")


def show_work(opened: Workspace, result: Result, *, as_json: bool) -> int:
    """Shows what was done in a folder and what came of it; gives the exit code."""
    patch = result.patch
    if as_json:
        emit_with_lessons(opened, result)
    else:
        if patch is None or patch.state == "waiting":  # else it was shown before it was asked about
            show_diff(result.answer)
        _show_outcome(result)
        if patch is not None:
            _show_patch_state(patch)
    tell_waiting(result)
    if result.question is not None:
        return WAITING
    return 0 if patch is not None else EXIT_CODES.get(result.status, 5 if result.budget_ended else 1)


def _show_patch_state(patch: Patch) -> None:
    if patch.state == "applied":
        emit(at_home(f"applied to {patch.folder}; `evolve undo {patch.run}` takes it back"))
    elif patch.state == "refused":
        emit(f"not applied; `evolve runs apply {patch.run}` would still do it")


def _show_outcome(result: Result) -> None:
    emit(f"{'solved, ' + result.kind if result.solved else result.outcome}: {result.note}")
    if result.patch is not None and result.patch.protected:
        names = ", ".join(result.patch.protected)
        line = f"protected, so neither counted nor applied: {names}  (--protect PATTERN chooses others)"
        emit(visible(line, lines=False))
    emit(f"{spending(result.cost)}, {result.cost.seconds:.2f} s; episode {result.episode_id} of {result.run_id}")


def named_files(text: str, folder: str) -> list[str]:
    """The files of a folder that a text names, in its order."""
    if not folder:
        return []
    words = (word.rstrip(".,;:!?").removeprefix("./") for word in re.findall(r"[\w./+@-]+", text))
    inside = (word for word in words if not os.path.isabs(word) and ".." not in word.split("/"))
    return list(dict.fromkeys(word for word in inside if os.path.isfile(os.path.join(folder, word))))


def show_patch(patch: Patch) -> None:
    """One line about a patch that was applied or undone."""
    emit(f"{patch.state}: {counted(patch.names, 'file')} in {patch.folder}")
