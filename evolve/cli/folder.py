"""Work in a folder on the command line: the difference, whether to apply it, and the check that was kept."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Annotated

import typer

from evolve.cli.asking import WAITING, print_waiting
from evolve.cli.learning import emit_with_lessons
from evolve.cli.render.episodes import show_change
from evolve.cli.render.output import emit, shorten_home_path
from evolve.core.errors import UsageError

if TYPE_CHECKING:
    from evolve.workspace import Ledger, Result, Workspace

_COMMAND = re.compile(r"`([^`\n]+)`")

Dir = Annotated[str | None, typer.Option("--dir", metavar="DIR", help="Work in a copy of this folder.")]
Check = Annotated[
    str | None,
    typer.Option(
        "--check",
        metavar="COMMAND",
        help="A shell command with exit code 0 once the work is done, such as 'pytest -q'.",
    ),
]
Yes = Annotated[
    bool,
    typer.Option(
        "--yes", help="Apply the change without a question if it passes the check; short for --set approve=auto."
    ),
]


def refuse_options(options: Mapping[str, object]) -> None:
    """Raises :class:`UsageError` for options about a folder where no folder is worked in."""
    for option, value in options.items():
        if value:
            raise UsageError(f"{option} needs a folder", hint="name the folder with --dir")


def show_work(
    opened: Workspace, result: Result, *, as_json: bool, bounds: Ledger | None = None, shown: bool = False
) -> int:
    """Shows what was done in a folder and what came of it; gives the exit code.

    Args:
        shown: The change is on the screen, because somebody was asked about it just now.
    """
    patch = result.patch
    if as_json:
        emit_with_lessons(opened, result, bounds)
    else:
        if not shown:
            show_change(result, diff=patch is None or patch.state == "waiting")
        if patch is not None:
            if patch.state == "applied":
                emit(shorten_home_path(f"applied to {patch.folder}; evolve undo {patch.run} takes it back"))
            elif patch.state == "refused":
                later = "; the next run of the task follows your reason once you keep it"
                emit(f"nothing is changed{later if patch.reason else ''}")
    print_waiting(result)
    if result.question is not None:
        return WAITING
    return 0 if patch is not None else result.exit_code


def named_files(text: str, folder: str) -> list[str]:
    """The files of a folder that a text names, in its order."""
    if not folder:
        return []
    words = (word.rstrip(".,;:!?").removeprefix("./") for word in re.findall(r"[\w./+@-]+", text))
    inside = (word for word in words if not os.path.isabs(word) and ".." not in word.split("/"))
    return list(dict.fromkeys(word for word in inside if os.path.isfile(os.path.join(folder, word))))


def kept_check(opened: Workspace, folder: str) -> str:
    """The command that the newest kept preference for checks in this folder names, or ""."""
    for kept in opened.preferences.list(status="active"):
        command = _COMMAND.search(kept.description)
        is_check = any(act.kind == "tests" for act in kept.acts)
        if command and is_check and any(context.folder == folder for context in kept.contexts):
            return command[1]
    return ""


def chosen_check(
    opened: Workspace, folder: str, agrees: Callable[[str], bool | None] | None, tell: Callable[[str], None]
) -> str:
    """The kept check if the person at the terminal takes it, else "".

    Args:
        agrees: Asks them; None where nobody is there, who is told of the option.
    """
    check = kept_check(opened, folder)
    if not check:
        return ""
    if agrees is None:
        tell(f"you kept a check for this folder; to use it: --check {shlex.quote(check)}")
        return ""
    return check if agrees(f"use the check you kept: {check} ?") else ""
