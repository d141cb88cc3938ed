"""Tells which folders outside the sandbox are in use: those on which a living process holds a lock.

The number of a process says nothing here, because it means something else in another process namespace, such as in a
container that shares ``/dev/shm``. A lock (``flock``) is known to the one kernel that all of them share, which frees it
when the last holder is gone, however it ended. Programs that are started do not inherit it.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator

YOUNG_S = 60.0
"""A folder younger than this is left alone: whoever makes it may not have come to lock it yet."""

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


def lock_folder(folder: str) -> int:
    """A descriptor that keeps the folder ours until it is closed, here and in every fork.

    Where the file system knows no locks, nobody else can take it for abandoned either.

    Raises:
        OSError: It is gone, or another process holds it.
    """
    import fcntl

    descriptor = os.open(folder, _FOLDER)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        raise
    except OSError:
        return descriptor
    return descriptor


@contextlib.contextmanager
def take_over(folder: str, older_than_s: float) -> Iterator[bool]:
    """Whether nobody owns this user's folder any more; while it is so, nobody else takes it over.

    Raises:
        OSError: It is gone, or cannot be looked at.
    """
    import fcntl

    state = os.lstat(folder)
    # the time of the last change of its entries: no program can set it
    if state.st_uid != os.getuid() or time.time() - state.st_ctime < older_than_s:
        yield False
        return
    descriptor = os.open(folder, _FOLDER)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield True
    except BlockingIOError:
        yield False
    finally:
        os.close(descriptor)
