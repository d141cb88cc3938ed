"""Thirty row tasks within the reach of a small model: everyday values, one rule each, most with a catch.

Each stands here as its instruction, a reference and the arguments of its rows. The first ``SHOWN`` rows are shown; the
others are read by the judge alone.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evolve.core.episodes import Row

SHOWN = 4


@dataclass(frozen=True, kw_only=True)
class RowTask:
    """One function to write.

    Attributes:
        entry: Its name.
        signature: As every arm is shown it.
    """

    entry: str
    signature: str
    instruction: str
    shown: tuple[Row, ...]
    hidden: tuple[Row, ...]


def _task(signature: str, instruction: str, reference: Callable[..., Any], calls: Sequence[tuple[Any, ...]]) -> RowTask:
    rows = tuple(Row(input=call, output=json.loads(json.dumps(reference(*call)))) for call in calls)
    return RowTask(
        entry=signature.partition("(")[0],
        signature=signature,
        instruction=instruction,
        shown=rows[:SHOWN],
        hidden=rows[SHOWN:],
    )


def _initials(name: str) -> str:
    return "".join(f"{part[0].upper()}." for part in name.replace("-", " ").split())


def _hours(text: str) -> int:
    hours, minutes = text.split(":")
    return int(hours) * 60 + int(minutes)


def _clock(minutes: int) -> str:
    return f"{minutes // 60 % 24:02d}:{minutes % 60:02d}"


def _plural(count: int, word: str) -> str:
    if count == 1:
        return f"1 {word}"
    ends = "es" if word.endswith(("s", "x", "ch", "sh")) else "s"
    return f"{count or 'no'} {word}{ends}"


def _runs(text: str) -> str:
    found: list[list[Any]] = []
    for sign in text:
        if found and found[-1][0] == sign:
            found[-1][1] += 1
        else:
            found.append([sign, 1])
    return "".join(f"{sign}{count if count > 1 else ''}" for sign, count in found)


def _median(values: list[int]) -> float:
    ordered = sorted(values)
    half = len(ordered) // 2
    return float(ordered[half]) if len(ordered) % 2 else (ordered[half - 1] + ordered[half]) / 2


def _masked(address: str) -> str:
    name, _, host = address.partition("@")
    return f"{name[0]}{'*' * (len(name) - 1)}@{host}"


def _shipping(grams: int) -> float:
    return 0.0 if grams == 0 else 3.9 if grams <= 500 else 5.9 if grams <= 2000 else 9.9


def _grade(points: int) -> str:
    return "A" if points >= 90 else "B" if points >= 75 else "C" if points >= 60 else "F"


def _second(values: list[int]) -> int | None:
    different = sorted(set(values), reverse=True)
    return different[1] if len(different) > 1 else None


def _merged(spans: list[list[int]]) -> list[list[int]]:
    found: list[list[int]] = []
    for begin, end in sorted(spans):
        if found and begin <= found[-1][1]:
            found[-1][1] = max(found[-1][1], end)
        else:
            found.append([begin, end])
    return found


def _snake(text: str) -> str:
    return "".join(f"_{sign.lower()}" if sign.isupper() and place else sign.lower() for place, sign in enumerate(text))


def _counts(text: str) -> dict[str, int]:
    words = text.lower().split()
    return {word: words.count(word) for word in sorted(set(words)) if words.count(word) > 1}


def _padded(number: int, width: int) -> str:
    return f"-{str(-number).zfill(width)}" if number < 0 else str(number).zfill(width)


def _rotated(values: list[int], by: int) -> list[int]:
    cut = len(values) - by % len(values) if values else 0
    return values[cut:] + values[:cut]


def load_tasks() -> tuple[RowTask, ...]:
    """The thirty tasks."""
    return tuple(_task(*each) for each in (*_TEXTS, *_NUMBERS, *_LISTS))


def read_tasks(path: Path) -> tuple[RowTask, ...]:
    """Tasks of a JSONL file: ``signature``, ``instruction``; ``shown`` and ``hidden`` as ``[arguments, output]``."""
    found = []
    for line in path.read_text("utf-8").splitlines():
        told = json.loads(line)
        rows = {
            part: tuple(Row(input=tuple(call), output=out) for call, out in told[part]) for part in ("shown", "hidden")
        }
        signature = told["signature"]
        found.append(
            RowTask(entry=signature.partition("(")[0], signature=signature, instruction=told["instruction"], **rows)
        )
    return tuple(found)


_Given = tuple[str, str, Callable[..., Any], Sequence[tuple[Any, ...]]]

_TEXTS: tuple[_Given, ...] = (
    ("initials(name: str) -> str", "Give the initials of a name.", _initials,
     [("Ada Lovelace",), ("jean-luc picard",), ("Grace",), ("Tim Berners-Lee",), ("alan turing",), ("Ida B Wells",)]),
    ("last_first(name: str) -> str", "Write a name with the last name first.",
     lambda name: f"{name.split()[-1]}, {' '.join(name.split()[:-1])}" if " " in name.strip() else name.strip(),
     [("Ada Lovelace",), ("Alan Mathison Turing",), ("Plato",), ("Grace Hopper",), ("Mary Ann Evans",), (" Cher",)]),
    ("domain(address: str) -> str", "Give the domain of a mail address.", lambda a: a.split("@")[-1].lower(),
     [("ada@Example.org",), ("alan@mail.example.com",), ("x@Y.de",), ("grace@navy.mil",), ("A.B@C.D.E",), ("q@w",)]),
    ("masked(address: str) -> str", "Hide a mail address, all but the first sign of the name.", _masked,
     [("ada@example.org",), ("x@y.de",), ("grace@navy.mil",), ("bo@b.se",), ("linus@kernel.org",), ("jo@x.y",)]),
    ("slug(title: str) -> str", "Turn a title into a slug for an address.",
     lambda t: "-".join("".join(s if s.isalnum() else " " for s in t.lower()).split()),
     [("Hello World",), ("C'est la vie!",), ("  Two  Spaces ",), ("A/B testing, 101",), ("Already-fine",), ("(x)",)]),
    ("plural(count: int, word: str) -> str", "Say how many there are.", _plural,
     [(1, "apple"), (3, "box"), (0, "apple"), (2, "pear"), (0, "bus"), (5, "dish"), (1, "church")]),
    ("runs(text: str) -> str", "Shorten a text by counting what repeats.", _runs,
     [("aaab",), ("abc",), ("xxyyyz",), ("",), ("zzzzzzzzzzzz",), ("aabbaa",)]),
    ("snake(name: str) -> str", "Write a camel-case name in snake case.", _snake,
     [("camelCase",), ("HelloWorld",), ("x",), ("parseHTTP",), ("aB",), ("ReadMe",)]),
    ("extension(path: str) -> str", "Give the extension of a file name.",
     lambda p: p.rsplit("/", 1)[-1].rsplit(".", 1)[-1].lower() if "." in p.rsplit("/", 1)[-1][1:] else "",
     [("report.PDF",), ("a.tar.gz",), ("README",), (".bashrc",), ("v1.2/notes",), ("x.y/z.TXT",)]),
    ("swapped(date: str) -> str", "Write a German date in the international order.",
     lambda d: "-".join(part.zfill(2) for part in reversed(d.split("."))),
     [("24.12.2024",), ("1.2.2023",), ("31.01.1999",), ("5.11.2020",), ("09.9.2009",), ("10.10.2010",)]),
)  # fmt: skip

_NUMBERS: tuple[_Given, ...] = (
    ("minutes(text: str) -> int", "Give a time of day in minutes since midnight.", _hours,
     [("00:00",), ("7:05",), ("23:59",), ("12:30",), ("9:9",), ("01:00",)]),
    ("end_time(start: str, minutes: int) -> str", "Tell when something ends that begins at a time.",
     lambda start, minutes: _clock(_hours(start) + minutes),
     [("09:30", 45), ("23:50", 20), ("00:00", 0), ("8:15", 600), ("12:00", 1440), ("22:22", 222)]),
    ("discount(price: float, member: bool) -> float", "What a person pays; members pay less from 100 on.",
     lambda price, member: round(price * 0.9, 2) if member and price >= 100 else price,
     [(100.0, True), (99.99, True), (250.0, False), (200.0, True), (100.0, False), (149.95, True)]),
    ("shipping(grams: int) -> float", "What shipping costs by weight.", _shipping,
     [(500, ), (501,), (2000,), (0,), (2001,), (1,), (10000,)]),
    ("grade(points: int) -> str", "The grade for a number of points.", _grade,
     [(90,), (75,), (60,), (59,), (89,), (74,), (100,), (0,)]),
    ("digits(number: int) -> int", "Add the digits of a number.", lambda n: sum(map(int, str(abs(n)))),
     [(123,), (-45,), (0,), (9999,), (1000000,), (-7,)]),
    ("padded(number: int, width: int) -> str", "Write a number with leading zeros.", _padded,
     [(7, 3), (-7, 3), (1234, 3), (0, 2), (-12345, 4), (10, 10)]),
    ("collatz(number: int) -> int", "Steps until a number becomes 1: half if even, else three times and one.",
     lambda n: _collatz(n), [(1,), (6,), (7,), (27,), (2,), (97,)]),
    ("leap(year: int) -> bool", "Whether a year has a 29 February.",
     lambda y: y % 4 == 0 and (y % 100 != 0 or y % 400 == 0),
     [(2024,), (1900,), (2000,), (2023,), (2100,), (1600,)]),
    ("roman(number: int) -> str", "Write a number in Roman numerals.", lambda n: _roman(n),
     [(4,), (9,), (1994,), (2024,), (3999,), (40,), (1,)]),
)  # fmt: skip

_LISTS: tuple[_Given, ...] = (
    ("median(values: list) -> float", "Give the median of whole numbers.", _median,
     [([3, 1, 2],), ([4, 1, 3, 2],), ([5],), ([1, 1, 9, 9],), ([7, 3],), ([10, 2, 8, 4, 6],)]),
    ("second(values: list) -> int", "Give the second largest of the different numbers.", _second,
     [([3, 1, 2],), ([5, 5, 4],), ([7],), ([2, 2],), ([9, 8, 9, 8, 7],), ([-1, -2],)]),
    ("merged(spans: list) -> list", "Join spans that overlap or touch.", _merged,
     [([[1, 3], [2, 5]],), ([[1, 2], [4, 5]],), ([[1, 4], [4, 6]],), ([[5, 6], [1, 2]],), ([],),
      ([[1, 9], [2, 3], [9, 12]],)]),
    ("repeated(text: str) -> dict", "Count the words that occur more than once.", _counts,
     [("a b a",), ("The cat the dog",), ("one two",), ("x X x y Y",), ("",), ("b a b a c",)]),
    ("rotated(values: list, by: int) -> list", "Rotate a list to the right.",
     _rotated,
     [([1, 2, 3], 1), ([1, 2, 3], 4), ([], 2), ([1, 2, 3, 4], -1), ([5], 7), ([1, 2], 2)]),
    ("chunks(values: list, size: int) -> list", "Cut a list into pieces of a size.",
     lambda values, size: [values[place : place + size] for place in range(0, len(values), size)],
     [([1, 2, 3, 4, 5], 2), ([1, 2], 3), ([], 2), ([1, 2, 3], 1), ([1, 2, 3, 4], 2), ([7] * 7, 3)]),
    ("unique(values: list) -> list", "Leave out what came before, whatever its case.",
     lambda values: [v for place, v in enumerate(values) if v.lower() not in [w.lower() for w in values[:place]]],
     [(["a", "A", "b"],), (["x"],), ([],), (["Be", "bE", "c", "C"],), (["q", "w", "Q"],), (["same", "same"],)]),
    ("balance(entries: list) -> list", "Running balance of amounts in cents; a fee of 5 for each negative one.",
     lambda entries: _balance(entries),
     [([100, -30],), ([-10],), ([],), ([50, 50, -100],), ([-1, -1, 10],), ([5, -5, 5],)]),
    ("columns(rows: list) -> list", "Turn rows into columns; short rows are filled with null.",
     lambda rows: [[row[i] if i < len(row) else None for row in rows] for i in range(max(map(len, rows), default=0))],
     [([[1, 2], [3, 4]],), ([[1, 2], [3]],), ([],), ([[1], [2], [3]],), ([[], [1]],), ([[1, 2, 3]],)]),
    ("winners(scores: dict) -> list", "Names with the highest score, in order.",
     lambda scores: sorted(name for name, points in scores.items() if points == max(scores.values())),
     [({"bo": 3, "al": 3, "cy": 1},), ({"x": 0},), ({},), ({"d": -1, "c": -1},), ({"zed": 9, "amy": 8},),
      ({"q": 2, "p": 2, "r": 2},)]),
)  # fmt: skip


def _collatz(number: int) -> int:
    steps = 0
    while number != 1:
        number, steps = (number // 2 if number % 2 == 0 else 3 * number + 1), steps + 1
    return steps


def _roman(number: int) -> str:
    signs = zip((1000, 900, 500, 400, 100, 90, 50, 40, 10, 9, 5, 4, 1),
                ("M", "CM", "D", "CD", "C", "XC", "L", "XL", "X", "IX", "V", "IV", "I"), strict=True)  # fmt: skip
    text = ""
    for value, sign in signs:
        text, number = text + sign * (number // value), number % value
    return text


def _balance(entries: list[int]) -> list[int]:
    found: list[int] = []
    for entry in entries:
        found.append((found[-1] if found else 0) + entry - (5 if entry < 0 else 0))
    return found
