"""Families about lists of texts: tags, names, files and cells."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence

from benchmarks.suites import strings_words as words
from benchmarks.suites.frame import Family, Fn, Kind, fixed
from evolve.core.episodes import Json

_ONE_OF = Callable[[random.Random], str]


def _tag(rng: random.Random) -> str:
    text = words.word(rng)
    return rng.choice((text, text, text.capitalize(), text.upper()))


def _file(rng: random.Random) -> str:
    return f"{rng.choice(('scan', 'page', 'img'))}{rng.randint(1, 130)}.{rng.choice(('png', 'pdf'))}"


def _cell(rng: random.Random) -> str:
    text = rng.choice((words.word, lambda r: r.choice(words.CITIES)))(rng)
    return rng.choice((text, text, "", f" {text}", f"{text} "))


def _version(rng: random.Random) -> str:
    return f"v{rng.randint(1, 12)}.{rng.randint(0, 30)}"


def _texts(name: str, one: _ONE_OF, *, low: int = 2, high: int = 6) -> Kind:
    def draw(rng: random.Random, notable: Sequence[Json]) -> tuple[Json, ...]:
        texts = [one(rng) for _ in range(rng.randint(low, high))]
        if len(texts) > 2 and rng.random() < 0.5:
            texts[-1] = texts[0]
        return (texts,)

    return Kind(name=name, draw=draw)


def _with_one(name: str, one: _ONE_OF) -> Kind:
    def draw(rng: random.Random, notable: Sequence[Json]) -> tuple[Json, ...]:
        texts = [one(rng) for _ in range(rng.randint(3, 6))]
        texts[rng.randrange(1, len(texts))] = rng.choice(texts)
        return texts, rng.choice(texts)

    return Kind(name=name, draw=draw)


def _shared(rng: random.Random, notable: Sequence[Json]) -> tuple[Json, ...]:
    head = rng.choice(("report-", "2024-", "src/", "data_", "item ", "north-", "AB"))
    return ([head + rng.choice(("", words.word(rng)[:2])) + words.word(rng) for _ in range(rng.randint(2, 4))],)


def _folders(rng: random.Random, notable: Sequence[Json]) -> tuple[Json, ...]:
    base = "/".join(words.word(rng) for _ in range(rng.randint(1, 2)))
    return ([f"{base}/{words.path(rng)}" for _ in range(rng.randint(2, 4))],)


def _shared_start(texts: list[str]) -> str:
    low, high = min(texts), max(texts)
    return next((low[:i] for i, char in enumerate(low) if high[i] != char), low)


def _natural(text: str) -> list[tuple[int, int, str]]:
    return [(0, int(r), "") if r.isdecimal() else (1, 0, r) for r in re.findall(r"\d+|\D+", text)]


_TAGS: tuple[tuple[str, Fn], ...] = (
    ("write the texts together", "".join),
    ("write the texts together in capitals", lambda xs: "".join(xs).upper()),
    ("count every text", lambda xs: {x: xs.count(x) for x in xs}),
)

_CELLS: tuple[tuple[str, Fn], ...] = (
    ("drop empty cells", lambda xs: [x for x in xs if x]),
    ("write the cells together", "".join),
    ("drop empty cells and write the others with commas and blanks", lambda xs: ", ".join(filter(None, xs))),
)

_FILES: tuple[tuple[str, Fn], ...] = (
    ("sort so that numbers count by their value", lambda xs: sorted(xs, key=_natural)),
)

_VERSIONS: tuple[tuple[str, Fn], ...] = (
    ("sort so that numbers count by their value", lambda xs: sorted(xs, key=_natural)),
    ("give the newest version", lambda xs: max(xs, key=_natural)),
)

_SHARED: tuple[tuple[str, Fn], ...] = (
    ("give what all the texts begin with", _shared_start),
    ("give the length of what all the texts begin with", lambda xs: len(_shared_start(xs))),
)

_WITH_ONE: tuple[tuple[str, Fn], ...] = (
    ("count the given text", lambda xs, x: xs.count(x)),
    ("give the position of the given text", lambda xs, x: xs.index(x)),
    ("drop the given text", lambda xs, x: [y for y in xs if y != x]),
    ("give all positions of the given text", lambda xs, x: [i for i, y in enumerate(xs) if y == x]),
    ("give what comes before the given text's first place", lambda xs, x: xs[: xs.index(x)]),
)


def _line(mark: str, one: _ONE_OF) -> Kind:
    def draw(rng: random.Random, notable: Sequence[Json]) -> tuple[Json, ...]:
        texts = [one(rng) for _ in range(rng.randint(2, 5))]
        if rng.random() < 0.4:
            texts.append(texts[0])
        return (mark.join(texts),)

    return Kind(name=f"line {mark}", draw=draw)


_LINE: tuple[tuple[str, Fn], ...] = (
    ("reverse the fields and keep the semicolons", lambda s: ";".join(s.split(";")[::-1])),
)  # fmt: skip

_BARS: tuple[tuple[str, Fn], ...] = (
    ("drop empty cells", lambda s: [x for x in s.split("|") if x]),
    ("reverse the cells", lambda s: "|".join(s.split("|")[::-1])),
)  # fmt: skip


def families() -> list[Family]:
    """Every family about lists of texts and lines of fields."""
    return [
        *fixed("tags", 2, _texts("tags", _tag, low=1), *_TAGS),
        *fixed("cells", 2, _texts("cells", _cell, low=3), *_CELLS),
        *fixed("files", 3, _texts("files", _file), *_FILES),
        *fixed("shared-start", 3, Kind(name="shared start", draw=_shared), *_SHARED),
        *fixed("shared-folder", 3, Kind(name="shared folder", draw=_folders), _SHARED[0]),
        *fixed("versions", 3, _texts("versions", _version), *_VERSIONS),
        *fixed("tags-and-one", 2, _with_one("tags, tag", words.word), *_WITH_ONE),
        *fixed(
            "cities-and-one",
            2,
            _with_one("cities, city", lambda rng: rng.choice(words.CITIES[:6])),
            _WITH_ONE[0],
            _WITH_ONE[3],
        ),
        *fixed("fields", 3, _line(";", _tag), *_LINE),
        *fixed("bars", 3, _line("|", _cell), *_BARS),
    ]
