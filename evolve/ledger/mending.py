"""Looks for damage in a book of spending, and writes a new one from what can be read."""

from __future__ import annotations

import os
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from evolve.errors import WorkspaceError
from evolve.files import write_failure
from evolve.ledger.run_ledger import KINDS, Spent
from evolve.ledger.spending_limits import EARLIER, SpendingBook, entry_of

_DAY = re.compile(r"\d{4}-\d\d-\d\d\Z")
_TABLES = {"days": ("day",), "open": ("id", "day")}


def book_faults(path: Path) -> list[str]:
    """What is wrong with the book, one phrase each; [] for a sound or a missing one. Changes nothing.

    Raises:
        WorkspaceError: It cannot be opened.
    """
    if not path.exists():
        return []
    try:
        with closing(_opened(path)) as db:
            messages = [str(row[0]) for row in db.execute("PRAGMA integrity_check")]
            faults = [] if messages == ["ok"] else messages
            for table, names in _TABLES.items():
                rows = db.execute(f"SELECT {', '.join((*names, *KINDS))} FROM {table}").fetchall()
                faults += [
                    f"{table}: {row[: len(names)]} is no entry" for row in rows if not _is_entry(row, len(names))
                ]
            return faults
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode == sqlite3.SQLITE_CANTOPEN:
            raise WorkspaceError(f"cannot open {path}: {error}") from error
        return [str(error)]
    except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
        return [str(error)]


def rebuild_book(path: Path, aside: Path, least: Spent) -> int:
    """Puts a new book, made from the readable entries, in place of a damaged one; gives how many entries those are.

    Args:
        aside: The name that the damaged file gets.
        least: What the workspace has certainly spent. Where the entries say less, the rest is booked on no day, so
            that a limit of the workspace is not forgotten with them.

    Raises:
        WorkspaceError: The folder cannot be written.
    """
    entries = list(_readable(path))
    fresh = path.with_name(f"{path.name}.new")
    fresh.unlink(missing_ok=True)
    book = SpendingBook(fresh)
    for day, spent in entries:
        book.book(day, spent)
    booked = book.spent()
    counted = ("candidates", "tokens", "calls", "money")
    rest = Spent(**{kind: max(0, getattr(least, kind) - getattr(booked, kind)) for kind in counted})
    if rest != Spent():
        book.book(EARLIER, rest)
    try:
        # A second name first: at no moment is there no book, which would count as nothing spent.
        os.link(path, aside)
        journal = path.with_name(f"{path.name}-journal")
        if journal.exists():  # of the old file; it must not be taken for the new one's
            journal.rename(aside.with_name(f"{aside.name}-journal"))
        fresh.replace(path)
    except OSError as error:
        raise write_failure(path, error) from error
    return len(entries)


def _readable(path: Path) -> Iterator[tuple[str, Spent]]:
    """Entries that can be read, booked ones and set aside ones, each once."""
    for table, names in _TABLES.items():
        try:
            with closing(_opened(path)) as db:
                for row in db.execute(f"SELECT {', '.join((*names, *KINDS))} FROM {table}"):
                    if _is_entry(row, len(names)):
                        yield row[len(names) - 1], entry_of(row[len(names) :])
        except (sqlite3.Error, UnicodeDecodeError):
            continue  # what follows cannot be read


def _opened(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=5.0)


def _is_entry(row: tuple[Any, ...], names: int) -> bool:
    day, numbers = row[names - 1], row[names:]
    # SQLite's own check finds broken structure, not a number that was overwritten.
    sound = isinstance(day, str) and (day == EARLIER or _DAY.match(day) is not None)
    return sound and all(isinstance(number, int) and number >= 0 for number in numbers)
