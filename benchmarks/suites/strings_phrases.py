"""Families about phrases, identifiers and texts with a given part: what text functions are asked for by name."""

from __future__ import annotations

import random
import re
import unicodedata
from collections.abc import Sequence

from benchmarks.suites import strings_words as words
from benchmarks.suites.frame import Family, Fn, Kind, fixed
from evolve.core.episodes import Json

_ACCENTED = (
    "café", "crème", "jalapeño", "naïve", "façade", "Zürich", "Malmö", "São", "Coruña", "Kraków", "señor", "déjà",
    "über", "Łódź", "résumé", "piñata", "Århus", "fête", "rôti", "niño",
)  # fmt: skip


def _sentence(rng: random.Random) -> str:
    text = words.phrase(rng)
    return "".join(c.upper() if rng.random() < 0.3 else c for c in text) if rng.random() < 0.5 else text


def _sentences(rng: random.Random, notable: Sequence[Json]) -> tuple[Json, ...]:
    marks = [rng.choice(".!?") for _ in range(rng.randint(2, 3))]
    return (" ".join(_sentence(rng) + mark for mark in marks),)


def _repeating(rng: random.Random, notable: Sequence[Json]) -> tuple[Json, ...]:
    some = rng.sample((*words.THINGS, *words.QUALITIES), 4)
    return (" ".join(rng.choice(some) for _ in range(rng.randint(3, 7))),)


def _accented(rng: random.Random, notable: Sequence[Json]) -> tuple[Json, ...]:
    return (" ".join(rng.choice((*_ACCENTED, *words.THINGS[:6])) for _ in range(rng.randint(1, 4))),)


def _identifier(rng: random.Random, notable: Sequence[Json]) -> tuple[Json, ...]:
    parts = [words.word(rng) for _ in range(rng.randint(2, 4))]
    joined = ("_".join(parts), "".join(p.capitalize() for p in parts), "-".join(parts))
    return (rng.choice((*joined, parts[0] + "".join(p.capitalize() for p in parts[1:]))),)


def _start(rng: random.Random, notable: Sequence[Json]) -> tuple[Json, ...]:
    text = rng.choice((words.single, words.code, words.path))(rng)
    size, other = rng.randint(1, 3), rng.randrange(1, len(text))
    return text, text[:size] if rng.random() < 0.6 else text[other : other + 2]


def _ending(rng: random.Random, notable: Sequence[Json]) -> tuple[Json, ...]:
    text = rng.choice((words.single, words.code, words.path))(rng)
    size, other = rng.randint(1, 3), rng.randrange(len(text) - 1)
    return text, text[-size:] if rng.random() < 0.5 else text[other : other + 1]


def _letter(rng: random.Random, notable: Sequence[Json]) -> tuple[Json, ...]:
    text = words.phrase(rng)
    return text, rng.choice(text.replace(" ", ""))


def _link(rng: random.Random, notable: Sequence[Json]) -> tuple[Json, ...]:
    base = f"https://{rng.choice(words.FIRMS).lower()}.{rng.choice(words.ENDINGS)}/"
    if rng.random() < 0.2:
        return f"http://mirror.net/?from={base}", base
    ending = rng.choice((".html", "/", ".pdf", "/index"))
    link = base + "/".join(words.word(rng) for _ in range(rng.randint(1, 3))) + ending
    return link, rng.choice((base, base, ending, ending, "https://quill.org/", ".html"))


def _plain(text: str) -> str:
    composed = unicodedata.normalize("NFKD", text)
    return "".join(c for c in composed if not unicodedata.combining(c))


def _words_of(name: str) -> list[str]:
    return re.findall(r"[A-Z]?[a-z]+|[A-Z]+|\d+", name)


def _camel(name: str) -> str:
    first, *others = _words_of(name)
    return first.lower() + "".join(map(str.capitalize, others))


_SENTENCES: tuple[tuple[str, Fn], ...] = (
    ("write in small letters with a capital at the start of every sentence",
     lambda s: re.sub(r"(^|[.!?] )([a-z])", lambda m: m[1] + m[2].upper(), s.lower())),
    ("write small letters large and large letters small", str.swapcase),
)  # fmt: skip

_PHRASES: tuple[tuple[str, Fn], ...] = (
    ("swap small and large letters", str.swapcase),
    ("give the different letters in order of appearance", lambda s: "".join(dict.fromkeys(s))),
    ("give the different letters in capitals, in order of appearance", lambda s: "".join(dict.fromkeys(s)).upper()),
    ("reverse the words and write in capitals", lambda s: " ".join(s.split()[::-1]).upper()),
    ("sort the letters", lambda s: "".join(sorted(s))),
    ("give the words from the last to the first", lambda s: " ".join(s.split()[::-1])),
)  # fmt: skip

_REPEATING: tuple[tuple[str, Fn], ...] = (
    ("give the different letters in order of appearance", lambda s: "".join(dict.fromkeys(s))),
    ("sort the letters", lambda s: "".join(sorted(s))),
    ("count every word", lambda s: {w: s.split().count(w) for w in s.split()}),
)  # fmt: skip

_ACCENTS: tuple[tuple[str, Fn], ...] = (
    ("write letters without their accents", _plain),
    ("write in capitals without accents", lambda s: _plain(s).upper()),
)

_NAMES: tuple[tuple[str, Fn], ...] = (
    ("write as a name in PascalCase", lambda s: "".join(map(str.capitalize, _words_of(s)))),
    ("write as a name in camelCase", _camel),
    ("write as separate words", lambda s: " ".join(_words_of(s))),
    ("write as separate words in small letters", lambda s: " ".join(_words_of(s)).lower()),
)

_START: tuple[tuple[str, Fn], ...] = (
    ("drop the part where the text begins with it", lambda s, t: s.removeprefix(t)),
    ("tell whether the text begins with the part", lambda s, t: s.startswith(t)),
    ("drop the part where the text begins with it, and write in capitals", lambda s, t: s.removeprefix(t).upper()),
)

_ENDING: tuple[tuple[str, Fn], ...] = (
    ("drop the part where the text ends with it", lambda s, t: s.removesuffix(t)),
    ("tell whether the text ends with the part", lambda s, t: s.endswith(t)),
    ("drop the part where the text ends with it, and write in capitals", lambda s, t: s.removesuffix(t).upper()),
)

_LETTER: tuple[tuple[str, Fn], ...] = (
    ("count the letter", lambda s, t: s.count(t)),
    ("give the position of the letter", lambda s, t: s.index(t)),
    ("drop the letter everywhere", lambda s, t: s.replace(t, "")),
    ("write the letter large", lambda s, t: s.replace(t, t.upper())),
    ("give what stands before the letter", lambda s, t: s.split(t, 1)[0]),
    ("give what stands behind the letter's first place", lambda s, t: s.split(t, 1)[1]),
    ("count the letter, large or small", lambda s, t: s.lower().count(t.lower())),
)

_LINK: tuple[tuple[str, Fn], ...] = (
    *_START[:2],
    *_ENDING[:2],
    ("give the position of the part, -1 where it is missing", lambda s, t: s.find(t)),
    ("drop the part everywhere", lambda s, t: s.replace(t, "")),
    ("give what stands before the part, all of it where the part is missing", lambda s, t: s.split(t, 1)[0]),
    ("give what stands behind the part, all of it where the part is missing", lambda s, t: s.split(t, 1)[-1]),
)


def _columns(rng: random.Random, notable: Sequence[Json]) -> tuple[Json, ...]:
    return words.word(rng), rng.randint(8, 14)


_WIDTHS: tuple[tuple[str, Fn], ...] = (
    ("fill with blanks on the left to n characters", lambda s, n: s.rjust(n)),
    ("fill with stars on the right to n characters", lambda s, n: s.ljust(n, "*")),
    ("fill with stars on the left to n characters", lambda s, n: s.rjust(n, "*")),
    ("fill with zeros on the left to n characters", lambda s, n: s.zfill(n)),
    ("repeat n times", lambda s, n: s * n),
    ("repeat n times in capitals", lambda s, n: s.upper() * n),
    ("fill with blanks on the right to n characters", lambda s, n: s.ljust(n)),
)


def _numbered(rng: random.Random, notable: Sequence[Json]) -> tuple[Json, ...]:
    return str(rng.choice((rng.randint(1, 99), rng.randint(100, 9999)))), rng.randint(5, 8)


def families() -> list[Family]:
    """Every family about phrases, names and parts."""
    repeated = Kind(name="phrase with repeats", draw=_repeating)
    one = Kind(name="sentences", draw=_sentences)
    phrase = Kind(name="plain phrase", draw=lambda rng, notable: (words.phrase(rng),))
    return [
        *fixed("sentences", 3, one, *_SENTENCES),
        *fixed("phrase-parts", 2, phrase, *_PHRASES),
        *fixed("repeated-words", 3, repeated, *_REPEATING),
        *fixed("accents", 3, Kind(name="accented", draw=_accented), *_ACCENTS),
        *fixed("identifier", 3, Kind(name="identifier", draw=_identifier), *_NAMES),
        *fixed("text-and-start", 2, Kind(name="text, start", draw=_start), *_START),
        *fixed("text-and-ending", 2, Kind(name="text, ending", draw=_ending), *_ENDING),
        *fixed("text-and-letter", 2, Kind(name="text, letter", draw=_letter), *_LETTER),
        *fixed("link-and-part", 3, Kind(name="link, part", draw=_link), *_LINK),
        *fixed("width", 2, Kind(name="word, width", draw=_columns), *_WIDTHS),
        *fixed("width-of-number", 2, Kind(name="number text, width", draw=_numbered), *_WIDTHS[:2]),
    ]
