"""List programs of two arguments, and programs over lists of lists."""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import pairwise

from benchmarks.suites.frame import Fn, Program
from benchmarks.suites.lists_steps import BASIC, Numbers


def with_number(rng: random.Random) -> Program:
    """A list and a number: list out."""
    programs: tuple[tuple[str, Fn], ...] = (
        ("keep the first n elements", lambda xs, n: xs[:n]),
        ("drop the first n elements", lambda xs, n: xs[n:]),
        ("keep the last n elements", lambda xs, n: xs[max(0, len(xs) - n) :]),
        ("keep the elements greater than n", lambda xs, n: [x for x in xs if x > n]),
        ("keep the elements up to n", lambda xs, n: [x for x in xs if x <= n]),
        ("drop every n", lambda xs, n: [x for x in xs if x != n]),
        ("add n to every element", lambda xs, n: [x + n for x in xs]),
        ("multiply every element by n", lambda xs, n: [x * n for x in xs]),
        ("keep the elements divisible by n", lambda xs, n: [x for x in xs if x % n == 0]),
        ("replace every element by its remainder modulo n", lambda xs, n: [x % n for x in xs]),
        ("append n", lambda xs, n: [*xs, n]),
        ("put n in front of the reversed list", lambda xs, n: [n, *xs[::-1]]),
        ("rotate the list left by n", lambda xs, n: xs[n % len(xs) :] + xs[: n % len(xs)]),
        ("give the n smallest elements", lambda xs, n: sorted(xs)[:n]),
        ("give the n largest elements, largest first", lambda xs, n: sorted(xs, reverse=True)[:n]),
        ("put n between the elements", lambda xs, n: [y for x in xs for y in (n, x)][1:]),
        ("sort by distance from n", lambda xs, n: sorted(xs, key=lambda x: abs(x - n))),
        ("insert n so that a sorted list stays sorted", lambda xs, n: sorted([*xs, n])),
        ("keep every n-th element", lambda xs, n: xs[n - 1 :: n]),
        ("give the positions of n", lambda xs, n: [i for i, x in enumerate(xs) if x == n]),
        ("lower elements above n to n", lambda xs, n: [min(x, n) for x in xs]),
        ("cut the list into pieces of n and keep the first of each", lambda xs, n: xs[::n]),
    )
    text, fn = rng.choice(programs)
    return Program(text=text, fn=fn)


def with_number_after(rng: random.Random) -> Program:
    """A list step, then one that uses the number."""
    step = rng.choice(BASIC)(rng)
    first = with_number(rng)
    text = f"{step.text}, then {first.text}"
    return Program(text=text, fn=lambda xs, n: first.fn(step.run(xs), n), rivals=(first.fn,), notable=step.notable)


def number_from_both(rng: random.Random) -> Program:
    """A list and a number: a number out."""
    k = rng.randint(1, 5)
    programs: tuple[tuple[str, Fn], ...] = (
        ("count how often n occurs", lambda xs, n: xs.count(n)),
        ("count the elements greater than n", lambda xs, n: sum(x > n for x in xs)),
        ("give the element at position n", lambda xs, n: xs[n]),
        ("give the n-th element", lambda xs, n: xs[n - 1]),
        ("give the n-th largest element", lambda xs, n: sorted(xs, reverse=True)[n - 1]),
        ("sum the first n elements", lambda xs, n: sum(xs[:n])),
        ("sum the elements up to n", lambda xs, n: sum(x for x in xs if x <= n)),
        ("give the element closest to n", lambda xs, n: min(xs, key=lambda x: abs(x - n))),
        ("give the largest element up to n", lambda xs, n: max(x for x in xs if x <= n)),
        ("multiply the sum by n", lambda xs, n: sum(xs) * n),
        (f"count the elements within {k} of n", lambda xs, n: sum(abs(x - n) <= k for x in xs)),
        (f"give the element at position n, plus {k}", lambda xs, n: xs[n] + k),
    )
    text, fn = rng.choice(programs)
    return Program(text=text, fn=fn)


def test_of_both(rng: random.Random) -> Program:
    k = rng.randint(1, 4)
    programs: tuple[tuple[str, Fn], ...] = (
        ("tell whether n occurs", lambda xs, n: n in xs),
        ("tell whether all elements are greater than n", lambda xs, n: all(x > n for x in xs)),
        ("tell whether there are more than n elements", lambda xs, n: len(xs) > n),
        ("tell whether two neighbouring elements are at most n apart",
         lambda xs, n: any(abs(a - b) <= n for a, b in pairwise(xs))),
        ("tell whether the sum is divisible by n", lambda xs, n: sum(xs) % n == 0),
        ("tell whether n is larger than every element", lambda xs, n: n > max(xs)),
        (f"tell whether the number of elements greater than n is at least {k}",
         lambda xs, n: sum(x > n for x in xs) >= k),
    )  # fmt: skip
    text, fn = rng.choice(programs)
    return Program(text=text, fn=fn)


PAIRWISE: tuple[tuple[str, Callable[[int, int], int]], ...] = (
    ("sums", lambda a, b: a + b),
    ("differences", lambda a, b: a - b),
    ("products", lambda a, b: a * b),
    ("maxima", max),
    ("minima", min),
)


def zipped(rng: random.Random) -> Program:
    """Two lists, element by element."""
    name, join = rng.choice(PAIRWISE)
    k = rng.choice([0, 1, 2, 3, 5])
    text = f"give the {name} of elements at the same position" + (f", plus {k}" if k else "")
    return Program(text=text, fn=lambda xs, ys: [join(a, b) + k for a, b in zip(xs, ys, strict=False)])


def merged(rng: random.Random) -> Program:
    k = rng.randint(1, 3)
    programs: tuple[tuple[str, Fn], ...] = (
        ("put the second list behind the first", lambda xs, ys: xs + ys),
        ("put the reversed second list behind the first", lambda xs, ys: xs + ys[::-1]),
        ("take elements in turn from both lists", lambda xs, ys: [z for p in zip(xs, ys, strict=False) for z in p]),
        ("sort the elements of both lists together", lambda xs, ys: sorted(xs + ys)),
        ("keep the elements of the first list that are in the second", lambda xs, ys: [x for x in xs if x in ys]),
        ("drop the elements of the first list that are in the second", lambda xs, ys: [x for x in xs if x not in ys]),
        ("sort the distinct elements of both lists", lambda xs, ys: sorted({*xs, *ys})),
        ("sort the distinct elements that both lists have", lambda xs, ys: sorted({*xs} & {*ys})),
        ("give the longer list, the first of two equally long ones", lambda xs, ys: max(xs, ys, key=len)),
        ("give the list with the greater sum", lambda xs, ys: max(xs, ys, key=sum)),
        (f"join the first {k} elements of both lists", lambda xs, ys: xs[:k] + ys[:k]),
        (f"join the last {k} elements of both lists", lambda xs, ys: xs[-k:] + ys[-k:]),
        (f"put the second list after the first {k} elements of the first", lambda xs, ys: xs[:k] + ys + xs[k:]),
        ("pair elements at the same position", lambda xs, ys: [[a, b] for a, b in zip(xs, ys, strict=False)]),
        ("keep elements of the first list greater than the one at the same position of the second",
         lambda xs, ys: [a for a, b in zip(xs, ys, strict=False) if a > b]),
    )  # fmt: skip
    text, fn = rng.choice(programs)
    return Program(text=text, fn=fn)


def number_from_two(rng: random.Random) -> Program:
    programs: tuple[tuple[str, Fn], ...] = (
        ("give the sum of products at the same position",
         lambda xs, ys: sum(a * b for a, b in zip(xs, ys, strict=False))),
        ("count equal elements at the same position", lambda xs, ys: sum(a == b for a, b in zip(xs, ys, strict=False))),
        ("count the elements of the first list that are in the second", lambda xs, ys: sum(x in ys for x in xs)),
        ("give the difference of the sums", lambda xs, ys: sum(xs) - sum(ys)),
        ("give the largest element of both lists", lambda xs, ys: max(xs + ys)),
        ("give the difference of the lengths", lambda xs, ys: len(xs) - len(ys)),
        ("add the largest of the first list to the smallest of the second", lambda xs, ys: max(xs) + min(ys)),
        ("count where the first list is greater", lambda xs, ys: sum(a > b for a, b in zip(xs, ys, strict=False))),
    )  # fmt: skip
    text, fn = rng.choice(programs)
    return Program(text=text, fn=fn)


ROW_FACTS: tuple[tuple[str, Callable[[Numbers], int]], ...] = (
    ("the sum", sum),
    ("the length", len),
    ("the largest element", max),
    ("the smallest element", min),
    ("the first element", lambda row: row[0]),
    ("the last element", lambda row: row[-1]),
)


def row_facts(rng: random.Random) -> Program:
    name, fact = rng.choice(ROW_FACTS)
    k = rng.choice([0, 0, 1, 2, 10])
    text = f"give {name} of every inner list" + (f", plus {k}" if k else "")
    return Program(text=text, fn=lambda rows: [fact(row) + k for row in rows])


def row_choice(rng: random.Random) -> Program:
    name, fact = rng.choice(ROW_FACTS)
    largest = rng.random() < 0.5
    which = rng.randrange(2)
    if which:
        text = f"sort the inner lists by {name}" + (", largest first" if largest else "")
        return Program(text=text, fn=lambda rows: sorted(rows, key=fact, reverse=largest))
    choose = max if largest else min
    text = f"give the inner list where {name} is {'largest' if largest else 'smallest'}"
    return Program(text=text, fn=lambda rows: choose(rows, key=fact))


def row_filter(rng: random.Random) -> Program:
    name, fact = rng.choice(ROW_FACTS)
    k = rng.randint(2, 4) if fact is len else rng.randint(4, 16)
    text = f"keep the inner lists where {name} is {k} or more"
    return Program(text=text, fn=lambda rows: [row for row in rows if fact(row) >= k], notable=(k,))


def flatten(rng: random.Random) -> Program:
    step = rng.choice(BASIC)(rng)
    inner = rng.random() < 0.5

    def run(rows: list[Numbers]) -> Numbers:
        if inner:
            return [x for row in rows for x in step.run(row)]
        return step.run([x for row in rows for x in row])

    text = f"in every inner list {step.text}, then join them" if inner else f"join the inner lists, then {step.text}"
    return Program(text=text, fn=run, rivals=(lambda rows: [x for row in rows for x in row],), notable=step.notable)


def row_map(rng: random.Random) -> Program:
    step = rng.choice(BASIC)(rng)
    return Program(text=f"in every inner list {step.text}", fn=lambda rows: [step.run(row) for row in rows])


def column(rng: random.Random) -> Program:
    k = rng.randint(0, 1)
    programs: tuple[tuple[str, Fn], ...] = (
        (f"give column {k + 1}", lambda rows: [row[k] for row in rows]),
        (f"sum column {k + 1}", lambda rows: sum(row[k] for row in rows)),
        (f"give the largest value in column {k + 1}", lambda rows: max(row[k] for row in rows)),
        (f"sort the inner lists by column {k + 1}", lambda rows: sorted(rows, key=lambda row: row[k])),
        ("turn rows into columns", lambda rows: [list(c) for c in zip(*rows, strict=False)]),
        ("sum all elements of all inner lists", lambda rows: sum(map(sum, rows))),
        ("count all elements of all inner lists", lambda rows: sum(map(len, rows))),
        ("sort the distinct elements of all inner lists", lambda rows: sorted({x for row in rows for x in row})),
        (f"drop the first {k + 1} inner lists and join the others",
         lambda rows: [x for row in rows[k + 1 :] for x in row]),
        ("reverse the order of the inner lists and of their elements", lambda rows: [row[::-1] for row in rows[::-1]]),
    )  # fmt: skip
    text, fn = rng.choice(programs)
    return Program(text=text, fn=fn)
