"""The loop that is at work in a workspace: which one, in which process, and how it is paused and stopped from another.

While it works it names itself and its process in a file beside the record, and holds a lock on it; without the lock the
file says nothing. It pauses for as long as a second file is there, which it looks for between episodes.
"""

from __future__ import annotations

import fcntl
import json
import os
import re
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from evolve.core.errors import UsageError
from evolve.core.files import write_atomic, write_failure
from evolve.core.paths import WorkspacePaths
from evolve.core.store import is_gone, terminate, this_process
from evolve.workspace.locating import trusted_workspace
from evolve.workspace.opening import now

_END_S = 30.0
"""Seconds in which a loop that was told to stop has closed everything; one action may take as long."""
_LONGEST = 10_000
"""Bytes of what a loop says of itself."""


@dataclass(frozen=True, kw_only=True)
class LoopAtWork:
    """A loop that is going on.

    Attributes:
        run: Id of its run.
        process: Id of its process.
        since: When that process took it up, in UTC.
        paused: It was asked to wait: it does once the episodes that are begun are over.
    """

    run: str
    process: int
    since: str
    paused: bool


@contextmanager
def announce_loop(paths: WorkspacePaths, run: str) -> Iterator[None]:
    """Names the loop of this process for as long as the block takes. A pause that was asked of another one is over."""
    paths.pause.unlink(missing_ok=True)
    write_atomic(paths.loop, json.dumps({"run": run, "since": now(), **this_process()}).encode())
    try:
        with paths.loop.open("rb") as held:
            fcntl.flock(held, fcntl.LOCK_EX)
            yield
    finally:
        for path in (paths.loop, paths.pause):
            path.unlink(missing_ok=True)


def loop_at_work(paths: WorkspacePaths) -> LoopAtWork | None:
    """The loop that is at work in a workspace, or None."""
    named = _announced(paths)
    return None if named is None else _as_loop(paths, named)


def pause_loop(path: str | os.PathLike[str] | None = None) -> LoopAtWork:
    """Has the loop in a workspace wait; the process stays, and a budget of time does not run meanwhile.

    Args:
        path: As for :func:`evolve.open`.

    Raises:
        UsageError: No loop is at work there.
        WorkspaceError: The workspace is not trusted, or cannot be written.
    """
    paths, named = _needed(path)
    write_atomic(paths.pause, b"")
    return _as_loop(paths, named)


def resume_loop(path: str | os.PathLike[str] | None = None) -> LoopAtWork:
    """Has a loop that waits go on; raises as :func:`pause_loop`."""
    paths, named = _needed(path)
    try:
        paths.pause.unlink(missing_ok=True)
    except OSError as error:
        raise write_failure(paths.pause, error) from error
    return _as_loop(paths, named)


def stop_loop(path: str | os.PathLike[str] | None = None) -> bool:
    """Ends the loop in a workspace as SIGTERM does: all that is finished is saved, and the same command continues it.

    Returns:
        Whether it has ended by now; else it is still closing what it had begun.

    Raises:
        UsageError: No loop is at work there, or its process cannot be reached from here.
        WorkspaceError: The workspace is not trusted.
    """
    paths, named = _needed(path)
    if not terminate(named, holding=paths.loop) and _announced(paths) is not None:
        raise UsageError(
            "evolve cannot tell here which process the loop is, so it ended none",
            hint="press Ctrl-C where the loop was started",
        )
    latest = time.monotonic() + _END_S
    while not is_gone(named) and time.monotonic() < latest:
        time.sleep(0.05)
    return is_gone(named)


def _needed(path: str | os.PathLike[str] | None) -> tuple[WorkspacePaths, Mapping[str, Any]]:
    paths = trusted_workspace(path)
    named = _announced(paths)
    if named is None:
        raise UsageError(f"no loop is at work in {paths.root}", hint="evolve status")
    return paths, named


def _announced(paths: WorkspacePaths) -> Mapping[str, Any] | None:
    """What the loop said of itself; None where there is none, or one that was killed left it."""
    try:
        # A pipe that lies there would keep whoever opens it waiting.
        with open(paths.loop, "rb", opener=lambda name, flags: os.open(name, flags | os.O_NONBLOCK)) as file:
            if not _is_held(file.fileno()):
                return None
            named = json.loads(file.read(_LONGEST))
    except (OSError, ValueError, RecursionError):  # such as one that is nested too deep
        return None
    whole = isinstance(named, dict) and type(named.get("pid")) is int and _is_run(named.get("run"))
    return named if whole and not is_gone(named) else None


def _is_held(descriptor: int) -> bool:
    """Whether the loop that wrote a file still holds its lock, which the kernel takes from a process that ends."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    return False


def _is_run(name: object) -> bool:
    return isinstance(name, str) and re.fullmatch(r"r[0-9]{1,18}", name) is not None


def _time(text: object) -> str:
    """A time as it was written; "" where it is none."""
    try:
        datetime.fromisoformat(str(text))
    except ValueError:
        return ""
    return str(text)


def _as_loop(paths: WorkspacePaths, named: Mapping[str, Any]) -> LoopAtWork:
    return LoopAtWork(
        run=named["run"], process=named["pid"], since=_time(named.get("since")), paused=paths.pause.exists()
    )
