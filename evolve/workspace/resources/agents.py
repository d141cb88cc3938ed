"""Programs that a person approved to run as agents outside of the sandbox, each for one workspace.

They stand beside the approvals of tools, in a file of their own: no run starts one by itself.
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
from typing import Any

from evolve.core.errors import UsageError, WorkspaceError
from evolve.core.files import replace_file, write_private_text
from evolve.core.paths import WorkspacePaths, approvals_folder
from evolve.workspace.locating import workspace_number


def command_program(command: str) -> tuple[str, ...]:
    """The words of a command, the program by its whole path.

    Raises:
        UsageError: There is no such program.
    """
    try:
        words = shlex.split(command)
    except ValueError:
        words = []
    found = shutil.which(words[0]) if words else None
    if found is None:
        missing = f"no program {words[0]!r} is installed here" if words else "it names no program"
        raise UsageError(f"--agent {command!r}: {missing}", hint="install it, or give its whole path")
    return (os.path.abspath(found), *words[1:])


class ApprovedAgents:
    """The commands that may run for a workspace.

    Raises (from every method):
        UsageError: There is no such program.
        WorkspaceError: The file cannot be understood, or somebody else could have written it.
    """

    def __init__(self, paths: WorkspacePaths) -> None:
        self._home, self._file = (
            [os.path.realpath(paths.root), workspace_number(paths)],
            approvals_folder() / "agents.json",
        )

    def is_approved(self, command: str) -> bool:
        """Whether a person approved this very command here, with the program that it means now."""
        return [*self._home, *command_program(command)] in self._entries()

    def approve(self, command: str) -> None:
        """Approves a command for this workspace; whoever calls this has seen it whole."""
        entries = [*self._entries(), [*self._home, *command_program(command)]]
        self._file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with replace_file(self._file, mode=0o600) as stream:
            stream.write(json.dumps(entries).encode("ascii"))

    def _entries(self) -> list[Any]:
        try:
            return list(json.loads(write_private_text(self._file) or "[]"))
        except (ValueError, TypeError, RecursionError) as error:
            raise WorkspaceError(f"{self._file} cannot be understood", hint="remove it, and approve again") from error
