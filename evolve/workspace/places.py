"""Where a workspace is and what it is set to, found out without opening it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from evolve.paths import find_workspace, is_workspace, user_workspace, workspace_at
from evolve.settings import VARIABLES, load_settings, setting_fields, unread_variables

if TYPE_CHECKING:
    from evolve.workspace.opening import Place


@dataclass(frozen=True, kw_only=True)
class Where:
    """The workspace that is used here.

    Attributes:
        exists: It is there; else it is made on first use.
        user: It is the user's own, because none is named and no folder above is one.
    """

    root: Path
    exists: bool
    user: bool


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


def init(path: str | os.PathLike[str] = ".") -> Place:
    """Makes a folder a workspace; files that are there stay as they are.

    Raises:
        WorkspaceError: The folder cannot be written, or is a file.
    """
    from evolve.paths import WorkspacePaths
    from evolve.workspace.opening import Place, ensure_workspace

    root = workspace_at(path)
    return Place(created=ensure_workspace(root), paths=WorkspacePaths(root))


def where(path: str | os.PathLike[str] | None = None) -> Where:
    """Which workspace is used here; makes nothing.

    Args:
        path: As for :func:`evolve.open`.
    """
    nearest = find_workspace(path)
    root = nearest or user_workspace()
    return Where(root=root, exists=is_workspace(root), user=nearest is None)


def config(path: str | os.PathLike[str] | None = None) -> Config:
    """Every setting of a workspace with its value and where that comes from.

    Raises:
        UsageError: A variable of the environment has a value that means nothing.
        WorkspaceError: So has a setting in the workspace's file.
    """
    settings = load_settings(where(path).root)
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
