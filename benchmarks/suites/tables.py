"""Functions over small tables: rows as dictionaries, dictionaries, and lists of lists."""

from __future__ import annotations

from benchmarks.suites.everyday_build import Family, members, sample
from evolve.tasks.model import Task

NAME = "tables"


def families() -> tuple[Family, ...]:
    """Every family of the suite, by topic."""
    from benchmarks.suites import (
        tables_amounts,
        tables_columns,
        tables_dictionaries,
        tables_grids,
        tables_groups,
        tables_lookups,
        tables_rows,
        tables_totals,
    )

    return (
        *tables_columns.PROJECT,
        *tables_totals.TOTALS,
        *tables_rows.FILTERS,
        *tables_rows.ORDER,
        *tables_groups.GROUPS,
        *tables_columns.COLUMNS,
        *tables_dictionaries.MAPPINGS,
        *tables_grids.GRIDS,
        *tables_amounts.AMOUNTS,
        *tables_lookups.LOOKUPS,
    )


def generate(n: int = 480, seed: int = 0) -> list[Task]:
    """``n`` tasks with six examples and eight hidden rows each over tables of three to six rows.

    Tasks have distinct groups as long as the families' members last. A member keeps its id and
    group for every ``n`` and ``seed``; the seed chooses members, rows and order.

    Raises:
        ValueError: ``n`` is negative.
    """
    return sample(members(NAME, families()), n, seed)
