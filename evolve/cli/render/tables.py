"""What is told of a table that was filled."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from evolve.workspace import Filled


def first_line_lines(filled: Filled) -> Iterator[str]:
    """What the first line of a file was taken for, and how to say otherwise; nothing where the line is plain."""
    if not filled.guessed:
        return
    if filled.first_line == "row":
        yield "the first line looks like the other rows, so evolve took it as a row, and the columns have numbers"
        yield "  if it has the names of the columns: --set header=yes"
    else:
        yield "evolve took the first line as the names of the columns, but it may be a row like the others"
        yield "  if it is a row: --set header=no"
