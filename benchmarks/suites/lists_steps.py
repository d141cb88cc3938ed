"""Single steps over lists of integers, list in and list out, from which list programs are composed."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from itertools import accumulate

Numbers = list[int]


@dataclass(frozen=True, kw_only=True)
class Step:
    """One step with its parameters chosen."""

    text: str
    run: Callable[[Numbers], Numbers]
    notable: tuple[int, ...] = ()


MakeStep = Callable[[random.Random], Step]


def ordinal(position: int) -> str:
    """``first`` for 0, ``second`` for 1, and ``last`` for -1."""
    names = ("first", "second", "third", "fourth", "fifth", "sixth")
    if position >= 0:
        return names[position]
    return "last" if position == -1 else f"{names[-position - 1]} from the end"


def take(rng: random.Random) -> Step:
    n = rng.randint(1, 5)
    if rng.random() < 0.5:
        return Step(text=f"keep the first {n} elements", run=lambda xs: xs[:n])
    return Step(text=f"keep the last {n} elements", run=lambda xs: xs[-n:])


def drop(rng: random.Random) -> Step:
    n = rng.randint(1, 4)
    if rng.random() < 0.5:
        return Step(text=f"drop the first {n} elements", run=lambda xs: xs[n:])
    return Step(text=f"drop the last {n} elements", run=lambda xs: xs[: max(0, len(xs) - n)])


def cut(rng: random.Random) -> Step:
    start, length = rng.randint(1, 3), rng.randint(2, 4)
    end = start + length
    return Step(text=f"keep the {length} elements from position {start + 1} on", run=lambda xs: xs[start:end])


def trim(rng: random.Random) -> Step:
    left, right = rng.randint(1, 2), rng.randint(1, 2)
    text = f"drop the first {left} and the last {right} elements"
    return Step(text=text, run=lambda xs: xs[left : max(left, len(xs) - right)])


def stride(rng: random.Random) -> Step:
    every = rng.randint(2, 3)
    start = rng.randrange(every)
    text = f"keep every {ordinal(every - 1)} element, beginning with the {ordinal(start)}"
    return Step(text=text, run=lambda xs: xs[start::every])


def plus(rng: random.Random) -> Step:
    k = rng.choice([-9, -7, -5, -4, -3, -2, -1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
    return Step(text=f"add {k} to every element", run=lambda xs: [x + k for x in xs])


def times(rng: random.Random) -> Step:
    k = rng.choice([-2, -1, 2, 3, 4, 5, 6])
    return Step(text=f"multiply every element by {k}", run=lambda xs: [x * k for x in xs])


def affine(rng: random.Random) -> Step:
    a, b = rng.choice([-1, 2, 3, 4]), rng.choice([-5, -3, -2, -1, 1, 2, 3, 5, 7, 10])
    return Step(text=f"multiply every element by {a} and add {b}", run=lambda xs: [a * x + b for x in xs])


def modulo(rng: random.Random) -> Step:
    m = rng.choice([2, 3, 4, 5, 6, 7, 8, 9, 10])
    return Step(text=f"replace every element by its remainder modulo {m}", run=lambda xs: [x % m for x in xs])


def floor_divide(rng: random.Random) -> Step:
    m = rng.choice([2, 3, 4, 5, 6, 10])
    return Step(text=f"divide every element by {m}, rounding down", run=lambda xs: [x // m for x in xs])


def clamp(rng: random.Random) -> Step:
    k = rng.randint(3, 12)
    if rng.random() < 0.5:
        return Step(text=f"lower elements above {k} to {k}", run=lambda xs: [min(x, k) for x in xs], notable=(k + 1,))
    return Step(text=f"raise elements below {k} to {k}", run=lambda xs: [max(x, k) for x in xs], notable=(k - 1,))


def above(rng: random.Random) -> Step:
    k = rng.randint(1, 14)
    text = f"keep the elements greater than {k}"
    return Step(text=text, run=lambda xs: [x for x in xs if x > k], notable=(k, k + 1))


def below(rng: random.Random) -> Step:
    k = rng.randint(3, 15)
    text = f"keep the elements less than {k}"
    return Step(text=text, run=lambda xs: [x for x in xs if x < k], notable=(k, k - 1))


def between(rng: random.Random) -> Step:
    low = rng.randint(0, 6)
    high = low + rng.randint(4, 9)
    text = f"keep the elements from {low} to {high}"
    return Step(text=text, run=lambda xs: [x for x in xs if low <= x <= high], notable=(low, high, high + 1))


def divisible(rng: random.Random) -> Step:
    m, keep = rng.choice([2, 3, 4, 5]), rng.random() < 0.5
    text = f"{'keep' if keep else 'drop'} the elements divisible by {m}"
    return Step(text=text, run=lambda xs: [x for x in xs if (x % m == 0) == keep], notable=(m, 2 * m))


def without(rng: random.Random) -> Step:
    k = rng.randint(0, 9)
    return Step(text=f"drop every {k}", run=lambda xs: [x for x in xs if x != k], notable=(k,) * 3)


def swap_value(rng: random.Random) -> Step:
    a, b = rng.sample(range(10), 2)
    text = f"replace every {a} by {b}"
    return Step(text=text, run=lambda xs: [b if x == a else x for x in xs], notable=(a,) * 3)


def append(rng: random.Random) -> Step:
    k = rng.randint(0, 20)
    return Step(text=f"append {k}", run=lambda xs: [*xs, k])


def prepend(rng: random.Random) -> Step:
    k = rng.randint(0, 20)
    return Step(text=f"put {k} in front", run=lambda xs: [k, *xs])


def insert(rng: random.Random) -> Step:
    k, place = rng.randint(0, 20), rng.randint(1, 3)
    return Step(text=f"insert {k} after the first {place} elements", run=lambda xs: [*xs[:place], k, *xs[place:]])


def overwrite(rng: random.Random) -> Step:
    k, place = rng.randint(0, 20), rng.randint(0, 3)
    text = f"replace the {ordinal(place)} element by {k}"
    return Step(text=text, run=lambda xs: [k if i == place else x for i, x in enumerate(xs)])


def delete(rng: random.Random) -> Step:
    place = rng.randint(1, 4)
    return Step(text=f"drop the {ordinal(place)} element", run=lambda xs: xs[:place] + xs[place + 1 :])


def swap_places(rng: random.Random) -> Step:
    a, b = sorted(rng.sample(range(5), 2))

    def run(xs: Numbers) -> Numbers:
        ys = list(xs)
        if b < len(ys):
            ys[a], ys[b] = ys[b], ys[a]
        return ys

    return Step(text=f"swap the {ordinal(a)} and the {ordinal(b)} element", run=run)


def frame(rng: random.Random) -> Step:
    front = rng.sample(range(0, 30), rng.randint(1, 2))
    back = rng.sample(range(0, 30), rng.randint(1, 2))
    return Step(text=f"put {front} in front and {back} at the end", run=lambda xs: front + xs + back)


def reverse(rng: random.Random) -> Step:
    return Step(text="reverse the list", run=lambda xs: xs[::-1])


def order(rng: random.Random) -> Step:
    descending = rng.random() < 0.5
    text = "sort the elements" + (", largest first" if descending else "")
    return Step(text=text, run=lambda xs: sorted(xs, reverse=descending))


def order_by(rng: random.Random) -> Step:
    which = rng.randrange(3)
    if which == 0:
        m = rng.choice([2, 3, 4, 5, 10])
        return Step(text=f"sort the elements by their remainder modulo {m}", run=lambda xs: sorted(xs, key=_mod(m)))
    k = rng.randint(2, 12)
    if which == 1:
        return Step(text=f"sort the elements by their distance from {k}", run=lambda xs: sorted(xs, key=_distance(k)))
    text = f"move the elements up to {k} to the front"
    return Step(text=text, run=lambda xs: [x for x in xs if x <= k] + [x for x in xs if x > k], notable=(k,))


def _mod(m: int) -> Callable[[int], int]:
    return lambda x: x % m


def _distance(k: int) -> Callable[[int], int]:
    return lambda x: abs(x - k)


def unique(rng: random.Random) -> Step:
    which = rng.randrange(3)
    if which == 0:
        return Step(text="keep the first occurrence of every element", run=lambda xs: list(dict.fromkeys(xs)))
    if which == 1:
        return Step(text="keep the last occurrence of every element", run=_last_occurrences)
    return Step(text="sort the distinct elements", run=lambda xs: sorted(set(xs)))


def _last_occurrences(xs: Numbers) -> Numbers:
    return list(dict.fromkeys(xs[::-1]))[::-1]


def rotate(rng: random.Random) -> Step:
    k = rng.choice([-3, -2, -1, 1, 2, 3])
    text = f"rotate the list {'left' if k > 0 else 'right'} by {abs(k)}"
    return Step(text=text, run=lambda xs: xs[k % len(xs) :] + xs[: k % len(xs)] if xs else [])


def neighbours(rng: random.Random) -> Step:
    gap = rng.choice([1, 1, 2])
    which = rng.randrange(4)
    texts = ("differences", "sums", "maxima", "products")
    joins: tuple[Callable[[int, int], int], ...] = (
        lambda a, b: b - a,
        lambda a, b: a + b,
        max,
        lambda a, b: a * b,
    )
    text = f"give the {texts[which]} of elements {gap} apart"
    return Step(text=text, run=lambda xs: [joins[which](a, b) for a, b in zip(xs, xs[gap:], strict=False)])


def running(rng: random.Random) -> Step:
    which = rng.randrange(3)
    text = ("running sums", "running maxima", "running minima")[which]
    runs: tuple[Callable[[Numbers], Numbers], ...] = (
        lambda xs: list(accumulate(xs)),
        lambda xs: list(accumulate(xs, max)),
        lambda xs: list(accumulate(xs, min)),
    )
    return Step(text=f"give the {text}", run=runs[which])


def with_position(rng: random.Random) -> Step:
    which, start = rng.randrange(3), rng.randint(0, 1)
    text = ("add its position to", "multiply by its position", "subtract its position from")[which]
    joins: tuple[Callable[[int, int], int], ...] = (
        lambda x, i: x + i,
        lambda x, i: x * i,
        lambda x, i: x - i,
    )
    text = f"{text} every element, counting from {start}"
    return Step(text=text, run=lambda xs: [joins[which](x, i) for i, x in enumerate(xs, start)])


def repeat(rng: random.Random) -> Step:
    k = rng.randint(2, 3)
    if rng.random() < 0.5:
        return Step(text=f"repeat every element {k} times", run=lambda xs: [x for x in xs for _ in range(k)])
    return Step(text=f"repeat the list {k} times", run=lambda xs: xs * k)


def mirror(rng: random.Random) -> Step:
    which = rng.randrange(3)
    text = ("append the reversed list", "put the reversed list in front", "append the list without its first element")
    runs: tuple[Callable[[Numbers], Numbers], ...] = (
        lambda xs: xs + xs[::-1],
        lambda xs: xs[::-1] + xs,
        lambda xs: xs + xs[1:],
    )
    return Step(text=text[which], run=runs[which])


def sprinkle(rng: random.Random) -> Step:
    k = rng.randint(0, 12)
    if rng.random() < 0.5:
        return Step(text=f"put {k} after every element", run=lambda xs: [y for x in xs for y in (x, k)])
    return Step(text=f"put {k} between the elements", run=lambda xs: [y for x in xs for y in (k, x)][1:])


def while_true(rng: random.Random) -> Step:
    k, take_them = rng.randint(4, 14), rng.random() < 0.5

    def run(xs: Numbers) -> Numbers:
        stop = next((i for i, x in enumerate(xs) if x >= k), len(xs))
        return xs[:stop] if take_them else xs[stop:]

    text = f"{'keep' if take_them else 'drop'} the elements before the first one that is {k} or more"
    return Step(text=text, run=run, notable=(k,))


BASIC: tuple[MakeStep, ...] = (
    take, drop, plus, times, above, below, divisible, without, append, prepend, reverse, order, unique,
)  # fmt: skip
RICHER: tuple[MakeStep, ...] = (
    *BASIC, cut, trim, stride, affine, modulo, floor_divide, clamp, between, swap_value, insert, overwrite,
    delete, swap_places, frame, order_by, rotate, neighbours, running, with_position, repeat, mirror, sprinkle,
    while_true,
)  # fmt: skip


def chain(steps: list[Step]) -> Step:
    """The steps one after the other."""

    def run(xs: Numbers) -> Numbers:
        for step in steps:
            xs = step.run(xs)
        return xs

    text = ", then ".join(step.text for step in steps)
    return Step(text=text, run=run, notable=tuple(value for step in steps for value in step.notable))
