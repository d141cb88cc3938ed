"""Confinement by Landlock, seccomp and rlimits, for Linux hosts without user namespaces.

Weaker than bubblewrap in three stated ways: code can learn that a path outside exists (``stat``), it sees the
host's process numbers although it can neither signal nor inspect any of them, and it can change no metadata.

Code that may not start processes cannot send signals at all. Code that may lives in a Landlock domain inside that
of the runner, so it reaches neither the runner nor the host; the runner, which takes in orphans, can end its whole
domain with one system call.
"""

from __future__ import annotations

import ctypes
import os
import platform

from evolve.core.errors import SandboxUnavailable
from evolve.runtime.sandbox import seccomp
from evolve.runtime.sandbox.interpreter import (
    SYSTEM_FILES,
    PythonEnvironment,
    listed_paths,
    readable_paths,
    runner_command,
    runner_config,
    variables,
)
from evolve.runtime.sandbox.process_limits import needs_task_group, tasks_of_user
from evolve.runtime.sandbox.protocol import Launch, SandboxLimits
from evolve.runtime.sandbox.scratch import new_scratch

# 4 bounds TCP (Linux 6.7); 6 keeps signals inside (Linux 6.12)
_OLDEST_VERSION = 4
_SCOPES_SIGNALS = 6
_CREATE_RULESET = 444


class Landlock:
    """The backend for Linux 6.7 and later without user namespaces."""

    name = "landlock"

    def __init__(self, environment: PythonEnvironment | None = None) -> None:
        self._environment = environment or PythonEnvironment()

    def missing_parts(self) -> str:
        if platform.system() != "Linux":
            return "Landlock exists on Linux only"
        if _version() < _OLDEST_VERSION:
            return "this kernel has no Landlock, or one too old (Linux 6.7 or later, lsm=landlock)"
        return ""

    def launch(self, result_fd: int, limits: SandboxLimits) -> Launch:
        if limits.processes and _version() < _SCOPES_SIGNALS:
            raise SandboxUnavailable(
                "Landlock of this kernel cannot end what code starts (Linux 6.12 or later)",
                hint="apt install bubblewrap",
            )
        with new_scratch(limits.file_mb << 20) as scratch:
            config = {
                **runner_config(result_fd, scratch.path, scratch.temporary, self._environment, limits),
                "filter": seccomp.program_filter(processes=limits.processes > 0, metadata=True).hex(),
                "others": tasks_of_user(),
                "border": seccomp.border_filter().hex(),
                "read": [*_readable(self._environment), "/dev/urandom", "/dev/zero"],
                "list": listed_paths(self._environment),
                "write": [scratch.path, scratch.temporary, "/dev/null"],
                "nested": limits.processes > 0,
            }
            return Launch(
                argv=runner_command(config, first="jail"),
                env=variables(scratch.temporary, limits, self._environment),
                scratch=scratch,
                ending="ask",
                grouped=needs_task_group(limits),
            )


def _version() -> int:
    version: int = ctypes.CDLL(None).syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), 1)
    return version


def _readable(environment: PythonEnvironment) -> list[str]:
    # a rule for a link would be one for what it leads to, which is shown by itself or shall not be
    paths = [path for path in readable_paths(environment) if not os.path.islink(path)]
    return [*paths, "/etc/ld.so.cache", *SYSTEM_FILES]
