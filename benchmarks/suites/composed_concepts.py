"""Hidden concepts of the ``composed`` suite: small compositions that later tasks use again and again."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from itertools import accumulate, pairwise

from evolve.core.episodes import Json


@dataclass(frozen=True, kw_only=True)
class Concept:
    """A function from a type to itself, made of two to four plain operations."""

    name: str
    text: str
    run: Callable[[Json], Json]
    notable: tuple[int, ...] = ()


MakeConcept = Callable[[random.Random], Concept]


def _sorted_above(rng: random.Random) -> Concept:
    k = rng.randint(4, 9)
    text = f"keep the elements above {k} and sort them"
    return Concept(name="sorted-above", text=text, run=lambda xs: sorted(x for x in xs if x > k), notable=(k, k + 1))


def _running_tail(rng: random.Random) -> Concept:
    return Concept(
        name="running-tail",
        text="drop the first element and give running sums",
        run=lambda xs: list(accumulate(xs[1:])),
    )


def _distinct_backwards(rng: random.Random) -> Concept:
    k = rng.randint(1, 5)
    text = f"keep the first occurrence of every element, reverse, and add {k} to each"
    return Concept(name="distinct-backwards", text=text, run=lambda xs: [x + k for x in reversed(dict.fromkeys(xs))])


def _without_largest(rng: random.Random) -> Concept:
    k = rng.choice([-3, -2, 2, 3, 4])
    text = f"sort, drop the largest element, and add {k} to each"
    return Concept(name="without-largest", text=text, run=lambda xs: [x + k for x in sorted(xs)[:-1]])


def _absolute_steps(rng: random.Random) -> Concept:
    text = "give the absolute differences of neighbours"
    return Concept(name="absolute-steps", text=text, run=lambda xs: [abs(b - a) for a, b in pairwise(xs)])


def _neighbour_sums(rng: random.Random) -> Concept:
    return Concept(name="neighbour-sums", text="add up neighbours", run=lambda xs: [a + b for a, b in pairwise(xs)])


def _few_largest(rng: random.Random) -> Concept:
    k = rng.randint(3, 4)
    text = f"give the {k} largest elements, smallest first"
    return Concept(name="few-largest", text=text, run=lambda xs: sorted(xs)[-k:])


def _capped(rng: random.Random) -> Concept:
    k = rng.randint(6, 10)
    text = f"lower elements above {k} to {k}"
    return Concept(name="capped", text=text, run=lambda xs: [min(x, k) for x in xs], notable=(k + 1,))


def _raised_backwards(rng: random.Random) -> Concept:
    k = rng.randint(2, 6)
    text = f"add {k} to each and reverse"
    return Concept(name="raised-backwards", text=text, run=lambda xs: [x + k for x in xs][::-1])


def _lowered_sorted(rng: random.Random) -> Concept:
    k = rng.randint(2, 6)
    text = f"subtract {k} from each and sort, largest first"
    return Concept(name="lowered-sorted", text=text, run=lambda xs: sorted((x - k for x in xs), reverse=True))


def _doubled_framed(rng: random.Random) -> Concept:
    k = rng.randint(5, 15)
    text = f"double each and append {k}"
    return Concept(name="doubled-framed", text=text, run=lambda xs: [*(2 * x for x in xs), k])


def _size_between(rng: random.Random) -> Concept:
    text = "reverse, append the number of elements, and the first element behind it"
    return Concept(name="size-between", text=text, run=lambda xs: [*xs[::-1], len(xs), *xs[:1]])


def _sorted_words(rng: random.Random) -> Concept:
    return Concept(name="sorted-words", text="sort the words", run=lambda s: " ".join(sorted(s.split())))


def _words_backwards(rng: random.Random) -> Concept:
    text = "reverse the order of the words"
    return Concept(name="words-backwards", text=text, run=lambda s: " ".join(reversed(s.split())))


def _counted_words(rng: random.Random) -> Concept:
    text = "append the number of words as a further word"
    return Concept(name="counted-words", text=text, run=lambda s: f"{s} {len(s.split())}")


def _last_first(rng: random.Random) -> Concept:
    text = "move the last word to the front"
    return Concept(
        name="last-first",
        text=text,
        run=lambda s: " ".join([s.split()[-1], *s.split()[:-1]]) if s.split() else "",
    )


def _loud_first(rng: random.Random) -> Concept:
    text = "write the first word in capitals"
    return Concept(
        name="loud-first", text=text, run=lambda s: " ".join([*(w.upper() for w in s.split()[:1]), *s.split()[1:]])
    )


def _marked_backwards(rng: random.Random) -> Concept:
    mark = rng.choice(["#", "@", "*"])
    text = f"write backwards with {mark!r} in front"
    return Concept(name="marked-backwards", text=text, run=lambda s: mark + s[::-1])


def _loud_marked(rng: random.Random) -> Concept:
    mark = rng.choice(["!", "?", "."])
    text = f"write in capitals and put {mark!r} behind"
    return Concept(name="loud-marked", text=text, run=lambda s: s.upper() + mark)


def _with_initials(rng: random.Random) -> Concept:
    text = "append the initials of the words in capitals as a further word"
    return Concept(name="with-initials", text=text, run=lambda s: s + " " + "".join(w[0] for w in s.split()).upper())


NUMBER_CONCEPTS: tuple[MakeConcept, ...] = (
    _sorted_above, _running_tail, _distinct_backwards, _without_largest, _absolute_steps, _neighbour_sums,
    _few_largest, _capped, _raised_backwards, _lowered_sorted, _doubled_framed, _size_between,
)  # fmt: skip
TEXT_CONCEPTS: tuple[MakeConcept, ...] = (
    _sorted_words, _words_backwards, _counted_words, _last_first, _loud_first, _marked_backwards, _loud_marked,
    _with_initials,
)  # fmt: skip

DRESSINGS_OF_NUMBERS: tuple[tuple[str, Callable[[Json], Json]], ...] = (
    ("sum that", sum),
    ("give the largest of that", max),
    ("reverse that", lambda xs: xs[::-1]),
    ("keep the first 3 of that", lambda xs: xs[:3]),
    ("count that", len),
    ("add 1 to each", lambda xs: [x + 1 for x in xs]),
    ("sort that", sorted),
    ("drop the first of that", lambda xs: xs[1:]),
    ("give the last of that", lambda xs: xs[-1]),
)
DRESSINGS_OF_TEXT: tuple[tuple[str, Callable[[Json], Json]], ...] = (
    ("give the number of characters", len),
    ("write that in capitals", str.upper),
    ("put parentheses around it", lambda s: f"({s})"),
    ("give the words", str.split),
    ("keep the first 8 characters", lambda s: s[:8]),
    ("write '-' for blanks", lambda s: s.replace(" ", "-")),
    ("give the last word", lambda s: s.split()[-1]),
    ("give the number of words", lambda s: len(s.split())),
)
