"""What a run would change in a person's folder: kept as a patch, applied when approved, and undone again."""

from __future__ import annotations

import builtins
import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, replace
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from evolve.core.errors import UsageError, WorkspaceError
from evolve.core.files import canonical_json, digest, write_atomic
from evolve.core.store import ObjectStore
from evolve.environments.files import Changes, Snapshots
from evolve.environments.files.diffs import folder_diff
from evolve.environments.files.snapshots import changes_between
from evolve.runtime.folder_tree import read_tree
from evolve.tasks.work import FolderWork
from evolve.workspace.resources import folder_files as writing
from evolve.workspace.resources.base import Resource
from evolve.workspace.resources.patch import FileChange, Patch, RecordedChanges, accepted_steps, problem_of, snapshot_of

if TYPE_CHECKING:
    from evolve.agent import RunRepository
    from evolve.core.episodes import EpisodeRecord


class Folders(Resource):
    """The patches of a workspace's runs.

    A patch is a file of the run, which may have come from elsewhere: with a clone, or a pull. So it is held against the
    record before it is shown or applied.

    Args:
        runs: The folder of the runs.
        records: The runs on record.
        objects: Where their tasks are kept.
    """

    def __init__(self, runs: Path, records: RunRepository, objects: ObjectStore) -> None:
        self._runs = runs
        self._record = RecordedChanges(records, objects)

    def save_change(self, record: EpisodeRecord, work: FolderWork) -> Patch | None:
        """Keeps what an episode changed that was accepted, or was found while learning from it; else None.

        Keeping it twice changes nothing. An answer in words is no change, whatever was tried for it.
        """
        step = next(accepted_steps(record), None)
        if step is None:
            return None
        with suppress(WorkspaceError):  # what cannot be read, or is another change, was there before the run
            if self._file(record.run).exists() and not problem_of(kept := self._read(record.run), record, work):
                return self._with_diff(kept)
        snapshots = Snapshots(self._runs / record.run / record.episode / "tree")
        changes = snapshots.load_changes(snapshot_of(step))
        bodies = self._bodies(record.run)
        patch = Patch(
            run=record.run,
            folder=work.folder,
            state="waiting",
            changes=tuple(_change(changes, name, bodies, work) for name in changes.changed_names),
        )
        patch = self._with_diff(patch)
        self._write(patch)
        return patch

    def keep_file(self, run: str, path: Path, before: bytes, after: bytes) -> None:
        """Keeps what a file holds before a run replaces it whole, as an applied patch, and notes that on record."""
        bodies, folder = self._bodies(run), str(path.parent)
        change = FileChange(
            name=path.name,
            before=bodies.put_object(before),
            after=bodies.put_object(after),
            mode=path.stat().st_mode & 0o777,
        )
        self._record.note_file(run, folder, change)
        self._write(Patch(run=run, folder=folder, state="applied", changes=(change,)))

    def get(self, run: str) -> Patch:
        """The patch of a run.

        Raises:
            UsageError: The run has none.
            WorkspaceError: It cannot be read, or is not the change that the record holds.
            RecordDamaged: A file that it needs is gone or was replaced.
        """
        file = self._file(run)
        if "/" in run or not os.path.isfile(file):  # also for what can be no name
            raise UsageError(f"the run {run!r} changed no folder and no table", hint="evolve runs list shows the runs")
        return self._with_diff(self._recorded(run))

    def _recorded(self, run: str) -> Patch:
        """The patch as its file has it, where that is what the record holds."""
        patch = self._read(run)
        problem = self._record.patch_problem(patch)
        if problem:
            raise WorkspaceError(
                f"{self._file(run)} is not the change that {run} made: {problem}",
                hint=f"evolve uses no such file; evolve runs show {run} shows what the run did",
            )
        return patch

    def _read(self, run: str) -> Patch:
        """The patch as its file has it."""
        from pydantic import TypeAdapter, ValidationError

        file = self._file(run)
        try:
            patch = TypeAdapter(Patch).validate_json(file.read_bytes(), strict=True)
        except (OSError, ValidationError) as error:
            told = f"{len(error.errors())} fields are wrong" if isinstance(error, ValidationError) else error.strerror
            raise WorkspaceError(f"{file}: not a patch that can be read: {told}") from error
        if patch.run != run:
            raise WorkspaceError(f"{file}: not a patch that can be read: it is of another run")
        # What undoing removes are folders above its files, and no permissions beyond the usual ones are given.
        above = {str(folder) for name in patch.names for folder in PurePosixPath(name).parents}
        changes = tuple(replace(change, mode=change.mode & 0o777) for change in patch.changes)
        return replace(patch, changes=changes, made=tuple(folder for folder in patch.made if folder in above))

    def _with_diff(self, patch: Patch) -> Patch:
        """The patch with its difference made from the contents that it would write, whatever its file shows."""
        bodies, taken = self._bodies(patch.run), [change for change in patch.changes if not change.protected]
        before = {change.name: bodies.get(change.before) for change in taken if change.before}
        after = {change.name: bodies.get(change.after) for change in taken if change.after}
        return replace(patch, diff=folder_diff(before, changes_between(before, after)))

    def list(self) -> builtins.list[Patch]:
        """Every patch of a run on record as its file has it, the newest run first; :meth:`get` compares it."""
        names = [name for file in self._runs.glob("r*/patch.json") if self._record.has_run(name := file.parent.name)]
        # Ids are numbered: r9 comes before r10.
        return [self._read(name) for name in sorted(names, key=lambda name: (len(name), name), reverse=True)]

    def doubtful_files(self) -> builtins.list[tuple[Path, str]]:
        """The files of patches that are not what the record holds, with why; evolve uses none of them."""
        found = []
        for file in sorted(self._runs.glob("r*/patch.json")):
            try:
                self._recorded(file.parent.name)
            except (UsageError, WorkspaceError) as error:
                found.append((file, str(error)))
        return found

    def apply(self, run: str, *, again: bool = False) -> Patch:
        """Changes the folder as the patch says, but for protected files: every file whole, all or none at first sight.

        Cut off half way, it goes on when called again.

        Args:
            again: One that is applied already is no error.

        Raises:
            UsageError: It changes nothing, is applied already, or a file changed since; then nothing was applied.
            WorkspaceError: Disk full or not writable; the message names the file.
        """
        patch = self.get(run)
        if not patch.names:
            kept = f"; {', '.join(patch.protected)} is protected" if patch.protected else ""
            raise UsageError(
                f"the run {run} changes nothing that can be applied{kept}",
                hint="name the file in your task to have it changed, or name others with --set protect=PATTERN",
            )
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
        self._move(patch)
        moved = replace(patch, state="applied", said="")
        self._write(moved)
        return moved

    def refuse(self, run: str, said: str) -> Patch:
        """Notes that the person does not want the patch, and why; it can still be applied later."""
        refused = replace(self.get(run), state="refused", said=said)
        self._write(refused)
        return refused

    def applied_patch(self, run: str | None = None) -> Patch:
        """The applied patch of a run; by default the newest one.

        Raises:
            UsageError: There is none.
        """
        newest = next((patch.run for patch in self.list() if patch.state == "applied"), None) if run is None else run
        patch = None if newest is None else self.get(newest)
        if patch is None or patch.state != "applied":
            raise UsageError(
                "nothing is applied" if run is None else f"the changes of {run} are not applied",
                hint=""
                if run
                else "evolve undo takes back changes of a folder or of a table; delete what is beside a table",
            )
        return patch

    def applied_to(self, run: str) -> str:
        """The folder that is changed as a run wanted, or the one file of it that the run replaced; "" where none is."""
        patch = self._read(run) if self._file(run).is_file() else None
        if patch is None or patch.state != "applied":
            return ""
        return str(Path(patch.folder, patch.names[0])) if self._record.is_file(run) else patch.folder

    def write_start(self, run: str, into: Path) -> bool:
        """Writes the folder of an applied patch as it was before that into another one; False where none is applied."""
        if not self._file(run).exists() or self._read(run).state != "applied":
            return False  # one that a crash left before it was on record is none yet
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
        return self._unexpected(patch, {name: writing.stat_file(patch.folder, name) for name in patch.names})

    def undo_diff(self, patch: Patch) -> str:
        """What undoing would change in the folder as it is now, as a unified diff."""
        bodies = self._bodies(patch.run)
        now = {name: writing.stat_file(patch.folder, name).data for name in patch.names}
        then = {
            change.name: bodies.get(change.before) for change in patch.changes if change.before and change.name in now
        }
        files = {name: data for name, data in now.items() if data is not None}
        return folder_diff(files, changes_between(files, then))

    def undo(self, run: str | None = None, *, over: bool = False) -> Patch:
        """Takes an applied patch back.

        Args:
            run: By default the newest run whose patch is applied.
            over: Also where a file changed since; what was changed is lost then.

        Raises:
            UsageError: There is none, or a file changed since; then nothing was undone.
            WorkspaceError: As for :meth:`apply`.
        """
        chosen = self.applied_patch(run)
        back = (replace(change, before=change.after, after=change.before) for change in chosen.changes)
        turned = replace(chosen, changes=tuple(back))
        if not over:
            self._unchanged(turned, f"evolve undo {chosen.run} --set approve=auto drops what changed since")
        self._move(turned)
        # Innermost first, since only empty folders are removed.
        for folder in reversed(chosen.made):
            writing.drop_folder(chosen.folder, folder)
        undone = replace(chosen, state="undone", made=())
        self._write(undone)
        return undone

    def _move(self, patch: Patch) -> None:
        """Gives every file of a patch its new content; one that has it already is passed over, so it can go on."""
        bodies = self._bodies(patch.run)
        for change in patch.changes:
            if change.protected:
                continue
            now = writing.stat_file(patch.folder, change.name)
            if _digest_of(now.data) != change.after:
                data = bodies.get(change.after) if change.after else None
                writing.replace_file(patch.folder, change.name, data, change.mode if now.data is None else now.mode)

    def _unchanged(self, patch: Patch, way: str = "") -> dict[str, writing.FileState]:
        """The files as they are, each as before the patch or as after it."""
        files = {name: writing.stat_file(patch.folder, name) for name in patch.names}
        wrong = self._unexpected(patch, files)
        if wrong:
            more = f" and {len(wrong) - 1} more" if len(wrong) > 1 else ""
            raise UsageError(
                f"{wrong[0]}{more} in {patch.folder} changed since the run, so nothing was changed",
                hint=way or f"evolve runs diff {patch.run} shows what was meant",
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
        before="" if before is None else bodies.put_object(before),
        after="" if after is None else bodies.put_object(after),
        protected=work.protects(name),
        mode=0o755 if (after or b"").startswith(b"#!") else 0o644,
    )


def _digest_of(data: bytes | None) -> str:
    return "" if data is None else digest(data)
