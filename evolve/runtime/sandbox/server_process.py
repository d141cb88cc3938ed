"""Runs programs of the person outside of any confinement: for a bounded time, or as a server behind the sandbox.

There are two: git, on objects alone, and an agent that the person approved. No text of a model becomes a command here.

It is a program of somebody else that lives for a while and talks over its pipes, so nothing of the runner is in it: no
limit of time, and what it says is read by whoever started it. Bubblewrap alone confines it; without that it is refused.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import signal
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from evolve.core.errors import SandboxUnavailable
from evolve.runtime.sandbox import seccomp
from evolve.runtime.sandbox.bubblewrap import Bubblewrap, memory_file
from evolve.runtime.sandbox.interpreter import SYSTEM_FILES, PythonEnvironment, is_inside, readable_paths
from evolve.runtime.sandbox.process_limits import TaskGroup, make_task_group

_MARK = "STARTED_OUTSIDE"
"""Variable by which all processes that a program started are found, those in sessions of their own included."""
_LOOKS = 50


@dataclass(frozen=True, kw_only=True)
class OutsideRun:
    """What a program ended with (None where its time was over), what it printed on both streams, and wall seconds."""

    status: int | None
    output: bytes
    errors: bytes
    seconds: float


def run_outside(
    argv: Sequence[str], folder: Path, *, variables: Mapping[str, str], seconds: float, given: bytes = b""
) -> OutsideRun:
    """Runs a program to its end or the end of its time; then nothing that it started runs any more.

    Args:
        variables: Its whole environment.
        given: What it reads from its standard input.

    Raises:
        SandboxUnavailable: It cannot be started.
    """
    began, mark, status = time.monotonic(), secrets.token_hex(16), None
    with tempfile.TemporaryFile() as stdin, tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        stdin.write(given)
        stdin.seek(0)
        try:
            process = subprocess.Popen(
                list(argv),
                cwd=folder,
                env={**variables, _MARK: mark},
                stdin=stdin,
                stdout=output,
                stderr=errors,
                start_new_session=True,
            )
        except OSError as error:
            raise SandboxUnavailable(f"{argv[0]} cannot be started: {error.strerror or error}") from error
        try:
            with contextlib.suppress(subprocess.TimeoutExpired):
                status = process.wait(seconds)
        finally:
            _end(process, f"{_MARK}={mark}".encode())
        output.seek(0)
        errors.seek(0)
        spent = time.monotonic() - began
        return OutsideRun(status=status, output=output.read(), errors=errors.read(), seconds=spent)


def _end(process: subprocess.Popen[bytes], mark: bytes) -> None:
    """Kills its group, and all that inherited its mark."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    for _ in range(_LOOKS):
        left = _marked(mark)
        for number in left:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(number, signal.SIGKILL)
        if not left:
            break
        time.sleep(0.002)
    process.wait()


def _marked(mark: bytes) -> list[int]:
    """Living processes with this variable; [] where the kernel does not tell."""
    found = []
    for path in Path("/proc").glob("[0-9]*/environ"):
        with contextlib.suppress(OSError):
            if mark in path.read_bytes().split(b"\0"):
                found.append(int(path.parent.name))
    return found


_HOME = "/scratch"
_ROOM = 256 << 20
_MOST_TASKS = 512
_MOST_DATA_KB = 4 << 20  # of one process; by addresses alone an engine such as V8 would not start
_ENDS_BY_ITSELF_S = 1.0
_NAMES = ("/etc/resolv.conf", "/etc/hosts", "/etc/nsswitch.conf", "/etc/ssl", "/etc/pki", "/etc/ca-certificates")
# what bash calls -u, dash calls -p
_LIMITED = (
    f"ulimit -c 0; ulimit -d {_MOST_DATA_KB}; "
    f'ulimit -u {_MOST_TASKS} 2>/dev/null || ulimit -p {_MOST_TASKS} 2>/dev/null; exec "$0" "$@"'
)


@dataclass(frozen=True, kw_only=True)
class ServerNeeds:
    """What a server is started with, and nothing more.

    Attributes:
        argv: The program, by its whole path, and its arguments.
        variables: Environment besides ``PATH``, ``HOME``, ``TMPDIR`` and ``LANG``.
        readable, writable: Folders and files, by whole paths without links, that it sees where they are.
        shielded: Folders that it sees empty and files that it cannot write, although they lie in what it is shown.
        network: Whether it reaches what this machine reaches, the services of the machine itself included.
    """

    argv: Sequence[str]
    variables: Mapping[str, str] = field(default_factory=dict)
    readable: Sequence[str] = ()
    writable: Sequence[str] = ()
    shielded: Sequence[str] = ()
    network: bool = False


class ServerProcess:
    """A running server. It ends with the thread that started it, at the latest.

    Attributes:
        stdin, stdout, stderr: Its pipes, as descriptors that do not block.

    Raises:
        SandboxUnavailable: There is no bubblewrap here, or it cannot be started.
    """

    def __init__(self, needs: ServerNeeds) -> None:
        self._group: TaskGroup | None = make_task_group(_MOST_TASKS) if os.getuid() == 0 else None
        try:
            self._process = self._started(needs)
        except OSError as error:
            if self._group is not None:
                self._group.end()
            raise SandboxUnavailable(f"bubblewrap: cannot start: {error.strerror or error}") from error
        pipes = (self._process.stdin, self._process.stdout, self._process.stderr)
        self.stdin, self.stdout, self.stderr = (pipe.fileno() for pipe in pipes if pipe is not None)
        for descriptor in (self.stdin, self.stdout, self.stderr):
            os.set_blocking(descriptor, False)

    def _started(self, needs: ServerNeeds) -> subprocess.Popen[bytes]:
        filter_fd = memory_file(seccomp.border_filter(sockets="internet" if needs.network else "pairs"))
        try:
            argv = [*_confinement(needs), "--seccomp", str(filter_fd), "--", "/bin/sh", "-c", _LIMITED, *needs.argv]
            return subprocess.Popen(
                self._group.entered_by(argv) if self._group else argv,
                env={},
                cwd="/",
                pass_fds=(filter_fd,),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
                bufsize=0,
            )
        finally:
            os.close(filter_fd)

    def end_input(self) -> None:
        """It is sent nothing, or nothing more."""
        if self._process.stdin is not None:
            self._process.stdin.close()

    def status(self, seconds: float) -> int | None:
        """What it ended with; None where it runs on after so many seconds."""
        try:
            return self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            return None

    def close(self) -> None:
        """Closes its input, gives it a moment to end, and then ends it with all it started. Safe to repeat."""
        for pipe in (self._process.stdin, self._process.stdout, self._process.stderr):
            if pipe is not None:
                with contextlib.suppress(BrokenPipeError):
                    pipe.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_ENDS_BY_ITSELF_S)
        # the first process of its namespace ends with this one, and all others with that
        self._process.kill()
        self._process.wait()
        if self._group is not None:
            self._group.end()
            self._group = None


def _confinement(needs: ServerNeeds) -> list[str]:
    backend = Bubblewrap()
    if missing := backend.missing_parts():
        raise SandboxUnavailable(
            f"a server runs under bubblewrap alone: {missing}", hint="install it, or use the server by its URL"
        )
    for path in (*needs.readable, *needs.writable):
        if os.path.realpath(path) != path or not os.path.lexists(path):
            # whoever can write the folder above could have put a link to anything there
            raise SandboxUnavailable(f"{path} is not there any more, or is a link now", hint="evolve tools add")
    seen = (*readable_paths(PythonEnvironment()), *needs.readable, *needs.writable)
    for path in (needs.argv[0], os.path.realpath(needs.argv[0])):
        if not any(is_inside(path, folder) for folder in seen):
            raise SandboxUnavailable(f"{path} is not among what the server may read; its folder has to be, with --read")
    folders = sorted([(path, "--ro-bind") for path in needs.readable] + [(path, "--bind") for path in needs.writable])
    variables = {
        "PATH": ":".join(dict.fromkeys((os.path.dirname(needs.argv[0]), "/usr/local/bin", "/usr/bin", "/bin"))),
        **{"HOME": _HOME, "TMPDIR": "/tmp", "LANG": "C.UTF-8"},
        **needs.variables,
    }
    return [
        *backend.namespace_arguments(network=needs.network),
        *(part for name, value in variables.items() for part in ("--setenv", name, value)),
        *("--dev", "/dev"),
        *backend.mount_arguments((*_NAMES, *SYSTEM_FILES) if needs.network else SYSTEM_FILES),
        *("--proc", "/proc"),
        *("--size", str(_ROOM), "--tmpfs", _HOME, "--size", str(_ROOM), "--tmpfs", "/tmp"),
        *(part for path, option in folders for part in (option, path, path)),
        *(part for path in needs.shielded if _shows(needs, path) for part in _shield(path)),
        *("--remount-ro", "/dev", "--remount-ro", "/", "--chdir", _HOME),
    ]


def _shows(needs: ServerNeeds, path: str) -> bool:
    return os.path.exists(path) and any(is_inside(path, folder) for folder in (*needs.readable, *needs.writable))


def _shield(path: str) -> tuple[str, ...]:
    return (
        ("--size", "4096", "--tmpfs", path, "--remount-ro", path) if os.path.isdir(path) else ("--ro-bind", path, path)
    )
