"""The newcomer's suite: columns and rows as they turn up in spreadsheets, exports and logs."""

from __future__ import annotations

from benchmarks.suites.everyday_build import Family, members, sample
from evolve.tasks.model import Task

NAME = "everyday"


def families() -> tuple[Family, ...]:
    """Every family of the suite, by topic."""
    from benchmarks.suites import (
        everyday_cells,
        everyday_codes,
        everyday_contact,
        everyday_dates,
        everyday_logs,
        everyday_money,
        everyday_numbers,
        everyday_people,
        everyday_rows,
        everyday_times,
        everyday_units,
    )

    return (
        *everyday_people.NAMES,
        *everyday_people.EMAILS,
        *everyday_contact.WEB,
        *everyday_contact.PHONES,
        *everyday_contact.ADDRESSES,
        *everyday_dates.DATES,
        *everyday_times.TIMES,
        *everyday_money.MONEY,
        *everyday_numbers.NUMBERS,
        *everyday_units.UNITS,
        *everyday_numbers.FLAGS_AND_COUNTS,
        *everyday_codes.CODES,
        *everyday_logs.LOGS,
        *everyday_cells.CELLS,
        *everyday_rows.ROWS,
    )


def generate(n: int = 320, seed: int = 0) -> list[Task]:
    """``n`` tasks with six examples and eight hidden rows each, a quarter easy and a quarter hard.

    Tasks have distinct groups as long as the families' members last. A member keeps its id and
    group for every ``n`` and ``seed``; the seed chooses members, rows and order.

    Raises:
        ValueError: ``n`` is negative.
    """
    return sample(members(NAME, families()), n, seed)
