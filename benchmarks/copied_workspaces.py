"""Copies of workspaces for trials: a copy is another workspace until this user says that it is theirs."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from evolve.core.paths import WorkspacePaths, approvals_folder
from evolve.core.schema import MIGRATIONS
from evolve.core.store import Database
from evolve.workspace.opening import NAMED, workspace_identity
from evolve.workspace.register import Register, TrustedWorkspace


def copy_workspace(source: Path, target: Path) -> Path:
    """A copy that is trusted as it is, byte for byte: trusting it as a person does would write into its record."""
    shutil.copytree(source, target, symlinks=True)
    enter(target, approvals_folder())
    return target


def enter(root: Path, approvals: Path) -> None:
    """Enters a workspace as one of this user, where there is one."""
    identity = workspace_identity(WorkspacePaths(root))
    if identity:
        entry = TrustedWorkspace(path=os.path.realpath(root), owners=(os.geteuid(),), id=identity)
        Register(approvals).save_entry(entry)


def named_record(paths: WorkspacePaths) -> Database:
    """The record of a workspace that was just made, opened without the rest."""
    return Database(paths.db, MIGRATIONS, born={NAMED: workspace_identity(paths)})
