"""Where a workspace is, what it is set to, and what a person saw of it last; found out without opening it.

It is kept beside what they approved, outside of the workspace: a mere look changes nothing in there.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from evolve.core.errors import WorkspaceError
from evolve.core.files import digest, replace_file
from evolve.core.paths import approvals_folder, find_workspace, is_workspace, workspace_at
from evolve.core.settings import VARIABLES, setting_fields, unread_variables

if TYPE_CHECKING:
    from evolve.workspace.locating import WorkspaceLocation
    from evolve.workspace.trust import TrustProposal


@dataclass(frozen=True, kw_only=True)
class WorkspaceInUse:
    """The workspace that is used here.

    Attributes:
        exists: It is there; else it is made on first use.
        user: It is the user's own, because none is named and no folder above is one.
        trusted: Nothing is there yet, or this user made it here or trusted it.
    """

    root: Path
    exists: bool
    user: bool
    trusted: bool = True


@dataclass(frozen=True, kw_only=True)
class Setting:
    """One setting.

    Attributes:
        source: Where its value comes from: ``default``, a file's path, or a variable's name.
        about: What it means.
    """

    name: str
    value: object
    source: str
    about: str


@dataclass(frozen=True, kw_only=True)
class Config:
    """Everything that a workspace is set to.

    Attributes:
        variables: Every variable of the environment that is read, with its meaning.
        unread: Variables that are set, look like these and mean nothing.
    """

    settings: tuple[Setting, ...]
    variables: Mapping[str, str]
    unread: tuple[str, ...]


def init(path: str | os.PathLike[str] = ".", *, trust: bool | TrustProposal = False) -> WorkspaceLocation:
    """Makes a folder a workspace; files that are there stay as they are.

    Args:
        trust: Believe what is there from now on, though somebody else may have made it; a proposal: if it is still
            what was shown.

    Raises:
        UntrustedWorkspace: Somebody else made it, or the folder, and it was not trusted.
        WorkspaceError: The folder cannot be written, or is a file, or git tracks its store.
    """
    from evolve.workspace import locating

    paths = locating.selected_workspace(workspace_at(path))
    if trust:
        locating.trust(paths, None if trust is True else trust)
    return locating.WorkspaceLocation(created=locating.ensure_workspace(paths.root), paths=paths)


def trust_proposal(path: str | os.PathLike[str] | None = None) -> TrustProposal:
    """What a workspace would change that nobody trusted yet, for :func:`evolve.init`; nothing in it is believed.

    Args:
        path: As for :func:`evolve.open`.

    Raises:
        WorkspaceError: There is none.
    """
    from evolve.workspace.locating import selected_workspace
    from evolve.workspace.trust import proposal_of

    paths = selected_workspace(path)
    if not paths.root.is_dir():
        raise WorkspaceError(f"there is no workspace at {paths.root}")
    return proposal_of(paths)


def where(path: str | os.PathLike[str] | None = None) -> WorkspaceInUse:
    """Which workspace is used here; makes nothing.

    Args:
        path: As for :func:`evolve.open`.
    """
    from evolve.workspace.locating import is_trusted, selected_workspace

    paths = selected_workspace(path)
    root, user = paths.root, find_workspace(path) is None
    return WorkspaceInUse(root=root, exists=is_workspace(root), user=user, trusted=is_trusted(paths))


def config(path: str | os.PathLike[str] | None = None) -> Config:
    """Every setting of a workspace with its value and where that comes from.

    Raises:
        UsageError: A variable of the environment has a value that means nothing.
        WorkspaceError: So has a setting in the workspace's file, or the workspace is not trusted.
    """
    from evolve.workspace.locating import trusted_settings, trusted_workspace

    settings = trusted_settings(trusted_workspace(path))
    rows = [
        Setting(
            name=item.name,
            value=getattr(settings, item.name),
            source=settings.sources[item.name],
            about=str(item.metadata["about"]),
        )
        for item in setting_fields()
    ]
    return Config(settings=tuple(rows), variables=VARIABLES, unread=unread_variables())


@dataclass(frozen=True, kw_only=True)
class WorkspaceVisit:
    """What was there when a person looked.

    Attributes:
        at: When that was, in seconds since the epoch.
        unfinished: Ids of the runs that had not ended.
    """

    insights: int = 0
    skills: int = 0
    unfinished: tuple[str, ...] = ()
    at: float = field(default_factory=time.time)


def last_visit(root: Path) -> WorkspaceVisit | None:
    """The last visit to a workspace, or None where there was none or what is kept of it cannot be understood."""
    try:
        kept = json.loads(_file(root).read_bytes())
        return WorkspaceVisit(
            insights=int(kept["insights"]),
            skills=int(kept["skills"]),
            unfinished=tuple(map(str, kept["unfinished"])),
            at=float(kept["at"]),
        )
    except (OSError, ValueError, TypeError, KeyError):
        return None


def keep_visit(root: Path, visit: WorkspaceVisit) -> None:
    """Keeps a visit in place of the one before; where nothing can be written, the next one tells the same again."""
    with suppress(WorkspaceError), replace_file(_file(root), mode=0o600) as stream:
        stream.write(json.dumps(asdict(visit)).encode("ascii"))


def _file(root: Path) -> Path:
    return approvals_folder() / "visits" / f"{digest(str(root).encode())[:16]}.json"
