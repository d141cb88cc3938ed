"""Which process somebody is, so that no other one is taken for it, and none but that one is ended."""

from __future__ import annotations

import os
import signal
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

_MOST = 2**31 - 1
"""The largest number that the system takes for a process."""


def this_process() -> dict[str, Any]:
    """What tells this process from every other one, on this machine and elsewhere."""
    return {"pid": os.getpid(), "started": _start_time(os.getpid()), **_machine()}


def _machine() -> dict[str, str]:
    """Identifies the boot and the process-id namespace; process ids mean nothing outside them."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        namespace = os.readlink("/proc/self/ns/pid")
    except OSError:
        return {"boot": "", "namespace": ""}
    return {"boot": boot, "namespace": namespace}


def _start_time(pid: int) -> str:
    """When the process started, in clock ticks since boot; "" when it is gone or cannot be read."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return ""
    # The command name, in parentheses, may hold spaces; proc(5): field 3 is the state, 22 the start time.
    parts = stat.rpartition(")")[2].split()
    return "" if parts[0] in "ZX" else parts[19]


def is_gone(process: Mapping[str, Any]) -> bool:
    """Whether a process that described itself by :func:`this_process` has surely ended; in doubt it lives."""
    pid = process.get("pid")
    # Two writers are worse than one who has to wait.
    if not isinstance(pid, int) or not _is_of_here(process):
        return False
    # Numbers of processes are given again, start times are not.
    return _start_time(pid) != process.get("started")


def terminate(process: Mapping[str, Any], *, holding: Path) -> bool:
    """Asks a process that described itself by :func:`this_process` to end, by SIGTERM.

    Args:
        holding: A file that it holds a lock on (``flock``): what stands in a file anybody can have written.

    Returns:
        False where it is gone, where nothing tells it from a later one with its number, where it holds no such lock,
        or where it is another user's.
    """
    pid = process.get("pid")
    if type(pid) is not int or not 0 < pid <= _MOST or not process.get("started") or not _is_of_here(process):
        return False
    try:
        handle = os.pidfd_open(pid)  # stands for this process alone, whoever gets the number next
    except (AttributeError, OSError):  # no Linux, or it is gone
        return False
    try:
        if _start_time(pid) != process["started"] or not _holds(pid, holding):
            return False
        signal.pidfd_send_signal(handle, signal.SIGTERM)
    except OSError:  # it has just ended, or is another user's
        return False
    finally:
        os.close(handle)
    return True


def _holds(pid: int, path: Path) -> bool:
    """Whether a process has a file open and locked, as the kernel says."""
    try:
        wanted, descriptors = path.stat(), list(Path(f"/proc/{pid}/fd").iterdir())
    except OSError:
        return False
    for descriptor in descriptors:
        with suppress(OSError):  # closed meanwhile
            if os.path.samestat(descriptor.stat(), wanted):
                told = Path(f"/proc/{pid}/fdinfo/{descriptor.name}").read_text()
                if any(line.startswith("lock:") and "FLOCK" in line for line in told.splitlines()):
                    return True
    return False


def _is_of_here(process: Mapping[str, Any]) -> bool:
    """Whether its number means anything here: it is of this boot and of this space of process ids."""
    machine = _machine()
    return bool(machine["boot"]) and {key: process.get(key) for key in machine} == machine
