"""Confinement by Landlock, seccomp and rlimits, for Linux hosts without user namespaces.

Weaker than bubblewrap in three stated ways: code can learn that a path outside exists (``stat``), it sees the
host's process numbers although it can neither signal nor inspect any of them, and it cannot make folders.
"""

from __future__ import annotations

import ctypes
import json
import os
import platform

from evolve.errors import SandboxUnavailable
from evolve.sandbox import seccomp
from evolve.sandbox.interpreter import FLAGS, environment, executable, interpreter_folders, source, system_folders
from evolve.sandbox.protocol import Launch, SandboxLimits
from evolve.sandbox.scratch import make_scratch

_OLDEST_VERSION = 4
_CREATE_RULESET = 444


class Landlock:
    """The backend for Linux 6.7 and later without user namespaces."""

    name = "landlock"

    def __init__(self) -> None:
        self._runner = source("runner.py")
        self._jail = source("jail.py")

    def missing(self) -> str:
        if platform.system() != "Linux":
            return "Landlock exists on Linux only"
        version = ctypes.CDLL(None).syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), 1)
        if version < _OLDEST_VERSION:
            return "this kernel has no Landlock, or one too old (Linux 6.7 or later, lsm=landlock)"
        return ""

    def launch(self, result_fd: int, limits: SandboxLimits) -> Launch:
        if limits.processes:
            raise SandboxUnavailable(
                "the landlock sandbox cannot run code that starts processes", hint="apt install bubblewrap"
            )
        scratch = make_scratch()
        config = {
            "result": result_fd,
            "scratch": scratch,
            "filter": seccomp.program_filter().hex(),
            "others": _tasks_of_user(),
            "border": seccomp.border_filter(metadata=True).hex(),
            "read": [*_readable(), "/dev/urandom", "/dev/zero"],
            "write": [scratch, "/dev/null"],
            "supervisor": os.getpid(),
        }
        argv = [executable(), *FLAGS, "-c", self._jail, json.dumps(config), self._runner]
        return Launch(argv=argv, env=environment(scratch, limits), scratch=scratch, watch_scratch=True)


def _readable() -> list[str]:
    system = [os.path.realpath(folder) for folder in system_folders()]
    return list(dict.fromkeys([*system, *interpreter_folders(), "/etc/ld.so.cache", "/etc/localtime"]))


def _tasks_of_user() -> int:
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
