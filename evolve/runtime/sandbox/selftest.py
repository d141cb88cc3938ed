"""Tests a backend by what it stops: every probe tries something forbidden and is judged from outside.

A kernel that reports a feature may not enforce it, and a host may allow a namespace and then strip it.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import socket
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from evolve.core.episodes import Json
from evolve.core.errors import SandboxUnavailable
from evolve.core.progress import report_activity
from evolve.runtime.sandbox.interpreter import guest_source
from evolve.runtime.sandbox.isolated import IsolatedSandbox
from evolve.runtime.sandbox.protocol import Backend, Outcome, Program, SandboxLimits, SelfTestResult

_MEMORY_MB = 128
_WALL_S = 0.3
_LONG_S = 30.0  # for what takes a moment, on a machine however busy


@dataclass(frozen=True, kw_only=True)
class _Traps:
    """Things outside the sandbox that show when they were reached."""

    canary: Path
    secret: str
    target: Path
    stream: socket.socket
    datagram: socket.socket
    path_socket: socket.socket
    abstract: socket.socket | None

    def untouched(self, trap: socket.socket) -> bool:
        """Whether nothing arrived at a listening or datagram socket."""
        try:
            if trap.type == socket.SOCK_STREAM:
                trap.accept()[0].close()
            else:
                trap.recv(1)
        except BlockingIOError:
            return True
        return False


@contextlib.contextmanager
def _traps(folder: Path) -> Iterator[_Traps]:
    with contextlib.ExitStack() as stack:
        # the path of a socket may have at most about 100 characters, so it cannot lie in any folder
        place = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="evolve-st-")))
        secret = secrets.token_hex(16)
        with contextlib.suppress(OSError):
            folder.mkdir(parents=True, exist_ok=True)
        home = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix=".probe-", dir=folder)))
        (home / "canary").write_text(secret, encoding="ascii")

        def listen(family: int, kind: int, address: tuple[str, int] | str) -> socket.socket:
            trap = stack.enter_context(socket.socket(family, kind))
            trap.bind(address)
            trap.setblocking(False)
            if kind == socket.SOCK_STREAM:
                trap.listen(5)
            return trap

        yield _Traps(
            canary=home / "canary",
            secret=secret,
            target=home / "written",
            stream=listen(socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", 0)),
            datagram=listen(socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", 0)),
            path_socket=listen(socket.AF_UNIX, socket.SOCK_STREAM, str(place / "s")),
            abstract=listen(socket.AF_UNIX, socket.SOCK_STREAM, "\0evolve-" + secret)
            if os.uname().sysname == "Linux"
            else None,
        )


@report_activity("sandbox")
def self_test(backend: Backend, folder: Path) -> list[SelfTestResult]:
    """Runs every probe against one backend, which may be used when all passed.

    Args:
        backend: The confinement to judge.
        folder: A folder of the user's that the sandbox must neither read nor write.
    """
    lacking = backend.missing_parts()
    if lacking:
        return [SelfTestResult(name="present", passed=False, detail=lacking)]
    try:
        with _traps(folder) as traps, IsolatedSandbox(backend) as sandbox:
            # first that it runs anything: a sandbox in which nothing works stops every probe
            increment = Program(source="def f(x):\n    return x + 1\n", entry="f")
            works = sandbox.run_programs([increment], [[1]], SandboxLimits(wall_s=_LONG_S))
            outcome = works.programs[0].outputs[0]
            if outcome.value != 2:
                return [SelfTestResult(name="works", passed=False, detail=works.fault or outcome.error)]
            outcomes = [SelfTestResult(name="works", passed=True), *_probe_outside(sandbox, traps)]
            return [*outcomes, *_probe_limits(sandbox)]
    except (OSError, SandboxUnavailable) as error:
        return [SelfTestResult(name="works", passed=False, detail=str(error))]


def _probe_outside(sandbox: IsolatedSandbox, traps: _Traps) -> Iterator[SelfTestResult]:
    source = guest_source("probes.py")
    abstract = traps.abstract
    path_name = traps.path_socket.getsockname()
    checks: list[tuple[str, str, Sequence[Json], Callable[[Outcome], bool]]] = [
        ("read home", "read_file", [str(traps.canary)], lambda o: o.value != traps.secret),
        ("write outside", "write_file", [str(traps.target)], lambda o: not traps.target.exists()),
        ("tcp", "tcp", [traps.stream.getsockname()[1]], lambda o: traps.untouched(traps.stream)),
        ("udp", "udp", [traps.datagram.getsockname()[1]], lambda o: traps.untouched(traps.datagram)),
        ("unix socket", "unix", [path_name], lambda o: traps.untouched(traps.path_socket)),
        ("abstract socket", "abstract", [traps.secret], lambda o: abstract is None or traps.untouched(abstract)),
        ("signal supervisor", "signal_process", [os.getpid()], lambda o: o.value != "sent"),
        ("inspect supervisor", "inspect_process", [os.getpid()], lambda o: o.value is None),
        ("start processes", "double_fork", [], lambda o: o.value != "forked"),
        ("environment", "environment", [], lambda o: _plain_environment(o)),
    ]
    programs = [Program(source=source, entry=entry) for _, entry, _, _ in checks]
    limits = SandboxLimits(wall_s=_LONG_S, memory_mb=_MEMORY_MB)
    result = sandbox.run_programs(programs, [], limits, per_program=[[list(args)] for _, _, args, _ in checks])
    for (name, _, _, passed), run in zip(checks, result.programs, strict=True):
        outcome = run.outputs[0]
        yield SelfTestResult(name=name, passed=passed(outcome), detail=outcome.error or f"returned {outcome.value!r}")


def _plain_environment(outcome: Outcome) -> bool:
    allowed = {"PATH", "HOME", "TMPDIR", "LANG", "PYTHONHASHSEED", "PWD", "LC_CTYPE"}
    return isinstance(outcome.value, list) and set(outcome.value) <= allowed


def _probe_limits(sandbox: IsolatedSandbox) -> Iterator[SelfTestResult]:
    memory = Program(source=f"def f():\n    return len(bytearray({4 * _MEMORY_MB} << 20))\n", entry="f")
    # macOS does not enforce a limit of addresses
    if sandbox.backend != "seatbelt":
        run = sandbox.run_programs([memory], [[]], SandboxLimits(wall_s=_LONG_S, memory_mb=_MEMORY_MB)).programs[0]
        yield SelfTestResult(name="memory limit", passed=not run.outputs[0].ok, detail=run.outputs[0].error)
    started = time.monotonic()
    endless = Program(source="def f():\n    while True:\n        pass\n", entry="f")
    result = sandbox.run_programs([endless], [[]], SandboxLimits(wall_s=_WALL_S))
    seconds = time.monotonic() - started
    detail = f"ended after {seconds:.2f} s"
    yield SelfTestResult(name="wall limit", passed=result.timed_out, detail=detail)
