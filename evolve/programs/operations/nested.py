"""Lists of lists: grouping, windows, transposition, flattening."""

from __future__ import annotations

from typing import Any

from evolve.programs.operation import Operation, define
from evolve.programs.types import INT, T, list_of

LIST = list_of(T)
NESTED = list_of(LIST)


def operations() -> tuple[Operation, ...]:
    """From lists to lists of lists and back."""
    return (
        define("flatten", (NESTED,), LIST, "[item for part in a0 for item in part]", cost=4),
        define(
            "chunks", (INT, LIST), NESTED, "[a1[i:i + a0] for i in range(0, len(a1), a0)]", function=_chunks, cost=7
        ),
        define(
            "windows", (INT, LIST), NESTED, "[a1[i:i + a0] for i in range(len(a1) - a0 + 1)]", function=_windows, cost=8
        ),
        define("runs", (LIST,), NESTED, "[list(run) for _, run in itertools.groupby(a0)]", cost=7),
        define("zip_lists", (LIST, LIST), NESTED, "[[a, b] for a, b in zip(a0, a1)]", cost=7),
        define("transpose", (NESTED,), NESTED, "[list(column) for column in zip(*a0)]", cost=6),
    )


Items = tuple[Any, ...]


def _chunks(n: int, items: Items) -> tuple[Items, ...]:
    if n < 1:
        raise ValueError
    return tuple(items[i : i + n] for i in range(0, len(items), n))


def _windows(n: int, items: Items) -> tuple[Items, ...]:
    if n < 1:
        raise ValueError
    return tuple(items[i : i + n] for i in range(len(items) - n + 1))
