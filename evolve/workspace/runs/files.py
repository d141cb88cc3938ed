"""Writes a filled table whole or not at all; what a file in place held before is kept, so that it can be undone."""

from __future__ import annotations

import io
from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path
from typing import BinaryIO

from evolve.core.errors import WorkspaceError
from evolve.core.files import canonical_json, digest, replace_file
from evolve.tasks.tables import Rewriting, Table, file_identity
from evolve.workspace.opening import utc_now
from evolve.workspace.resources.folder_files import may_touch
from evolve.workspace.services import WorkspaceServices

MOST_KEPT = 64 * 2**20
"""Bytes of a table in place; what a larger one held before is not kept."""
FILLING = "fill"
"""Kind of the runs that are made where a table is changed by a function that no run found."""


def write_table(
    services: WorkspaceServices,
    table: Table,
    target: Path,
    rewriting: Rewriting,
    as_it_was: tuple[int, ...],
    *,
    run: str,
) -> str:
    """Writes a table to a file, which may be its own.

    Args:
        run: That found the function; "" where none did, so that one is made where there is something to take back.

    Returns:
        The run with which the table's own former file is kept; "" where another one is written, or where it is too
        large, or of a name that no undoing touches.
    """
    path = table.path
    if target != path or path.stat().st_size > MOST_KEPT or not may_touch(path.name):
        with _replacing(table, target, as_it_was) as stream:
            table.rewrite(rewriting, stream)
        return ""
    before, after = path.read_bytes(), io.BytesIO()
    table.rewrite(rewriting, after)
    content, keeper = after.getvalue(), run
    if not keeper:
        key = digest(canonical_json([FILLING, str(path), digest(before)]))
        body = {"task": path.name, **services.sandbox_mark}
        keeper = services.stores.runs.begin(FILLING, key, body, started=utc_now()).id
    # Kept before the file is replaced, so that nothing is lost where this is cut off.
    keep = partial(services.folders.keep_file, keeper, path, before, content)
    with _replacing(table, path, as_it_was, keep) as stream:
        stream.write(content)
    if not run:
        services.stores.runs.end(keeper, "done")
    return keeper


def _replacing(
    table: Table, target: Path, as_it_was: tuple[int, ...], then: Callable[[], None] = lambda: None
) -> AbstractContextManager[BinaryIO]:
    def unchanged() -> None:
        if file_identity(table.path) != as_it_was:
            raise WorkspaceError(
                f"somebody changed {table.path.name} while evolve filled it",
                hint="run the command again",
            )

    def before() -> None:
        unchanged()
        then()

    unchanged()
    return replace_file(target, mode=table.path.stat().st_mode & 0o777, before=before)
