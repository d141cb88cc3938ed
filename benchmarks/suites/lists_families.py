"""Families of list programs that are more than a chain of list-to-list steps."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from itertools import groupby, pairwise

from benchmarks.suites.frame import Fn, Program
from benchmarks.suites.lists_steps import BASIC, RICHER, Numbers, Step, chain, ordinal
from evolve.core.episodes import Json

Test = Callable[[int], bool]

AGGREGATES: tuple[tuple[str, Callable[[Numbers], int]], ...] = (
    ("the sum", sum),
    ("the number of elements", len),
    ("the largest element", max),
    ("the smallest element", min),
    ("the difference between the largest and the smallest element", lambda xs: max(xs) - min(xs)),
    ("the first element", lambda xs: xs[0]),
    ("the last element", lambda xs: xs[-1]),
    ("the number of distinct elements", lambda xs: len(set(xs))),
    ("the sum of the first and the last element", lambda xs: xs[0] + xs[-1]),
    ("the second largest element", lambda xs: sorted(xs)[-2]),
    ("the element in the middle", lambda xs: xs[len(xs) // 2]),
)


def a_test(rng: random.Random) -> tuple[str, Test, tuple[int, ...]]:
    """A condition on one element: its words, its function, values at its border."""
    k, m = rng.randint(2, 13), rng.choice([2, 3, 4, 5])
    which = rng.randrange(4)
    if which == 0:
        return f"greater than {k}", lambda x: x > k, (k, k + 1)
    if which == 1:
        return f"less than {k}", lambda x: x < k, (k, k - 1)
    if which == 2:
        return f"divisible by {m}", lambda x: x % m == 0, (m,)
    return f"not divisible by {m}", lambda x: x % m != 0, (m,)


def aggregate(rng: random.Random) -> Program:
    text, fn = rng.choice(AGGREGATES)
    return Program(text=f"give {text}", fn=fn)


def nth(rng: random.Random) -> Program:
    place = rng.choice([1, 2, 3, 4, -2, -3])
    return Program(text=f"give the {ordinal(place)} element", fn=lambda xs: xs[place])


def count_value(rng: random.Random) -> Program:
    k = rng.randint(0, 9)
    return Program(text=f"count how often {k} occurs", fn=lambda xs: xs.count(k), notable=(k,) * 4)


def count_if(rng: random.Random) -> Program:
    words, test, notable = a_test(rng)
    return Program(text=f"count the elements {words}", fn=lambda xs: sum(map(test, xs)), notable=notable, rivals=(len,))


def sum_if(rng: random.Random) -> Program:
    words, test, notable = a_test(rng)
    text = f"sum the elements {words}"
    return Program(text=text, fn=lambda xs: sum(x for x in xs if test(x)), notable=notable, rivals=(sum,))


def contains(rng: random.Random) -> Program:
    k = rng.randint(0, 9)
    return Program(text=f"tell whether {k} occurs", fn=lambda xs: k in xs, notable=(k,) * 3)


def quantified(rng: random.Random) -> Program:
    words, test, notable = a_test(rng)
    if rng.random() < 0.5:
        return Program(text=f"tell whether any element is {words}", fn=lambda xs: any(map(test, xs)), notable=notable)
    return Program(text=f"tell whether all elements are {words}", fn=lambda xs: all(map(test, xs)), notable=notable)


def property_of_list(rng: random.Random) -> Program:
    m, k = rng.choice([2, 3]), rng.randint(2, 6)
    programs: tuple[tuple[str, Fn], ...] = (
        ("tell whether the elements are in ascending order", lambda xs: xs == sorted(xs)),
        ("tell whether an element occurs twice", lambda xs: len(set(xs)) < len(xs)),
        (f"tell whether the sum is divisible by {m}", lambda xs: sum(xs) % m == 0),
        (f"tell whether there are more than {k} elements", lambda xs: len(xs) > k),
        ("tell whether the first element is less than the last", lambda xs: xs[0] < xs[-1]),
        ("tell whether the first element occurs again", lambda xs: xs[0] in xs[1:]),
    )
    text, fn = rng.choice(programs)
    return Program(text=text, fn=fn)


def positions(rng: random.Random) -> Program:
    words, test, notable = a_test(rng)
    start = rng.randint(0, 1)
    text = f"give the positions of the elements {words}, counting from {start}"
    return Program(text=text, fn=lambda xs: [i for i, x in enumerate(xs, start) if test(x)], notable=notable)


def first_such(rng: random.Random) -> Program:
    words, test, notable = a_test(rng)
    last = rng.random() < 0.5
    text = f"give the {'last' if last else 'first'} element {words}, or 0 where there is none"
    return Program(
        text=text, fn=lambda xs: next((x for x in (xs[::-1] if last else xs) if test(x)), 0), notable=notable
    )


def extremes(rng: random.Random) -> Program:
    k, largest = rng.randint(2, 4), rng.random() < 0.5
    text = f"give the {k} {'largest' if largest else 'smallest'} elements in order"
    return Program(text=text, fn=lambda xs: sorted(xs, reverse=largest)[:k], rivals=(sorted,))


def part(rng: random.Random) -> Program:
    words, test, notable = a_test(rng)
    text = f"put the elements {words} first, then the others, each in their order"
    return Program(
        text=text, fn=lambda xs: [x for x in xs if test(x)] + [x for x in xs if not test(x)], notable=notable
    )


def map_if(rng: random.Random) -> Program:
    words, test, notable = a_test(rng)
    k, factor = rng.randint(1, 9), rng.randint(2, 3)
    doubles = rng.random() < 0.5
    text = f"{f'multiply the elements {words} by {factor}' if doubles else f'add {k} to the elements {words}'}"
    return Program(
        text=f"{text} and leave the others",
        fn=lambda xs: [(x * factor if doubles else x + k) if test(x) else x for x in xs],
        rivals=(lambda xs: [x * factor if doubles else x + k for x in xs],),
        notable=notable,
    )


def occurrences(rng: random.Random) -> Program:
    k = rng.randint(2, 3)
    programs: tuple[tuple[str, Fn], ...] = (
        ("give how often every element occurs in the list", lambda xs: [xs.count(x) for x in xs]),
        ("keep the elements that occur once", lambda xs: [x for x in xs if xs.count(x) == 1]),
        (f"keep the elements that occur {k} times or more", lambda xs: [x for x in xs if xs.count(x) >= k]),
        (f"sort the distinct elements that occur {k} times or more",
         lambda xs: sorted({x for x in xs if xs.count(x) >= k})),
        ("sort by number of occurrences, rarest first", lambda xs: sorted(xs, key=lambda x: (xs.count(x), x))),
        ("give the most common element, the first of several", lambda xs: Counter(xs).most_common(1)[0][0]),
        ("keep the elements greater than all before them",
         lambda xs: [x for i, x in enumerate(xs) if all(x > y for y in xs[:i])]),
        ("keep the elements equal to the first", lambda xs: [x for x in xs if x == xs[0]]),
        ("drop the elements equal to the last", lambda xs: [x for x in xs if x != xs[-1]]),
        ("keep the elements greater than their position", lambda xs: [x for i, x in enumerate(xs) if x > i]),
        ("keep the elements greater than the one before",
         lambda xs: [b for a, b in pairwise(xs) if b > a]),
        ("keep the elements above the mean", lambda xs: [x for x in xs if x * len(xs) > sum(xs)]),
        ("drop one of each run of equal elements", lambda xs: [x for x, _ in groupby(xs)]),
        ("give the lengths of runs of equal elements", lambda xs: [len(list(run)) for _, run in groupby(xs)]),
    )  # fmt: skip
    text, fn = rng.choice(programs)
    return Program(text=text, fn=fn, notable=(3, 3, 4, 4))


def digits(rng: random.Random) -> Program:
    programs: tuple[tuple[str, Fn], ...] = (
        ("replace every element by the sum of its digits", lambda xs: [sum(map(int, str(abs(x)))) for x in xs]),
        ("replace every element by its last digit", lambda xs: [abs(x) % 10 for x in xs]),
        ("replace every element by its number of digits", lambda xs: [len(str(abs(x))) for x in xs]),
        ("keep the elements with two digits", lambda xs: [x for x in xs if len(str(abs(x))) == 2]),
        ("read the last digits of the elements as one number", lambda xs: int("".join(str(abs(x) % 10) for x in xs))),
        ("count the digits of all elements together", lambda xs: sum(len(str(abs(x))) for x in xs)),
        ("reverse the digits of every element", lambda xs: [int(str(abs(x))[::-1]) for x in xs]),
    )
    text, fn = rng.choice(programs)
    return Program(text=text, fn=fn, notable=(10, 42, 77))


def chunks(rng: random.Random) -> Program:
    k, windows = rng.randint(2, 4), rng.random() < 0.4
    if windows:
        text = f"give every stretch of {k} neighbouring elements"
        return Program(text=text, fn=lambda xs: [xs[i : i + k] for i in range(len(xs) - k + 1)])
    return Program(text=f"cut the list into pieces of {k}", fn=lambda xs: [xs[i : i + k] for i in range(0, len(xs), k)])


def chunk_sums(rng: random.Random) -> Program:
    k = rng.randint(2, 4)
    name, fn = rng.choice(AGGREGATES[:7])
    windows = rng.random() < 0.5
    text = f"give {name} of every {f'stretch of {k} neighbours' if windows else f'piece of {k}'}"

    def run(xs: Numbers) -> Numbers:
        starts = range(len(xs) - k + 1) if windows else range(0, len(xs), k)
        return [fn(xs[i : i + k]) for i in starts]

    return Program(text=text, fn=run)


def split_at(rng: random.Random) -> Program:
    k = rng.randint(0, 9)
    which = rng.randrange(3)

    def run(xs: Numbers) -> Json:
        place = xs.index(k)
        return (xs[:place], xs[place + 1 :], [xs[:place], xs[place + 1 :]])[which]

    what = ("give what stands before", "give what stands after", "split the list at")[which]
    return Program(text=f"{what} the first {k}", fn=run, notable=(k,) * 4)


def groups_of(rng: random.Random) -> Program:
    words, test, notable = a_test(rng)
    programs: tuple[tuple[str, Fn], ...] = (
        (f"separate the elements {words} from the others",
         lambda xs: [[x for x in xs if test(x)], [x for x in xs if not test(x)]]),
        (f"cut the list into runs of elements {words} or not",
         lambda xs: [list(run) for _, run in groupby(xs, key=test)]),
        (f"give the longest run of elements {words}",
         lambda xs: max((list(run) for good, run in groupby(xs, key=test) if good), key=len, default=[])),
        ("pair every element with its number of occurrences", lambda xs: [[x, xs.count(x)] for x in dict.fromkeys(xs)]),
    )  # fmt: skip
    text, fn = rng.choice(programs)
    return Program(text=text, fn=fn, notable=notable)


def conditional(rng: random.Random) -> Program:
    k, m, size = rng.randint(4, 14), rng.choice([2, 3]), rng.randint(3, 5)
    conditions: tuple[tuple[str, Callable[[Numbers], bool]], ...] = (
        (f"there are more than {size} elements", lambda xs: len(xs) > size),
        (f"the first element is greater than {k}", lambda xs: xs[0] > k),
        (f"the sum is divisible by {m}", lambda xs: sum(xs) % m == 0),
        ("the first element is less than the last", lambda xs: xs[0] < xs[-1]),
    )
    words, test = rng.choice(conditions)
    one, other = (make(rng) for make in rng.sample(BASIC, 2))
    return Program(
        text=f"if {words}, {one.text}, otherwise {other.text}",
        fn=lambda xs: one.run(xs) if test(xs) else other.run(xs),
        rivals=(one.run, other.run),
        notable=(*one.notable, *other.notable),
    )


def around(rng: random.Random) -> Program:
    """The list with a fact about itself put in front or behind."""
    name, fact = rng.choice(AGGREGATES)
    front = rng.random() < 0.5
    step = rng.choice(BASIC)(rng)
    text = f"{step.text}, then put {name} of that {'in front' if front else 'at the end'}"

    def run(xs: Numbers) -> Numbers:
        ys = step.run(xs)
        return [fact(ys), *ys] if front else [*ys, fact(ys)]

    return Program(text=text, fn=run, rivals=(step.run,), notable=step.notable)


def compare_all(rng: random.Random) -> Program:
    """Every element combined with one fact about the whole list."""
    name, fact = rng.choice(AGGREGATES)
    which = rng.randrange(3)
    text = (f"add {name} to every element", f"subtract {name} from every element", f"keep the elements below {name}")

    def run(xs: Numbers) -> Numbers:
        if not xs:
            return []
        value = fact(xs)
        return ([x + value for x in xs], [x - value for x in xs], [x for x in xs if x < value])[which]

    return Program(text=text[which], fn=run)


def reduce_after(rng: random.Random) -> Program:
    name, fact = rng.choice(AGGREGATES)
    step = rng.choice(RICHER)(rng)
    text = f"{step.text}, then give {name}"
    return Program(text=text, fn=lambda xs: fact(step.run(xs)), rivals=(fact,), notable=step.notable)


def reduce_after_two(rng: random.Random) -> Program:
    name, fact = rng.choice(AGGREGATES)
    steps = _distinct(rng, 2)
    joined = chain(steps)
    return Program(
        text=f"{joined.text}, then give {name}",
        fn=lambda xs: fact(joined.run(xs)),
        rivals=tuple(_after(fact, step) for step in steps),
        notable=joined.notable,
    )


def _after(fact: Callable[[Numbers], int], step: Step) -> Fn:
    return lambda xs: fact(step.run(xs))


def chained(count: int) -> Callable[[random.Random], Program]:
    """A maker of chains of ``count`` different steps, none of which can be left out."""

    def make(rng: random.Random) -> Program:
        steps = _distinct(rng, count)
        whole = chain(steps)
        shorter = tuple(chain(steps[:i] + steps[i + 1 :]).run for i in range(count))
        return Program(text=whole.text, fn=whole.run, rivals=shorter, notable=whole.notable)

    return make


def _distinct(rng: random.Random, count: int) -> list[Step]:
    return [make(rng) for make in rng.sample(RICHER, count)]
