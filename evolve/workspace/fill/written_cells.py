"""What evolve wrote itself: cells that are no evidence for the next function, and files that may be replaced."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from evolve.agent import Journal
from evolve.core.files import digest
from evolve.core.store import Database
from evolve.improve.history import TABLE_FILLED
from evolve.tasks.tables import CHECKS, Cell, Table, TableRow, is_blank, label_of

IsOwn = Callable[[Table, TableRow, int], bool]
"""Whether evolve filled a cell of a row in a column."""
_STEP = "cells filled"
_FILE = "file written"
_COLUMN = "column filled"
_WRITTEN = "column written"
MOST = 20_000
"""Cells of one fill that are noted; as many rows and more are never read as examples."""
_LENGTH = 16
"""Hexadecimal digits by which a cell is known."""


def cell_key(table: Table, record: TableRow, column: int, label: str, cell: Cell) -> str:
    """What a filled cell is known by: its own value and all that stands beside it, wherever the row is by then.

    A person who corrects the cell, or anything beside it, makes it another one, which is an example again.
    """
    labels = [label_of(table, index) for index in range(len(record.cells))]
    beside = [
        (name, _text(value))
        for index, (name, value) in enumerate(zip(labels, record.cells, strict=True))
        if index != column and not is_blank(value) and not name.endswith(CHECKS)
    ]
    return digest(json.dumps([label, _text(cell), sorted(beside)]))[:_LENGTH]


def _text(cell: Cell) -> str:
    """A value as it is told apart: a workbook gives back a whole number as another type than it was given."""
    is_whole = isinstance(cell, float) and cell.is_integer()
    return str(int(cell) if is_whole else cell)


@dataclass(frozen=True, kw_only=True)
class WrittenColumn:
    """What a fill left in a column of a file, but for cells that a person typed into that file.

    Attributes:
        column: What it is called.
        cells: By what each cell is known by: whether a fill wrote it with a flag.
        file: Digest of the file.
    """

    column: str
    cells: Mapping[str, bool] = field(default_factory=dict)
    file: str = ""


class OwnCells:
    """The cells of all tables that were filled in this workspace.

    Args:
        db: Its record.
    """

    def __init__(self, db: Database) -> None:
        self._db = db
        rows = db.rows("loop_steps", {"name": _STEP})
        self._keys = frozenset(key for row in rows for key in json.loads(str(row["body"])))

    def record_fill(self, run: str, keys: Sequence[str], file: Path, column: str, skill: str = "") -> None:
        """Notes what a run filled, "" where none searched for the function, and the file that was written.

        Args:
            skill: The skill that filled it where no run did.
        """
        written = digest(file.read_bytes())
        journal = Journal(self._db, run or f"file {written[:_LENGTH]}")
        journal.finish(_FILE, written)
        journal.finish(_COLUMN, column)
        if skill and not run:
            journal.finish(TABLE_FILLED, skill)
        if keys:
            journal.finish(_STEP, list(keys))

    def record_write(self, file: Path, written: WrittenColumn | None, *, within: bool, done: bool = False) -> None:
        """Notes what is about to stand in a file, or stands there now; None where it is not to be told from a person's.

        Args:
            within: The file itself was filled, so what a fill wrote there before stands there still.
            done: It is written. Until then what stood there before may be there still, too.
        """
        before, journal = self.written_to(file), self._file_journal(file)
        if written is not None and before is not None and (within or not done):
            written = replace(before, cells={**before.cells, **written.cells})
        with self._db.transaction():
            journal.drop(_WRITTEN)
            if written is not None and len(written.cells) <= MOST:
                file_now = digest(file.read_bytes()) if done else written.file
                journal.finish(_WRITTEN, asdict(replace(written, file=file_now)))

    def written_to(self, file: Path) -> WrittenColumn | None:
        """What a fill left in a file; None where not all of it is on record."""
        noted = self._file_journal(file).done(_WRITTEN)
        return None if noted is None else WrittenColumn(**noted)

    def _file_journal(self, file: Path) -> Journal:
        return Journal(self._db, f"path {digest(str(file.resolve()))[:_LENGTH]}")

    def is_as_written(self, file: Path) -> bool:
        """Whether a file is as a run wrote it, so that nothing of a person's is lost with it."""
        known = {json.loads(str(row["body"])) for row in self._db.rows("loop_steps", {"name": _FILE})}
        return file.is_file() and digest(file.read_bytes()) in known

    def column_in(self, file: Path) -> str:
        """The column that evolve filled in a file which is as a run wrote it; "" where that is not known."""
        if not file.is_file():
            return ""
        written = digest(file.read_bytes())
        runs = [row["run"] for row in self._db.rows("loop_steps", {"name": _FILE, "body": json.dumps(written)})]
        rows = [row for run in runs for row in self._db.rows("loop_steps", {"name": _COLUMN, "run": run})]
        return json.loads(str(rows[-1]["body"])) if rows else ""

    def __call__(self, table: Table, record: TableRow, column: int) -> bool:
        """Whether a cell was filled by evolve and is as it was then, with all that stands beside it."""
        if not self._keys:
            return False
        return cell_key(table, record, column, label_of(table, column), record.cells[column]) in self._keys
