"""Families of list programs that carry a value from place to place, or walk two columns at once."""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import reduce
from itertools import accumulate, pairwise

from benchmarks.suites.frame import Family, Fn, Kind, fixed
from evolve.core.episodes import Json


def _bookings(rng: random.Random, notable: Sequence[Json]) -> tuple[Json, ...]:
    return ([rng.randint(1, 20) for _ in range(rng.randint(2, 6))],)


def _opening(rng: random.Random, notable: Sequence[Json]) -> tuple[Json, ...]:
    return rng.randint(100, 5000), [rng.randint(2, 12) for _ in range(rng.randint(1, 3))]


def _columns(rng: random.Random, notable: Sequence[Json]) -> tuple[Json, ...]:
    places = range(rng.randint(2, 5))
    return [rng.randint(1, 60) for _ in places], [rng.randint(1, 20) for _ in places]


_BOOKINGS: tuple[tuple[str, Fn], ...] = (
    ("take every later value from the first and list what is left each time",
     lambda xs: list(accumulate(xs, lambda left, x: left - x))),
    ("take the result so far from every value and list the results",
     lambda xs: list(accumulate(xs, lambda so_far, x: x - so_far))),
    ("double the result so far before the next value is added and list the results",
     lambda xs: list(accumulate(xs, lambda so_far, x: 2 * so_far + x))),
    ("multiply the result so far by ten before the next value is added",
     lambda xs: reduce(lambda so_far, x: 10 * so_far + x, xs)),
    ("double the result so far before the next value is added",
     lambda xs: reduce(lambda so_far, x: 2 * so_far + x, xs)),
    ("take the result so far from the next value", lambda xs: reduce(lambda so_far, x: x - so_far, xs)),
    ("multiply every value by the next", lambda xs: [a * b for a, b in pairwise(xs)]),
)  # fmt: skip

_OPENING: tuple[tuple[str, Fn], ...] = (
    ("begin with n, and double the result before every value is added",
     lambda n, xs: reduce(lambda so_far, x: 2 * so_far + x, xs, n)),
    ("begin with n, and take the result from every value",
     lambda n, xs: reduce(lambda so_far, x: x - so_far, xs, n)),
    ("divide n by every value in turn and go on with the remainder",
     lambda n, xs: reduce(lambda left, x: left % x, xs, n)),
    ("begin with n, and list what is left whenever a value was taken",
     lambda n, xs: list(accumulate(xs, lambda left, x: left - x, initial=n))),
)  # fmt: skip

_COLUMNS: tuple[tuple[str, Fn], ...] = (
    ("take the second column from the first", lambda xs, ys: [a - b for a, b in zip(xs, ys, strict=True)]),
    (
        "divide the first column by the second, rounding down",
        lambda xs, ys: [a // b for a, b in zip(xs, ys, strict=True)],
    ),
    (
        "give the remainders of the first column by the second",
        lambda xs, ys: [a % b for a, b in zip(xs, ys, strict=True)],
    ),
)


def families() -> list[Family]:
    """Every family of carried values and of columns."""
    return [
        *fixed("carried", 3, Kind(name="bookings", draw=_bookings), *_BOOKINGS),
        *fixed("opening", 3, Kind(name="opening, bookings", draw=_opening), *_OPENING),
        *fixed("columns", 2, Kind(name="columns", draw=_columns), *_COLUMNS),
    ]
