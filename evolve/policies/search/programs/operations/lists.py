"""Lists of anything, lists of integers, and lists of lists."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

from evolve.policies.search.programs.operation import MAX_ITEMS, Operation, define, natural, positive
from evolve.policies.search.programs.types import BOOL, FLOAT, INT, T, list_of

LIST, INTS, FLOATS = list_of(T), list_of(INT), list_of(FLOAT)
NESTED = list_of(LIST)


def operations() -> tuple[Operation, ...]:
    """Slicing, order, membership, construction, position and arithmetic over lists."""
    return (*_parts(), *_order(), *_building(), *_queries(), *_arithmetic(), *_nested())


def _parts() -> tuple[Operation, ...]:
    return (
        define("first", (LIST,), T, "a0[0]", function=operator.itemgetter(0), cost=3),
        define("last", (LIST,), T, "a0[-1]", function=operator.itemgetter(-1), cost=3),
        define("item", (INT, LIST), T, "a1[a0]", cost=4),
        define("tail", (LIST,), LIST, "a0[1:]", function=operator.itemgetter(slice(1, None)), cost=3),
        define("without_last", (LIST,), LIST, "a0[:-1]", function=operator.itemgetter(slice(None, -1)), cost=3),
        define("take", (INT, LIST), LIST, "a1[:a0]", function=lambda n, items: items[: natural(n)], cost=3),
        define("drop", (INT, LIST), LIST, "a1[a0:]", function=lambda n, items: items[natural(n) :], cost=3),
        define("take_last", (INT, LIST), LIST, "a1[-a0:]", function=lambda n, items: items[-positive(n) :], cost=5),
        define("drop_last", (INT, LIST), LIST, "a1[:-a0]", function=lambda n, items: items[: -positive(n)], cost=5),
        define("every_nth", (INT, LIST), LIST, "a1[::a0]", function=lambda n, items: items[:: positive(n)], cost=6),
        define("remove_at", (INT, LIST), LIST, "a1[:a0] + a1[a0 + 1:]", function=_remove_at, cost=6),
    )


def _order() -> tuple[Operation, ...]:
    return (
        define("reverse", (LIST,), LIST, "a0[::-1]", function=operator.itemgetter(slice(None, None, -1)), cost=3),
        define("sort", (LIST,), LIST, "sorted(a0)", cost=3),
        define("sort_down", (LIST,), LIST, "sorted(a0, reverse=True)", cost=4),
        define("unique", (LIST,), LIST, "list(dict.fromkeys(a0))", function=_unique, cost=3),
    )


def _building() -> tuple[Operation, ...]:
    return (
        define("append", (LIST, T), LIST, "[*a0, a1]", cost=4),
        define("prepend", (T, LIST), LIST, "[a0, *a1]", cost=4),
        define("concatenate", (LIST, LIST), LIST, "a0 + a1", function=_concatenate, cost=4),
        define("singleton", (T,), LIST, "[a0]", cost=4),
        define("repeat_item", (INT, T), LIST, "[a1] * a0", function=_repeat_item, cost=5),
        define("replace_item", (T, T, LIST), LIST, "[a1 if item == a0 else item for item in a2]", cost=6),
        define("without_item", (T, LIST), LIST, "[item for item in a1 if item != a0]", cost=5),
        define("without_items", (LIST, LIST), LIST, "[item for item in a0 if item not in a1]", cost=6),
        define("common_items", (LIST, LIST), LIST, "[item for item in a0 if item in a1]", cost=7),
        define("range_between", (INT, INT), INTS, "list(range(a0, a1 + 1))", function=_range_between, cost=6),
        define("interleave", (LIST, LIST), LIST, "[item for pair in zip(a0, a1) for item in pair]", cost=8),
    )


def _queries() -> tuple[Operation, ...]:
    return (
        define("length", (LIST,), INT, "len(a0)", function=len, cost=3),
        define("count", (T, LIST), INT, "a1.count(a0)", function=lambda item, items: items.count(item), cost=5),
        define("position", (T, LIST), INT, "a1.index(a0)", function=lambda item, items: items.index(item), cost=5),
        define("positions", (T, LIST), INTS, "[i for i, item in enumerate(a1) if item == a0]", cost=7),
        define("contains", (T, LIST), BOOL, "a0 in a1", function=lambda item, items: item in items, cost=4),
        define("repeated_items", (LIST,), LIST, "[item for item in a0 if a0.count(item) > 1]", cost=8),
    )


def _arithmetic() -> tuple[Operation, ...]:
    return (
        define("sum_of", (INTS,), INT, "sum(a0)", function=sum, cost=3),
        define("product", (INTS,), INT, "math.prod(a0)", function=_product, cost=5),
        define("maximum", (LIST,), T, "max(a0)", function=max, cost=3),
        define("minimum", (LIST,), T, "min(a0)", function=min, cost=3),
        # fmean adds with one rounding; how often ``sum`` rounds floats depends on the version of Python.
        define("mean", (FLOATS,), FLOAT, "statistics.fmean(a0)", cost=5),
        define("median", (FLOATS,), FLOAT, "statistics.median(a0)", cost=8),
        define("mean_of_integers", (INTS,), FLOAT, "sum(a0) / len(a0)", cost=6),
        define("running_sum", (INTS,), INTS, "list(itertools.accumulate(a0))", cost=5),
        define("differences", (INTS,), INTS, "[b - a for a, b in zip(a0, a0[1:])]", cost=5),
        define("add_lists", (INTS, INTS), INTS, "[a + b for a, b in zip(a0, a1)]", cost=6, commutative=True),
    )


def _nested() -> tuple[Operation, ...]:
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


def _remove_at(i: int, items: Items) -> Items:
    return items[: natural(i)] + items[i + 1 :]


def _unique(items: Items) -> Items:
    if items and isinstance(items[0], (tuple, dict)):
        raise TypeError("in an answer lists and dictionaries cannot be keys")
    return tuple(dict.fromkeys(items))


def _concatenate(a: Items, b: Items) -> Items:
    items = a + b
    if len(items) > MAX_ITEMS:
        raise OverflowError
    return items


def _repeat_item(n: int, item: Any) -> Items:
    if n > MAX_ITEMS:
        raise OverflowError
    return (item,) * natural(n)


def _range_between(a: int, b: int) -> Items:
    if b - a > MAX_ITEMS:
        raise OverflowError
    return tuple(range(a, b + 1))


def _product(items: Sequence[int]) -> int:
    result = 1
    for item in items:
        result *= item
        if not -(10**12) < result < 10**12:
            raise OverflowError
    return result


def _chunks(n: int, items: Items) -> tuple[Items, ...]:
    if n < 1:
        raise ValueError
    return tuple(items[i : i + n] for i in range(0, len(items), n))


def _windows(n: int, items: Items) -> tuple[Items, ...]:
    if n < 1:
        raise ValueError
    return tuple(items[i : i + n] for i in range(len(items) - n + 1))
