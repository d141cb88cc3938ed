"""Operations that take a function: map, filter, fold, scan, zip-with, sort-by, take-while and their kin."""

from __future__ import annotations

from collections.abc import Callable
from itertools import accumulate, dropwhile, takewhile
from typing import Any

from evolve.policies.search.programs.operation import MAX_INT, Operation, define
from evolve.policies.search.programs.types import BOOL, INT, T, U, fn_of, list_of

LIST = list_of(T)
TEST, CHANGE, KEY = fn_of(T, BOOL), fn_of(T, U), fn_of(T, INT)
COMBINE = fn_of(INT, INT, INT)

Items = tuple[Any, ...]


def operations() -> tuple[Operation, ...]:
    """Lambdas never nest, so every body is a scalar expression of bounded size."""
    ints = list_of(INT)
    return (
        define("map", (CHANGE, LIST), list_of(U), "[a0(x) for x in a1]", function=_map, cost=3),
        define("filter", (TEST, LIST), LIST, "[x for x in a1 if a0(x)]", function=_filter, cost=3),
        define(
            "map_with_index",
            (COMBINE, ints),
            ints,
            "[a0(i, x) for i, x in enumerate(a1)]",
            function=lambda f, items: tuple(map(f, range(len(items)), items)),
            cost=6,
        ),
        define(
            "filter_by_index",
            (fn_of(INT, BOOL), LIST),
            LIST,
            "[x for i, x in enumerate(a1) if a0(i)]",
            function=lambda f, items: tuple(x for i, x in enumerate(items) if f(i)),
            cost=6,
        ),
        define("fold", (COMBINE, ints), INT, "functools.reduce(a0, a1)", function=_fold, cost=6),
        define("fold_from", (COMBINE, INT, ints), INT, "functools.reduce(a0, a2, a1)", function=_fold_from, cost=6),
        define("scan", (COMBINE, ints), ints, "list(itertools.accumulate(a1, a0))", function=_scan, cost=6),
        define(
            "zip_with", (COMBINE, ints, ints), ints, "[a0(x, y) for x, y in zip(a1, a2)]", function=_zip_with, cost=6
        ),
        define("sort_by", (KEY, LIST), LIST, "sorted(a1, key=a0)", function=_sort_by, cost=6),
        define("sort_down_by", (KEY, LIST), LIST, "sorted(a1, key=a0, reverse=True)", function=_sort_down_by, cost=7),
        define("largest_by", (KEY, LIST), T, "max(a1, key=a0)", function=lambda f, items: max(items, key=f), cost=7),
        define("smallest_by", (KEY, LIST), T, "min(a1, key=a0)", function=lambda f, items: min(items, key=f), cost=7),
        define("count_if", (TEST, LIST), INT, "sum(a0(x) for x in a1)", function=_count_if, cost=5),
        define("any_of", (TEST, LIST), BOOL, "any(a0(x) for x in a1)", function=_any_of, cost=6),
        define("all_of", (TEST, LIST), BOOL, "all(a0(x) for x in a1)", function=_all_of, cost=6),
        define("find_first", (TEST, LIST), T, "next(x for x in a1 if a0(x))", function=_find_first, cost=6),
        define("take_while", (TEST, LIST), LIST, "list(itertools.takewhile(a0, a1))", function=_take_while, cost=7),
        define("drop_while", (TEST, LIST), LIST, "list(itertools.dropwhile(a0, a1))", function=_drop_while, cost=7),
    )


def _map(f: Callable[[Any], Any], items: Items) -> Items:
    return tuple(map(f, items))


def _filter(f: Callable[[Any], bool], items: Items) -> Items:
    return tuple(filter(f, items))


def _fold(f: Callable[[int, int], int], items: Items) -> int:
    return _fold_from(f, items[0], items[1:])


def _fold_from(f: Callable[[int, int], int], start: int, items: Items) -> int:
    for item in items:
        start = f(start, item)
        # Asked at every step: a product that grows is stopped before its numbers are long.
        if not -MAX_INT < start < MAX_INT:
            raise OverflowError
    return start


def _scan(f: Callable[[int, int], int], items: Items) -> Items:
    return tuple(map(_sensible, accumulate(items, f)))


def _zip_with(f: Callable[[int, int], int], a: Items, b: Items) -> Items:
    return tuple(map(f, a, b))


def _sensible(number: int) -> int:
    if -MAX_INT < number < MAX_INT:
        return number
    raise OverflowError


def _sort_by(f: Callable[[Any], Any], items: Items) -> Items:
    return tuple(sorted(items, key=f))


def _sort_down_by(f: Callable[[Any], Any], items: Items) -> Items:
    return tuple(sorted(items, key=f, reverse=True))


def _count_if(f: Callable[[Any], bool], items: Items) -> int:
    return sum(map(f, items))


def _any_of(f: Callable[[Any], bool], items: Items) -> bool:
    return any(map(f, items))


def _all_of(f: Callable[[Any], bool], items: Items) -> bool:
    return all(map(f, items))


def _find_first(f: Callable[[Any], bool], items: Items) -> Any:
    # No ``next``: its StopIteration would silently end the ``map`` that calls this.
    for item in items:
        if f(item):
            return item
    raise ValueError


def _take_while(f: Callable[[Any], bool], items: Items) -> Items:
    return tuple(takewhile(f, items))


def _drop_while(f: Callable[[Any], bool], items: Items) -> Items:
    return tuple(dropwhile(f, items))
