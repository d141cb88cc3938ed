"""Work in a folder on the command line: the difference, the question whether to apply it, and what came of that."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from evolve.cli.output import emit, emit_json, flush, note

if TYPE_CHECKING:
    from evolve.tasks import Task
    from evolve.workspace import Result, Workspace
    from evolve.workspace.folders import Patch

WAITING = 6
"""The exit code where nobody is there to ask."""

Dir = Annotated[str | None, typer.Option("--dir", envvar="EVOLVE_DIR", help="Work in a copy of this folder.")]
Check = Annotated[
    str | None,
    typer.Option("--check", envvar="EVOLVE_CHECK", help="A shell command that ends with 0 when the work is done."),
]
Python = Annotated[
    str | None,
    typer.Option(
        "--python",
        envvar="EVOLVE_PYTHON",
        help="A virtual environment to import from; default DIR/.venv, then VIRTUAL_ENV.",
    ),
]
Protect = Annotated[
    list[str] | None,
    typer.Option("--protect", envvar="EVOLVE_PROTECT", help="Files whose changes do not count; default: tests."),
]
Yes = Annotated[bool, typer.Option("--yes", envvar="EVOLVE_YES", help="Apply to the folder what passes the check.")]


@dataclass(frozen=True, kw_only=True)
class FolderWish:
    """The options of ``evolve run`` that are about a folder."""

    folder: str | None
    check: str | None
    python: str | None
    protect: list[str] | None
    yes: bool

    def task(self, text: str | None, name: str | None) -> Task | None:
        """The task, or None where no folder is named."""
        from evolve.errors import UsageError
        from evolve.tasks.folder_task import folder_task

        if self.folder is None:
            _refuse({"--check": self.check, "--protect": self.protect})
            return None
        if not text:
            raise UsageError("say what is wanted in the folder", hint='evolve run "TASK" --dir PATH --check COMMAND')
        return folder_task(text, self.folder, self.check or "", protected=self.protect, name=name)

    def fit(self, task: Task) -> None:
        """Raises :class:`UsageError` for options that the task has no use for."""
        if task.files is None:
            _refuse({"--python": self.python, "--yes": self.yes})


def _refuse(given: Mapping[str, object]) -> None:
    from evolve.errors import UsageError

    for option, value in given.items():
        if value:
            raise UsageError(f"{option} is about work in a folder", hint="name the folder with --dir")


def show_and_apply(opened: Workspace, result: Result, wish: FolderWish, *, as_json: bool) -> int:
    """Shows what was done and applies it where that is approved; gives the exit code."""
    patch, asked = result.patch, not as_json and sys.stdin.isatty() and sys.stdout.isatty()
    if not as_json:
        show_diff(result.answer)
        _tell(result)
        flush()  # the question comes after what it is about
    if patch is not None and patch.state == "waiting" and patch.names:
        if wish.yes or (asked and typer.confirm(f"change {len(patch.names)} files in {patch.folder}?", err=True)):
            patch = opened.folders.apply(patch.run)
        elif not asked:
            note(f"nothing is changed yet: `evolve runs apply {patch.run}` changes {patch.folder}")
    if as_json:
        shown = None if patch is None else patch.to_json()
        emit_json({**result.to_json(), "patch": shown, **opened.mark})
    elif patch is not None and patch.state == "applied":
        emit(f"applied to {patch.folder}; `evolve undo {patch.run}` takes it back")
    if patch is None:
        return {"fault": 3}.get(result.status, 1)
    return WAITING if patch.state == "waiting" and patch.names and not asked else 0


def show_diff(text: str) -> None:
    """The difference; in colour on a terminal."""
    if not text:
        return
    if not sys.stdout.isatty():
        emit(text.rstrip("\n"))
        return
    from rich.console import Console
    from rich.text import Text

    styles = {"+": "green", "-": "red", "@": "cyan"}
    console = Console(highlight=False, soft_wrap=True)
    for line in text.rstrip("\n").split("\n"):
        console.print(Text(line, style=styles.get(line[:1], "")))


def _tell(result: Result) -> None:
    kind = "verified" if result.verified else "judged, not verified" if result.judged else "unverified"
    emit(f"{'solved, ' + kind if result.solved else result.status}: {result.note}")
    if result.patch is not None and result.patch.protected:
        names = ", ".join(result.patch.protected)
        emit(f"protected, so neither counted nor applied: {names}  (--protect PATTERN chooses others)")
    emit(f"episode {result.episode_id} of {result.run_id}")


def show_patch(patch: Patch) -> None:
    """One line about a patch that was applied or undone."""
    count = len(patch.names)
    emit(f"{patch.state}: {count} file{'' if count == 1 else 's'} in {patch.folder}")
