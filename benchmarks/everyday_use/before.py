"""Filling without ``fill``: the filled rows are given to ``run``, and its answer is applied to the others.

The arm to compare with. The answers are those of the embedded search, whose code is ours, so they run in this process.
"""

from __future__ import annotations

import contextlib
import io
import math
from collections.abc import Callable, Sequence
from typing import Any

from benchmarks.everyday_use.table import Cells

FAILS = (ArithmeticError, AssertionError, AttributeError, LookupError, TypeError, ValueError, RecursionError)


def typed(rows: Sequence[Cells]) -> list[tuple[Any, ...]]:
    """Rows whose columns of plain numbers are numbers, as own examples are read."""
    columns = [_typed(column) for column in zip(*rows, strict=True)]
    return list(zip(*columns, strict=True))


def _typed(column: Sequence[str]) -> list[Any]:
    for kind in (int, float):
        try:
            values = [kind(cell) for cell in column]
        except ValueError:
            continue
        if all(
            repr(value) == cell or (kind is float and _is_int(cell)) for value, cell in zip(values, column, strict=True)
        ):
            return values if all(math.isfinite(value) for value in values) else list(column)
    return list(column)


def _is_int(cell: str) -> bool:
    try:
        return str(int(cell)) == cell
    except ValueError:
        return False


def function(source: str, entry: str) -> Callable[..., Any]:
    """The function of an answer."""
    space: dict[str, Any] = {"__name__": "answer"}
    exec(compile(source, "<answer>", "exec"), space)
    return space[entry]  # type: ignore[no-any-return]


def applied(call: Callable[..., Any], rows: Sequence[Sequence[Any]]) -> list[Any]:
    """Its values, None where it raises."""
    values: list[Any] = []
    for row in rows:
        try:
            with contextlib.redirect_stdout(io.StringIO()):
                values.append(call(*row))
        except FAILS:
            values.append(None)
    return values


def text(value: Any) -> str:
    """A value as a cell."""
    return "" if value is None else value if isinstance(value, str) else repr(value)
