"""Finds the descendants of a process in ``/proc``, and what they use.

By descent and never by user: a sweep by user once ended other sandboxes of the same person.
"""

from __future__ import annotations

import contextlib
import os
import stat
from dataclasses import dataclass
from pathlib import Path

_PROC = Path("/proc")


def descendants(process: int, most: int = 1000) -> list[int]:
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
    for number in descendants(process, most):
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
