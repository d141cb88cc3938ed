"""Tables: lists of records, lists of dictionaries, and lists of lists under a header."""

from __future__ import annotations

import csv
import math
from collections.abc import Callable
from typing import Any

from evolve.policies.search.programs.operation import Operation, define
from evolve.policies.search.programs.operations.strings import DELIMITER, STRS, fits
from evolve.policies.search.programs.types import FLOAT, INT, STR, FrozenDict, T, U, dict_of, fn_of, list_of

LIST = list_of(T)
TEXT_KEY, NUMBER, AMOUNT = fn_of(T, STR), fn_of(T, INT), fn_of(T, FLOAT)
GRID = list_of(STRS)

Items = tuple[Any, ...]
Key = Callable[[Any], Any]


def operations() -> tuple[Operation, ...]:
    """Grouping, totals, order and index by a key function; columns and headers; separated values."""
    return (*_grouping(), *_totals_by_key(), *_indexing(), *_totals(), *_ordering(), *_columns(), *_texts())


def _grouping() -> tuple[Operation, ...]:
    return (
        define(
            "group_by",
            (TEXT_KEY, LIST),
            dict_of(STR, LIST),
            "group_by(a0, a1)",
            support=(group_by,),
            function=_group_by,
            cost=3,
            noun="groups",
        ),
        define(
            "group_values_by",
            (TEXT_KEY, fn_of(T, U), LIST),
            dict_of(STR, list_of(U)),
            "group_values_by(a0, a1, a2)",
            support=(group_values_by,),
            function=_group_values_by,
            cost=3,
            noun="groups",
        ),
    )


def _totals_by_key() -> tuple[Operation, ...]:
    return (
        define(
            "count_by",
            (TEXT_KEY, LIST),
            dict_of(STR, INT),
            "dict(Counter(a0(x) for x in a1))",
            function=_count_by,
            cost=3,
            noun="counts",
        ),
        define(
            "sum_by",
            (TEXT_KEY, NUMBER, LIST),
            dict_of(STR, INT),
            "sum_by(a0, a1, a2)",
            support=(sum_by,),
            function=_sum_by,
            cost=3,
            noun="totals",
        ),
        define(
            "sum_amounts_by",
            (TEXT_KEY, AMOUNT, LIST),
            dict_of(STR, FLOAT),
            "sum_by(a0, a1, a2)",
            support=(sum_by,),
            function=_sum_by,
            cost=4,
            noun="totals",
        ),
    )


def _indexing() -> tuple[Operation, ...]:
    return (
        define(
            "column_by",
            (TEXT_KEY, fn_of(T, U), LIST),
            dict_of(STR, U),
            "{a0(x): a1(x) for x in a2}",
            function=lambda key, value, items: FrozenDict([(key(item), value(item)) for item in items]),
            cost=3,
            noun="table",
        ),
    )


def _totals() -> tuple[Operation, ...]:
    return (
        define(
            "sum_of_each", (NUMBER, LIST), INT, "sum(a0(x) for x in a1)", function=_sum_of_each, cost=3, noun="total"
        ),
        define(
            "sum_of_amounts",
            (AMOUNT, LIST),
            FLOAT,
            "math.fsum(a0(x) for x in a1)",
            function=_sum_of_amounts,
            cost=3,
            noun="total",
        ),
    )


def _ordering() -> tuple[Operation, ...]:
    return (
        define("sort_by_text", (TEXT_KEY, LIST), LIST, "sorted(a1, key=a0)", function=_sort_by, cost=4, noun="ordered"),
        define("sort_by_amount", (AMOUNT, LIST), LIST, "sorted(a1, key=a0)", function=_sort_by, cost=5, noun="ordered"),
        define(
            "sort_down_by_amount",
            (AMOUNT, LIST),
            LIST,
            "sorted(a1, key=a0, reverse=True)",
            function=lambda key, items: tuple(sorted(items, key=key, reverse=True)),
            cost=5,
            noun="ordered",
        ),
        define("largest_by_amount", (AMOUNT, LIST), T, "max(a1, key=a0)", function=_largest_by, cost=5),
        define("smallest_by_amount", (AMOUNT, LIST), T, "min(a1, key=a0)", function=_smallest_by, cost=5),
    )


def _columns() -> tuple[Operation, ...]:
    return (define("column_at", (INT, list_of(LIST)), LIST, "[row[a0] for row in a1]", cost=3, noun="column"),)


def _texts() -> tuple[Operation, ...]:
    return (
        define(
            "parse_grid", (DELIMITER, STR), GRID, "[line.split(a0) for line in a1.splitlines()]", cost=3, noun="grid"
        ),
        define(
            "format_grid",
            (DELIMITER, GRID),
            STR,
            r"'\n'.join(a0.join(row) for row in a1)",
            function=lambda separator, grid: fits("\n".join([separator.join(row) for row in grid])),
            cost=6,
            noun="formatted",
        ),
        define("parse_csv_line", (STR,), STRS, "next(csv.reader([a0]))", function=_csv_line, cost=5, noun="cells"),
        define("parse_csv", (STR,), GRID, "list(csv.reader(a0.splitlines()))", function=_csv, cost=4, noun="grid"),
    )


def group_by(key: Callable[[Any], str], items: list[Any]) -> dict[str, list[Any]]:
    """The items under each key, in the order in which keys and items first occur."""
    groups: dict[str, list[Any]] = {}
    for item in items:
        groups.setdefault(key(item), []).append(item)
    return groups


def group_values_by(key: Callable[[Any], str], value: Callable[[Any], Any], items: list[Any]) -> dict[str, list[Any]]:
    """The values of the items under each key, in the order in which keys and items first occur."""
    groups: dict[str, list[Any]] = {}
    for item in items:
        groups.setdefault(key(item), []).append(value(item))
    return groups


def sum_by(key: Callable[[Any], str], value: Callable[[Any], Any], items: list[Any]) -> dict[str, Any]:
    """The total of the values of the items under each key."""
    totals: dict[str, Any] = {}
    for item in items:
        totals[key(item)] = totals.get(key(item), 0) + value(item)
    return totals


def _group_by(key: Key, items: Items) -> FrozenDict:
    return FrozenDict([(name, tuple(group)) for name, group in group_by(key, items).items()])  # type: ignore[arg-type]


def _group_values_by(key: Key, value: Key, items: Items) -> FrozenDict:
    groups = group_values_by(key, value, items)  # type: ignore[arg-type]
    return FrozenDict([(name, tuple(group)) for name, group in groups.items()])


def _count_by(key: Key, items: Items) -> FrozenDict:
    counts = FrozenDict()
    for item in map(key, items):
        counts[item] = counts.get(item, 0) + 1
    return counts


def _sum_by(key: Key, value: Key, items: Items) -> FrozenDict:
    return FrozenDict(sum_by(key, value, items))  # type: ignore[arg-type]


def _sum_of_each(value: Key, items: Items) -> Any:
    return sum(map(value, items))


def _sum_of_amounts(value: Key, items: Items) -> float:
    return math.fsum(map(value, items))  # rounded once; how often ``sum`` rounds depends on the version of Python


def _sort_by(key: Key, items: Items) -> Items:
    return tuple(sorted(items, key=key))


def _largest_by(key: Key, items: Items) -> Any:
    return max(items, key=key)


def _smallest_by(key: Key, items: Items) -> Any:
    return min(items, key=key)


def _csv_line(line: str) -> tuple[str, ...]:
    try:
        return tuple(next(csv.reader([line])))
    except csv.Error:  # not among the errors by which an operation says that it has no value
        raise ValueError from None


def _csv(text: str) -> Items:
    try:
        return tuple(map(tuple, csv.reader(text.splitlines())))
    except csv.Error:
        raise ValueError from None
