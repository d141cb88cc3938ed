"""What a run would change in a person's folder: kept as a patch, applied when approved, and undone again."""

from __future__ import annotations

import builtins
import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Literal

from evolve.environments.files import Changes, Snapshots
from evolve.environments.files.diffs import unified
from evolve.environments.files.snapshots import changes_between
from evolve.episodes import EpisodeRecord
from evolve.errors import UsageError, WorkspaceError
from evolve.files import canonical_json, digest, write_atomic
from evolve.store import ObjectStore
from evolve.tasks.trees import read_tree
from evolve.tasks.work import FolderWork, is_protected
from evolve.workspace.shelves import folder_files as writing
from evolve.workspace.shelves.shelf import Shelf

PatchState = Literal["waiting", "applied", "refused", "undone"]

# Refusals without a reason, so nothing is learned from them.
_PLAIN_NO = ("", "n", "no", "nope", "never", "stop")


@dataclass(frozen=True, kw_only=True)
class FileChange:
    """One changed file.

    Attributes:
        name: Relative to the folder.
        before: Digest of the content at the start, "" where there was no such file.
        after: Digest of the new content, "" where the file goes.
        protected: The change is shown and never applied.
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
        diff: All of it as a unified diff, protected files too.
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
        return "" if self.said.strip().casefold() in _PLAIN_NO else self.said

    @property
    def names(self) -> tuple[str, ...]:
        """The files it changes."""
        return tuple(change.name for change in self.changes if not change.protected)

    @property
    def protected(self) -> tuple[str, ...]:
        """The files whose changes are shown only."""
        return tuple(change.name for change in self.changes if change.protected)

    def to_json(self) -> Mapping[str, Any]:
        """What a person wants to know of it, without the diff."""
        names = {"files": list(self.names), "protected": list(self.protected)}
        return {"run": self.run, "folder": self.folder, "state": self.state, **names, "said": self.said}


class Folders(Shelf):
    """The patches of a workspace's runs.

    Args:
        runs: The folder of the runs.
    """

    def __init__(self, runs: Path) -> None:
        self._runs = runs

    def keep(self, record: EpisodeRecord, work: FolderWork) -> Patch | None:
        """Keeps what an episode changed that was accepted, or was found while learning from it; else None.

        Keeping it twice changes nothing. An answer in words is no change, whatever was tried for it.
        """
        last = record.steps[-1] if record.found is None else record.found.step
        accepted = record.status in ("solved", "unverified") and last.action.kind != "answer"
        if not accepted and record.found is None:
            return None
        if self._file(record.run).exists():
            return self.get(record.run)
        state = last.observation.state if last.observation is not None else None
        snapshots = Snapshots(self._runs / record.run / record.episode / "tree")
        changes = snapshots.changes("" if state is None else state.snapshot)
        bodies = self._bodies(record.run)
        patch = Patch(
            run=record.run,
            folder=work.folder,
            state="waiting",
            changes=tuple(_change(changes, name, bodies, work) for name in changes.names),
            diff=unified(changes.before, changes),
        )
        self._write(patch)
        return patch

    def get(self, run: str) -> Patch:
        """The patch of a run.

        Raises:
            UsageError: The run has none.
            WorkspaceError: It cannot be read.
        """
        file = self._file(run)
        if "/" in run or not os.path.isfile(file):  # also for what can be no name
            raise UsageError(f"the run {run!r} changed no folder", hint="evolve runs list shows the runs")
        try:
            body = json.loads(file.read_text(encoding="utf-8"))
            changes = tuple(FileChange(**change) for change in body.pop("changes"))
            return Patch(**{**body, "changes": changes, "made": tuple(body["made"])})
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise WorkspaceError(f"{file}: not a patch that can be read: {error}") from error

    def list(self) -> builtins.list[Patch]:
        """Every patch, the newest run first."""
        names = [file.parent.name for file in self._runs.glob("r*/patch.json")]
        # Ids are numbered: r9 comes before r10.
        return [self.get(name) for name in sorted(names, key=lambda name: (len(name), name), reverse=True)]

    def apply(self, run: str, *, again: bool = False) -> Patch:
        """Changes the folder as the patch says, but for protected files: every file whole, all or none at first sight.

        Cut off half way, it goes on when called again.

        Args:
            again: One that is applied already is no error.

        Raises:
            UsageError: It is applied already, or a file changed since the run; then nothing was applied.
            WorkspaceError: Disk full or not writable; the message names the file.
        """
        patch = self.get(run)
        if patch.state == "applied" and again:
            return patch
        if patch.state == "applied":
            raise UsageError(f"the changes of {run} are applied already", hint=f"evolve undo {run} takes them back")
        files = self._unchanged(patch)
        # Together with those of a try that was cut off, which are there by now.
        made = dict.fromkeys(path for name in patch.names for path in writing.missing_folders(patch.folder, name))
        changes = tuple(
            replace(change, mode=files[change.name].mode)
            if change.name in files and files[change.name].data is not None
            else change
            for change in patch.changes
        )
        patch = replace(patch, changes=changes, made=tuple(dict.fromkeys((*patch.made, *made))))
        self._write(patch)  # what undoing needs is kept before anything is touched
        return self._move_and_mark(patch, "applied")

    def refuse(self, run: str, said: str) -> Patch:
        """Notes that the person does not want the patch, and why; it can still be applied later."""
        refused = replace(self.get(run), state="refused", said=said)
        self._write(refused)
        return refused

    def applied(self, run: str | None = None) -> Patch:
        """The applied patch of a run; by default the newest one.

        Raises:
            UsageError: There is none.
        """
        patch = (
            next((patch for patch in self.list() if patch.state == "applied"), None) if run is None else self.get(run)
        )
        if patch is None or patch.state != "applied":
            raise UsageError("nothing is applied" if run is None else f"the changes of {run} are not applied")
        return patch

    def write_start(self, run: str, into: Path) -> bool:
        """Writes the folder of an applied patch as it was before that into another one; False where none is applied."""
        if not self._file(run).exists() or self.get(run).state != "applied":
            return False
        patch, bodies = self.get(run), self._bodies(run)
        tree = read_tree(patch.folder)
        files, executable = dict(tree.files), set(tree.executable)
        for change in patch.changes:
            if not change.protected and change.before:
                files[change.name] = bodies.get(change.before)
                executable = executable | {change.name} if change.mode & 0o100 else executable - {change.name}
            elif not change.protected:
                files.pop(change.name, None)
        for name, data in files.items():
            (into / name).parent.mkdir(parents=True, exist_ok=True)
            (into / name).write_bytes(data)
            (into / name).chmod(0o755 if name in executable else 0o644)
        return True

    def change_of(self, run: str) -> dict[str, bytes | None]:
        """What a patch leaves of each file that it changes; None where it leaves none.

        Raises:
            UsageError: The run has none.
            RecordDamaged: What it leaves is not kept any more.
        """
        bodies = self._bodies(run)
        return {change.name: bodies.get(change.after) if change.after else None for change in self.get(run).changes}

    def changed_since(self, patch: Patch) -> tuple[str, ...]:
        """The files of an applied patch that are neither as it left them nor as they were before."""
        return self._unexpected(patch, {name: writing.look(patch.folder, name) for name in patch.names})

    def undo_diff(self, patch: Patch) -> str:
        """What undoing would change in the folder as it is now, as a unified diff."""
        bodies = self._bodies(patch.run)
        now = {name: writing.look(patch.folder, name).data for name in patch.names}
        then = {
            change.name: bodies.get(change.before) for change in patch.changes if change.before and change.name in now
        }
        files = {name: data for name, data in now.items() if data is not None}
        return unified(files, changes_between(files, then))

    def undo(self, run: str | None = None, *, over: bool = False) -> Patch:
        """Takes an applied patch back.

        Args:
            run: By default the newest run whose patch is applied.
            over: Also where a file changed since; what was changed is lost then.

        Raises:
            UsageError: There is none, or a file changed since; then nothing was undone.
            WorkspaceError: As for :meth:`apply`.
        """
        chosen = self.applied(run)
        turned = _reversed(chosen)
        if not over:
            self._unchanged(turned)
        self._move(turned)
        # Innermost first, since only empty folders are removed.
        for folder in reversed(chosen.made):
            writing.drop_folder(chosen.folder, folder)
        undone = replace(chosen, state="undone", made=())
        self._write(undone)
        return undone

    def _move_and_mark(self, patch: Patch, state: PatchState) -> Patch:
        self._move(patch)
        moved = replace(patch, state=state, said="")
        self._write(moved)
        return moved

    def _move(self, patch: Patch) -> None:
        """Gives every file of a patch its new content; one that has it already is passed over, so it can go on."""
        bodies = self._bodies(patch.run)
        for change in patch.changes:
            if not change.protected and _digest_of(writing.look(patch.folder, change.name).data) != change.after:
                data = bodies.get(change.after) if change.after else None
                writing.put(patch.folder, change.name, data, change.mode)

    def _unchanged(self, patch: Patch) -> dict[str, writing.FileState]:
        """The files as they are, each as before the patch or as after it."""
        files = {name: writing.look(patch.folder, name) for name in patch.names}
        wrong = self._unexpected(patch, files)
        if wrong:
            more = f" and {len(wrong) - 1} more" if len(wrong) > 1 else ""
            raise UsageError(
                f"{wrong[0]}{more} in {patch.folder} changed since the run, so nothing was changed",
                hint=f"evolve runs diff {patch.run} shows what was meant",
            )
        return files

    @staticmethod
    def _unexpected(patch: Patch, files: Mapping[str, writing.FileState]) -> tuple[str, ...]:
        return tuple(
            change.name
            for change in patch.changes
            if not change.protected and _digest_of(files[change.name].data) not in (change.before, change.after)
        )

    def _file(self, run: str) -> Path:
        return self._runs / run / "patch.json"

    def _bodies(self, run: str) -> ObjectStore:
        return ObjectStore(self._runs / run / "patch")

    def _write(self, patch: Patch) -> None:
        write_atomic(self._file(patch.run), canonical_json(asdict(patch)).encode())


def _change(changes: Changes, name: str, bodies: ObjectStore, work: FolderWork) -> FileChange:
    before, after = changes.before.get(name), changes.written.get(name)
    return FileChange(
        name=name,
        before="" if before is None else bodies.put(before),
        after="" if after is None else bodies.put(after),
        protected=is_protected(name, work.guarded),
        mode=0o755 if (after or b"").startswith(b"#!") else 0o644,
    )


def _reversed(patch: Patch) -> Patch:
    """The patch that undoes this one: before and after change places."""
    return replace(
        patch, changes=tuple(replace(change, before=change.after, after=change.before) for change in patch.changes)
    )


def _digest_of(data: bytes | None) -> str:
    return "" if data is None else digest(data)
