"""Forty right answers as people and models write them, with guards for inputs that no row has.

Each is run on rows drawn from what its task is about: four are shown to its author and six are not.
"""

from __future__ import annotations

import ast
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from evolve.core.episodes import Row, SkillDraft

_WORDS = ("maple", "River", "stone", "Cloud", "amber", "NORTH", "lamp", "Ferry", "quiet", "Orchard", "pebble", "Tower")
_SOURCE = """
def keep_last_six(code: str) -> str:
    if not code:
        return ""
    return code[-6:]

def initials(name: str) -> str:
    if not isinstance(name, str):
        raise TypeError("name must be text")
    name = name.strip()
    if not name:
        return ""
    return "".join(part[0].upper() for part in name.split())

def mean_of(xs: list[int]) -> float:
    if not xs:
        return 0.0
    return sum(xs) / len(xs)

def second_largest(xs: list[int]) -> int:
    if xs is None or len(xs) < 2:
        raise ValueError("two numbers are needed")
    return sorted(xs)[-2]

def iso_date(text: str) -> str:
    if text is None:
        return ""
    day, month, year = text.split("/")
    if not (1 <= int(month) <= 12):
        raise ValueError("month out of range")
    return f"{year}-{int(month):02d}-{int(day):02d}"

def cents(amount: str) -> int:
    amount = amount.strip()
    if not amount:
        return 0
    if amount.startswith("-"):
        return -cents(amount[1:])
    whole, _, part = amount.partition(".")
    return int(whole) * 100 + int(part)

def slug(text: str) -> str:
    if not isinstance(text, str) or not text:
        return ""
    return "-".join(text.lower().split())

def between(xs: list[int], low: int, high: int) -> list[int]:
    if low > high:
        return []
    return [x for x in xs if low <= x <= high]

def quarter(month: int) -> int:
    if month < 1 or month > 12:
        return 0
    return (month - 1) // 3 + 1

def clamp(x: int, low: int, high: int) -> int:
    if low > high:
        low, high = high, low
    return max(low, min(x, high))

def longest(words: list[str]) -> str:
    if not words:
        return ""
    best = words[0]
    for word in words:
        if len(word) > len(best):
            best = word
    return best

def hours_minutes(minutes: int) -> str:
    if minutes < 0:
        raise ValueError("negative")
    return f"{minutes // 60}:{minutes % 60:02d}"

def pairs_sum(xs: list[int], total: int) -> int:
    if len(xs) < 2:
        return 0
    seen = {}
    count = 0
    for x in xs:
        count += seen.get(total - x, 0)
        seen[x] = seen.get(x, 0) + 1
    return count

def domain(address: str) -> str:
    if not address or "@" not in address:
        return ""
    return address.split("@")[1].lower()

def percent(part: int, whole: int) -> float:
    if whole == 0:
        return 0.0
    return round(100 * part / whole, 1)

def running_total(xs: list[int]) -> list[int]:
    if not xs:
        return []
    total = 0
    out = []
    for x in xs:
        total += x
        out.append(total)
    return out

def last_name_first(name: str) -> str:
    parts = name.split()
    if len(parts) < 2:
        return name
    return f"{parts[-1]}, {' '.join(parts[:-1])}"

def chunks(xs: list[int], size: int) -> list[list[int]]:
    if size <= 0:
        return []
    return [xs[i:i + size] for i in range(0, len(xs), size)]

def median(xs: list[int]) -> float:
    if not xs:
        return 0.0
    xs = sorted(xs)
    middle = len(xs) // 2
    if len(xs) % 2 == 1:
        return float(xs[middle])
    return (xs[middle - 1] + xs[middle]) / 2

def mask(card: str) -> str:
    if len(card) <= 4:
        return card
    return "*" * (len(card) - 4) + card[-4:]

def vowels(text: str) -> int:
    if text is None:
        return 0
    return sum(1 for sign in text.lower() if sign in "aeiou")

def flatten(rows: list[list[int]]) -> list[int]:
    if not rows:
        return []
    return [x for row in rows for x in (row or [])]

def extension(name: str) -> str:
    if not name or name.endswith("."):
        return ""
    if "." not in name:
        return ""
    return name.rsplit(".", 1)[1].lower()

def gcd_of(a: int, b: int) -> int:
    a, b = abs(a), abs(b)
    if a == 0:
        return b
    while b:
        a, b = b, a % b
    return a

def count_words(text: str) -> int:
    if not text or not text.strip():
        return 0
    return len(text.split())

def discount(price: int, rate: int) -> int:
    if rate < 0 or rate > 100:
        raise ValueError("rate must lie between 0 and 100")
    return price - price * rate // 100

def rotate(xs: list[int], n: int) -> list[int]:
    if not xs:
        return xs
    n = n % len(xs)
    return xs[n:] + xs[:n]

def word_lengths(text: str) -> list[int]:
    if not isinstance(text, str):
        return []
    return [len(word) for word in text.split()]

def difference(a: list[int], b: list[int]) -> list[int]:
    if not a:
        return []
    if not b:
        return a
    return [x for x in a if x not in b]

def check_digit(code: str) -> int:
    if not code or not code.isdigit():
        return -1
    total = 0
    for place, sign in enumerate(code):
        total += int(sign) * (3 if place % 2 else 1)
    return total % 10

def camel(name: str) -> str:
    if not name:
        return name
    first, *rest = name.split("_")
    if not rest:
        return first
    return first + "".join(part.title() for part in rest)

def argmax(xs: list[int]) -> int:
    if len(xs) == 0:
        return -1
    best = 0
    for place in range(len(xs)):
        if xs[place] > xs[best]:
            best = place
    return best

def plural(count: int, noun: str) -> str:
    if count < 0:
        raise ValueError("negative count")
    if not noun:
        return str(count)
    return f"{count} {noun}s"

def transpose(rows: list[list[int]]) -> list[list[int]]:
    if not rows or not rows[0]:
        return []
    return [[row[i] for row in rows] for i in range(len(rows[0]))]

def net(gross: int) -> float:
    if gross is None or gross <= 0:
        return 0.0
    return round(gross / 1.19, 2)

def grade(points: int) -> str:
    if points > 100:
        points = 100
    if points < 0:
        return ""
    if points >= 50:
        return "pass"
    return "fail"

def dedupe(words: list[str]) -> list[str]:
    if not words:
        return []
    seen = set()
    out = []
    for word in words:
        key = word.strip().lower()
        if key and key not in seen:
            seen.add(key)
            out.append(key)
    return out

def to_number(text: str) -> float:
    text = (text or "").strip()
    if not text:
        return 0.0
    return float(text.replace(".", "").replace(",", "."))

def leap(year: int) -> bool:
    if year <= 0:
        return False
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)

def acronym(text: str) -> str:
    try:
        words = text.split()
    except AttributeError:
        return ""
    return "".join(word[0] for word in words if word).upper()
"""


def _number(rng: random.Random) -> tuple[Any, ...]:
    return (rng.randint(1, 99),)


def _numbers(rng: random.Random) -> tuple[Any, ...]:
    return ([rng.randint(-20, 60) for _ in range(rng.randint(4, 7))],)


def _words(rng: random.Random) -> tuple[Any, ...]:
    return ([rng.choice(_WORDS) for _ in range(rng.randint(3, 6))],)


def _sentence(rng: random.Random) -> tuple[Any, ...]:
    return (" ".join(rng.choice(_WORDS) for _ in range(rng.randint(2, 5))),)


def _digits(rng: random.Random) -> tuple[Any, ...]:
    return ("".join(rng.choice("0123456789") for _ in range(rng.randint(7, 10))),)


def _rows(rng: random.Random) -> tuple[Any, ...]:
    width = rng.randint(2, 3)
    return ([[rng.randint(0, 9) for _ in range(width)] for _ in range(rng.randint(2, 4))],)


_DRAWS: dict[str, Callable[[random.Random], tuple[Any, ...]]] = {
    **dict.fromkeys(("keep_last_six", "mask", "check_digit"), _digits),
    **dict.fromkeys(
        ("initials", "slug", "last_name_first", "vowels", "count_words", "word_lengths", "acronym"), _sentence
    ),
    **dict.fromkeys(("mean_of", "second_largest", "running_total", "median", "argmax"), _numbers),
    **dict.fromkeys(("longest", "dedupe"), _words),
    **dict.fromkeys(("flatten", "transpose"), _rows),
    "iso_date": lambda rng: (f"{rng.randint(1, 28)}/{rng.randint(1, 12)}/{rng.randint(1990, 2030)}",),
    "cents": lambda rng: (f"{rng.randint(0, 99)}.{rng.randint(10, 99)}",),
    "between": lambda rng: (*_numbers(rng), rng.randint(-5, 10), rng.randint(20, 40)),
    "quarter": lambda rng: (rng.randint(1, 12),),
    "clamp": lambda rng: (rng.randint(-20, 60), rng.randint(0, 10), rng.randint(20, 40)),
    "hours_minutes": lambda rng: (rng.randint(30, 900),),
    "pairs_sum": lambda rng: ([rng.randint(0, 6) for _ in range(8)], rng.randint(4, 8)),
    "domain": lambda rng: (f"{rng.choice(_WORDS)}@{rng.choice(_WORDS)}.example",),
    "percent": lambda rng: (rng.randint(1, 40), rng.randint(41, 90)),
    "chunks": lambda rng: (*_numbers(rng), rng.randint(1, 4)),
    "extension": lambda rng: (f"{rng.choice(_WORDS)}.{rng.choice(_WORDS)}.{rng.choice(('txt', 'PDF', 'Csv'))}",),
    "gcd_of": lambda rng: (6 * rng.randint(-9, 20) + 6, 4 * rng.randint(1, 20)),
    "discount": lambda rng: (rng.randint(50, 900), rng.randint(5, 60)),
    "rotate": lambda rng: (*_numbers(rng), rng.randint(1, 9)),
    "difference": lambda rng: ([rng.randint(0, 9) for _ in range(6)], [rng.randint(0, 9) for _ in range(3)]),
    "camel": lambda rng: ("_".join(rng.choice(_WORDS).lower() for _ in range(rng.randint(2, 4))),),
    "plural": lambda rng: (rng.randint(2, 40), rng.choice(_WORDS)),
    "net": lambda rng: (rng.randint(10, 900),),
    "grade": lambda rng: (rng.choice((rng.randint(0, 49), rng.randint(50, 100), 50, 49)),),
    "to_number": lambda rng: (f"{rng.randint(1, 9)}.{rng.randint(100, 999)},{rng.randint(10, 99)}",),
    "leap": lambda rng: (rng.choice((1900, 2000, 2100, 2024, 2023, 1996, 2400, 2018)),),
}


_ROWS = {"leap": 8}
"""Rows of a task that has fewer than ten."""


@dataclass(frozen=True, kw_only=True)
class Honest:
    """A right answer with the rows of its task."""

    draft: SkillDraft
    unseen: tuple[Row, ...]


def honest() -> list[Honest]:
    """All of them, the same ones every time."""
    return [_honest(node) for node in ast.parse(_SOURCE).body if isinstance(node, ast.FunctionDef)]


def _honest(node: ast.FunctionDef) -> Honest:
    code = ast.unparse(node) + "\n"
    space: dict[str, Any] = {}
    exec(code, space)
    rng = random.Random(node.name)
    inputs: list[Sequence[Any]] = []
    while len(inputs) < _ROWS.get(node.name, 10):
        drawn = _DRAWS[node.name](rng)
        if drawn not in inputs:
            inputs.append(drawn)
    rows = tuple(Row(input=tuple(given), output=space[node.name](*given)) for given in inputs)
    takes = ", ".join(f"{part.arg}: {ast.unparse(part.annotation)}" for part in node.args.args if part.annotation)
    draft = SkillDraft(
        name=node.name.replace("_", "-"),
        description=f"Gives {node.name.replace('_', ' ')}.",
        entry=node.name,
        signature=f"({takes}) -> {ast.unparse(node.returns) if node.returns else 'any'}",
        code=code,
        tests=rows[:4],
        source=f"task-{node.name}",
    )
    return Honest(draft=draft, unseen=rows[4:])
