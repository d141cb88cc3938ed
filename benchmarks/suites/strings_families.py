"""Families of string programs that are more than a chain of steps."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from itertools import pairwise

from benchmarks.suites.frame import Fn, Program
from benchmarks.suites.strings_steps import ON_PHRASES, SIMPLE, VOWELS, TextStep, chain

Choice = tuple[str, Fn]


def one_of(rng: random.Random, *choices: Choice) -> Program:
    """A program drawn from a list of words and functions."""
    text, fn = rng.choice(choices)
    return Program(text=text, fn=fn)


def numbers_in_text(rng: random.Random) -> Program:
    k = rng.randint(2, 9)
    return one_of(
        rng,
        ("give the first number", lambda s: int(re.findall(r"\d+", s)[0])),
        ("give the last number", lambda s: int(re.findall(r"\d+", s)[-1])),
        ("sum the numbers", lambda s: sum(map(int, re.findall(r"\d+", s)))),
        ("give all numbers", lambda s: [int(x) for x in re.findall(r"\d+", s)]),
        ("sum the digits", lambda s: sum(map(int, re.findall(r"\d", s)))),
        ("count the digits", lambda s: len(re.findall(r"\d", s))),
        ("write '#' for every digit", lambda s: re.sub(r"\d", "#", s)),
        ("write '#' for every number", lambda s: re.sub(r"\d+", "#", s)),
        ("put every number in brackets", lambda s: re.sub(r"(\d+)", r"[\1]", s)),
        (f"give the first number times {k}", lambda s: k * int(re.findall(r"\d+", s)[0])),
        (f"add {k} to every number", lambda s: re.sub(r"\d+", lambda m: str(int(m[0]) + k), s)),
        (f"fill the first number with zeros to {k} digits", lambda s: re.findall(r"\d+", s)[0].zfill(k)),
        ("give the words of letters only", lambda s: re.findall(r"[A-Za-z]+", s)),
        ("give the first word that begins with a capital", lambda s: re.findall(r"\b[A-Z][a-z]+", s)[0]),
    )  # fmt: skip


def counting(rng: random.Random) -> Program:
    letter, n = rng.choice("aeolrtn"), rng.randint(3, 5)
    return one_of(
        rng,
        (f"count the letter {letter!r}", lambda s: s.count(letter)),
        (f"count the letter {letter!r}, large or small", lambda s: s.lower().count(letter)),
        ("count the characters", len),
        ("count the words", lambda s: len(s.split())),
        ("count the vowels", lambda s: sum(c in VOWELS for c in s)),
        ("count the letters that are no vowels", lambda s: sum(c.isalpha() and c not in VOWELS for c in s)),
        ("count the capitals", lambda s: sum(c.isupper() for c in s)),
        ("give the length of the longest word", lambda s: max(map(len, s.split()))),
        ("give the length of the last word", lambda s: len(s.split()[-1])),
        (f"count the words with more than {n} letters", lambda s: sum(len(w) > n for w in s.split())),
        ("count the different characters", lambda s: len(set(s))),
        (f"give the position of the first {letter!r}, counting from 0", lambda s: s.index(letter)),
        ("count the letters without blanks", lambda s: len(s.replace(" ", ""))),
    )


def testing(rng: random.Random) -> Program:
    letter, n = rng.choice("aeolrtns"), rng.randint(3, 7)
    return one_of(
        rng,
        (f"tell whether it holds {letter!r}", lambda s: letter in s),
        (f"tell whether it ends with {letter!r}", lambda s: s.endswith(letter)),
        ("tell whether it begins with a vowel", lambda s: s[0] in VOWELS),
        (f"tell whether it has more than {n} characters", lambda s: len(s) > n),
        ("tell whether it begins with a capital", lambda s: s[0].isupper()),
        ("tell whether it is all in capitals", str.isupper),
        ("tell whether a letter occurs twice in a row", lambda s: any(a == b for a, b in pairwise(s))),
        ("tell whether its length is even", lambda s: len(s) % 2 == 0),
        ("tell whether no letter occurs twice", lambda s: len(set(s)) == len(s)),
    )


def to_list(rng: random.Random) -> Program:
    n = rng.randint(2, 4)
    return one_of(
        rng,
        ("give the words", str.split),
        ("give the words in capitals", lambda s: s.upper().split()),
        (f"give the words with more than {n + 1} letters", lambda s: [w for w in s.split() if len(w) > n + 1]),
        (f"cut into pieces of {n} characters", lambda s: [s[i : i + n] for i in range(0, len(s), n)]),
        ("give the words, sorted", lambda s: sorted(s.split())),
        ("give the different words, sorted, in small letters", lambda s: sorted(set(s.lower().split()))),
        ("give the lengths of the words", lambda s: [len(w) for w in s.split()]),
        (f"give the first {n} letters of every word", lambda s: [w[:n] for w in s.split()]),
        ("give neighbouring words in pairs",
         lambda s: [f"{a} {b}" for a, b in pairwise(s.split())]),
        (f"give the first {n} words", lambda s: s.split()[:n]),
        ("give the words backwards", lambda s: [w[::-1] for w in s.split()]),
        ("give the initials", lambda s: [w[0] for w in s.split()]),
        ("give first and last word", lambda s: [s.split()[0], s.split()[-1]]),
    )  # fmt: skip


def two_texts(rng: random.Random) -> Program:
    mark, n = rng.choice(["-", " ", ", ", "_", "/", ""]), rng.randint(1, 4)
    return one_of(
        rng,
        (f"join both with {mark!r}", lambda a, b: a + mark + b),
        (f"join both in reverse order with {mark!r}", lambda a, b: b + mark + a),
        (f"join the initial of the first and the second with {mark!r}", lambda a, b: a[0] + mark + b),
        (f"join the first {n} letters of both", lambda a, b: a[:n] + b[:n]),
        (f"join the first {n} letters of the first and the last {n} of the second", lambda a, b: a[:n] + b[-n:]),
        ("give the longer one, the first of two equally long ones", lambda a, b: max(a, b, key=len)),
        (f"give the one that comes first in the alphabet, then {mark!r}, then the other",
         lambda a, b: mark.join(sorted([a, b]))),
        ("take letters in turn from both", lambda a, b: "".join(x + y for x, y in zip(a, b, strict=False))),
        (f"write both in capitals with {mark!r} between", lambda a, b: (a + mark + b).upper()),
        ("write the second in parentheses behind the first", lambda a, b: f"{a} ({b})"),
        ("write both as a login", lambda a, b: f"{a[0]}{b}".lower()),
        (f"make a code of {n} capitals of each", lambda a, b: f"{a[:n].upper()}-{b[:n].upper()}"),
        ("give the difference of their lengths", lambda a, b: len(a) - len(b)),
        ("give the sum of their lengths", lambda a, b: len(a) + len(b)),
        ("tell whether the first is longer", lambda a, b: len(a) > len(b)),
        ("tell whether both begin with the same letter, large or small", lambda a, b: a[0].lower() == b[0].lower()),
        ("give the letters that both have, sorted", lambda a, b: sorted(set(a) & set(b))),
    )  # fmt: skip


def text_and_part(rng: random.Random) -> Program:
    mark, n = rng.choice(["_", "*", "--", "#"]), rng.randint(1, 3)
    return one_of(
        rng,
        ("count the part in the text", lambda s, t: s.count(t)),
        ("drop the part everywhere", lambda s, t: s.replace(t, "")),
        (f"write {mark!r} for the part", lambda s, t: s.replace(t, mark)),
        ("give what stands before the part", lambda s, t: s.split(t)[0]),
        ("give what stands after the part's first place", lambda s, t: s.split(t, 1)[1]),
        ("split the text at the part", lambda s, t: s.split(t)),
        ("write the part in capitals", lambda s, t: s.replace(t, t.upper())),
        ("put brackets around the part", lambda s, t: s.replace(t, f"[{t}]")),
        ("give the position of the part", lambda s, t: s.index(t)),
        (f"write the part {n + 1} times where it stands", lambda s, t: s.replace(t, t * (n + 1))),
        ("give the words that hold the part", lambda s, t: [w for w in s.split() if t in w]),
        ("put the part at both ends", lambda s, t: t + s + t),
    )


def text_and_number(rng: random.Random) -> Program:
    mark = rng.choice(["-", ".", "*", "_"])
    return one_of(
        rng,
        ("keep the first n characters", lambda s, n: s[:n]),
        ("drop the first n characters", lambda s, n: s[n:]),
        ("keep the last n characters", lambda s, n: s[-n:]),
        ("repeat it n times", lambda s, n: s * n),
        (f"repeat it n times with {mark!r} between", lambda s, n: mark.join([s] * n)),
        ("give the n-th word", lambda s, n: s.split()[n - 1]),
        ("keep the first n words", lambda s, n: " ".join(s.split()[:n])),
        (f"put {mark!r} n times in front", lambda s, n: mark * n + s),
        ("give the n-th character", lambda s, n: s[n - 1]),
        ("rotate left by n characters", lambda s, n: s[n % len(s) :] + s[: n % len(s)]),
        ("cut into pieces of n characters", lambda s, n: [s[i : i + n] for i in range(0, len(s), n)]),
        (f"write the number, {mark!r} and the text", lambda s, n: f"{n}{mark}{s}"),
        ("keep the words with more than n letters", lambda s, n: " ".join(w for w in s.split() if len(w) > n)),
        (f"cut after n characters and append {mark * 2!r}", lambda s, n: s[:n] + mark * 2),
    )


CONDITIONS: tuple[tuple[str, Callable[[str], bool]], ...] = (
    ("it holds a digit", lambda s: any(c.isdigit() for c in s)),
    ("it has more than three words", lambda s: len(s.split()) > 3),
    ("it begins with a vowel", lambda s: s[0] in VOWELS),
    ("it begins with a capital", lambda s: s[0].isupper()),
    ("it has more than 16 characters", lambda s: len(s) > 16),
    ("it ends with a digit", lambda s: s[-1].isdigit()),
)


def conditional(rng: random.Random) -> Program:
    words, test = rng.choice(CONDITIONS)
    one, other = (make(rng) for make in rng.sample(SIMPLE, 2))
    return Program(
        text=f"if {words}, {one.text}, otherwise {other.text}",
        fn=lambda s: one.run(s) if test(s) else other.run(s),
        rivals=(one.run, other.run),
    )


def measured(rng: random.Random) -> Program:
    """A step followed by a count."""
    step = rng.choice(ON_PHRASES)(rng)
    name, fn = rng.choice([("characters", len), ("words", lambda s: len(s.split())), ("vowels", _vowels)])
    return Program(text=f"{step.text}, then count the {name}", fn=lambda s: fn(step.run(s)), rivals=(fn,))


def _vowels(text: str) -> int:
    return sum(c in VOWELS for c in text)


def labelled(rng: random.Random) -> Program:
    """Two results of one text side by side."""
    one, other = (make(rng) for make in rng.sample(ON_PHRASES, 2))
    mark = rng.choice([": ", " - ", "/", " = ", ""])
    return Program(
        text=f"write two things with {mark!r} between: {one.text}; {other.text}",
        fn=lambda s: one.run(s) + mark + other.run(s),
        rivals=(one.run, other.run),
    )


def chained(count: int) -> Callable[[random.Random], Program]:
    """A maker of chains of ``count`` different steps, none of which can be left out."""

    def make(rng: random.Random) -> Program:
        steps: list[TextStep] = [each(rng) for each in rng.sample(ON_PHRASES, count)]
        whole = chain(steps)
        shorter = tuple(chain(steps[:i] + steps[i + 1 :]).run for i in range(count))
        return Program(text=whole.text, fn=whole.run, rivals=shorter)

    return make
