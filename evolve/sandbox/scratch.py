"""Scratch folders on disk, for backends without a file system of their own."""

from __future__ import annotations

import contextlib
import os
import re
import tempfile
from pathlib import Path

from evolve.sandbox.wiping import wipe

_NAME = re.compile(r"evolve-scratch-(\d+)-")


def make_scratch() -> str:
    """A new private folder whose name says which process made it."""
    return os.path.realpath(tempfile.mkdtemp(prefix=f"evolve-scratch-{os.getpid()}-"))


def remove_scratch(folder: str) -> None:
    """Removes a scratch folder, whatever was made in it; what cannot be removed stays for the next start."""
    with contextlib.suppress(OSError):
        root = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
        try:
            wipe(root, most=10_000_000, seconds=30.0)
        finally:
            os.close(root)
        os.rmdir(folder)


def remove_abandoned() -> None:
    """Removes scratch folders of ours whose process is gone, as after ``kill -9``."""
    for path in Path(tempfile.gettempdir()).glob("evolve-scratch-*"):
        made_by = _NAME.match(path.name)
        with contextlib.suppress(OSError):
            state = path.lstat()
            if made_by and state.st_uid == os.getuid() and not path.is_symlink() and not _running(int(made_by[1])):
                remove_scratch(str(path))


def _running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
