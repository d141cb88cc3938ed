"""Starts a server that a person approved, confined to the folders and the network that they approved with it.

It is a program of somebody else that lives for a while and talks over its pipes, so nothing of the runner is in it: no
limit of time, and what it says is read by whoever started it. Bubblewrap alone confines it; without that it is refused.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from evolve.core.errors import SandboxUnavailable
from evolve.runtime.sandbox import seccomp
from evolve.runtime.sandbox.bubblewrap import Bubblewrap, memory_file
from evolve.runtime.sandbox.interpreter import SYSTEM_FILES, PythonEnvironment, inside, readable_paths
from evolve.runtime.sandbox.sandbox_taskgroup import TaskGroup, make_task_group

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
    if missing := backend.missing():
        raise SandboxUnavailable(
            f"a server runs under bubblewrap alone: {missing}", hint="install it, or use the server by its URL"
        )
    for path in (*needs.readable, *needs.writable):
        if os.path.realpath(path) != path or not os.path.lexists(path):
            # whoever can write the folder above could have put a link to anything there
            raise SandboxUnavailable(f"{path} is not there any more, or is a link now", hint="evolve tools add")
    seen = (*readable_paths(PythonEnvironment()), *needs.readable, *needs.writable)
    for path in (needs.argv[0], os.path.realpath(needs.argv[0])):
        if not any(inside(path, folder) for folder in seen):
            raise SandboxUnavailable(f"{path} is not among what the server may read; its folder has to be, with --read")
    folders = sorted([(path, "--ro-bind") for path in needs.readable] + [(path, "--bind") for path in needs.writable])
    variables = {
        "PATH": ":".join(dict.fromkeys((os.path.dirname(needs.argv[0]), "/usr/local/bin", "/usr/bin", "/bin"))),
        **{"HOME": _HOME, "TMPDIR": "/tmp", "LANG": "C.UTF-8"},
        **needs.variables,
    }
    return [
        *backend.namespaces(network=needs.network),
        *(part for name, value in variables.items() for part in ("--setenv", name, value)),
        *("--dev", "/dev"),
        *backend.mounts((*_NAMES, *SYSTEM_FILES) if needs.network else SYSTEM_FILES),
        *("--proc", "/proc"),
        *("--size", str(_ROOM), "--tmpfs", _HOME, "--size", str(_ROOM), "--tmpfs", "/tmp"),
        *(part for path, option in folders for part in (option, path, path)),
        *(part for path in needs.shielded if _shows(needs, path) for part in _shield(path)),
        *("--remount-ro", "/dev", "--remount-ro", "/", "--chdir", _HOME),
    ]


def _shows(needs: ServerNeeds, path: str) -> bool:
    return os.path.exists(path) and any(inside(path, folder) for folder in (*needs.readable, *needs.writable))


def _shield(path: str) -> tuple[str, ...]:
    return (
        ("--size", "4096", "--tmpfs", path, "--remount-ro", path) if os.path.isdir(path) else ("--ro-bind", path, path)
    )
