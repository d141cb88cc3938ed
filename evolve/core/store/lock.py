"""A lock between the processes of one workspace that names its owner.

SQLite gives writers of the record their turn, one transaction at a time, so nobody holds a workspace for as long as it
is open. :class:`WriterLock` keeps apart what may not happen twice at a time: two loops, two processes that learn, two
that work on one run.

The lock itself is ``flock``, which the kernel releases when its holder dies. What stands in the file says who holds it,
and covers the one case the kernel does not: worker processes forked by a dead owner still hold the descriptor. Then,
and only when the owner is surely gone, the lock is taken over. No other process is taken for the owner, and none but
the owner is ended.
"""

from __future__ import annotations

import json
import os
import signal
import stat
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from evolve.core.errors import WorkspaceBusy, WorkspaceError
from evolve.core.failpoints import hit_failpoint
from evolve.core.files import write_failure

_MOST = 2**31 - 1
"""The largest number that the system takes for a process."""


def process_identity() -> dict[str, Any]:
    """What tells this process from every other one, on this machine and elsewhere."""
    return {"pid": os.getpid(), "started": _start_time(os.getpid()), **_machine()}


def _machine() -> dict[str, str]:
    """Identifies the boot and the process-id namespace; process ids mean nothing outside them."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        namespace = os.readlink("/proc/self/ns/pid")
    except OSError:
        return {"boot": "", "namespace": ""}
    return {"boot": boot, "namespace": namespace}


def _start_time(pid: int) -> str:
    """When the process started, in clock ticks since boot; "" when it is gone or cannot be read."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return ""
    # The command name, in parentheses, may hold spaces; proc(5): field 3 is the state, 22 the start time.
    parts = stat.rpartition(")")[2].split()
    return "" if parts[0] in "ZX" else parts[19]


def is_gone(process: Mapping[str, Any]) -> bool:
    """Whether a process that described itself by :func:`process_identity` has surely ended; in doubt it lives."""
    pid = process.get("pid")
    # Two writers are worse than one who has to wait.
    if not isinstance(pid, int) or not _is_of_here(process):
        return False
    # Numbers of processes are given again, start times are not.
    return _start_time(pid) != process.get("started")


def terminate(process: Mapping[str, Any], *, holding: Path) -> bool:
    """Asks a process that described itself by :func:`process_identity` to end, by SIGTERM.

    Args:
        holding: A file that it holds a lock on (``flock``): what stands in a file anybody can have written.

    Returns:
        False where it is gone, where nothing tells it from a later one with its number, where it holds no such lock,
        or where it is another user's.
    """
    pid = process.get("pid")
    if type(pid) is not int or not 0 < pid <= _MOST or not process.get("started") or not _is_of_here(process):
        return False
    try:
        handle = os.pidfd_open(pid)  # stands for this process alone, whoever gets the number next
    except (AttributeError, OSError):  # no Linux, or it is gone
        return False
    try:
        if _start_time(pid) != process["started"] or not _holds(pid, holding):
            return False
        signal.pidfd_send_signal(handle, signal.SIGTERM)
    except OSError:  # it has just ended, or is another user's
        return False
    finally:
        os.close(handle)
    return True


def _holds(pid: int, path: Path) -> bool:
    """Whether a process has a file open and locked, as the kernel says."""
    try:
        wanted, descriptors = path.stat(), list(Path(f"/proc/{pid}/fd").iterdir())
    except OSError:
        return False
    for descriptor in descriptors:
        with suppress(OSError):  # closed meanwhile
            if os.path.samestat(descriptor.stat(), wanted):
                told = Path(f"/proc/{pid}/fdinfo/{descriptor.name}").read_text()
                if any(line.startswith("lock:") and "FLOCK" in line for line in told.splitlines()):
                    return True
    return False


def _is_of_here(process: Mapping[str, Any]) -> bool:
    """Whether its number means anything here: it is of this boot and of this space of process ids."""
    machine = _machine()
    return bool(machine["boot"]) and {key: process.get(key) for key in machine} == machine


# Within the second in which a busy workspace is refused.
_OWNER_WAIT_S = 0.5


POLL_S = 0.02
"""Seconds from one look at a lock to the next."""
SHORT = "learn"
"""What a process does that holds a lock for so short a time that others wait for it."""


class WriterLock:
    """A lock that names its owner; use it as a context manager.

    Raises (on acquiring):
        WorkspaceBusy: Within a second, naming the owner's process id and what it does.
        WorkspaceError: When the lock file cannot be written.
    """

    def __init__(self, path: Path) -> None:
        self.path = Path(path)
        self._handle: int | None = None

    @contextmanager
    def hold(self, doing: str, *, wait_s: float = 60.0) -> Iterator[None]:
        """Holds the lock for a block.

        Args:
            doing: What it is held for; others are told.
            wait_s: How long to wait for an owner that only learns from a run. Nobody waits for a loop.

        Raises:
            WorkspaceBusy: Another process holds it.
        """
        latest, mine = time.monotonic() + wait_s, self.is_held
        while mine or not self.is_held:
            try:
                self.acquire(doing)
            except WorkspaceBusy:
                # Without a name in the file the owner has just gone.
                if mine or _read_owner(self.path).get("doing", SHORT) != SHORT or time.monotonic() > latest:
                    raise
                time.sleep(POLL_S)
        try:
            yield
        finally:
            self.release()

    def try_acquire(self, doing: str = "") -> bool:
        """Takes the lock where it is free; says whether it did."""
        try:
            self.acquire(doing, patience_s=0.0)
        except WorkspaceBusy:
            return False
        return True

    def acquire(self, doing: str = "", *, patience_s: float = _OWNER_WAIT_S) -> None:
        """Takes the lock or raises at once; never waits for the owner to finish.

        Args:
            doing: What it is held for; others are told.
            patience_s: Seconds to wait for the name of an owner that has just taken it.
        """
        if self._handle is not None:
            raise WorkspaceBusy(f"this process already holds {self.path}")
        with write_failures(self.path):
            self.path.parent.mkdir(parents=True, exist_ok=True)
            handle = try_lock(self.path)
            if handle is None and is_gone(_read_owner(self.path)):
                handle = self._take_over()
        if handle is None:
            raise self._busy(patience_s)
        self._handle = handle
        hit_failpoint("lock.taken")
        owner = {**process_identity(), "doing": doing}
        os.ftruncate(handle, 0)
        os.pwrite(handle, json.dumps(owner).encode(), 0)
        hit_failpoint("lock.owned")

    @property
    def is_held(self) -> bool:
        """Whether this value holds it."""
        return self._handle is not None

    def release(self) -> None:
        """Gives the lock back; releasing what is not held is no error."""
        if self._handle is not None:
            hit_failpoint("lock.release")
            # Emptied while it is still held: an owner that is written there counts as running.
            os.ftruncate(self._handle, 0)
            os.close(self._handle)
            self._handle = None

    @property
    def is_taken(self) -> bool:
        """Whether the process that the file names goes on; looks only, and takes nothing."""
        owner = _read_owner(self.path)
        return bool(owner) and not is_gone(owner)

    def owner_pid(self) -> int | None:
        """Process id of whoever wrote the file last and has not released it, or None."""
        return _read_owner(self.path).get("pid")

    def __enter__(self) -> WriterLock:
        self.acquire()
        return self

    def __exit__(self, *exc: object) -> None:
        self.release()

    def _take_over(self) -> int | None:
        """Replaces the file of a dead owner; a second lock keeps two takers apart."""
        guard = try_lock(self.path.with_name(self.path.name + ".takeover"))
        if guard is None:
            return None
        try:
            if is_gone(_read_owner(self.path)):
                hit_failpoint("lock.takeover")
                # Another file: the lock on this one is held by processes that the owner left behind.
                self.path.unlink(missing_ok=True)
            return try_lock(self.path)
        finally:
            os.close(guard)

    def _busy(self, patience_s: float) -> WorkspaceBusy:
        deadline = time.monotonic() + patience_s
        owner = _read_owner(self.path)
        while not owner and time.monotonic() < deadline:  # the owner may be just about to write its name
            time.sleep(POLL_S)
            owner = _read_owner(self.path)
        who = f"process {owner['pid']}" if owner.get("pid") else "another process"
        doing = f" ({owner['doing']})" if owner.get("doing") else ""
        return WorkspaceBusy(
            f"the workspace {self.path.parent.parent} is in use by {who}{doing}",
            hint="runs, fills and notes work beside it; evolve status shows it, evolve status --stop ends it",
        )


@contextmanager
def write_failures(path: Path) -> Iterator[None]:
    """Raises what the machine did to a lock file as an error of our tree."""
    try:
        yield
    except OSError as error:
        raise write_failure(path, error) from error


def try_lock(path: Path, *, shared: bool = False) -> int | None:
    """A descriptor that holds the lock on the file now at ``path``, or None when it is held."""
    try:
        import fcntl
    except ImportError as error:
        raise WorkspaceError("workspaces need POSIX file locks, which this system lacks") from error
    wanted = fcntl.LOCK_SH if shared else fcntl.LOCK_EX
    while True:
        # The file is emptied later, so it has to be one that no other place knows by another name.
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, 0o644)
        state = os.fstat(handle)
        if not stat.S_ISREG(state.st_mode) or state.st_nlink > 1:
            os.close(handle)
            raise WorkspaceError(f"{path} is not a file of its own, so it is no lock", hint=f"remove it: rm {path}")
        try:
            fcntl.flock(handle, wanted | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(handle)
            return None
        except OSError:
            os.close(handle)
            raise
        if _same_file(handle, path):
            return handle
        os.close(handle)  # somebody replaced the file between open and lock


def _same_file(handle: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(handle), os.lstat(path))
    except FileNotFoundError:
        return False


def _read_owner(path: Path) -> dict[str, Any]:
    try:
        owner = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return {}
    return owner if isinstance(owner, dict) else {}
