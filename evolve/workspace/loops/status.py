"""How a workspace stands, and the loop at work in it: which process, and how another pauses or stops it.

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
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from evolve.agent import Run, RunRepository
from evolve.core.episodes import Cost
from evolve.core.episodes.codec import to_data
from evolve.core.errors import EvolveError, UsageError
from evolve.core.events import Event, read_events
from evolve.core.files import write_atomic, write_failure
from evolve.core.paths import WorkspacePaths
from evolve.core.schema import MIGRATIONS
from evolve.core.store import Database, WriterLock, is_gone, process_identity, terminate
from evolve.workspace.health.doctor import Finding, doctor
from evolve.workspace.locating import selected_workspace, trusted_workspace
from evolve.workspace.opening import is_current, utc_now
from evolve.workspace.places import WorkspaceInUse, where
from evolve.workspace.resources.models import models
from evolve.workspace.runs.solving import waiting_question

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
    write_atomic(paths.loop, json.dumps({"run": run, "since": utc_now(), **process_identity()}).encode())
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


@dataclass(frozen=True, kw_only=True)
class OpenRun:
    """A run that has not ended.

    Attributes:
        of: The task or suite that it is about.
        question: What it waits for; "" where it was cut off.
        approval: It waits for a yes to a change, and not for words.
    """

    run: str
    kind: str
    of: str
    started: str
    question: str = ""
    approval: bool = False


@dataclass(frozen=True, kw_only=True)
class LoopProgress:
    """A loop that is going on in another process, and how far it has come.

    Attributes:
        at: The process, and whether it was asked to pause.
        kind: The command that began it, such as ``improve``.
        of: Its suite.
        began: When its run began, which may have been in an earlier process.
        episodes: How many are done, of practice and of judgement.
        spent: Of all its episodes so far.
        latest: The last thing that it told of itself, or None.
        waits: It has come to where it pauses.
    """

    at: LoopAtWork
    kind: str
    of: str
    began: str
    episodes: int
    solved: int
    spent: Cost
    latest: Event | None = None
    waits: bool = False


@dataclass(frozen=True, kw_only=True)
class Status:
    """How a workspace stands.

    Attributes:
        model: Its model, or "" where the embedded search decides.
        checks: Every part that was looked at, also what is in order.
        waiting: Runs that wait for an answer.
        unfinished: Runs that were cut off: the same command goes on with each.
        loop: The loop that is going on, or None.
        proposed: How many proposals of runs wait to be kept or declined.
    """

    where: WorkspaceInUse
    model: str
    checks: tuple[Finding, ...]
    waiting: tuple[OpenRun, ...] = ()
    unfinished: tuple[OpenRun, ...] = ()
    loop: LoopProgress | None = None
    proposed: int = 0

    @property
    def missing(self) -> bool:
        """Whether something is missing or damaged that evolve needs."""
        return any(finding.state == "missing" for finding in self.checks)

    def to_json(self) -> Mapping[str, Any]:
        """As one JSON object."""
        where = self.where
        told = {"exists": where.exists, "user": where.user, "trusted": where.trusted}
        rest = {name: getattr(self, name) for name in ("waiting", "unfinished", "loop", "proposed", "checks")}
        return {"workspace": str(where.root), **told, "model": self.model, "ok": not self.missing, **to_data(rest)}


def status(path: str | os.PathLike[str] | None = None) -> Status:
    """How a workspace stands. Makes nothing, changes nothing and waits for nobody who writes to it.

    Args:
        path: As for :func:`evolve.open`.
    """
    place, checks = where(path), tuple(doctor(path))
    runs, model = dict[str, Any](), ""
    if place.trusted:
        with suppress(EvolveError):  # what is wrong with the settings stands in the checks
            model = models(path).chosen().get("default", "")
        with suppress(EvolveError):  # and what is with the record
            runs = _runs(selected_workspace(path))
    return Status(where=place, model=model, checks=checks, **runs)


def _runs(paths: WorkspacePaths) -> dict[str, Any]:
    """What the record says of runs that have not ended."""
    if not is_current(paths):
        return {}
    at = loop_at_work(paths)
    with Database(paths.db, MIGRATIONS, read_only=True) as db:
        left = [run for run in RunRepository(db).list_runs() if run.state == "open"]
        loop = next((_progress(paths, db, run, at) for run in left if at is not None and run.id == at.run), None)
        proposed = len(db.rows("memory_statements", {"status": "proposed"}))
    at_work = {run.id for run in left if WriterLock(paths.runs / run.id / "lock").is_taken}
    at_work |= set() if loop is None else {loop.at.run}
    told = [_open(run) for run in left if run.id not in at_work]
    waiting, unfinished = (tuple(one for one in told if bool(one.question) is asks) for asks in (True, False))
    return {"waiting": waiting, "unfinished": unfinished, "loop": loop, "proposed": proposed}


def _open(run: Run) -> OpenRun:
    question = waiting_question(run)
    text = "" if question is None else question.text
    approval = question is not None and question.kind == "approve"
    return OpenRun(run=run.id, kind=run.kind, of=_of(run), started=run.started, question=text, approval=approval)


def _of(run: Run) -> str:
    return str(run.body.get("task") or run.body.get("suite") or "")


def _progress(paths: WorkspacePaths, db: Database, run: Run, at: LoopAtWork) -> LoopProgress:
    runs = RunRepository(db)
    records = (*runs.episodes(run=run.id), *runs.pending_episodes(run.id))
    done = [record for record in records if record.status != "interrupted"]
    latest = None
    for event in read_events(paths.runs / run.id / "events.jsonl"):
        latest = event if not event.episode else latest  # those of single episodes are no progress of the loop
    return LoopProgress(
        at=at,
        kind=run.kind,
        of=_of(run),
        began=run.started,
        episodes=len(done),
        solved=sum(record.solved for record in done),
        spent=sum((record.cost for record in done), Cost()),
        latest=latest,
        waits=latest is not None and latest.kind == "paused",
    )
