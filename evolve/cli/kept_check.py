"""The check that a person kept for a folder: offered where none is given."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from evolve.workspace import Workspace

_COMMAND = re.compile(r"`([^`\n]+)`")


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
