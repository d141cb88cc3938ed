"""Confinement by macOS ``sandbox-exec``. Written from Apple's profile language; untested on a Mac.

Like every backend it is used only after the self-test passed on the machine itself.
"""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Sequence

from evolve.core.errors import SandboxUnavailable
from evolve.runtime.sandbox.interpreter import (
    PythonEnvironment,
    base_interpreter,
    readable_paths,
    runner_command,
    runner_config,
    variables,
)
from evolve.runtime.sandbox.protocol import Launch, SandboxLimits
from evolve.runtime.sandbox.scratch import new_scratch

_PROGRAM = "/usr/bin/sandbox-exec"
_SYSTEM = ("/usr/lib", "/usr/share", "/System", "/Library/Frameworks", "/private/var/db/timezone", "/dev/urandom")


class Seatbelt:
    """The backend for macOS. Memory is not bounded by the kernel there; wall and CPU time are."""

    name = "seatbelt"

    def __init__(self, environment: PythonEnvironment | None = None) -> None:
        self._environment = environment or PythonEnvironment()

    def missing_parts(self) -> str:
        if platform.system() != "Darwin":
            return "sandbox-exec exists on macOS only"
        return "" if os.access(_PROGRAM, os.X_OK) else f"{_PROGRAM} is missing"

    def launch(self, result_fd: int, limits: SandboxLimits) -> Launch:
        if limits.processes:
            raise SandboxUnavailable("the seatbelt sandbox cannot run code that starts processes")
        with new_scratch(limits.file_mb << 20) as scratch:
            config = runner_config(result_fd, scratch.path, scratch.temporary, self._environment, limits)
            allowed = seatbelt_profile((scratch.path, scratch.temporary), self._environment)
            argv = [_PROGRAM, "-p", allowed, *runner_command(config)]
            return Launch(argv=argv, env=variables(scratch.temporary, limits, self._environment), scratch=scratch)


def seatbelt_profile(writable: Sequence[str], environment: PythonEnvironment | None = None) -> str:
    """The profile: everything refused but reading the system and the interpreter, and what can be written."""
    paths = readable_paths(environment or PythonEnvironment())
    readable = " ".join(f"(subpath {json.dumps(path)})" for path in (*_SYSTEM, *paths, *writable))
    folders = " ".join(f"(subpath {json.dumps(path)})" for path in writable)
    return "\n".join(
        (
            "(version 1)",
            "(deny default)",
            "(deny network*)",
            f"(allow process-exec (literal {json.dumps(base_interpreter())}))",
            "(allow process-fork)",
            "(allow signal (target same-sandbox))",
            "(allow sysctl-read)",
            '(allow file-read-metadata (literal "/") (subpath "/"))',
            f"(allow file-read* {readable})",
            f'(allow file-write* {folders} (literal "/dev/null"))',
            '(allow file-read* (literal "/dev/null") (literal "/dev/zero"))',
        )
    )
