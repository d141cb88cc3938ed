"""The workspaces that this user made or trusted on this machine: a file for each, outside of all of them.

They lie beside what a person approved (:func:`evolve.core.paths.approvals_folder`), so code in the sandbox does not see
them and no server of tools may write there.
"""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path

from evolve.core.errors import UsageError, WorkspaceError
from evolve.core.files import digest, replace_file, write_failure, write_private_text


@dataclass(frozen=True, kw_only=True)
class TrustedWorkspace:
    """A workspace that is believed.

    Attributes:
        path: Its folder, without links.
        owners: The user ids that the folder and what lies in it belonged to.
        id: What must be written in its store and in its record.
        shared: Anyone could write there when it was trusted already.
        addresses: Of models, that a person chose or confirmed for it; keys go to no others.
    """

    path: str
    owners: tuple[int, ...]
    id: str
    shared: bool = False
    addresses: tuple[str, ...] = ()


class Register:
    """Reads and writes the entries.

    Args:
        folder: Where a person's approvals lie; made when the first entry is kept.

    Raises:
        WorkspaceError: An entry cannot be understood, or somebody else could have written it.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder / "workspaces"

    def entry_of(self, path: str) -> TrustedWorkspace | None:
        """The entry of a folder, or None."""
        place = self._file(path)
        try:
            text = write_private_text(place)
            if text is None:
                return None
            values = json.loads(text)
            lists = {"owners": tuple(map(int, values["owners"])), "addresses": tuple(map(str, values["addresses"]))}
            entry = TrustedWorkspace(**{**values, **lists})
        except (ValueError, TypeError, KeyError, RecursionError, UsageError) as error:
            raise WorkspaceError(f"{place} cannot be understood", hint=f"remove it: rm {place}") from error
        return entry if entry.path == path else None

    def save_entry(self, entry: TrustedWorkspace) -> None:
        """Writes an entry in place of an earlier one for its path."""
        self._make_folder()
        with replace_file(self._file(entry.path), mode=0o600) as stream:
            stream.write(json.dumps(asdict(entry), indent=1).encode("ascii"))

    def _make_folder(self) -> None:
        try:
            for folder in (self._folder.parent, self._folder):
                folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        except OSError as error:
            problem = write_failure(self._folder, error)
            raise WorkspaceError(str(problem), hint="name a folder of yours in XDG_STATE_HOME") from error

    def _file(self, path: str) -> Path:
        return self._folder / f"{digest(os.fsencode(path))[:32]}.json"
