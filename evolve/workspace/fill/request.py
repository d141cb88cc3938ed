"""What is said about a table that is to be filled."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypedDict

from evolve.workspace.arguments import BudgetLike, check_arguments
from evolve.workspace.fill.result import FlagReasons
from evolve.workspace.runs.person import Person


class FillOptions(TypedDict, total=False):
    """How a table is filled.

    Attributes:
        column: The column to fill; by default the only one that is partly filled.
        out: The file to write; by default ``NAME.filled.EXT`` beside the table.
        in_place: Write the table itself.
        skill: Apply this saved function, and search for none.
        function: Apply the function of this file, ``FILE.py`` or ``FILE.py:NAME``.
        sheet: Name of the sheet of a workbook.
        header: Whether the first line of a delimited table names its columns; None leaves it to how the line looks.
        save: A file in which the function is written as a script for the command line.
        budget: As for :meth:`Workspace.run`.
        person: As for :meth:`Workspace.run`.
        words: What is written of a flag into the table, and asked of the person; by default its code and facts.
    """

    column: str | None
    out: str | os.PathLike[str] | None
    in_place: bool
    skill: str | None
    function: str | os.PathLike[str] | None
    sheet: str | None
    header: bool | None
    save: str | os.PathLike[str] | None
    budget: BudgetLike
    person: Person | None
    words: Callable[[FlagReasons], str]


@check_arguments("budget")
@dataclass(frozen=True, kw_only=True)
class FillRequest:
    """What is to be filled, and how; see :class:`FillOptions`."""

    table: str | os.PathLike[str]
    column: str | None = None
    out: str | os.PathLike[str] | None = None
    in_place: bool = False
    skill: str | None = None
    function: str | os.PathLike[str] | None = None
    sheet: str | None = None
    header: bool | None = None
    save: str | os.PathLike[str] | None = None
    budget: BudgetLike = None
    person: Person | None = None
    words: Callable[[FlagReasons], str] = str
