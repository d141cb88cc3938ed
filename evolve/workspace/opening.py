"""Opens what a workspace consists of."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, cast

from evolve.core.errors import RecordDamaged, UsageError, WorkspaceError
from evolve.core.extensions import BUILT_IN, PACKAGES, extension_error, find, install_hint, installed_extensions
from evolve.core.files import read_text
from evolve.core.paths import WorkspacePaths, home_folder, seed_root
from evolve.core.progress import report_activity
from evolve.core.schema import MIGRATIONS
from evolve.core.store import Database, ObjectStore, RecordAccess, WriterLock
from evolve.trials.repositories import Repositories

if TYPE_CHECKING:
    from evolve.agent import FunctionCounts
    from evolve.core.settings import Settings
    from evolve.memory import MemoryRepository
    from evolve.memory.index import VectorIndex
    from evolve.runtime.retrieval import Embedder
    from evolve.runtime.sandbox import Sandbox

_SESSIONS = "sessions"
"""Recorded code sessions lie beside the runs and need no record."""


NAMED = "workspace"
"""The fact of a record that says which workspace it is of."""


def workspace_identity(paths: WorkspacePaths) -> str:
    """The number that is written in the store, or "" where none can be read."""
    try:
        return read_text(paths.identity).strip()
    except UsageError:
        return ""


@report_activity("open")
def open_stores(
    paths: WorkspacePaths,
    settings: Settings,
    *,
    read_only: bool = False,
    shared: bool = False,
    warn: Callable[[str], None] = lambda _: None,
) -> Repositories:
    """Opens the record; each part of it is made when it is asked for.

    Args:
        read_only: Does not write, needs no access, and shows one state while other processes write.
        shared: Another process has the record open for writing, as :class:`~evolve.core.store.RecordAccess` says.
        warn: Told in a sentence what goes on with less than it should have.

    Raises:
        WorkspaceError: Disk full, unwritable, or made by a newer version.
        RecordDamaged: The record is not sound.
    """
    db = _record(paths, read_only=read_only, shared=shared)
    indexes = WriterLock(paths.index.with_name("index.lock"))

    def index(dimension: int, path: Path = paths.index, name: str = "episodes") -> VectorIndex:
        from evolve.memory.index import IndexOptions, copied_exact, open_store

        # One process writes there. Others, and readers, have a copy; of one of Chroma's an exact one in memory.
        if read_only or not (indexes.is_held or indexes.try_acquire("index")):
            return copied_exact(path, name, dimension)
        return open_store(settings.vectors, path, name, dimension, IndexOptions(warn=warn))

    def open_memory() -> MemoryRepository:
        from evolve.memory import MemoryRepository
        from evolve.memory.notes import KeptNotes

        notes = partial(index, path=paths.index.with_name("index-notes"), name="notes")
        kept = KeptNotes(paths.index.with_name("notes.kept"), read_only=read_only)
        return MemoryRepository(db, index, encoder, note_index=notes, kept_notes=kept)

    encoder = open_embedder(settings)  # one that is missing is told at once
    return Repositories(
        db=db,
        objects=ObjectStore(paths.objects),
        skill_folder=paths.skills,
        seed_skills=seed_root() / "skills" if settings.seed_skills == "on" else None,
        open_memory=open_memory,
        indexes=indexes,
    )


@contextmanager
def record_to_write(paths: WorkspacePaths) -> Iterator[Database]:
    """The record alone, brought up to date, for a block that writes; beside other processes that do.

    Raises:
        WorkspaceBusy: Another process checks or repairs it.
        RecordDamaged: It is not sound.
    """
    access = RecordAccess(paths.access)
    with ExitStack() as stack:
        stack.callback(access.release)
        db = _record(paths, shared=not access.acquire())
        stack.callback(lambda: db.close(alone=access.is_alone()))
        access.admit_others()
        yield db


def upgrade_workspace(paths: WorkspacePaths) -> None:
    """Makes a record that is missing, and migrates one of an earlier version; raises as :func:`record_to_write`."""
    if not is_current(paths):
        with record_to_write(paths):
            pass


def _record(paths: WorkspacePaths, *, read_only: bool = False, shared: bool = False) -> Database:
    refuse_lost_record(paths)
    identity = workspace_identity(paths)
    born = {NAMED: identity} if identity else {}
    return Database(paths.db, MIGRATIONS, read_only=read_only, shared=shared, born=born)


def refuse_lost_record(paths: WorkspacePaths) -> None:
    """Raises :class:`RecordDamaged` when the record is gone while what was kept beside it is there."""
    if paths.db.exists():
        return
    for place in (paths.objects, paths.runs, paths.store / "backups"):
        if place.is_dir() and any(entry.name != _SESSIONS for entry in place.iterdir()):
            raise RecordDamaged(f"{paths.db} is missing, and {place} is not empty", hint="evolve status --repair")


def is_current(paths: WorkspacePaths) -> bool:
    """Whether there is a record that can be read as it is: present, and with exactly this version's tables."""
    if not paths.db.exists():
        return False
    with Database(paths.db, MIGRATIONS, read_only=True) as db:
        if not db.query("SELECT 1 FROM sqlite_master WHERE name = 'schema_migrations'"):
            return False
        applied = {(row["package"], row["number"]) for row in db.query("SELECT package, number FROM schema_migrations")}
    known = {(item.package, item.number) for item in MIGRATIONS}
    # Tables of the store itself are in no package's list.
    return {migration for migration in applied if migration[0] != "store"} == known


def function_counts(paths: WorkspacePaths) -> Mapping[str, FunctionCounts]:
    """In how many tasks functions were shown, called and of help, by digest, without opening the workspace.

    A record that is missing, older or damaged counts as an empty one.
    """

    from evolve.agent import RunRepository

    try:
        if not is_current(paths):
            return {}
        with Database(paths.db, MIGRATIONS, read_only=True) as db:
            return RunRepository(db).function_counts()
    except (RecordDamaged, WorkspaceError):
        return {}


def open_embedder(settings: Settings) -> Embedder:
    """The text encoder that the settings name.

    Raises:
        WorkspaceError: When it is not installed; the hint says how to get it.
    """
    name, with_folder, folder = settings.encoder.partition(":")
    factory: Callable[..., Embedder] | None = find("encoders", name, Callable)
    if factory is None:
        hint = install_hint(name) or "install the package that has it"
        raise WorkspaceError(f"there is no text encoder {settings.encoder!r}", hint=hint)
    if with_folder and not Path(folder).expanduser().is_absolute():  # a command finds it from any folder, or from none
        raise WorkspaceError(
            f"the encoder's folder {folder!r} is no whole path",
            hint=f'encoder = "{name}:{Path(folder).absolute()}" in evolve.toml, then evolve status',
        )
    made = partial(factory, folder) if with_folder else factory
    # One of evolve's own loads its weights at the first text, as most commands have none.
    own = name in BUILT_IN["encoders"] or installed_extensions("encoders")[name] in PACKAGES.values()
    return made() if own else _tried(name, made)


def _tried(name: str, factory: Callable[[], Embedder]) -> Embedder:
    """The encoder of a package, tried on a word: vectors of another form would be found out in the midst of a run."""
    import numpy as np

    try:
        encoder = factory()
        vectors = np.asarray(encoder.encode(["word"]), dtype=np.float32)
        sound = vectors.shape == (1, encoder.dimension) and bool(np.isfinite(vectors).all()) and bool(encoder.name)
    except (ArithmeticError, AttributeError, LookupError, OSError, RuntimeError, TypeError, ValueError) as error:
        raise extension_error("encoders", name, f"does not work ({type(error).__name__}: {error})") from error
    if not sound:
        what = f"gave vectors of the form {vectors.shape} or not finite, where one of {encoder.dimension} was to come"
        raise extension_error("encoders", name, what)
    return encoder


def cache_folder() -> Path:
    """Where facts about this machine are remembered, outside any workspace."""
    if sys.platform == "darwin":
        return home_folder() / "Library" / "Caches" / "evolve"
    # The XDG specification has relative paths ignored.
    named = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(named) if os.path.isabs(named) else home_folder() / ".cache") / "evolve"


def tracing_warning() -> str:
    """A sentence where the environment makes a library send what runs contain to another machine, else ""."""
    # langchain-core, which langgraph needs, brings LangSmith along and sends traces where one of these is set.
    names = ("LANGSMITH_TRACING", "LANGCHAIN_TRACING_V2", "LANGSMITH_TRACING_V2")
    on = [name for name in names if os.environ.get(name, "").lower() in ("true", "1")]
    return f"{on[0]} is set: run contents are sent to LangSmith; unset it to keep them here" if on else ""


def sandbox_opener(settings: Settings, hidden: Sequence[str | Path] = ()) -> partial[Sandbox]:
    """Opens the sandbox the settings name; picklable, so that workers can open their own.

    Args:
        hidden: Folders that code must not see wherever they lie: workspaces, and folders that are worked on.
    """
    from evolve.runtime.sandbox import open_sandbox

    backend = "none" if settings.unsandboxed else settings.sandbox
    return cast("partial[Sandbox]", partial(open_sandbox, backend, cache_dir=cache_folder(), hidden=tuple(hidden)))


def utc_now() -> str:
    """Wall-clock time in UTC for people to read."""
    return datetime.now(UTC).isoformat(timespec="seconds")
