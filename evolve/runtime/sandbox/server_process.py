"""Runs a program of the person outside of any confinement, for a bounded time, and ends all that it started.

There are two: git, on objects alone, and an agent that the person approved. No text of a model becomes a command here.
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
from dataclasses import dataclass
from pathlib import Path

from evolve.core.errors import SandboxUnavailable

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
