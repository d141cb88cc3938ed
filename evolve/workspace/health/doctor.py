"""Checks what evolve needs: one finding per part, each with how to get what is missing."""

from __future__ import annotations

import importlib.util
import os
import shlex
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from evolve.agent import RunRepository
from evolve.core.errors import EvolveError, WorkspaceError
from evolve.core.extensions import find, installed_extensions, seam_names
from evolve.core.paths import WorkspacePaths, is_workspace
from evolve.core.schema import MIGRATIONS
from evolve.core.settings import Settings, load_settings
from evolve.core.store import Database, ObjectStore
from evolve.workspace.locating import check_trust, selected_workspace, trusted_settings
from evolve.workspace.opening import is_current, open_embedder, sandbox_opener, tracing_warning
from evolve.workspace.resources import conversation_files
from evolve.workspace.resources.folders import Folders
from evolve.workspace.resources.skill_folders import unused_folders

State = Literal["ok", "warning", "missing"]
_LITTLE_SPACE = 200 * 1024 * 1024


@dataclass(frozen=True, kw_only=True)
class Finding:
    """What one check found.

    Attributes:
        fix: The command or step that helps, or "".
    """

    part: str
    state: State
    text: str
    fix: str = ""


def doctor(path: str | os.PathLike[str] | None = None) -> list[Finding]:
    """Runs every check; makes and changes nothing in the workspace."""
    paths = selected_workspace(path)
    root, settings = paths.root, Settings()
    checks: dict[str, Callable[[], Finding]] = {}
    try:
        check_trust(paths)
    except WorkspaceError as error:
        findings = [Finding(part="workspace", state="missing", text=str(error), fix=error.hint)]
    else:
        place = str(root) if is_workspace(root) else f"{root} (made on first use)"
        findings = [Finding(part="workspace", state="ok", text=place)]
        checks = {
            "record": lambda: _record(paths),
            "bodies": lambda: _bodies(paths),
            "spending": lambda: _spending(paths),
        }
        try:
            settings = trusted_settings(paths) if root.is_dir() else load_settings(None)
        except EvolveError as error:
            findings.append(Finding(part="settings", state="missing", text=str(error), fix=error.hint))
            # The other checks go on with the defaults, so that one malformed line does not hide what else is wrong.
    checks = {
        "sandbox": lambda: _sandbox(settings),
        "encoder": lambda: _encoder(settings),
        "index": lambda: _index(settings),
        "policy": lambda: Finding(part="policy", state="ok", text="program search; no key and no model needed"),
        **checks,
        "disk": lambda: _disk(root),
        "extensions": _extensions,
    }
    for part, check in checks.items():
        try:
            findings.append(check())
        except EvolveError as error:
            findings.append(Finding(part=part, state="missing", text=str(error), fix=error.hint))
    if "record" in checks:
        findings += _conversations(paths)
        if all(finding.state == "ok" for finding in findings if finding.part in ("record", "bodies")):
            findings += [*_changes(paths), *_skill_folders(paths)]
    warning = tracing_warning()
    if warning:
        findings.append(Finding(part="privacy", state="warning", text=warning))
    return findings


def _sandbox(settings: Settings) -> Finding:
    sandbox = sandbox_opener(settings)()
    try:
        return Finding(part="sandbox", state="ok", text=f"{sandbox.backend}, self-test passed on this machine")
    finally:
        sandbox.close()


def _encoder(settings: Settings) -> Finding:
    embedder = open_embedder(settings)
    embedder.encode(["word"])  # what is missing or damaged shows at the first text
    return Finding(part="encoder", state="ok", text=f"{embedder.name}, {embedder.dimension} dimensions")


def _index(settings: Settings) -> Finding:
    from evolve.memory.index import CROSSOVER

    store = settings.vectors
    if store in ("auto", "chroma") and importlib.util.find_spec("chromadb") is None:
        return Finding(part="index", state="missing", text="chromadb is not installed", fix="pip install .")
    names = {"auto": f"exact up to {CROSSOVER:,} episodes and Chroma beyond", "chroma": "Chroma"}
    text = f"{names.get(store, store)}, derived from the record and rebuilt when needed"
    return Finding(part="index", state="ok", text=text)


def _record(paths: WorkspacePaths) -> Finding:
    from evolve.workspace.health.repair import record_faults

    faults = record_faults(paths)
    if faults:
        return _damage("record", faults)
    if not paths.db.exists():
        return Finding(part="record", state="ok", text="empty")
    size = paths.db.stat().st_size / 1e6
    return Finding(part="record", state="ok", text=f"{size:.1f} MB, every row matches its checksum")


def _bodies(paths: WorkspacePaths) -> Finding:
    """Checks what lies in files beside the database: objects, skill folders and checkpoints."""
    from evolve.workspace.health.repair import body_faults, workspace_changes

    if not paths.db.exists():
        return Finding(part="bodies", state="ok", text="none yet")
    with Database(paths.db, MIGRATIONS, read_only=True) as db:
        if faults := body_faults(paths, db):
            return _damage("bodies", faults)
        own = [f"; your own {name} is not as it was learned: {files}" for name, files in workspace_changes(paths, db)]
    count = len(ObjectStore(paths.objects).digests())
    return Finding(part="bodies", state="ok", text=f"{count} objects match their digests{''.join(own)}")


def _spending(paths: WorkspacePaths) -> Finding:
    """Checks the book of spending, which the limits of the day and the workspace rest on."""
    from evolve.core.ledger import book_faults

    if not paths.spending.exists():
        return Finding(part="spending", state="ok", text="no book; one is kept where a limit is set")
    faults = [f"{fault} in {paths.spending}" for fault in book_faults(paths.spending)]
    return _damage("spending", faults) if faults else Finding(part="spending", state="ok", text="the book is sound")


def _conversations(paths: WorkspacePaths) -> list[Finding]:
    """Names files of conversations with lines that cannot be understood, which are passed over."""
    files = [str(path) for path in conversation_files.damaged_conversations(paths.runs / "chats")]
    if not files:
        return []
    more = f" and {len(files) - 3} more" if len(files) > 3 else ""
    text = f"lines of {', '.join(files[:3])}{more} cannot be read and are passed over"
    return [Finding(part="conversations", state="warning", text=text, fix="take those lines out, or the file")]


def _changes(paths: WorkspacePaths) -> list[Finding]:
    """Names patches that are not what a run on record made; nothing is applied or undone by them."""
    if not is_current(paths):
        return []
    with Database(paths.db, MIGRATIONS, read_only=True) as db:
        doubtful = Folders(paths.runs, RunRepository(db), ObjectStore(paths.objects)).doubtful_files()
    return [
        Finding(
            part="changes",
            state="warning",
            text=f"{file} is not used: {why}",
            fix=f"if you do not know where it is from, remove it: rm {shlex.quote(str(file))}",
        )
        for file, why in doubtful[:3]
    ]


def _skill_folders(paths: WorkspacePaths) -> list[Finding]:
    """Names folders of skills that no run uses as they are."""
    from evolve.skills import SkillRepository

    if not paths.db.exists():
        found = list(unused_folders(None, paths.skills))
    elif not is_current(paths):
        return []
    else:
        with Database(paths.db, MIGRATIONS, read_only=True) as db:
            found = list(unused_folders(SkillRepository(db, ObjectStore(paths.objects), paths.skills), paths.skills))
    more = [Finding(part="skills", state="warning", text=f"{len(found) - 3} more folders are not used as they are")]
    shown = [Finding(part="skills", state="warning", text=one.why, fix=one.fix) for one in found[:3]]
    return [*shown, *(more if len(found) > 3 else [])]


def _damage(part: str, faults: list[str]) -> Finding:
    more = f" and {len(faults) - 3} more" if len(faults) > 3 else ""
    text = f"{len(faults)} damaged: {', '.join(faults[:3])}{more}"
    return Finding(part=part, state="missing", text=text, fix="evolve status --repair")


def _extensions() -> Finding:
    """Lists what installed packages add, by seam; a name that is built in already adds nothing."""
    entries = []
    for seam in seam_names():
        for name, package in installed_extensions(seam).items():
            find(seam, name)  # raises where it cannot be loaded, which is the finding then
            entries.append(f"{name} ({seam}, from {package})")
    return Finding(part="extensions", state="ok", text=", ".join(entries) or "no package adds any")


def _disk(root: Path) -> Finding:
    # A workspace that is not made yet would lie on the disk of the nearest folder above it.
    place = next(folder for folder in (root, *root.parents) if folder.exists())
    free = shutil.disk_usage(place).free
    if not os.access(place, os.W_OK):
        return Finding(part="disk", state="missing", text=f"{place} cannot be written", fix="choose another with -w")
    if free < _LITTLE_SPACE:
        return Finding(part="disk", state="warning", text=f"only {free / 1e6:.0f} MB free", fix="free some space")
    return Finding(part="disk", state="ok", text=f"{free / 1e9:.1f} GB free")
