"""What a run notes of itself so that it can be looked into later: what it was begun with, and why it broke off."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from typing import Any

from evolve.agent import Run
from evolve.core.episodes import KEPT_FACT, Limits, Turn
from evolve.core.episodes.codec import from_data, to_data
from evolve.core.errors import RecordDamaged, SetupProblem, TaskError, WorkspaceError
from evolve.core.events import Event, EventSink, read_events
from evolve.core.files import canonical_json, digest
from evolve.runtime.folder_tree import read_tree
from evolve.tasks import Task, task_json
from evolve.tasks.work import FolderWork, protected_in
from evolve.workspace.learners import model_name
from evolve.workspace.resources.patch import BEGUN
from evolve.workspace.runs.conversations import Conversations, earlier_turns
from evolve.workspace.runs.tasks import task_of
from evolve.workspace.services import WorkspaceServices

BROKEN_OFF = "broken off"
"""Kind of the event that says why an episode is not over."""


@dataclass(frozen=True, kw_only=True)
class RunStart:
    """What a run was begun with.

    Attributes:
        python: A virtual environment for work in a folder, or None.
        policy: Name of what decided.
        model: The model that was named; None where the settings named it, or none decided.
        turns: How many turns of a conversation came before it that cannot be told again, as they are no part of the
            record and the conversation is gone, or says something else by now.
    """

    task: Task
    limits: Limits
    python: str | None
    policy: str
    model: str | None
    turns: int = 0


def with_kept_names(services: WorkspaceServices, task: Task) -> Task:
    """The task of a person in a folder, with the protected files that their preferences for it name.

    A kept fact, such as how tests are run, names files too, and asks for no change.
    """
    work = task.work
    if not isinstance(work, FolderWork) or work.elsewhere or work.hidden_check:
        return task
    earlier = [turn.said for turn in task.earlier]
    kept = services.preferences.for_context(task.instruction, family=task.family, folder=task.folder, earlier=earlier)
    text = "\n".join(one.text for one in kept if one.status != KEPT_FACT)
    if not text:
        return task
    named = protected_in(text, read_tree(work.folder).files, work.guarded_patterns)
    return replace(task, work=replace(work, named=tuple(dict.fromkeys((*work.named, *named)))))


def task_kept(services: WorkspaceServices, task: Task, python: str | None) -> dict[str, Any]:
    """A task as it was given, in the object store, and who works on it with which environment, as JSON."""
    return {
        "input": services.stores.objects.put_object(canonical_json(task_json(task)).encode()),
        "python": python,
        "policy": services.learner.name,
        "model": model_name(services.model),
    }


def start_of_run(services: WorkspaceServices, task: Task, limits: Limits, python: str | None) -> Mapping[str, Any]:
    """What a run was begun with, as JSON."""
    turns = {"turns": len(task.earlier), "said": _digest_of(task.earlier)} if task.earlier else {}
    return {**task_kept(services, task, python), "limits": to_data(limits), **turns}


def beginning_of(services: WorkspaceServices, run: Run) -> RunStart | None:
    """What a run was begun with; None where that is not on record, as in runs of earlier versions and of loops, or
    where the package of its kind of environment is not installed."""
    noted = run.body.get(BEGUN)
    if not noted:
        return None
    try:
        task = task_of(json.loads(services.stores.objects.get(noted["input"])))
    except (RecordDamaged, TaskError):
        return None
    rest = {name: noted[name] for name in ("python", "policy", "model", "turns") if name in noted}
    if noted.get("turns"):
        earlier = _turns_before(services, run.id)
        if _digest_of(earlier) == noted.get("said"):
            task, rest["turns"] = replace(task, earlier=earlier), 0
    return RunStart(task=task, limits=from_data(Limits, noted["limits"]), **rest)


def _turns_before(services: WorkspaceServices, run: str) -> tuple[Turn, ...]:
    """What a run of a conversation would be told of the turns before it; () where no conversation has the run."""
    for talk in Conversations(services.paths.runs / "chats").list():
        place = next((turn.number for turn in talk.turns if turn.run == run), 0)
        if place:
            return earlier_turns(talk.turns[: place - 1], services.folders.list())
    return ()


def _digest_of(turns: Sequence[Turn]) -> str:
    """Tells turns from others; what was said stays out of the record."""
    return digest(canonical_json([to_data(turn) for turn in turns]))


@contextmanager
def report_interruption(log: EventSink, episode: str) -> Iterator[None]:
    """Notes the problem of machine or endpoint that an episode breaks off by; the error goes on."""
    try:
        yield
    except SetupProblem as problem:
        with suppress(WorkspaceError):  # on a full disk the problem itself matters more
            data = {"why": type(problem).__name__, "text": str(problem)}
            log.emit(Event(kind=BROKEN_OFF, episode=episode, data=data))
        raise


def interrupted_runs(services: WorkspaceServices, run: str) -> Event | None:
    """The last such note of a run, where nothing came after it; else None."""
    logs = sorted((services.paths.runs / run).glob("*/events.jsonl"))
    events = [event for log in logs for event in read_events(log)]
    return events[-1] if events and events[-1].kind == BROKEN_OFF else None
