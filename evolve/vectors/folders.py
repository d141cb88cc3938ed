"""Removes or sets aside the folder of an index. It is derived data, so nothing is lost."""

from __future__ import annotations

import shutil
from pathlib import Path


def drop(folder: Path) -> None:
    """Removes an index. It is renamed first, so that a kill in between leaves no half of one."""
    old = folder.with_name(folder.name + ".old")
    shutil.rmtree(old, ignore_errors=True)
    if folder.exists():
        folder.rename(old)
        shutil.rmtree(old, ignore_errors=True)


def set_aside(folder: Path) -> Path:
    """Keeps the damaged files for who wants to look at them; of earlier damage nothing is kept."""
    aside = folder.with_name(f"{folder.name}.damaged-1")
    shutil.rmtree(aside, ignore_errors=True)
    return folder.rename(aside)
