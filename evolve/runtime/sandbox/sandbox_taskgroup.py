"""A control group that bounds how many tasks one sandbox has, for the user whom rlimits do not bind.

The kernel does not apply RLIMIT_NPROC to root (``kernel/fork.c``, ``copy_process``), in a user namespace neither. The
pids controller applies to everyone: Documentation/admin-guide/cgroup-v1/pids.rst and cgroup-v2.rst of the kernel.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import signal
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from evolve.runtime.sandbox.protocol import SandboxLimits
from evolve.runtime.sandbox.sandbox_folder_locks import YOUNG_S, lock_folder, take_over

_PREFIX = "evolve-tasks-"
_ENTER = 'echo $$ > "$0" && exec "$@"'
_END_S = 0.5


class TaskGroup:
    """One group; made before the sandbox starts and ended after it.

    Args:
        folder: The group's folder; it exists and has a ``pids.max``.
        held: A descriptor that keeps it ours, closed at the end; -1 for none.
    """

    def __init__(self, folder: Path, lock: int = -1) -> None:
        self._folder, self._lock = folder, lock

    def entered_by(self, command: Sequence[str]) -> list[str]:
        """The command that enters the group and then becomes ``command``, with the same process number."""
        return ["/bin/sh", "-c", _ENTER, str(self._folder / "cgroup.procs"), *command]

    def end(self) -> None:
        """Kills what is still in the group, which cannot grow meanwhile, and removes it; safe to repeat."""
        # first, or what is killed is replaced faster than it can be found
        _write(self._folder / "pids.max", "0")
        deadline = time.monotonic() + _END_S
        while not _removed(self._folder) and time.monotonic() < deadline:
            for number in _members(self._folder):
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(number, signal.SIGKILL)
            time.sleep(0.002)
        if self._lock >= 0:
            os.close(self._lock)
            self._lock = -1


def needs_task_group(limits: SandboxLimits) -> bool:
    """Whether code may start processes and rlimits do not say how many."""
    return limits.processes > 0 and os.getuid() == 0


def make_task_group(most: int) -> TaskGroup | None:
    """A new group for at most ``most`` processes and threads; None where the kernel lets us make none."""
    for parent in _parents():
        folder = parent / f"{_PREFIX}{secrets.token_hex(8)}"
        try:
            folder.mkdir()
        except OSError:
            continue
        with contextlib.suppress(OSError):
            lock_fd = lock_folder(str(folder))
            if _write(folder / "pids.max", str(most)):
                return TaskGroup(folder, lock_fd)
            os.close(lock_fd)
        _removed(folder)
    return None


def remove_abandoned_groups(*, older_than_s: float = YOUNG_S) -> None:
    """Removes groups of ours that nobody holds any more, as after ``kill -9``."""
    for parent in _parents():
        with contextlib.suppress(OSError):
            for folder in parent.glob(f"{_PREFIX}*"):
                with contextlib.suppress(OSError), take_over(str(folder), older_than_s) as ours:
                    if ours:
                        TaskGroup(folder).end()


def _parents() -> Iterator[Path]:
    """Groups below which there may be one with a bound on tasks: nearest to our own first."""
    try:
        own = [line.split(":", 2) for line in Path("/proc/self/cgroup").read_text(encoding="utf-8").splitlines()]
        mounts = [line.split(" ") for line in Path("/proc/self/mountinfo").read_text(encoding="utf-8").splitlines()]
    except OSError:
        return
    for mount in mounts:
        rest = mount[mount.index("-") + 1 :]
        kind, options = rest[0], rest[-1].split(",")
        # version 1 mounts each controller apart, version 2 all of them together
        if kind != "cgroup2" and not (kind == "cgroup" and "pids" in options):
            continue
        top = Path(mount[4])
        for _, controllers, path in own:
            if (controllers == "") if kind == "cgroup2" else ("pids" in controllers.split(",")):
                place = top / path.lstrip("/")
                yield from (folder for folder in (place, *place.parents) if folder.is_relative_to(top))


def _members(folder: Path) -> list[int]:
    try:
        lines = (folder / "cgroup.procs").read_text(encoding="ascii").split()
    except OSError:
        return []
    # those of another process namespace are listed as 0, which as a target of a signal would mean ourselves
    return [int(line) for line in lines if line != "0"]


def _write(path: Path, text: str) -> bool:
    try:
        with path.open("r+", encoding="ascii") as file:
            file.write(text)
    except OSError:
        return False
    return True


def _removed(folder: Path) -> bool:
    try:
        folder.rmdir()
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return True
