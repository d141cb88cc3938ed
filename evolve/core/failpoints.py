"""Fault points: named places where a crash, a full disk or a signal can be made to happen, for tests of reliability.

    EVOLVE_FAULT=record.commit.after:2:kill evolve improve everyday

kills the process (SIGKILL) when it reaches ``record.commit.after`` for the second time. Several faults are joined by
commas. Without the variable a point costs one look into the environment and does nothing. ``EVOLVE_FAULT=>FILE``
makes nothing happen, but adds the name of each point that is reached as a line to FILE.

What is left to count is kept in the variable itself, so a process that is started counts on from there, for itself:
a fault in a worker does not use up the one of the worker that takes its place.
"""

from __future__ import annotations

import errno
import os
import signal
import time
from collections.abc import Mapping
from typing import Literal, get_args

from evolve.core.errors import UsageError

VARIABLE = "EVOLVE_FAULT"

FaultAction = Literal["kill", "full", "term", "int", "stall"]
"""SIGKILL to this process, a full disk, SIGTERM, SIGINT, or a minute of doing nothing."""

_TRACE = ">"
_STALL_S = 60.0

_STAGES = (
    *("recall", "plan", "act", "decompose", "best_of_n", "vote", "critique", "revise", "search"),
    *("observe", "judge", "reflect", "distill", "commit"),
)

POINTS: Mapping[str, str] = {
    "file.begin": "a file is about to be written; nothing is there yet",
    "file.written": "its temporary file holds the content, which is not on the disk yet",
    "file.synced": "its temporary file is on the disk under another name",
    "file.renamed": "it is in place, its folder is not on the disk yet",
    "file.kept": "it is in place and on the disk",
    "object.begin": "a body is about to be put into the object store",
    "object.kept": "the body is in the object store",
    "workspace.folders": "the workspace's folders are made, its marker is not",
    "workspace.marked": "the marker is written",
    "lock.taken": "the writer's lock is held, its file does not say by whom",
    "lock.owned": "the lock's file names its owner",
    "lock.release": "the lock is about to be given back",
    "lock.takeover": "the lock of a dead owner is about to be replaced",
    "record.create": "a new database is complete under another name",
    "record.created": "the new database is in place",
    "record.begin": "a transaction was begun",
    "record.commit.before": "everything of a transaction is written, nothing is committed",
    "record.commit.after": "the transaction is committed",
    "migration.before": "a change of tables is about to begin",
    "migration.inside": "the tables are changed, nothing is committed",
    "migration.after": "one change of tables is committed",
    "backup.begin": "a copy of the record is about to be made",
    "backup.copied": "the copy is complete under another name",
    "backup.kept": "the copy is in place",
    "repair.built": "a sound record is built from a damaged one, under another name",
    "repair.begun": "it is noted that the built record is to take the damaged one's place",
    "repair.aside": "the damaged record is moved aside, the built one is not in place",
    "repair.kept": "the built record is in place, the note is still there",
    "checkpoint.writes.before": "what a stage left is about to be written to the episode's file",
    "checkpoint.writes.after": "what a stage left is in the episode's file",
    "checkpoint.put.before": "a checkpoint is about to be written",
    "checkpoint.put.after": "a checkpoint is written",
    "output.before": "something paid for is about to be written to the episode's file",
    "output.after": "something paid for is in the episode's file",
    **{f"stage.{stage}.before": f"the stage {stage} begins" for stage in _STAGES},
    **{
        f"stage.{stage}.after": f"the stage {stage} has done its work, of which nothing is checkpointed"
        for stage in _STAGES
    },
    "stage.skill.before": "a stage that calls a skill begins",
    "stage.skill.after": "a stage that calls a skill has done its work, of which nothing is checkpointed",
    "stage.commit.after": "the stage commit has done its work; the record holds the episode, the checkpoint does not",
    "sandbox.before": "a program is about to run in the sandbox",
    "sandbox.after": "a program has run in the sandbox",
    "episode.begin": "an episode is about to be committed",
    "episode.inside": "an episode, its steps, claims and uses are written, nothing is committed",
    "episode.end": "the transaction around an episode's rows has ended",
    "lessons.before": "what an episode of a person's own taught is worked out, nothing of it is on record",
    "lessons.inside": "claims and skills of such an episode are written, nothing is committed",
    "lessons.after": "what such an episode taught is committed",
    "skill.begin": "an admitted skill is about to be kept",
    "skill.row": "the skill has its row, its folder is not written",
    "skill.kept": "the skill has its row and its folder",
    "folder.begin": "a skill's folder is about to be written under another name",
    "folder.file": "one file of the folder is written",
    "folder.moved": "the folder that was there is moved away, the new one is not in place",
    "folder.kept": "the new folder is in place",
    "work.written": "what was approved for a file of a person's folder is on the disk under another name",
    "work.renamed": "one file of a person's folder is as approved, the others may not be",
    "export.before": "a skill is about to be exported",
    "export.after": "a skill is exported",
    "index.open": "the index is open",
    "index.upsert.before": "episodes are about to be written to the index",
    "index.upsert.after": "episodes are in the index, which is not marked as holding them",
    "index.marked": "the index is marked as holding them",
    "index.built": "a child has built an index beside the old one",
    "index.dropped": "the old index is gone, and the one a child built is not in its place yet",
    "index.filled": "the index holds everything anew",
    "index.close.before": "the index is about to be closed",
    "index.close.after": "the index is closed",
    "event.before": "an event is about to be added to a log",
    "event.after": "an event is in the log",
    "run.begin": "a run is about to be opened or continued",
    "run.begun": "the run is on record",
    "run.end.before": "a run is about to be closed",
    "run.end.after": "the run is closed",
    "practice.planned": "the tasks of a round are chosen and on record",
    "practice.begin": "a batch of practice is about to run",
    "practice.ran": "a batch has run, nothing of it is committed",
    "practice.kept": "a batch is committed",
    "screen.ran": "the trials of a candidate are kept, the answer to its engine is not",
    "screen.kept": "the answer to an engine is kept",
    "removals.ran": "the searches without a cause are set aside, nothing of them is evidence yet",
    "insights.ran": "the trials with and without an insight are set aside, nothing of them is evidence yet",
    "answer.kept": "what a model was asked beside episodes is kept, nothing was done with it yet",
    "replay.kept": "an episode of which one stage was asked again is kept, its proposal is not judged by it yet",
    "practice.idle": "skills that served no other task are idle, the round is not finished",
    "attempt.kept": "an episode of a loop is over and set aside until its batch is committed",
    "guide.fitted": "a guide is in the object store, no variant names it",
    "variant.kept": "a variant is on record",
    "gate.pair": "a pair of episodes was compared",
    "gate.before": "a verdict was reached and is about to be written",
    "gate.inside": "the decision and all scores are written, nothing is committed",
    "gate.after": "the decision is committed",
    "promotion.before": "a variant is about to be made the active one",
    "promotion.after": "the switch is written",
    "look.before": "an opening of the test tasks is about to be logged",
    "look.after": "the look is logged and not taken yet",
    "report.before": "a report is about to be kept",
    "report.after": "the report is kept",
    "worker.start": "a worker process begins",
    "worker.job": "a worker has got an episode to run",
    "worker.result": "a worker has run an episode and not told of it",
}
"""Every point with what is true there."""


def hit_failpoint(point: str) -> None:
    """Lets the fault that is planned for this point happen, if it is its turn.

    Raises:
        OSError: ENOSPC, where a full disk is planned.
        UsageError: What the variable says is no plan.
    """
    plan = os.environ.get(VARIABLE)
    if plan:
        _reach(point, plan)


def _reach(point: str, plan: str) -> None:
    if plan.startswith(_TRACE):
        with open(plan.removeprefix(_TRACE), "a", encoding="ascii") as stream:
            stream.write(point + "\n")
        return
    left: list[str] = []
    due: list[str] = []
    for entry in plan.split(","):
        name, count, action = _parsed(entry)
        if name == point:
            count -= 1
        if count:
            left.append(f"{name}:{count}:{action}")
        else:
            due.append(action)
    os.environ[VARIABLE] = ",".join(left)
    for action in due:
        _act(point, action)


def _parsed(entry: str) -> tuple[str, int, str]:
    name, _, rest = entry.strip().partition(":")
    number, _, action = rest.partition(":")
    if name not in POINTS:
        raise UsageError(f"{VARIABLE}={entry}: there is no fault point {name!r}", hint="see docs/reliability.md")
    if not number.isdigit() or int(number) < 1 or action not in get_args(FaultAction):
        raise UsageError(
            f"{VARIABLE}={entry}: not a fault",
            hint=f"write {name}:1:kill; actions are {', '.join(get_args(FaultAction))}",
        )
    return name, int(number), action


def _act(point: str, action: str) -> None:
    if action == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    elif action == "full":
        raise OSError(errno.ENOSPC, f"{os.strerror(errno.ENOSPC)} ({VARIABLE} at {point})")
    elif action == "stall":
        time.sleep(_STALL_S)
    else:
        os.kill(os.getpid(), signal.SIGTERM if action == "term" else signal.SIGINT)
