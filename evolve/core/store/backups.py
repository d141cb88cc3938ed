"""Copies of the record: before a migration, and at the end of a command once enough has changed."""

from __future__ import annotations

import os
import re
import sqlite3
from contextlib import closing
from pathlib import Path

from evolve.core.errors import WorkspaceError
from evolve.core.failpoints import hit_failpoint
from evolve.core.files import sync_folder, write_failure
from evolve.core.store.checksums import database_faults

KEPT_BACKUPS = 3
"""How many of the newest copies stay, besides the newest of each older schema."""

# Together about a fifth of all rows, so that copies cost a fixed share of the work.
_LEAST_CHANGES = 200
_CHANGES_A_PAGE = 2
_NAME = re.compile(r".*-(\d{4})(?:-(\d{6}))?\Z")


def backups(path: Path) -> list[Path]:
    """The copies made of the database at ``path``, oldest schema first, then oldest first."""
    copies = (path.parent / "backups").glob(f"{path.stem}-*{path.suffix}")
    return sorted((copy for copy in copies if _NAME.match(copy.stem)), key=_age)


def is_due(connection: sqlite3.Connection, changes: int) -> bool:
    """Whether enough has changed since the last copy: at least 200 rows, and a fair share of all.

    So the copies cost a fixed share of the work that made them necessary, however large the record is.

    Args:
        changes: Rows written since the last copy.
    """
    (pages,) = connection.execute("PRAGMA page_count").fetchone()
    return changes >= max(_LEAST_CHANGES, _CHANGES_A_PAGE * int(pages))


def backup(connection: sqlite3.Connection, path: Path, steps: int) -> Path:
    """A consistent copy of the database at ``path``, in ``backups/`` beside it, complete and durable or not there.

    Args:
        steps: How far its schema has come; part of the name.

    Raises:
        WorkspaceError: When the folder cannot be written.
    """
    folder = path.parent / "backups"
    try:
        folder.mkdir(exist_ok=True)
        numbers = [_age(copy)[1] for copy in backups(path)]
        target = folder / f"{path.stem}-{steps:04d}-{max(numbers, default=0) + 1:06d}{path.suffix}"
        temporary = target.with_suffix(".tmp")
        # Of a copy that a kill cut short; it has no name that anybody would restore.
        for leftover in folder.glob(f"{path.stem}-*.tmp*"):
            leftover.unlink()
        hit_failpoint("backup.begin")
        # A snapshot of one moment, also while others write, and without a log beside it.
        connection.execute("VACUUM INTO ?", (str(temporary),))
        # Durable before it has its name: a copy that is listed can be relied on.
        with temporary.open("rb+") as stream:
            os.fsync(stream.fileno())
        hit_failpoint("backup.copied")
        temporary.replace(target)
        sync_folder(folder)
        hit_failpoint("backup.kept")
    except OSError as error:
        raise write_failure(folder, error) from error
    return target


def prune(path: Path) -> list[Path]:
    """Removes what is older than the newest three copies and is not the newest of its schema.

    Nothing is removed unless the newest copy is sound.
    """
    copies = backups(path)
    newest_first = sorted(copies, key=lambda copy: _age(copy)[::-1], reverse=True)
    # Older ones may be the only sound ones left.
    if len(copies) <= KEPT_BACKUPS or not _is_good(newest_first[0]):
        return []
    of_schema = {_age(copy)[0]: copy for copy in copies}
    keep = {*newest_first[:KEPT_BACKUPS], *of_schema.values()}
    surplus = [copy for copy in copies if copy not in keep]
    for copy in surplus:
        copy.unlink(missing_ok=True)
    return surplus


def newest_good(path: Path) -> Path | None:
    """The newest copy that is sound, or None."""
    newest_first = sorted(backups(path), key=lambda copy: _age(copy)[::-1], reverse=True)
    return next((copy for copy in newest_first if _is_good(copy)), None)


def _is_good(copy: Path) -> bool:
    """Whether a copy is sound in structure and in every row."""
    try:
        # immutable: looking at a copy must not leave a log or its index beside it.
        with closing(sqlite3.connect(f"{copy.absolute().as_uri()}?mode=ro&immutable=1", uri=True)) as connection:
            return not database_faults(connection) and bool(
                connection.execute("SELECT 1 FROM schema_migrations").fetchone()
            )
    except sqlite3.DatabaseError:
        return False


def _age(copy: Path) -> tuple[int, int]:
    """Schema and running number; copies of earlier versions have no number and are the oldest."""
    match = _NAME.match(copy.stem)
    if match is None:
        raise WorkspaceError(f"{copy} is not a copy of the record")
    return int(match[1]), int(match[2] or 0)
