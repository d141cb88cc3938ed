"""Limits that outlast a run: what a workspace may spend in a day, and in all.

The book is an SQLite file of its own, because processes that work side by side share it. A reservation is in it
before the work starts. One that was never settled, because its process was killed, counts as spent in full: whoever
was asked may have charged for it. Of a damaged book a new one is written from what can be read.
"""

from __future__ import annotations

import os
import re
import sqlite3
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

from evolve.core.errors import RecordDamaged, WorkspaceError
from evolve.core.files import AFTER_SPACE, write_failure
from evolve.core.ledger.run_ledger import KINDS, Budget, CostAmount, Ledger, Spent, from_exact, to_exact

EARLIER = "earlier"
"""In place of a date: spent on a day that is no longer known."""

_COLUMNS = ", ".join(f"{kind} INTEGER NOT NULL" for kind in KINDS)
_SUMS = ", ".join(f"COALESCE(SUM({kind}), 0)" for kind in KINDS)
_SCHEMA = f"""
CREATE TABLE IF NOT EXISTS days (day TEXT PRIMARY KEY, {_COLUMNS}) STRICT;
CREATE TABLE IF NOT EXISTS open (id INTEGER PRIMARY KEY AUTOINCREMENT, day TEXT NOT NULL, {_COLUMNS}) STRICT;
"""
_PLACEHOLDERS = ", ".join("?" for _ in range(len(KINDS) + 1))
_WAIT_S = 30.0


def local_date() -> str:
    """The local date, as people count days; a clock that jumps moves spending to another day, never away."""
    return datetime.now().astimezone().date().isoformat()


class SpendingLimits:
    """What a workspace has spent, by day.

    Args:
        path: The file; made where it is missing.
        day: Limits of one day; None bounds nothing.
        total: Limits of the workspace, over all days.
        date: Today's date, as ``YYYY-MM-DD``.

    Raises:
        WorkspaceError: The file cannot be written.
        RecordDamaged: The file is there and is not such a book.
    """

    def __init__(
        self,
        path: Path,
        *,
        day: Budget | None = None,
        total: Budget | None = None,
        date: Callable[[], str] = local_date,
    ) -> None:
        self.day, self.total = day or Budget(), total or Budget()
        self._path, self._date = path, date
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise write_failure(path, error) from error
        with self._writing() as db:
            # One by one: executescript would commit the transaction.
            for statement in filter(str.strip, _SCHEMA.split(";")):
                db.execute(statement)

    def reserve(self, cost: CostAmount) -> int | None:
        """Writes down the most some work can cost; the entry's number, or None where that does not fit.

        Seconds are those of the work itself, added up over everything that runs side by side.
        """
        row, date = _row(cost), self._date()
        with self._writing() as db:
            for budget, spent in ((self.day, _sum_spending(db, date)), (self.total, _sum_spending(db))):
                for bound, used, more in zip(_row(budget), spent, row, strict=True):
                    # A bound that is reached refuses also what costs nothing.
                    if bound is not None and (used >= bound or used + more > bound):
                        return None
            return db.execute(f"INSERT INTO open VALUES (NULL, {_PLACEHOLDERS})", (date, *row)).lastrowid

    def settle(self, entry: int, actual: CostAmount) -> None:
        """Replaces a reservation by what the work did cost, on the day it was begun.

        Raises:
            ValueError: There is no such entry.
        """
        with self._writing() as db:
            row = db.execute("DELETE FROM open WHERE id = ? RETURNING day", (entry,)).fetchone()
            if row is None:
                raise ValueError(f"no entry {entry} to settle")
            _add_spending(db, row[0], actual)

    def add_spending(self, day: str, actual: CostAmount) -> None:
        """Adds what was spent on a day, or :data:`EARLIER`, without a reservation before."""
        with self._writing() as db:
            _add_spending(db, day, actual)

    def spent(self, date: str = "") -> Spent:
        """What is booked or set aside on a day; over all days where none is given."""
        with self._writing() as db:
            return _entry_of(_sum_spending(db, date))

    @property
    def remaining(self) -> Budget:
        """What both limits still allow; None where neither bounds a kind."""
        with self._writing() as db:
            pairs = [(self.day, _sum_spending(db, self._date())), (self.total, _sum_spending(db))]
        rests: dict[str, int | None] = {}
        for place, kind in enumerate(KINDS):
            remaining = [
                max(0, bound - spent[place]) for budget, spent in pairs if (bound := _row(budget)[place]) is not None
            ]
            rests[kind] = min(remaining, default=None)
        return Budget(**from_exact(rests))

    @property
    def exhausted_bound(self) -> str:
        """Which limit has been reached, in one phrase for people, or ""."""
        with self._writing() as db:
            today_spent, all_spent = _sum_spending(db, self._date()), _sum_spending(db)
        for words, budget, spent in (("today", self.day, today_spent), ("this workspace", self.total, all_spent)):
            for kind, bound, used in zip(KINDS, _row(budget), spent, strict=True):
                if bound is not None and used >= bound:
                    limit = getattr(budget, kind)
                    shown = f"${limit:g}" if kind == "money" else f"{limit:,g} {kind}"
                    return f"the limit of {shown} for {words} is reached"
        return ""

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        """One transaction that no other process is in at the same time."""
        try:
            db = sqlite3.connect(self._path, timeout=_WAIT_S, isolation_level=None)
        except sqlite3.Error as error:
            raise WorkspaceError(f"cannot open {self._path}: {error}") from error
        try:
            # With a mere BEGIN two processes could both read that their work still fits.
            db.execute("BEGIN IMMEDIATE")
            yield db
            db.execute("COMMIT")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode == sqlite3.SQLITE_FULL:
                raise WorkspaceError(f"disk full while writing {self._path}", hint=AFTER_SPACE) from error
            raise WorkspaceError(f"cannot write {self._path}: {error}") from error
        except sqlite3.DatabaseError as error:
            raise RecordDamaged(
                f"{self._path} is damaged: {error}",
                hint="evolve status --repair",
            ) from error
        finally:
            db.close()  # what was not committed is undone


class LimitedLedger:
    """A run's ledger that also keeps to the limits of the day and the workspace.

    Args:
        run: The ledger of the run.
        book: What the workspace has spent.
    """

    def __init__(self, run: Ledger, book: SpendingLimits) -> None:
        self.run, self.book = run, book
        self._entries: list[tuple[tuple[int, ...], int]] = []
        self._guard = threading.Lock()

    def reserve(self, cost: CostAmount) -> bool:
        """Sets the most some work can cost aside; False, and nothing set aside, when some limit forbids it."""
        # The run first, because giving that back again takes no transaction.
        if not self.run.reserve(cost):
            return False
        entry = self.book.reserve(cost)
        if entry is None:
            # So that what the run set aside for it is free again.
            self.run.settle(cost, Spent())
            return False
        with self._guard:
            self._entries.append((_row(cost), entry))
        return True

    def settle(self, reserved: CostAmount, actual: CostAmount) -> None:
        """Returns a reservation and books what the work really cost.

        Raises:
            ValueError: Nothing of that size is set aside.
        """
        with self._guard:
            place = next((at for at, (row, _) in enumerate(self._entries) if row == _row(reserved)), None)
            if place is None:
                raise ValueError("settled what was not reserved")
            _, entry = self._entries.pop(place)
        self.book.settle(entry, actual)
        self.run.settle(reserved, actual)

    @property
    def spent(self) -> Spent:
        """What the run has spent."""
        return self.run.spent

    @property
    def remaining(self) -> Budget:
        """What every limit still allows."""
        run, book = self.run.remaining, self.book.remaining
        return Budget(**{kind: _least(getattr(run, kind), getattr(book, kind)) for kind in KINDS})

    @property
    def exhausted_bound(self) -> str:
        """Which bound has been reached, in one phrase for people, or ""."""
        return self.run.exhausted_bound or self.book.exhausted_bound


def _least(left: float | None, right: float | None) -> Any:
    return right if left is None else left if right is None else min(left, right)


def _row(amount: CostAmount | Budget) -> tuple[Any, ...]:
    return tuple(to_exact(amount).values())


def _entry_of(row: Sequence[int]) -> Spent:
    """What the columns of an entry say."""
    return Spent(**from_exact(dict(zip(KINDS, row, strict=True))))


def _add_spending(db: sqlite3.Connection, day: str, actual: CostAmount) -> None:
    adds = ", ".join(f"{kind} = {kind} + excluded.{kind}" for kind in KINDS)
    db.execute(
        f"INSERT INTO days VALUES ({_PLACEHOLDERS}) ON CONFLICT (day) DO UPDATE SET {adds}", (day, *_row(actual))
    )


def _sum_spending(db: sqlite3.Connection, date: str = "") -> tuple[int, ...]:
    """Sums what is booked and what is set aside, by kind; on a day, or over all where none is given."""
    where, values = ("WHERE day = ?", (date,)) if date else ("", ())
    rows = [db.execute(f"SELECT {_SUMS} FROM {name} {where}", values).fetchone() for name in ("days", "open")]
    return tuple(booked + aside for booked, aside in zip(*rows, strict=True))


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
    book = SpendingLimits(fresh)
    for day, spent in entries:
        book.add_spending(day, spent)
    booked = book.spent()
    counted = ("candidates", "tokens", "calls", "money")
    rest = Spent(**{kind: max(0, getattr(least, kind) - getattr(booked, kind)) for kind in counted})
    if rest != Spent():
        book.add_spending(EARLIER, rest)
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
                        yield row[len(names) - 1], _entry_of(row[len(names) :])
        except (sqlite3.Error, UnicodeDecodeError):
            continue  # what follows cannot be read


def _opened(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=5.0)


def _is_entry(row: tuple[Any, ...], names: int) -> bool:
    day, numbers = row[names - 1], row[names:]
    # SQLite's own check finds broken structure, not a number that was overwritten.
    sound = isinstance(day, str) and (day == EARLIER or _DAY.match(day) is not None)
    return sound and all(isinstance(number, int) and number >= 0 for number in numbers)
