"""Keeps what a workspace stores from growing without end: finished checkpoints and bodies nothing refers to."""

from __future__ import annotations

import re
import shutil
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from evolve.core.paths import WorkspacePaths
from evolve.core.store import Database, ObjectStore
from evolve.core.store.backups import backups
from evolve.core.store.checksums import sealed_tables

GRACE_S = 24 * 3600.0
"""Objects younger than this stay: whatever refers to them may be about to be committed."""

# A longer run of hexadecimal digits is no digest.
_DIGEST = re.compile(rb"(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])")


def clean_up(paths: WorkspacePaths, db: Database) -> list[str]:
    """Removes checkpoints that nothing goes on from, and old objects that nothing refers to; one line per kind.

    The caller holds the writer's lock. References in backups count.
    """
    over = "state <> 'open' AND id NOT IN (SELECT run FROM episode_lessons WHERE state = 'due')"
    checkpoints = sum(drop_checkpoints(paths.runs / str(row["id"])) for row in db.rows("runs", over))
    objects = _collect(paths)
    done = [f"removed {checkpoints} checkpoints of finished episodes"] if checkpoints else []
    return done + ([f"removed {objects} objects that nothing refers to"] if objects else [])


def drop_checkpoints(run: Path) -> int:
    """Removes the checkpoints in a run's folder; gives how many. Only where nothing goes on from them any more."""
    checkpoints = list(run.glob("*/checkpoint.db"))
    for tree in run.glob("*/tree"):  # states of a folder; what became of them is kept as a patch
        shutil.rmtree(tree, ignore_errors=True)
    for path in checkpoints:
        # The database goes last: a call that is cut off before leaves it for the next one to find.
        for end in ("-wal", "-shm", ""):
            path.with_name(path.name + end).unlink(missing_ok=True)
    return len(checkpoints)


def _collect(paths: WorkspacePaths) -> int:
    """Removes old objects that cannot be reached from the record or a backup; gives how many."""
    objects = ObjectStore(paths.objects)
    oldest = time.time() - GRACE_S
    old = [name for name in objects.digests() if (paths.objects / name).stat().st_mtime < oldest]
    if not old:
        return 0
    # A backup may be put back one day, and then needs its objects.
    waiting = {name for file in (paths.db, *backups(paths.db)) for name in _named_in(file)}
    reached: set[str] = set()
    while waiting:
        name = waiting.pop()
        if name not in reached and name in objects:
            reached.add(name)
            waiting |= {reference.decode() for reference in _DIGEST.findall((paths.objects / name).read_bytes())}
    gone = [name for name in old if name not in reached]
    for name in gone:
        objects.delete(name)
    return len(gone)


def _named_in(file: Path) -> Iterator[str]:
    """Whatever looks like an object's name in any row of a database."""
    with closing(sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True)) as connection:
        for table in sealed_tables(connection):
            for row in connection.execute(f"SELECT * FROM {table}"):
                for value in row:
                    if isinstance(value, str):
                        yield from (reference.decode() for reference in _DIGEST.findall(value.encode()))
