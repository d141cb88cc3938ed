"""Vocabulary of the ``strings`` suite, and how realistic text of every kind is drawn from it."""

from __future__ import annotations

import random
from collections.abc import Sequence

from benchmarks.suites.frame import Kind
from evolve.core.episodes import Json

FIRST = (
    "Ada", "Bruno", "Carla", "Dora", "Emil", "Fatima", "Goran", "Hilde", "Ines", "Jamal", "Kira", "Liam", "Mona",
    "Nils", "Olga", "Pavel", "Quentin", "Rosa", "Sven", "Tara", "Uwe", "Vera", "Willem", "Yara", "Zeno", "Anouk",
)  # fmt: skip
LAST = (
    "Abbott", "Brandt", "Costa", "Dahl", "Ericson", "Fontaine", "Gruber", "Hansen", "Ivanov", "Jovic", "Kemp", "Lund",
    "Moretti", "Nowak", "Ortega", "Paulsen", "Quist", "Reyes", "Sato", "Thorne", "Ulrich", "Vidal", "Wagner", "Zhou",
)  # fmt: skip
CITIES = (
    "Lisbon", "Graz", "Bergen", "Nairobi", "Osaka", "Toledo", "Krakow", "Dublin", "Quito", "Perth", "Accra", "Tartu",
    "Cork", "Lima", "Basel", "Hanoi", "Tunis", "Leeds", "Porto", "Split", "Sofia", "Izmir",
)  # fmt: skip
THINGS = (
    "lamp", "desk", "kettle", "jacket", "basket", "mirror", "ladder", "pillow", "engine", "camera", "folder", "bottle",
    "ticket", "garden", "window", "anchor", "umbrella", "cable", "apple", "orange", "invoice", "oven", "ink", "letter",
)  # fmt: skip
QUALITIES = (
    "red", "old", "small", "quiet", "heavy", "open", "urgent", "blue", "empty", "warm", "paid", "odd", "late", "extra",
    "new", "silver", "wooden", "active", "spare", "green",
)  # fmt: skip
LINKS = ("and", "of", "for", "with", "the", "in", "a", "to")
FIRMS = ("Northgate", "Solvex", "Brightway", "Harbor", "Atlas", "Kestrel", "Monto", "Vireo", "Quill", "Orbit")
ENDINGS = ("com", "org", "net", "io", "eu", "co")
FORMATS = ("txt", "csv", "pdf", "png", "json", "md", "zip")


def word(rng: random.Random) -> str:
    """One lower-case word."""
    return rng.choice(rng.choice((THINGS, QUALITIES)))


def phrase(rng: random.Random) -> str:
    """Two to six words, sometimes capitalised, sometimes with a number."""
    words = [word(rng) for _ in range(rng.randint(2, 5))]
    if rng.random() < 0.3:
        words.insert(rng.randrange(1, len(words)), rng.choice(LINKS))
    if rng.random() < 0.25:
        words.append(str(rng.randint(1, 400)))
    style = rng.random()
    if style < 0.25:
        words[0] = words[0].capitalize()
    elif style < 0.4:
        words = [each.capitalize() for each in words]
    return " ".join(words)


def untidy(rng: random.Random) -> str:
    """A phrase as it is typed in a hurry: blanks and capitals anywhere."""
    words = [each.upper() if rng.random() < 0.3 else each for each in phrase(rng).split()]
    text = "".join(each + " " * rng.choice((1, 1, 2, 3)) for each in words)
    return " " * rng.choice((0, 1, 2)) + text[: len(text) - rng.choice((0, 1))]


def name(rng: random.Random) -> str:
    """A person, now and then with a second given name."""
    parts = [rng.choice(FIRST), rng.choice(LAST)]
    if rng.random() < 0.3:
        parts.insert(1, rng.choice(FIRST))
    return " ".join(parts)


def code(rng: random.Random) -> str:
    """A product code of three parts, such as ``KL-0412-b``."""
    letters = "".join(rng.choice("ABCDEFGHKLMNPRSTXZ") for _ in range(rng.randint(2, 3)))
    middle = str(rng.randint(0, 9999)).zfill(rng.choice((1, 4)))
    return f"{letters}-{middle}-{rng.choice(('a', 'b', 'x', 'EU', 'XL', 'r2', '7', 'new'))}"


def listing(rng: random.Random) -> str:
    """Words separated by commas, with or without a blank."""
    mark = rng.choice((",", ",", ", "))
    return mark.join(rng.choice((*THINGS, *CITIES)) for _ in range(rng.randint(2, 5)))


def figures(rng: random.Random) -> str:
    """Whole numbers separated by commas."""
    return ",".join(str(rng.randint(0, 60)) for _ in range(rng.randint(1, 6)))


def mixed(rng: random.Random) -> str:
    """A short note that holds numbers."""
    size, count = rng.randint(1, 99), rng.randint(2, 950)
    patterns = (
        f"{count} {word(rng)}s from {rng.choice(CITIES)}",
        f"Order {count}: {size} x {word(rng)}",
        f"{rng.choice(CITIES)} {count}-{size}",
        f"{word(rng)} ({size} of {count})",
        f"Room {size}, {rng.choice(CITIES)}",
        f"{word(rng)}{size} {word(rng)}{count}",
    )
    return rng.choice(patterns)


def date(rng: random.Random) -> str:
    """A date as YYYY-MM-DD."""
    return f"{rng.randint(1962, 2031)}-{rng.randint(1, 12):02d}-{rng.randint(1, 28):02d}"


def amount(rng: random.Random) -> str:
    """A number in plain notation, with up to three decimals."""
    whole = rng.choice((rng.randint(0, 99), rng.randint(100, 9999), rng.randint(10_000, 900_000)))
    places = rng.choice((0, 1, 2, 3))
    sign = "-" if rng.random() < 0.15 else ""
    return sign + str(whole) + (f".{rng.randrange(10**places):0{places}d}" if places else "")


def mail(rng: random.Random) -> str:
    """An e-mail address."""
    user = rng.choice(FIRST).lower() + rng.choice((".", "_", "")) + rng.choice(LAST).lower()
    return f"{user}{rng.choice(('', '', str(rng.randint(1, 99))))}@{rng.choice(FIRMS).lower()}.{rng.choice(ENDINGS)}"


def path(rng: random.Random) -> str:
    """A file with its folders."""
    folders = [word(rng) for _ in range(rng.randint(1, 3))]
    stem = rng.choice((word(rng), f"{word(rng)}_{word(rng)}", f"{word(rng)}-{rng.randint(1, 40)}"))
    return "/".join([*folders, f"{stem}.{rng.choice(FORMATS)}"])


def single(rng: random.Random) -> str:
    """One word or place, in one of three casings."""
    text = rng.choice((*THINGS, *CITIES, *QUALITIES, "level", "noon", "civic", "Anna"))
    return rng.choice((text, text.lower(), text.upper()))


_DRAWS = (phrase, untidy, name, code, listing, figures, mixed, date, amount, mail, path, single)


def _any_text(rng: random.Random, notable: Sequence[Json]) -> tuple[Json, ...]:
    return (rng.choice(_DRAWS)(rng),)


def _kind(index: int, edges: tuple[str, ...] = ()) -> Kind:
    def draw(rng: random.Random, notable: Sequence[Json]) -> tuple[Json, ...]:
        return (_DRAWS[index](rng),)

    return Kind(name="text", draw=draw, edges=tuple((edge,) for edge in edges), probe=_any_text)


PHRASE = _kind(0, ("ok", "a b"))
UNTIDY = _kind(1, ("  ok ",))
NAME = _kind(2)
CODE = _kind(3)
LISTING = _kind(4, ("lamp",))
FIGURES = _kind(5, ("0",))
MIXED = _kind(6)
DATE = _kind(7, ("2000-01-01", "1999-12-31"))
AMOUNT = _kind(8, ("0", "1000"))
MAIL = _kind(9)
PATH = _kind(10)
SINGLE = _kind(11, ("a", "xy"))


def _draw_two(rng: random.Random, notable: Sequence[Json]) -> tuple[Json, ...]:
    style = rng.random()
    if style < 0.5:
        return single(rng), single(rng)
    if style < 0.75:
        return rng.choice(FIRST), rng.choice(LAST)
    text = phrase(rng)
    return text, rng.choice((rng.choice(text.split()), word(rng)))


def _draw_part(rng: random.Random, notable: Sequence[Json]) -> tuple[Json, ...]:
    text = rng.choice((phrase, mixed, single))(rng)
    place = rng.randrange(len(text))
    return text, text[place : place + rng.randint(1, 2)].strip() or "e"


def _draw_counted(rng: random.Random, notable: Sequence[Json]) -> tuple[Json, ...]:
    return rng.choice((phrase, single, mixed))(rng), rng.randint(1, 6)


TWO = Kind(name="text, text", draw=_draw_two, edges=(("a", "a"), ("Oslo", "oslo")))
PART = Kind(name="text, part", draw=_draw_part, edges=(("banana", "an"),))
COUNTED = Kind(name="text, number", draw=_draw_counted, edges=(("ox", 3),))
