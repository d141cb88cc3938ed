"""A control group that bounds how many tasks one sandbox has, for the user whom rlimits do not bind.

The kernel does not apply RLIMIT_NPROC to root (``kernel/fork.c``, ``copy_process``), in a user namespace neither. The
pids controller applies to everyone: Documentation/admin-guide/cgroup-v1/pids.rst and cgroup-v2.rst of the kernel.
"""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import signal
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from evolve.sandbox.protocol import SandboxLimits

_NAME = re.compile(r"evolve-(\d+)-[0-9a-f]+\Z")
_ENTER = 'echo $$ > "$0" && exec "$@"'
_END_S = 0.5


class TaskGroup:
    """One group; made before the sandbox starts and ended after it.

    Args:
        folder: The group's folder; it exists and has a ``pids.max``.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def entered_by(self, command: Sequence[str]) -> list[str]:
        """The command that enters the group and then becomes ``command``, with the same process number."""
        return ["/bin/sh", "-c", _ENTER, str(self._folder / "cgroup.procs"), *command]

    def end(self) -> None:
        """Kills what is still in the group, which cannot grow meanwhile, and removes it; safe to repeat."""
        _write(self._folder / "pids.max", "0")
        deadline = time.monotonic() + _END_S
        while not _removed(self._folder) and time.monotonic() < deadline:
            for number in _members(self._folder):
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(number, signal.SIGKILL)
            time.sleep(0.002)


def unbound(limits: SandboxLimits) -> bool:
    """Whether code may start processes and rlimits do not say how many."""
    return limits.processes > 0 and os.getuid() == 0


def make_task_group(most: int) -> TaskGroup | None:
    """A new group for at most ``most`` processes and threads; None where the kernel lets us make none."""
    for parent in _parents():
        folder = parent / f"evolve-{os.getpid()}-{secrets.token_hex(4)}"
        try:
            folder.mkdir()
        except OSError:
            continue
        if _write(folder / "pids.max", str(most)):
            return TaskGroup(folder)
        _removed(folder)
    return None


def remove_abandoned_groups() -> None:
    """Removes groups of ours whose maker is gone, as after ``kill -9``."""
    for parent in _parents():
        with contextlib.suppress(OSError):
            for folder in parent.glob("evolve-*"):
                made_by = _NAME.match(folder.name)
                if made_by and not Path("/proc", made_by[1]).exists():
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
        if kind != "cgroup2" and not (kind == "cgroup" and "pids" in options):
            continue
        top = Path(mount[4])
        for _, controllers, path in own:
            if (controllers == "") if kind == "cgroup2" else ("pids" in controllers.split(",")):
                place = top / path.lstrip("/")
                yield from (folder for folder in (place, *place.parents) if folder.is_relative_to(top))


def _members(folder: Path) -> list[int]:
    try:
        return [int(line) for line in (folder / "cgroup.procs").read_text(encoding="ascii").split()]
    except OSError:
        return []


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
