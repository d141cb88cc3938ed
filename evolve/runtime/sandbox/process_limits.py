"""Finds the descendants of a process and what they use, and bounds and ends them as one group.

By descent and never by user: a sweep by user once ended other sandboxes of the same person.

The kernel does not apply RLIMIT_NPROC to root (``kernel/fork.c``, ``copy_process``), in a user namespace neither. The
pids controller applies to everyone: Documentation/admin-guide/cgroup-v1/pids.rst and cgroup-v2.rst of the kernel.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import signal
import stat
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from evolve.runtime.sandbox.protocol import SandboxLimits
from evolve.runtime.sandbox.scratch import YOUNG_S, lock_folder, take_over_folder

_PROC = Path("/proc")


def living_descendants(process: int, most: int = 1000) -> list[int]:
    """Living descendants, nearest first, at most about ``most``; [] where the kernel does not tell.

    Bounded, because what is counted may multiply faster than it can be counted.
    """
    pids: list[int] = []
    pending = [process]
    while pending and len(pids) < most:
        nearest = children_of(pending.pop(0))
        pids += nearest
        pending += nearest
    return pids[:most]


def children_of(process: int) -> list[int]:
    """The living children of a process; [] where the kernel does not tell."""
    numbers: list[int] = []
    try:
        for thread in os.listdir(_PROC / str(process) / "task"):
            text = (_PROC / str(process) / "task" / thread / "children").read_text(encoding="ascii")
            numbers += [int(number) for number in text.split()]
    except OSError:
        return numbers  # it is gone, or there is no such file here
    return numbers


@dataclass(frozen=True, kw_only=True)
class TreeUsage:
    """What the descendants of a process use.

    Attributes:
        tasks: Processes and threads.
        resident: Bytes in RAM that are neither files nor shared memory.
        nameless: Bytes on disk of open files that have no name any more.
    """

    tasks: int
    resident: int
    nameless: int


def tree_usage(process: int, most: int) -> TreeUsage:
    """What the descendants use now; zero where the kernel does not tell.

    Args:
        process: Whose.
        most: How many are looked at: one more than there may be.
    """
    pages = tasks = nameless = 0
    for number in living_descendants(process, most):
        nameless += _nameless_bytes(number)
        try:
            parts = (_PROC / str(number) / "statm").read_text(encoding="ascii").split()
            tasks += len(os.listdir(_PROC / str(number) / "task"))
        except OSError:
            continue  # it ended while we looked
        # proc(5): resident less shared pages
        pages += int(parts[1]) - int(parts[2])
    return TreeUsage(tasks=tasks, resident=pages * os.sysconf("SC_PAGE_SIZE"), nameless=nameless)


def _nameless_bytes(process: int) -> int:
    """Bytes of files that were opened and then removed, which no look into the folder finds."""
    size = 0
    with contextlib.suppress(OSError):  # it ended while we looked, or may not be looked at
        folder = _PROC / str(process) / "fd"
        for name in os.listdir(folder):
            state = os.stat(folder / name)
            if stat.S_ISREG(state.st_mode) and state.st_nlink == 0:
                # what it occupies: the size of a file with holes says little
                size += state.st_blocks * 512
    return size


def tasks_of_user() -> int:
    """Processes and threads the kernel already counts for this user; it exempts root from that limit."""
    if os.getuid() == 0:
        return 0
    count = 0
    for entry in os.scandir("/proc"):
        if entry.name.isdigit():
            try:
                if entry.stat().st_uid == os.getuid():
                    count += len(os.listdir(f"/proc/{entry.name}/task"))
            except OSError:
                continue  # it ended while we looked
    return count


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
                with contextlib.suppress(OSError), take_over_folder(str(folder), older_than_s) as ours:
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
