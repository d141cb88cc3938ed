"""Families of list programs as they are asked for over readings, scores, places and pairs of columns."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from itertools import accumulate, dropwhile, groupby, pairwise
from math import prod

from benchmarks.suites.frame import Family, Fn, Kind, fixed
from evolve.core.episodes import Json

Numbers = list[int]


def _readings(rng: random.Random, notable: Sequence[Json]) -> tuple[Json, ...]:
    numbers = [rng.randint(-9, 30) for _ in range(rng.randint(1, 6))]
    return (numbers,)


def _scores(rng: random.Random, notable: Sequence[Json]) -> tuple[Json, ...]:
    numbers = [rng.randint(1, 6) for _ in range(rng.randint(3, 7))]
    if rng.random() < 0.5:
        numbers[1] = numbers[0]
    return (numbers,)


def _place(rng: random.Random, notable: Sequence[Json]) -> tuple[Json, ...]:
    numbers = [rng.randint(1, 60) for _ in range(rng.randint(3, 7))]
    return numbers, rng.randrange(1, len(numbers))


def _rows_and_place(rng: random.Random, notable: Sequence[Json]) -> tuple[Json, ...]:
    rows = [[rng.randint(1, 60) for _ in range(2)] for _ in range(rng.randint(3, 5))]
    return rows, rng.randrange(1, len(rows))


def _value(rng: random.Random, notable: Sequence[Json]) -> tuple[Json, ...]:
    (numbers,) = _scores(rng, ())
    return [*numbers, *numbers[1:2]], rng.choice(numbers)


def _overlapping(rng: random.Random, notable: Sequence[Json]) -> tuple[Json, ...]:
    pool = rng.sample(range(1, 40), 8)
    return rng.sample(pool, rng.randint(3, 6)), rng.sample(pool, rng.randint(3, 6))


def _bounds(rng: random.Random, notable: Sequence[Json]) -> tuple[Json, ...]:
    low = rng.randint(-5, 20)
    return low, low + rng.randint(1, 9)


def _amounts(rng: random.Random, notable: Sequence[Json]) -> tuple[Json, ...]:
    return rng.randint(-60, 90), rng.choice((2, 3, 4, 5, 6, 8, 12, 25, 40))


def _one_number(rng: random.Random, notable: Sequence[Json]) -> tuple[Json, ...]:
    return (rng.randint(2, 15),)


def _rows(rng: random.Random, notable: Sequence[Json]) -> tuple[Json, ...]:
    width = rng.randint(2, 4)
    return ([[rng.randint(0, 30) for _ in range(width)] for _ in range(rng.randint(2, 4))],)


def _first(numbers: Iterable[int]) -> int:
    for number in numbers:
        return number
    raise ValueError("no such number")


def _runs(xs: Numbers) -> list[Numbers]:
    return [list(run) for _, run in groupby(xs)]


_READINGS: tuple[tuple[str, Fn], ...] = (
    ("give the mean", lambda xs: sum(xs) / len(xs)),
    ("give the differences of neighbours", lambda xs: [b - a for a, b in pairwise(xs)]),
    ("give the distances of neighbours", lambda xs: [abs(b - a) for a, b in pairwise(xs)]),
    ("give the greatest rise between neighbours", lambda xs: max(b - a for a, b in pairwise(xs))),
    ("drop what comes before the first even value", lambda xs: list(dropwhile(lambda x: x % 2, xs))),
    ("give the first even value", lambda xs: _first(x for x in xs if x % 2 == 0)),
    ("write 0 for negative values", lambda xs: [max(x, 0) for x in xs]),
    ("give the values without their sign", lambda xs: [abs(x) for x in xs]),
    ("turn the sign of every value", lambda xs: [-x for x in xs]),
    ("tell whether all values are even", lambda xs: all(x % 2 == 0 for x in xs)),
    ("tell whether any value is odd", lambda xs: any(x % 2 for x in xs)),
    ("drop the even values from the start", lambda xs: list(dropwhile(lambda x: x % 2 == 0, xs))),
    ("give the first odd value", lambda xs: _first(x for x in xs if x % 2)),
    ("give the values at odd places, counting from 0", lambda xs: xs[1::2]),
    ("write every value as text", lambda xs: [str(x) for x in xs]),
    ("give the position of the largest value", lambda xs: xs.index(max(xs))),
)

_SCORES: tuple[tuple[str, Fn], ...] = (
    ("give the product", prod),
    ("give the products of all values so far", lambda xs: list(accumulate(xs, int.__mul__))),
    ("give the lengths of runs of equal values", lambda xs: [len(run) for run in _runs(xs)]),
    ("give the runs of equal values", _runs),
    ("count the runs of equal values", lambda xs: len(_runs(xs))),
    ("give the values that occur more than once", lambda xs: [x for x in xs if xs.count(x) > 1]),
    ("give the different values that occur more than once, in order",
     lambda xs: list(dict.fromkeys(x for x in xs if xs.count(x) > 1))),
    ("give the mean of the different values", lambda xs: sum(set(xs)) / len(set(xs))),
)  # fmt: skip

_PLACE: tuple[tuple[str, Fn], ...] = (
    ("drop the element at position n", lambda xs, n: xs[:n] + xs[n + 1 :]),
    ("drop the last n elements", lambda xs, n: xs[:-n]),
    ("keep the last n elements", lambda xs, n: xs[-n:]),
    ("sum all but the element at position n", lambda xs, n: sum(xs) - xs[n]),
    ("write -1 at position n", lambda xs, n: [*xs[:n], -1, *xs[n + 1 :]]),
    ("give the largest element but the last n", lambda xs, n: max(xs[:-n])),
    ("repeat the element at position n as often as n", lambda xs, n: [xs[n]] * n),
)

_ROW_PLACE: tuple[tuple[str, Fn], ...] = (
    ("drop the row at position n", lambda xs, n: xs[:n] + xs[n + 1 :]),
    ("rotate the rows by n", lambda xs, n: xs[n:] + xs[:n]),
    ("drop the last n rows", lambda xs, n: xs[:-n]),
    ("repeat the last row n times", lambda xs, n: xs[-1:] * n),
)

_VALUE: tuple[tuple[str, Fn], ...] = (
    ("count how often v occurs", lambda xs, v: xs.count(v)),
    ("give all positions of v", lambda xs, v: [i for i, x in enumerate(xs) if x == v]),
    ("write 0 for every v", lambda xs, v: [0 if x == v else x for x in xs]),
    ("write -1 for every v", lambda xs, v: [-1 if x == v else x for x in xs]),
)

_PAIRED: tuple[tuple[str, Fn], ...] = (
    ("keep what both lists have, in the order of the first", lambda xs, ys: [x for x in xs if x in ys]),
    ("drop from the first list what the second has", lambda xs, ys: [x for x in xs if x not in ys]),
    ("count what both lists have", lambda xs, ys: len([x for x in xs if x in ys])),
    ("sort what only the first list has", lambda xs, ys: sorted(x for x in xs if x not in ys)),
    ("give the larger value at every place", lambda xs, ys: [max(p) for p in zip(xs, ys, strict=False)]),
    ("give the smaller value at every place", lambda xs, ys: [min(p) for p in zip(xs, ys, strict=False)]),
    ("multiply the lists place by place", lambda xs, ys: [a * b for a, b in zip(xs, ys, strict=False)]),
    ("pair the lists place by place", lambda xs, ys: [list(p) for p in zip(xs, ys, strict=False)]),
    ("take in turn from both lists", lambda xs, ys: [x for p in zip(xs, ys, strict=False) for x in p]),
)

_BOUNDS: tuple[tuple[str, Fn], ...] = (
    ("list the numbers from a to b", lambda a, b: list(range(a, b + 1))),
    ("list the numbers from b down to a", lambda a, b: list(range(b, a - 1, -1))),
    ("sum the numbers from a to b", lambda a, b: sum(range(a, b + 1))),
    ("list the even numbers from a to b", lambda a, b: [x for x in range(a, b + 1) if x % 2 == 0]),
)

_ONE_NUMBER: tuple[tuple[str, Fn], ...] = (
    ("list the numbers from 1 to n", lambda n: list(range(1, n + 1))),
    ("list the squares from 1 to n", lambda n: [x * x for x in range(1, n + 1)]),
    ("list n zeros", lambda n: [0] * n),
    ("list n ones", lambda n: [1] * n),
)

_AMOUNTS: tuple[tuple[str, Fn], ...] = (
    ("give the distance of the numbers", lambda a, b: abs(a - b)),
    ("give the whole part of a over b", lambda a, b: a // b),
    ("give the remainder of a over b", lambda a, b: a % b),
    ("turn the sign of the sum", lambda a, b: -(a + b)),
    ("give a over b as a decimal number", lambda a, b: a / b),
)

_ROWS: tuple[tuple[str, Fn], ...] = (
    ("turn rows into columns", lambda rows: [list(c) for c in zip(*rows, strict=True)]),
    ("sum every column", lambda rows: [sum(c) for c in zip(*rows, strict=True)]),
    ("give the first row's values after those below", lambda rows: [list(c[::-1]) for c in zip(*rows, strict=True)]),
    ("give the smallest value of every row", lambda rows: [min(row) for row in rows]),
    ("multiply the values of every row", lambda rows: [prod(row) for row in rows]),
)


def families() -> list[Family]:
    """Every family about readings, places and pairs."""
    return [
        *fixed("readings", 3, Kind(name="readings", draw=_readings), *_READINGS),
        *fixed("scores", 3, Kind(name="scores", draw=_scores), *_SCORES),
        *fixed("place", 2, Kind(name="list, place", draw=_place), *_PLACE),
        *fixed("row-at-place", 2, Kind(name="rows, place", draw=_rows_and_place), *_ROW_PLACE),
        *fixed("value", 2, Kind(name="list, value", draw=_value), *_VALUE),
        *fixed("paired", 3, Kind(name="overlapping lists", draw=_overlapping), *_PAIRED),
        *fixed("range", 3, Kind(name="bounds", draw=_bounds), *_BOUNDS),
        *fixed("range-to", 3, Kind(name="number", draw=_one_number), *_ONE_NUMBER),
        *fixed("two-numbers", 2, Kind(name="number, number", draw=_amounts), *_AMOUNTS),
        *fixed("rows-and-columns", 3, Kind(name="rows", draw=_rows), *_ROWS),
    ]
