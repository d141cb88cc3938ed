"""Hidden concepts of the ``composed`` suite: small compositions that later tasks use again and again."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from itertools import accumulate, pairwise

from evolve.episodes import Json

Numbers = list[int]


@dataclass(frozen=True, kw_only=True)
class Concept:
    """A function from a type to itself, made of three or four plain operations."""

    name: str
    text: str
    run: Callable[[Json], Json]
    notable: tuple[int, ...] = ()


MakeConcept = Callable[[random.Random], Concept]


def _sorted_remainder(rng: random.Random) -> Concept:
    m = rng.choice([3, 4, 5])
    text = f"drop the elements divisible by {m} and sort the others, largest first"
    return Concept(
        name="sorted-remainder", text=text, run=lambda xs: sorted((x for x in xs if x % m), reverse=True), notable=(m,)
    )


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


def _sorted_modulo(rng: random.Random) -> Concept:
    m = rng.choice([6, 7, 8, 9])
    text = f"take remainders modulo {m} and sort them"
    return Concept(name="sorted-modulo", text=text, run=lambda xs: sorted(x % m for x in xs))


def _without_largest(rng: random.Random) -> Concept:
    k = rng.choice([-3, -2, 2, 3, 4])
    text = f"sort, drop the largest element, and add {k} to each"
    return Concept(name="without-largest", text=text, run=lambda xs: [x + k for x in sorted(xs)[:-1]])


def _numbered_backwards(rng: random.Random) -> Concept:
    text = "add its position to every element, then reverse"
    return Concept(name="numbered-backwards", text=text, run=lambda xs: [x + i for i, x in enumerate(xs)][::-1])


def _size_behind(rng: random.Random) -> Concept:
    text = "reverse and append the number of elements"
    return Concept(name="size-behind", text=text, run=lambda xs: [*xs[::-1], len(xs)])


def _largest_in_front(rng: random.Random) -> Concept:
    k = rng.randint(2, 3)
    text = f"multiply each by {k} and put the largest of them in front"
    return Concept(
        name="largest-in-front", text=text, run=lambda xs: [max(x * k for x in xs), *(x * k for x in xs)] if xs else []
    )


def _absolute_steps(rng: random.Random) -> Concept:
    text = "give the absolute differences of neighbours and append 0"
    return Concept(name="absolute-steps", text=text, run=lambda xs: [*(abs(b - a) for a, b in pairwise(xs)), 0])


def _scaled_seconds(rng: random.Random) -> Concept:
    k, c = rng.randint(2, 4), rng.randint(1, 3)
    text = f"keep every second element, multiply by {k} and add {c}"
    return Concept(name="scaled-seconds", text=text, run=lambda xs: [x * k + c for x in xs[::2]])


def _turned(rng: random.Random) -> Concept:
    k, c = rng.randint(1, 2), rng.randint(1, 4)
    text = f"move the first {k} elements to the end and subtract {c} from each"
    return Concept(name="turned", text=text, run=lambda xs: [x - c for x in xs[k:] + xs[:k]])


def _few_largest(rng: random.Random) -> Concept:
    k = rng.randint(3, 4)
    text = f"give the {k} largest elements, smallest first, and a 1 in front"
    return Concept(name="few-largest", text=text, run=lambda xs: [1, *sorted(xs)[-k:]])


def _capped(rng: random.Random) -> Concept:
    k = rng.randint(6, 10)
    text = f"lower elements above {k} to {k} and keep the first occurrence of each"
    return Concept(
        name="capped", text=text, run=lambda xs: list(dict.fromkeys(min(x, k) for x in xs)), notable=(k + 1,)
    )


def _counted_multiples(rng: random.Random) -> Concept:
    text = "keep the even elements and put their number in front"

    def run(xs: Numbers) -> Numbers:
        even = [x for x in xs if x % 2 == 0]
        return [len(even), *even]

    return Concept(name="counted-evens", text=text, run=run)


def _from_smallest(rng: random.Random) -> Concept:
    text = "subtract the smallest element from each and drop the zeros"
    return Concept(name="from-smallest", text=text, run=lambda xs: [x - min(xs) for x in xs if x != min(xs)])


def _neighbour_sums(rng: random.Random) -> Concept:
    k = rng.choice([5, 10])
    text = f"add up neighbours and keep the sums above {k}"
    return Concept(name="neighbour-sums", text=text, run=lambda xs: [a + b for a, b in pairwise(xs) if a + b > k])


def _framed_tail(rng: random.Random) -> Concept:
    k = rng.randint(5, 15)
    text = f"drop the last element, double each, and append {k}"
    return Concept(name="framed-tail", text=text, run=lambda xs: [*(2 * x for x in xs[:-1]), k])


def _sorted_titles(rng: random.Random) -> Concept:
    text = "sort the words and capitalise each"
    return Concept(name="sorted-titles", text=text, run=lambda s: " ".join(w.capitalize() for w in sorted(s.split())))


def _tail_backwards(rng: random.Random) -> Concept:
    text = "drop the first word and write every other backwards"
    return Concept(name="tail-backwards", text=text, run=lambda s: " ".join(w[::-1] for w in s.split()[1:]))


def _short_reversed(rng: random.Random) -> Concept:
    n = rng.randint(3, 5)
    text = f"keep {n} letters of every word and reverse the order of the words"
    return Concept(name="short-reversed", text=text, run=lambda s: " ".join(w[:n] for w in reversed(s.split())))


def _vowelless(rng: random.Random) -> Concept:
    mark = rng.choice(["!", "?", "."])
    text = f"drop the small vowels, write in capitals and put {mark!r} behind"
    return Concept(name="vowelless", text=text, run=lambda s: "".join(c for c in s if c not in "aeiou").upper() + mark)


def _last_first(rng: random.Random) -> Concept:
    mark = rng.choice(["#", "@", "*"])
    text = f"move the last word to the front and put {mark!r} before it"
    return Concept(
        name="last-first",
        text=text,
        run=lambda s: mark + " ".join([s.split()[-1], *s.split()[:-1]]) if s.split() else "",
    )


def _replaced_backwards(rng: random.Random) -> Concept:
    old, new = rng.choice([("e", "i"), ("a", "u"), ("o", "0"), ("r", "l")])
    text = f"replace every {old!r} by {new!r} and write backwards"
    return Concept(name="replaced-backwards", text=text, run=lambda s: s.replace(old, new)[::-1])


def _long_counted(rng: random.Random) -> Concept:
    text = "keep the words with more than three letters and append their number"

    def run(s: str) -> str:
        words = [w for w in s.split() if len(w) > 3]
        return " ".join([*words, str(len(words))])

    return Concept(name="long-counted", text=text, run=run)


def _swapped_cases(rng: random.Random) -> Concept:
    text = "write the first word in capitals and the others in small letters"
    return Concept(
        name="swapped-cases", text=text, run=lambda s: " ".join([s.split()[0].upper(), *s.lower().split()[1:]])
    )


def _with_initials(rng: random.Random) -> Concept:
    text = "append the initials of the words in capitals as a further word"
    return Concept(name="with-initials", text=text, run=lambda s: s + " " + "".join(w[0] for w in s.split()).upper())


NUMBER_CONCEPTS: tuple[MakeConcept, ...] = (
    _sorted_remainder, _running_tail, _distinct_backwards, _sorted_modulo, _without_largest, _numbered_backwards,
    _size_behind, _largest_in_front, _absolute_steps, _scaled_seconds, _turned, _few_largest, _capped,
    _counted_multiples, _from_smallest, _neighbour_sums, _framed_tail,
)  # fmt: skip
TEXT_CONCEPTS: tuple[MakeConcept, ...] = (
    _sorted_titles, _tail_backwards, _short_reversed, _vowelless, _last_first, _replaced_backwards, _long_counted,
    _swapped_cases, _with_initials,
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
