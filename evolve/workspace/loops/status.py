"""How a workspace stands: what is used, what waits, what goes on, and what this machine lacks."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from evolve.agent import Run, RunRepository
from evolve.core.episodes import Cost
from evolve.core.episodes.codec import to_data
from evolve.core.errors import EvolveError
from evolve.core.events import Event, read_events
from evolve.core.paths import WorkspacePaths
from evolve.core.schema import MIGRATIONS
from evolve.core.store import Database, WriterLock
from evolve.trials.set_aside import PendingAttempts
from evolve.workspace.health.doctor import Finding, doctor
from evolve.workspace.locating import selected_workspace
from evolve.workspace.loops.loops_at_work import LoopAtWork, loop_at_work
from evolve.workspace.opening import is_current
from evolve.workspace.places import Where, where
from evolve.workspace.resources.models import models
from evolve.workspace.runs.solving import waiting_question


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

    where: Where
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
        left = [run for run in RunRepository(db).runs() if run.state == "open"]
        loop = next((_progress(paths, db, run, at) for run in left if at is not None and run.id == at.run), None)
        proposed = len(db.rows("memory_preferences", {"status": "proposed"}))
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
    kept = RunRepository(db).episodes(run=run.id)
    done = [record for record in (*kept, *PendingAttempts(db, run.id).records()) if record.status != "interrupted"]
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
