"""Makes single system calls fail: inside the sandbox by a text that runs before the runner, here by wrappers."""

from __future__ import annotations

import contextlib
import errno
import os
import selectors
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from evolve.runtime.sandbox.protocol import Backend, Launch, SandboxLimits

ERRORS = {
    "open": errno.EMFILE,
    "dup": errno.EMFILE,
    "dup2": errno.EMFILE,
    "pipe": errno.EMFILE,
    "socketpair": errno.EMFILE,
    "fork": errno.EAGAIN,
    "mkdir": errno.ENOSPC,
    "kill": errno.EPERM,
    "Popen": errno.EAGAIN,
    "DefaultSelector": errno.EMFILE,
    "mkdtemp": errno.ENOSPC,
    "read_text": errno.EMFILE,
    "listdir": errno.ENOMEM,
}
"""What the kernel may say where such a call fails; EIO for all others."""

# Closing is left out: close(2) of a pipe or folder does not fail.
IN_RUNNER = {
    "os": "open dup dup2 pipe fork read write stat fstat fstatvfs listdir mkdir rmdir unlink utime listxattr chmod"
    " fchmod set_blocking kill nice waitpid wait4 waitid getppid",
    "_socket": "socketpair",
    "select": "select",
    "resource": "setrlimit getrlimit",
    "signal": "signal pthread_sigmask sigtimedwait",
}

# Breaks, in the runner or in each of its children until the code under test begins, the first call whose place in the
# text is not among those already tried.
PROLOGUE = """
def breaking(names, errors, side, tried, told):
    import os, sys
    runner, write, state = os.getpid(), os.write, {"pid": os.getpid(), "over": False}
    def wrapped(name, real):
        def call(*arguments, **options):
            if os.getpid() != state["pid"]:
                state.update(pid=os.getpid(), over=False)
            if state["over"] or (os.getpid() == runner) != (side == "runner"):
                return real(*arguments, **options)
            caller = sys._getframe(1)
            place = name + ":" + caller.f_code.co_filename + ":" + str(caller.f_lineno)
            if caller.f_code.co_filename.startswith("<evolve.") and place not in tried:
                state["over"] = True
                write(told, (place + "\\n").encode())
                number = errors.get(name, 5)
                if name == "open" and arguments[1] & os.O_CREAT:
                    number = 28
                raise OSError(number, os.strerror(number))
            answer = real(*arguments, **options)
            if name == "write" and arguments[1] == b"\\x06":
                state["over"] = True  # from here on the calls are those of the code
            return answer
        return call
    for module, listed in names.items():
        module = __import__(module)
        for name in listed.split():
            if hasattr(module, name):
                setattr(module, name, wrapped(name, getattr(module, name)))
"""


@dataclass(kw_only=True)
class Breaking:
    """A backend in whose interpreters one call fails.

    Attributes:
        backend: The real one.
        side: ``runner`` or ``child``.
        calls: Which calls may fail, by module.
        tried: Places that are passed over.
        starts: How many interpreters are started so.
    """

    backend: Backend
    side: str = "runner"
    calls: Mapping[str, str] = field(default_factory=lambda: IN_RUNNER)
    tried: Sequence[str] = ()
    starts: int = 1
    _reading: list[int] = field(default_factory=list)

    @property
    def name(self) -> str:
        return self.backend.name

    def missing(self) -> str:
        return self.backend.missing_parts()

    def launch(self, result_fd: int, limits: SandboxLimits) -> Launch:
        launch = self.backend.launch(result_fd, limits)
        if not self.starts:
            return launch
        self.starts -= 1
        reading, writing = os.pipe()
        self._reading.append(reading)
        argv = list(launch.argv)
        place = argv.index("-c", argv.index("-X")) + 1
        call = f"breaking({dict(self.calls)!r}, {ERRORS!r}, {self.side!r}, {list(self.tried)!r}, {writing})\n"
        argv[place] = PROLOGUE + call + argv[place]
        return replace(launch, argv=argv, pass_fds=(*launch.pass_fds, writing))

    def collect(self) -> list[str]:
        """The places of the calls that failed in all interpreters started so far, which must have ended."""
        told: list[str] = []
        for reading in self._reading:
            with os.fdopen(reading) as stream:
                told += stream.read().splitlines()
        self._reading = []
        return told


@contextlib.contextmanager
def broken_here(tried: Sequence[str]) -> Iterator[list[str]]:
    """Lets the first call of the supervisor's own modules fail whose place is not among those already tried."""
    import fcntl
    from pathlib import Path

    told: list[str] = []

    def wrapped(name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **options: Any) -> Any:
            caller = sys._getframe(1)
            place = f"{name}:{caller.f_globals.get('__name__')}:{caller.f_lineno}"
            if not told and ":evolve.runtime.sandbox" in place and place not in tried:
                told.append(place)
                number = ERRORS.get(name, errno.EIO)
                raise OSError(number, os.strerror(number))
            return real(*arguments, **options)

        return call

    places: dict[Any, str] = {
        os: "open pipe read write set_blocking mkdir lstat listdir rmdir unlink dup fstat stat statvfs",
        subprocess: "Popen",
        selectors: "DefaultSelector",
        tempfile: "mkdtemp",
        fcntl: "flock",
        Path: "read_text",
    }
    with pytest.MonkeyPatch.context() as patch:
        for place, names in places.items():
            for name in names.split():
                patch.setattr(place, name, wrapped(name, getattr(place, name)))
        yield told
