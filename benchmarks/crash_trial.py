"""Runs a command in a forked process, kills it, and finds out what is left of it.

Forking a process that has loaded everything saves most of a second per trial. What the child does is the program as
it ships, from reading its command line on.
"""

from __future__ import annotations

import ctypes
import os
import random
import selectors
import signal
import sys
import time
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

_SUBREAPER = 36
_GONE_WITHIN_S = 2.0
_DEADLINE_S = 90.0
_CHUNK = 1 << 16


@dataclass(frozen=True, kw_only=True)
class Ended:
    """How a child ended.

    Attributes:
        code: Exit code, negative for a signal.
        survivors: Processes it had started that were still alive two seconds later; they have been ended since.
    """

    code: int
    out: str
    err: str
    seconds: float
    survivors: int


def adopt_orphans() -> None:
    """Makes this process the parent of whatever a child leaves behind, so that nothing escapes the count.

    Raises:
        OSError: The kernel cannot do that; it needs Linux.
    """
    if sys.platform != "linux" or ctypes.CDLL(None, use_errno=True).prctl(_SUBREAPER, 1, 0, 0, 0):
        raise OSError("survivors of a crash can only be counted on Linux")


def run_forked(work: Callable[[], int], *, environ: Mapping[str, str], folder: Path, kill_at_s: float = 0.0) -> Ended:
    """Runs ``work`` in a child with this environment and folder.

    Args:
        kill_at_s: SIGKILL after so many seconds; 0 for never.
    """
    out, err = os.pipe(), os.pipe()
    started = time.monotonic()
    sys.stdout.flush()
    sys.stderr.flush()
    pid = os.fork()
    if not pid:
        _child(work, environ, folder, (out[1], err[1]))
    os.close(out[1])
    os.close(err[1])
    texts = _collect(pid, (out[0], err[0]), started, kill_at_s)
    _, status = os.waitpid(pid, 0)
    return Ended(
        code=os.waitstatus_to_exitcode(status),
        out=texts[0],
        err=texts[1],
        seconds=time.monotonic() - started,
        survivors=_end_survivors(),
    )


def _child(work: Callable[[], int], environ: Mapping[str, str], folder: Path, pipes: tuple[int, int]) -> None:
    """Never returns."""
    code = 99
    try:
        os.setsid()
        nothing = os.open(os.devnull, os.O_RDONLY)
        for descriptor, number in ((nothing, 0), (pipes[0], 1), (pipes[1], 2)):
            os.dup2(descriptor, number)
        os.chdir(folder)
        os.environ.clear()
        os.environ.update(environ)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        code = work()
        sys.stdout.flush()
        sys.stderr.flush()
    except Exception:
        os.write(2, traceback.format_exc().encode())
    finally:
        os._exit(code)


def _collect(pid: int, pipes: tuple[int, int], started: float, kill_at_s: float) -> tuple[str, str]:
    """What the child writes until it has ended or is killed; its own children may hold the pipes for longer."""
    texts = {descriptor: bytearray() for descriptor in pipes}
    deadline = started + (kill_at_s or _DEADLINE_S)
    with selectors.DefaultSelector() as selector:
        for descriptor in pipes:
            selector.register(descriptor, selectors.EVENT_READ)
        while selector.get_map() and not _has_ended(pid):
            left = deadline - time.monotonic()
            if left <= 0:
                os.kill(pid, signal.SIGKILL)
                os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
                break
            for key, _ in selector.select(min(left, 0.02)):
                data = os.read(key.fd, _CHUNK)
                texts[key.fd] += data
                if not data:
                    selector.unregister(key.fd)
    for descriptor in pipes:
        os.set_blocking(descriptor, False)
        texts[descriptor] += _rest(descriptor)
        os.close(descriptor)
    return tuple(bytes(texts[descriptor]).decode("utf-8", "replace") for descriptor in pipes)  # type: ignore[return-value]


def _has_ended(pid: int) -> bool:
    return os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None


def _rest(descriptor: int) -> bytes:
    data = b""
    try:
        while block := os.read(descriptor, _CHUNK):
            data += block
    except BlockingIOError:
        pass
    return data


def _end_survivors() -> int:
    """Waits for what the child left behind; gives how many had to be ended."""
    started = time.monotonic()
    while left := _own_children():
        if time.monotonic() > started + _GONE_WITHIN_S:
            break
        time.sleep(0.01)
    for pid in left:
        os.kill(pid, signal.SIGKILL)
    while _own_children():
        time.sleep(0.01)
    return len(left)


def _own_children() -> list[int]:
    """Children that are alive; those that have ended are reaped."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        return []
    return [int(pid) for pid in Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()]


def random_times(count: int, longest_s: float, rng: random.Random) -> list[float]:
    """Moments to kill at, spread over a run of that length."""
    return [rng.uniform(0.02, longest_s) for _ in range(count)]
