"""Scratch folders in memory or on disk, and the locks that keep those of living processes.

The folders that code writes lie in one of ours that it can neither read nor write; on that one we hold a lock.

The number of a process says nothing here, because it means something else in another process namespace, such as in a
container that shares ``/dev/shm``. A lock (``flock``) is known to the one kernel that all of them share, which frees it
when the last holder is gone, however it ended. Programs that are started do not inherit it.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

from evolve.runtime.sandbox.guest.wiping import wipe

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
def take_over_folder(folder: str, older_than_s: float) -> Iterator[bool]:
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


_MEMORY = "/dev/shm"
# several scratch folders of the default 32 MiB; containers often have 64 MiB in all there
_ENOUGH = 256 << 20
# 20,000 folders on a disk once held the caller for five seconds
_MOMENT_S = 0.2
_LONG_S = 60.0
_PREFIX = "evolve-scratch-"
_INNER, _TEMPORARY = "files", "temporary"


class ScratchFolder:
    """One scratch folder, with a second one for temporary files. It is ours until :meth:`remove` or :meth:`let_go`.

    Attributes:
        path: The folder that code works in.
        temporary: The folder beside it for temporary files.
    """

    def __init__(self, outer: str) -> None:
        """Raises OSError when it cannot be made in ``outer``, or locked."""
        self._outer = outer
        self._lock = lock_folder(outer)
        try:
            # relative to the locked folder, so that no exchanged path leads elsewhere
            for name in (_INNER, _TEMPORARY):
                os.mkdir(name, 0o700, dir_fd=self._lock)
            self.path, self.temporary = os.path.join(outer, _INNER), os.path.join(outer, _TEMPORARY)
            self._identities = [(path, os.lstat(path)) for path in (self.path, self.temporary)]
        except OSError:
            os.close(self._lock)
            raise

    @property
    def is_lost(self) -> bool:
        """Whether somebody has removed or replaced a folder of it."""
        try:
            return not all(os.path.samestat(os.lstat(path), identity) for path, identity in self._identities)
        except OSError:
            return True

    def remove(self) -> None:
        """Removes it, whatever was made in it.

        What takes longer than a moment goes on in the background, because the code has had its time; what cannot be
        removed stays for a later start.
        """
        if self._removed(_MOMENT_S):
            return
        with contextlib.suppress(RuntimeError):  # no thread can be started
            # a daemon: the program's end must not wait for it; a later start finds what is left
            threading.Thread(target=self._removed, args=(_LONG_S,), name="evolve-scratch", daemon=True).start()
            return
        self.let_go()

    def _removed(self, seconds: float) -> bool:
        if not _removed(self._outer, seconds) and seconds < _LONG_S:
            return False
        self.let_go()
        return True

    def let_go(self) -> None:
        """Gives up the lock of this process: for a fork, which leaves the folder to the process that made it."""
        os.close(self._lock)


def make_scratch(size: int = 0) -> ScratchFolder:
    """A new private folder with room for so many bytes.

    Raises:
        OSError: None can be made.
    """
    outer = os.path.realpath(tempfile.mkdtemp(prefix=_PREFIX, dir=_parent_folder(size)))
    try:
        return ScratchFolder(outer)
    except OSError:
        _removed(outer, _MOMENT_S)
        raise


@contextlib.contextmanager
def new_scratch(size: int = 0) -> Iterator[ScratchFolder]:
    """A new folder for what is started in the block; gone again if that fails.

    Raises:
        OSError: None can be made.
    """
    with contextlib.ExitStack() as undo:
        scratch = make_scratch(size)
        undo.callback(scratch.remove)
        yield scratch
        undo.pop_all()


def _parent_folder(size: int) -> str:
    """Where to make scratch folders: in memory if there is enough, as they are emptied there in no time."""
    with contextlib.suppress(OSError):
        room = os.statvfs(_MEMORY)
        if room.f_bavail * room.f_frsize >= max(_ENOUGH, 2 * size) and os.access(_MEMORY, os.W_OK | os.X_OK):
            return _MEMORY
    return tempfile.gettempdir()


def _removed(folder: str, seconds: float) -> bool:
    """Removes a folder with all that is in it; False when it could not be done in time."""
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


def remove_abandoned(*, older_than_s: float = YOUNG_S) -> None:
    """Removes scratch folders of ours that nobody holds any more, as after ``kill -9``."""
    places = dict.fromkeys((_MEMORY, tempfile.gettempdir()))
    for place in places:
        with contextlib.suppress(OSError):
            for path in Path(place).glob(f"{_PREFIX}*"):
                folder = str(path)
                with contextlib.suppress(OSError), take_over_folder(folder, older_than_s) as ours:
                    if ours:
                        _removed(folder, _LONG_S)
