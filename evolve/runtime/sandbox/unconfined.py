"""No confinement at all, for people who asked for it twice; the same launcher and runner, and kernel limits only.

Never chosen by itself. What is learned this way is marked, and never exported.
"""

from __future__ import annotations

from evolve.runtime.sandbox.interpreter import PythonEnvironment, runner_command, runner_config, variables
from evolve.runtime.sandbox.process_limits import tasks_of_user
from evolve.runtime.sandbox.protocol import UNSANDBOXED, Launch, SandboxLimits
from evolve.runtime.sandbox.scratch import new_scratch


class Unconfined:
    """The backend behind ``--set sandbox=none``: code can read, write, send and start whatever the user can."""

    name = UNSANDBOXED

    def __init__(self, environment: PythonEnvironment | None = None) -> None:
        self._environment = environment or PythonEnvironment()

    def missing_parts(self) -> str:
        return ""

    def launch(self, result_fd: int, limits: SandboxLimits) -> Launch:
        with new_scratch(limits.file_mb << 20) as scratch:
            config = {
                **runner_config(result_fd, scratch.path, scratch.temporary, self._environment, limits),
                "others": tasks_of_user(),
                "readable": ["/"],
                "writable": ["/"],
            }
            return Launch(
                argv=runner_command(config),
                env=variables(scratch.temporary, limits, self._environment),
                folder=scratch.path,
                scratch=scratch,
            )
