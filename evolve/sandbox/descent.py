"""Which processes descend from one, and what they use; from ``/proc``, by descent and never by user."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

_PROC = Path("/proc")


def descendants(process: int) -> list[int]:
    """All living descendants, nearest first; [] where the kernel does not tell."""
    found: list[int] = []
    pending = [process]
    while pending:
        children = _children(pending.pop())
        found += children
        pending += children
    return found


def _children(process: int) -> list[int]:
    numbers: list[int] = []
    try:
        for thread in os.listdir(_PROC / str(process) / "task"):
            text = (_PROC / str(process) / "task" / thread / "children").read_text(encoding="ascii")
            numbers += [int(number) for number in text.split()]
    except OSError:
        return numbers  # it is gone, or there is no such file here
    return numbers


@dataclass(frozen=True, kw_only=True)
class Usage:
    """What the descendants of a process use.

    Attributes:
        tasks: Processes and threads.
        resident: Bytes in RAM that are neither files nor shared memory.
    """

    tasks: int
    resident: int


def usage(process: int) -> Usage:
    """What all descendants use now; zero where the kernel does not tell."""
    pages = tasks = 0
    for number in descendants(process):
        try:
            parts = (_PROC / str(number) / "statm").read_text(encoding="ascii").split()
            tasks += len(os.listdir(_PROC / str(number) / "task"))
        except OSError:
            continue  # it ended while we looked
        pages += int(parts[1]) - int(parts[2])
    return Usage(tasks=tasks, resident=pages * os.sysconf("SC_PAGE_SIZE"))


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
