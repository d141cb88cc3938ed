"""The runner's forked children: reads their reports, ends them, and keeps signals inside; sent as text."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import time

from evolve.runtime.sandbox.guest.calling import CallTooLarge, Channel

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

LOOK_EVERY_S = 0.05


class Domain:
    """The Landlock domain of the runner, as a group of processes that can be signalled together.

    Args:
        outsider: A process of the same user outside. That it cannot be signalled proves that signals stay inside.
    """

    def __init__(self, outsider: int) -> None:
        import ctypes

        self.syscall = ctypes.CDLL(None, use_errno=True).syscall
        # struct landlock_ruleset_attr: no files, no network, both scopes (abstract sockets, signals)
        rules = (ctypes.c_uint64 * 3)(0, 0, 3)
        # landlock_create_ruleset; 446 below is landlock_restrict_self
        self.ruleset: int = self.syscall(444, ctypes.byref(rules), ctypes.c_size_t(24), 0)
        # by trying, because some kernels report the scope and do not enforce it
        with contextlib.suppress(PermissionError):
            os.kill(outsider, 0)
            raise SystemExit("signals are not confined here")
        if self.ruleset < 0:
            raise SystemExit("no inner domain can be made here")

    def enter(self) -> None:
        """Puts this process into a domain inside: from there the runner is an outsider too."""
        if self.syscall(446, self.ruleset, 0):
            raise OSError("the inner domain was refused")
        os.close(self.ruleset)


class Child:
    """A forked process with the pipe that it reports on and, in a session, the pipe that it is told on."""

    def __init__(self, pid: int, report_read: int, orders_write: int = -1, channel: Channel | None = None) -> None:
        self.pid, self.report_read, self.orders_write = pid, report_read, orders_write
        self.channel = channel or Channel(-1, -1)
        self.begun = False  # whether it came so far as to run the code

    def strip_mark(self, part: bytes, bounds: Bounds) -> bytes:
        """Takes off the mark that precedes what the code reports; at the mark the time of the code begins."""
        if self.begun:
            return part
        self.begun = True
        bounds.begin()
        return part[1:]

    def kill(self) -> None:
        """Ends the process and frees the pipes."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)
        with contextlib.suppress(ChildProcessError):
            os.waitpid(self.pid, 0)
        self.close()

    def close(self) -> None:
        os.close(self.report_read)
        if self.orders_write >= 0:
            os.close(self.orders_write)
        self.channel.close()


class Bounds:
    """Limits of one job: the moment at which it ends in any case, seconds for its code, most bytes of its report."""

    def __init__(self, deadline: float, seconds: float, most_bytes: int) -> None:
        self.deadline, self.seconds, self.most_bytes = deadline, seconds, most_bytes

    def begin(self) -> None:
        """Starts the time of the code; what a busy machine took before does not count."""
        self.deadline = min(self.deadline, time.monotonic() + self.seconds)


def gather(child: Child, full: Callable[[], bool], bounds: Bounds, order: bytes = b"") -> tuple[bytes, str]:
    """Reads a child's pipe until it is done, or until its line when it was given an order.

    ``full`` says whether the scratch folder holds too much. Gives ``(data, state)``: state ok, time, size, disk,
    cpu, died, ``signal N``, or unbegun, however it ended before it ran the code; alive only after an order and ok.
    """
    if child.begun:
        bounds.begin()
    try:
        data, state = read_report(child, full, bounds, order)
    except CallTooLarge:
        data, state = b"", end_state(child.pid, "size", bounds.deadline)
    return (data, state) if child.begun else (b"", "unbegun")


def read_report(child: Child, full: Callable[[], bool], bounds: Bounds, order: bytes) -> tuple[bytes, str]:
    """Reads as :func:`gather` does, without asking whether the code was run at all."""
    # a long order and its report can each fill a pipe, so both are served side by side
    data, unsent = bytearray(), memoryview(order)
    look = time.monotonic() + LOOK_EVERY_S
    while True:
        now = time.monotonic()
        if now >= look:
            if full():
                return b"", end_state(child.pid, "disk", bounds.deadline)
            # of a folder of many files a look takes long, where its file system does not count them
            look = now + max(LOOK_EVERY_S, 4 * (time.monotonic() - now))
        if now >= bounds.deadline:
            return bytes(data[: bounds.most_bytes]), end_state(child.pid, "time", bounds.deadline)
        ready = select.select(
            [child.report_read, *child.channel.reading()],
            [*([child.orders_write] if unsent else []), *child.channel.writing()],
            [],
            min(bounds.deadline, look) - now,
        )
        bounds.deadline += child.channel.serve(ready, bounds.most_bytes)
        if child.report_read not in ready[0]:
            unsent = send_order(child, unsent)
            if has_ended(child.pid):
                break  # it ended and left the pipe to a process of its own
            continue
        part = os.read(child.report_read, 1 << 16)
        if not part:
            break
        data += child.strip_mark(part, bounds)
        if len(data) > bounds.most_bytes:
            return b"", end_state(child.pid, "size", bounds.deadline)
        if order and part.endswith(b"\n"):
            return bytes(data), "ok"
    return bytes(data), end_state(child.pid, "", bounds.deadline)


def send_order(child: Child, unsent: memoryview) -> memoryview:
    """Writes as much of the order as the child takes now; gives back the rest."""
    try:
        return unsent[os.write(child.orders_write, unsent[:4096]) :] if unsent else unsent
    except BlockingIOError:
        return unsent
    except ConnectionError:
        return unsent[:0]


def has_ended(pid: int) -> bool:
    """Whether the process ended; it is not reaped, so its number stays its own."""
    return bool(os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT))


def end_state(pid: int, state: str, deadline: float) -> str:
    """Waits for the process, or kills it, and says how it ended."""
    while True:
        if state or time.monotonic() >= deadline:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
            return state or "time"
        done, status, usage = os.wait4(pid, os.WNOHANG)
        if done:
            break
        wait_for_a_child(min(max(deadline - time.monotonic(), 0), LOOK_EVERY_S))
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        used = usage.ru_utime + usage.ru_stime
        # the hard limit of processor time kills without saying why; little used time means another killer
        return "cpu" if number == signal.SIGKILL and used >= 1 else f"signal {number}"
    return "died" if status else "ok"


def wait_for_a_child(seconds: float) -> None:
    """Sleeps until a child ends; the runner keeps the signal of that blocked, so that none is missed."""
    if hasattr(signal, "sigtimedwait"):
        signal.sigtimedwait((signal.SIGCHLD,), seconds)
    else:
        # macOS has no sigtimedwait
        time.sleep(min(seconds, 0.001))
