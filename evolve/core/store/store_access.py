"""Keeps who checks, migrates, copies or replaces the record apart from who writes to it."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from evolve.core.errors import WorkspaceBusy
from evolve.core.store.lock import POLL_S, try_lock, write_failures

_ENTER_S = 30.0
"""How long to wait for a process that has the record alone."""


class RecordAccess:
    """Access to the record for writing: several processes share it, and who checks or replaces it has it alone.

    One file is locked for as long as the record is open. A second one, the door, is locked while somebody comes in or
    goes out, because ``flock`` changes one lock into another in two steps.

    Args:
        path: The first file; the second one lies beside it.

    Raises (on entering):
        WorkspaceBusy: Somebody has the record alone, or comes in, for longer than 30 s.
        WorkspaceError: When a lock file cannot be written.
    """

    def __init__(self, path: Path) -> None:
        self.path = Path(path)
        self._handle: int | None = None
        self._door: int | None = None

    def enter(self) -> bool:
        """Comes in; True where nobody else is there. Then nobody else comes in before :meth:`share`."""
        with write_failures(self.path):
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._door = self._waited(self._door_path)
            self._handle = try_lock(self.path)
            if self._handle is not None:
                return True
            try:
                self._handle = self._waited(self.path, shared=True)
            finally:
                self._close_door()
        return False

    def share(self) -> None:
        """Lets others in."""
        import fcntl

        if self._handle is not None:
            fcntl.flock(self._handle, fcntl.LOCK_SH)
        self._close_door()

    def is_alone(self) -> bool:
        """Whether nobody else is there; then nobody comes in before :meth:`leave`."""
        import fcntl

        if self._handle is None:
            return False
        self._door = self._door or try_lock(self._door_path)
        if self._door is None:
            return False
        try:
            fcntl.flock(self._handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self.share()
            return False
        return True

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Has the record alone for a block.

        Raises:
            WorkspaceBusy: Somebody else has it open for writing.
        """
        try:
            if not self.enter():
                raise WorkspaceBusy(
                    f"another process works with the workspace {self.path.parent.parent}", hint="wait for it to finish"
                )
            yield
        finally:
            self.leave()

    def leave(self) -> None:
        """Goes out; leaving twice is no error."""
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None
        self._close_door()

    @property
    def _door_path(self) -> Path:
        return self.path.with_name(self.path.name + ".door")

    def _close_door(self) -> None:
        if self._door is not None:
            os.close(self._door)
            self._door = None

    def _waited(self, path: Path, *, shared: bool = False) -> int:
        latest = time.monotonic() + _ENTER_S
        while (handle := try_lock(path, shared=shared)) is None:
            if time.monotonic() > latest:
                raise WorkspaceBusy(
                    f"another process checks or repairs the workspace {path.parent.parent}",
                    hint="the same command in a moment",
                )
            time.sleep(POLL_S)
        return handle
