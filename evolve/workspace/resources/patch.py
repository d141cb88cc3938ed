"""A patch as a value: what a run would change in a person's folder, checked against the record."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from evolve.core.errors import RecordDamaged, TaskError
from evolve.environments.files.snapshots import manifest_digest
from evolve.memory.preferences import parse_answer
from evolve.tasks.reading.folder import folder_work
from evolve.tasks.reading.limits import FilePosition
from evolve.tasks.work import FolderWork
from evolve.workspace.resources.preferences import ABOUT

if TYPE_CHECKING:
    from evolve.agent import Run, RunRepository
    from evolve.core.episodes import EpisodeRecord, Step
    from evolve.core.store import ObjectStore


PatchState = Literal["waiting", "applied", "refused", "undone"]


@dataclass(frozen=True, kw_only=True)
class FileChange:
    """One changed file.

    Attributes:
        name: Relative to the folder.
        before: Digest of the content at the start, "" where there was no such file.
        after: Digest of the new content, "" where the file goes.
        protected: The change is named and never applied.
        mode: Permissions the file had when the change was applied.
    """

    name: str
    before: str
    after: str
    protected: bool = False
    mode: int = 0o644


@dataclass(frozen=True, kw_only=True)
class Patch:
    """What a run would change in a folder.

    Attributes:
        diff: What applying it changes, as a unified diff.
        made: Folders that applying it made, outermost first.
        said: What the person said when they refused it.
    """

    run: str
    folder: str
    state: PatchState
    changes: tuple[FileChange, ...]
    diff: str = ""
    made: tuple[str, ...] = ()
    said: str = ""

    @property
    def reason(self) -> str:
        """Why the person refused it; "" where they did not, or gave no reason."""
        return "" if parse_answer(self.said) else self.said  # nothing is learned from a plain no

    @property
    def names(self) -> tuple[str, ...]:
        """The files it changes."""
        return tuple(change.name for change in self.changes if not change.protected)

    @property
    def protected(self) -> tuple[str, ...]:
        """The files whose changes are no part of what is applied."""
        return tuple(change.name for change in self.changes if change.protected)

    def to_json(self) -> Mapping[str, Any]:
        """What a person wants to know of it, without the diff."""
        names = {"files": list(self.names), "protected": list(self.protected)}
        return {"run": self.run, "folder": self.folder, "state": self.state, **names, "said": self.said}


_FILE = "file"
"""Key of a run's JSON: the one file that it replaced, and by what."""
BEGUN = "begun"
"""Key of a run's JSON: its task, what it may spend, and who decides."""


class RecordedChanges:
    """What the record holds of the changes that runs made.

    An episode's steps hold the digest of every state of the folder, which covers names and contents alike. So a patch
    of any age can be held against them.

    Args:
        objects: Where the tasks of runs are kept.
    """

    def __init__(self, records: RunRepository, objects: ObjectStore) -> None:
        self._records, self._objects = records, objects

    def has_run(self, run: str) -> bool:
        """Whether there is a run of this id."""
        return self._records.has_run(run)

    def patch_problem(self, patch: Patch) -> str:
        """What of a patch is not as the record has it, as the end of a sentence; "" where all is.

        Raises:
            UsageError: There is no such run.
        """
        run = self._records.run(patch.run)
        if _FILE in run.body:
            same = _told_as(patch.folder, patch.changes) == run.body[_FILE]
            return "" if same else "the record holds another change of a file"
        work = self._given(run)
        if work is None:
            return "the record does not say which folder the run was given"
        found = (problem_of(patch, record, work) for record in self._records.episodes(run=patch.run))
        problems = list(found) or ["the run has no episode on record"]
        return "" if "" in problems else problems[0]

    def note_file(self, run: str, folder: str, change: FileChange) -> None:
        """Notes of a run that it replaces one file, which a patch of it is held against then."""
        body = self._records.run(run).body
        self._records.replace_body(run, {**body, _FILE: _told_as(folder, [change])})

    def is_file(self, run: str) -> bool:
        """Whether a run replaced one file, and worked in no folder."""
        return _FILE in self._records.run(run).body

    def _given(self, run: Run) -> FolderWork | None:
        """The work that a run was given; None where that is not on record."""
        named = run.body.get(BEGUN, run.body).get("input")
        try:
            given = json.loads(self._objects.get(named)).get("files") if named else None
            return folder_work(given, FilePosition(file="")) if given else _told_of(run)
        except (RecordDamaged, TaskError):
            return _told_of(run)


def _told_as(folder: str, changes: Sequence[FileChange]) -> dict[str, Any]:
    """A change as the body of a run holds it. The permissions are left out: a file that is there keeps its own."""
    return {"folder": folder, "changes": [[one.name, one.before, one.after, one.protected] for one in changes]}


def _told_of(run: Run) -> FolderWork | None:
    """The same of a run of an earlier version, which noted the folder alone."""
    folder = run.body.get(ABOUT, {}).get("folder")
    return FolderWork(folder=folder) if folder else None


def problem_of(patch: Patch, record: EpisodeRecord, work: FolderWork) -> str:
    """What of a patch is not as an episode and its work have it; "" where all is."""
    if Path(patch.folder) != Path(work.folder):
        return f"it would change {patch.folder}, and the run was given {work.folder}"
    if patch.changes and _digest(patch) not in {snapshot_of(step) for step in accepted_steps(record)}:
        return "the record holds another change"
    guarded = {change.name for change in patch.changes if work.protects(change.name)}
    # What an earlier version applied, before a file counted as protected, can still be taken back.
    if set(patch.protected) - guarded or (set(patch.names) & guarded and patch.state != "applied"):
        return "it takes other files for protected than the run did"
    return ""


def accepted_steps(record: EpisodeRecord) -> Iterator[Step]:
    """The steps whose state of the folder may be a patch: what was handed in and accepted, and what was found later.

    An answer in words is no change, whatever was tried for it.
    """
    if record.found is not None:
        yield record.found.step
    if record.status in ("solved", "unverified") and record.steps and record.steps[-1].action.kind != "answer":
        yield record.steps[-1]


def snapshot_of(step: Step) -> str:
    """The digest of a step's state of the folder; "" where it is the start."""
    state = step.observation.state if step.observation is not None else None
    return "" if state is None else state.snapshot


def _digest(patch: Patch) -> str:
    """The digest of the state that a patch leads to; "" for one that no state has."""
    names = {change.name for change in patch.changes}
    if len(names) < len(patch.changes) or any(change.before == change.after for change in patch.changes):
        return "none"
    return manifest_digest(
        {change.name: change.after for change in patch.changes if change.after},
        sorted(change.name for change in patch.changes if not change.after),
        {change.name: change.before for change in patch.changes if change.before},
    )
