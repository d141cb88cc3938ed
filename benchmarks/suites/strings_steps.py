"""Single steps over text, from which string programs are composed."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from dataclasses import dataclass

from benchmarks.suites.lists_steps import ordinal

VOWELS = "aeiouAEIOU"


@dataclass(frozen=True, kw_only=True)
class TextStep:
    """One step with its parameters chosen."""

    text: str
    run: Callable[[str], str]


MakeTextStep = Callable[[random.Random], TextStep]


def casing(rng: random.Random) -> TextStep:
    choices: tuple[tuple[str, Callable[[str], str]], ...] = (
        ("write in capitals", str.upper),
        ("write in small letters", str.lower),
        ("capitalise every word", lambda s: " ".join(word.capitalize() for word in s.split(" "))),
        ("capitalise the first letter and make the others small", str.capitalize),
        ("swap capitals and small letters", str.swapcase),
    )
    text, run = rng.choice(choices)
    return TextStep(text=text, run=run)


def ends(rng: random.Random) -> TextStep:
    n = rng.randint(1, 5)
    if rng.random() < 0.5:
        return TextStep(text=f"keep the first {n} characters", run=lambda s: s[:n])
    return TextStep(text=f"keep the last {n} characters", run=lambda s: s[-n:])


def shorten(rng: random.Random) -> TextStep:
    n = rng.randint(1, 4)
    if rng.random() < 0.5:
        return TextStep(text=f"drop the first {n} characters", run=lambda s: s[n:])
    return TextStep(text=f"drop the last {n} characters", run=lambda s: s[: max(0, len(s) - n)])


def backwards(rng: random.Random) -> TextStep:
    return TextStep(text="write backwards", run=lambda s: s[::-1])


def one_word(rng: random.Random) -> TextStep:
    place = rng.choice([0, 1, -1, -2])
    return TextStep(text=f"give the {ordinal(place)} word", run=lambda s: s.split()[place])


def some_words(rng: random.Random) -> TextStep:
    n = rng.randint(1, 3)
    which = rng.randrange(4)
    text = (
        f"keep the first {n + 1} words",
        f"drop the first {n} words",
        f"drop the last {n} words",
        f"keep the last {n + 1} words",
    )
    slices = (slice(None, n + 1), slice(n, None), slice(None, -n), slice(-n - 1, None))
    return TextStep(text=text[which], run=lambda s: " ".join(s.split()[slices[which]]))


def word_order(rng: random.Random) -> TextStep:
    choices: tuple[tuple[str, Callable[[list[str]], list[str]]], ...] = (
        ("reverse the order of the words", lambda ws: ws[::-1]),
        ("sort the words", sorted),
        ("sort the words by length", lambda ws: sorted(ws, key=len)),
        ("move the first word to the end", lambda ws: ws[1:] + ws[:1]),
        ("move the last word to the front", lambda ws: ws[-1:] + ws[:-1]),
        ("swap the first and the last word", lambda ws: [ws[-1], *ws[1:-1], ws[0]] if len(ws) > 1 else ws),
        ("keep the first occurrence of every word", lambda ws: list(dict.fromkeys(ws))),
    )
    text, run = rng.choice(choices)
    return TextStep(text=text, run=lambda s: " ".join(run(s.split())))


def long_words(rng: random.Random) -> TextStep:
    n, longer = rng.randint(3, 5), rng.random() < 0.5
    text = f"keep the words with {f'more than {n}' if longer else f'at most {n}'} letters"
    return TextStep(text=text, run=lambda s: " ".join(w for w in s.split() if (len(w) > n) == longer))


def in_words(rng: random.Random) -> TextStep:
    n = rng.randint(1, 4)
    choices: tuple[tuple[str, Callable[[str], str]], ...] = (
        (f"keep the first {n} letters of every word", lambda w: w[:n]),
        ("write every word backwards", lambda w: w[::-1]),
        (f"keep the last {n} letters of every word", lambda w: w[-n:]),
        ("write the last letter of every word as a capital", lambda w: w[:-1] + w[-1:].upper()),
        (f"cut every word after {n + 2} letters and mark the cut with a full stop",
         lambda w: w if len(w) <= n + 2 else w[: n + 2] + "."),
        ("move the first letter of every word to its end", lambda w: w[1:] + w[:1]),
    )  # fmt: skip
    text, run = rng.choice(choices)
    return TextStep(text=text, run=lambda s: " ".join(run(w) for w in s.split()))


def joined(rng: random.Random) -> TextStep:
    mark = rng.choice(["-", "_", ".", "/", ", ", "", " - ", "+"])
    return TextStep(
        text=f"join the words with {mark!r}" if mark else "join the words", run=lambda s: mark.join(s.split())
    )


def initials(rng: random.Random) -> TextStep:
    mark = rng.choice(["", ".", ". ", "-", " ", "/"])
    big = rng.random() < 0.7
    between = f" with {mark!r} between" if mark else ""
    text = f"give the initials of the words{between}, in {'capitals' if big else 'small letters'}"
    return TextStep(text=text, run=lambda s: mark.join(w[0].upper() if big else w[0].lower() for w in s.split()))


def kept(rng: random.Random) -> TextStep:
    choices: tuple[tuple[str, str], ...] = (
        ("keep the digits", r"\D"),
        ("keep the letters", r"[^A-Za-z]"),
        ("drop the digits", r"\d"),
        ("drop the vowels", f"[{VOWELS}]"),
        ("keep the vowels", f"[^{VOWELS}]"),
        ("drop punctuation", r"[^\w\s]"),
        ("keep the capitals", r"[^A-Z]"),
        ("drop the small letters", r"[a-z]"),
        ("drop blanks", r"\s"),
        ("keep letters and digits", r"[^A-Za-z0-9]"),
    )
    text, pattern = rng.choice(choices)
    return TextStep(text=text, run=lambda s: re.sub(pattern, "", s))


def tidy(rng: random.Random) -> TextStep:
    choices: tuple[tuple[str, Callable[[str], str]], ...] = (
        ("remove blanks at both ends and double blanks", lambda s: " ".join(s.split())),
        ("remove blanks at both ends", str.strip),
        ("remove blanks at both ends and use '_' for runs of blanks", lambda s: "_".join(s.split())),
        ("remove extra blanks and write in small letters", lambda s: " ".join(s.split()).lower()),
        ("remove extra blanks and capitalise every word", lambda s: " ".join(w.capitalize() for w in s.split())),
        ("remove extra blanks and make only the first letter a capital", lambda s: " ".join(s.split()).capitalize()),
        ("turn into a small-letter name with '-' between the words", lambda s: "-".join(s.lower().split())),
        ("remove all blanks and write in capitals", lambda s: "".join(s.split()).upper()),
    )
    text, run = rng.choice(choices)
    return TextStep(text=text, run=run)


def replaced(rng: random.Random) -> TextStep:
    old = rng.choice(["a", "e", "o", " ", "r", "l", "t", "-", "n", "i"])
    new = rng.choice([mark for mark in ("_", "*", "x", "0", ".", "", "#", "ee") if mark != old])
    text = f"replace every {old!r} by {new!r}" if new else f"drop every {old!r}"
    return TextStep(text=text, run=lambda s: s.replace(old, new))


def replaced_once(rng: random.Random) -> TextStep:
    old, new = rng.choice(["a", "e", "o", " ", "r"]), rng.choice(["_", "*", "0", "--", "="])
    return TextStep(text=f"replace the first {old!r} by {new!r}", run=lambda s: s.replace(old, new, 1))


def prefixed(rng: random.Random) -> TextStep:
    mark = rng.choice(["re: ", "#", "ID-", "http://", "Dr. ", "x", ">> ", "no. ", "_", "to "])
    return TextStep(text=f"put {mark!r} in front", run=lambda s: mark + s)


def suffixed(rng: random.Random) -> TextStep:
    mark = rng.choice([".", "!", "-old", ".txt", " Ltd", "?", "...", " (copy)", "00", " km"])
    return TextStep(text=f"put {mark!r} at the end", run=lambda s: s + mark)


def wrapped(rng: random.Random) -> TextStep:
    left, right = rng.choice([("(", ")"), ("[", "]"), ('"', '"'), ("<", ">"), ("**", "**"), ("{", "}"), ("'", "'")])
    return TextStep(text=f"put {left} and {right} around it", run=lambda s: left + s + right)


def before_mark(rng: random.Random) -> TextStep:
    mark = rng.choice([" ", "-", "e", "a", ":", "o"])
    choices: tuple[tuple[str, Callable[[str], str]], ...] = (
        (f"give what stands before the first {mark!r}", lambda s: s[: s.index(mark)]),
        (f"give what stands after the first {mark!r}", lambda s: s[s.index(mark) + len(mark) :]),
        (f"give what stands before the last {mark!r}", lambda s: s[: s.rindex(mark)]),
        (f"give what stands after the last {mark!r}", lambda s: s[s.rindex(mark) + len(mark) :]),
    )
    text, run = rng.choice(choices)
    return TextStep(text=text, run=run)


def padded(rng: random.Random) -> TextStep:
    width, mark = rng.choice([6, 8, 10, 12]), rng.choice(["0", ".", "*", "-", "_"])
    if rng.random() < 0.5:
        return TextStep(
            text=f"fill with {mark!r} on the left to {width} characters", run=lambda s: s.rjust(width, mark)
        )
    return TextStep(text=f"fill with {mark!r} on the right to {width} characters", run=lambda s: s.ljust(width, mark))


def repeated(rng: random.Random) -> TextStep:
    n = rng.randint(2, 3)
    choices: tuple[tuple[str, Callable[[str], str]], ...] = (
        (f"repeat it {n} times", lambda s: s * n),
        (f"repeat it {n} times with '-' between", lambda s: "-".join([s] * n)),
        (f"write every character {n} times", lambda s: "".join(c * n for c in s)),
        ("append it backwards", lambda s: s + s[::-1]),
        (f"repeat the last letter {n} more times", lambda s: s + s[-1] * n),
    )
    text, run = rng.choice(choices)
    return TextStep(text=text, run=run)


def spaced(rng: random.Random) -> TextStep:
    mark, n = rng.choice([" ", "-", ".", "_"]), rng.randint(1, 3)
    text = f"put {mark!r} after every {n} characters, but not at the end"
    return TextStep(text=text, run=lambda s: mark.join(s[i : i + n] for i in range(0, len(s), n)))


def masked(rng: random.Random) -> TextStep:
    n, mark = rng.randint(1, 3), rng.choice(["*", "x", "#", "."])
    if rng.random() < 0.5:
        text = f"replace all but the last {n} characters by {mark!r}"
        return TextStep(text=text, run=lambda s: mark * max(0, len(s) - n) + s[-n:])
    text = f"replace all but the first {n} characters by {mark!r}"
    return TextStep(text=text, run=lambda s: s[:n] + mark * max(0, len(s) - n))


def letters(rng: random.Random) -> TextStep:
    choices: tuple[tuple[str, Callable[[str], str]], ...] = (
        ("sort the characters", lambda s: "".join(sorted(s))),
        ("keep the first occurrence of every character", lambda s: "".join(dict.fromkeys(s))),
        ("keep every second character", lambda s: s[::2]),
        ("keep every second character, beginning with the second", lambda s: s[1::2]),
        ("write one of repeated neighbouring characters", lambda s: re.sub(r"(.)\1+", r"\1", s)),
        ("drop the first and the last character", lambda s: s[1:-1]),
        ("swap the first and the last character", lambda s: s[-1] + s[1:-1] + s[0] if len(s) > 1 else s),
        ("move the first character to the end", lambda s: s[1:] + s[:1]),
    )
    text, run = rng.choice(choices)
    return TextStep(text=text, run=run)


ON_PHRASES: tuple[MakeTextStep, ...] = (
    casing, ends, shorten, one_word, some_words, word_order, long_words, in_words, joined, initials, kept, replaced,
    prefixed, suffixed, wrapped, repeated,
)  # fmt: skip
SIMPLE: tuple[MakeTextStep, ...] = (casing, ends, shorten, backwards, one_word, initials, prefixed, suffixed, wrapped)


def chain(steps: list[TextStep]) -> TextStep:
    """The steps one after the other."""

    def run(text: str) -> str:
        for step in steps:
            text = step.run(text)
        return text

    return TextStep(text=", then ".join(step.text for step in steps), run=run)
