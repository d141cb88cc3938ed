"""Scratch folders in memory or on disk, for backends without a file system of their own."""

from __future__ import annotations

import contextlib
import os
import re
import tempfile
import threading
from pathlib import Path

from evolve.sandbox.wiping import wipe

_MEMORY = "/dev/shm"
_ENOUGH = 256 << 20
_MOMENT_S = 0.2
_LONG_S = 60.0
_NAME = re.compile(r"evolve-scratch-(\d+)-")


def make_scratch() -> str:
    """A new private folder whose name says which process made it."""
    return os.path.realpath(tempfile.mkdtemp(prefix=f"evolve-scratch-{os.getpid()}-", dir=_place()))


def _place() -> str:
    """Memory where there is enough of it: folders of hostile code are emptied there in no time."""
    with contextlib.suppress(OSError):
        room = os.statvfs(_MEMORY)
        if room.f_bavail * room.f_frsize >= _ENOUGH and os.access(_MEMORY, os.W_OK | os.X_OK):
            return _MEMORY
    return tempfile.gettempdir()


def remove_scratch(folder: str) -> None:
    """Removes a scratch folder, whatever was made in it.

    What takes longer than a moment goes on in the background, because the code has had its time; what cannot be
    removed stays for the next start.
    """
    if not _removed(folder, _MOMENT_S):
        threading.Thread(target=_removed, args=(folder, _LONG_S), name="evolve-scratch", daemon=True).start()


def _removed(folder: str, seconds: float) -> bool:
    try:
        root = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return True  # it is not there, or not ours to remove
    try:
        wipe(root, most=10_000_000, seconds=seconds)
        os.rmdir(folder)
    except OSError:
        return False
    finally:
        os.close(root)
    return True


def remove_abandoned() -> None:
    """Removes scratch folders of ours whose process is gone, as after ``kill -9``."""
    places = dict.fromkeys((_MEMORY, tempfile.gettempdir()))
    for path in (found for place in places for found in Path(place).glob("evolve-scratch-*")):
        made_by = _NAME.match(path.name)
        with contextlib.suppress(OSError):
            state = path.lstat()
            if made_by and state.st_uid == os.getuid() and not path.is_symlink() and not _running(int(made_by[1])):
                _removed(str(path), _LONG_S)


def _running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
