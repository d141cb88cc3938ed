"""Confinement by bubblewrap: own namespaces for files, processes, network, users; plus seccomp and rlimits."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from functools import cached_property

from evolve.runtime.sandbox import seccomp
from evolve.runtime.sandbox.interpreter import (
    SYSTEM_FILES,
    PythonEnvironment,
    readable_paths,
    runner_command,
    runner_config,
    variables,
)
from evolve.runtime.sandbox.process_limits import needs_task_group
from evolve.runtime.sandbox.protocol import Launch, SandboxLimits

# by absolute path: AppArmor ties the right to make user namespaces to it
_PROGRAM = "/usr/bin/bwrap"
_SCRATCH, _TEMPORARY = "/scratch", "/temporary"


class Bubblewrap:
    """The backend for Linux with user namespaces. Scratch space is memory inside the sandbox, not on disk."""

    name = "bubblewrap"

    def __init__(self, environment: PythonEnvironment | None = None) -> None:
        self._environment = environment or PythonEnvironment()

    def missing_parts(self) -> str:
        if not os.access(_PROGRAM, os.X_OK):
            return f"{_PROGRAM} is not installed (apt install bubblewrap, dnf install bubblewrap)"
        lacking = [option for option in ("--size", "--as-pid-1") if option not in self._help]
        return f"{_PROGRAM} is too old: it has no {lacking[0]}" if lacking else ""

    @cached_property
    def _help(self) -> str:
        completed = subprocess.run(
            [_PROGRAM, "--help"], capture_output=True, text=True, check=False, env={}, timeout=10
        )
        return completed.stdout + completed.stderr

    def launch(self, result_fd: int, limits: SandboxLimits) -> Launch:
        config = {
            **runner_config(result_fd, _SCRATCH, _TEMPORARY, self._environment, limits),
            "filter": seccomp.program_filter(processes=limits.processes > 0, metadata=False).hex(),
            "others": 0,  # the namespace counts only what is in it
            "counted": True,
            "writable": [_SCRATCH, _TEMPORARY, "/tmp"],
        }
        size = str(max(1, limits.file_mb) << 20)
        confinement = [
            *self.namespace_arguments(),
            "--as-pid-1",
            *_variable_options(limits, self._environment),
            # before what is to be read, which may lie in /dev/shm
            *("--dev", "/dev"),
            *self.mount_arguments(SYSTEM_FILES),
            *("--remount-ro", "/dev"),
            # a size, because an unbounded tmpfs is memory that no rlimit counts
            *("--size", size, "--tmpfs", _SCRATCH, "--size", size, "--tmpfs", _TEMPORARY),
            *_tmp_options(self._environment),
            *("--remount-ro", "/", "--chdir", _SCRATCH),
        ]
        command = runner_command(config)
        filter_fd = memory_file(seccomp.border_filter())
        # -- ends the options: a command that begins like one was taken for it (CVE-2024-32462)
        argv = [*confinement, "--seccomp", str(filter_fd), "--", *command]
        return Launch(argv=argv, env={}, pass_fds=(filter_fd,), ending="inside", grouped=needs_task_group(limits))

    def namespace_arguments(self, *, network: bool = False) -> list[str]:
        """The program, with what it keeps apart and an empty environment."""
        return [
            _PROGRAM,
            *("--unshare-user", "--unshare-ipc", "--unshare-pid", "--unshare-uts", "--unshare-cgroup-try"),
            *([] if network else ["--unshare-net"]),
            # --new-session: without it code could type into the terminal (CVE-2017-5226, TIOCSTI)
            *("--die-with-parent", "--new-session"),
            # older releases lack it; the filter refuses new namespaces as well
            *(["--disable-userns"] if "--disable-userns" in self._help else []),
            *("--cap-drop", "ALL", "--hostname", "sandbox", "--clearenv"),
        ]

    def mount_arguments(self, files: Sequence[str]) -> list[str]:
        """Programs, libraries and the interpreter, to be read, and these files of the machine where they are there."""
        mounts: list[str] = []
        for path in (*readable_paths(self._environment), "/etc/ld.so.cache"):
            # /bin and /lib are links where /usr was merged
            if os.path.islink(path):
                mounts += ["--symlink", os.readlink(path), path]
            else:
                mounts += ["--ro-bind-try", path, path]
        return [*mounts, *(part for path in files for part in ("--ro-bind-try", path, path))]


def memory_file(data: bytes) -> int:
    """A descriptor to read a few kilobytes from, which fit into a pipe."""
    read_end, write_end = os.pipe()
    try:
        os.write(write_end, data)
    except OSError:
        os.close(read_end)
        raise
    finally:
        os.close(write_end)
    return read_end


def _variable_options(limits: SandboxLimits, environment: PythonEnvironment) -> list[str]:
    pairs = variables(_TEMPORARY, limits, environment).items()
    return [part for name, value in pairs for part in ("--setenv", name, value)]


def _tmp_options(environment: PythonEnvironment) -> list[str]:
    """``/tmp`` as the place of temporary files, unless something to be read lies below it."""
    hides = any(path.startswith("/tmp/") for path in readable_paths(environment))
    return [] if hides else ["--symlink", _TEMPORARY, "/tmp"]
